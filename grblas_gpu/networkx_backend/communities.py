"""Communities, and how good they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

import numpy as np

from .. import algorithms
from .degrees import strengths
from .dispatch import define, directed
from .graph import Graph

ROUNDS = 100  # labels that have not settled by then never will
THRESHOLD, THETA = 1e-7, 0.01  # NetworkX's criteria to stop and to move; our algorithm has its own


def _limited(
    max_level: int | None, threshold: float = THRESHOLD, theta: float = THETA, metric: str = "modularity"
) -> str | None:
    """From version 3.7 on, NetworkX's Leiden algorithm is its own, with a choice of quality functions."""
    if metric != "modularity":
        return "the quality function is not modularity"
    if max_level is not None:
        return "max_level limits the number of levels"
    chosen = "threshold" if threshold != THRESHOLD else "theta" if theta != THETA else None
    return f"{chosen} is chosen, which only NetworkX goes by" if chosen else None


def _found(algorithm: Callable) -> Callable:
    def find(G: Graph, weight: str | None, resolution: float, seed: Random) -> list[set]:
        if G.is_directed():
            raise NotImplementedError("the graph is directed")
        A = G.weights(weight, negative=False)
        found = algorithm(A, resolution=resolution, directed=False, seed=seed.getrandbits(32))
        return _parts(G, found.labels.to_dense())

    return find


def _parts(G: Graph, labels: np.ndarray) -> list[set]:
    parts: dict[int, set] = {}
    for node, label in zip(G, labels.tolist(), strict=True):
        parts.setdefault(label, set()).add(node)
    return list(parts.values())


def _settled(G: Graph) -> list[set]:
    """Communities in which the label of every node is a most frequent one among its neighbours."""
    labels = algorithms.label_propagation(G.pattern(), max_iterations=ROUNDS).to_dense()
    nodes, found = G.sources().astype(np.int64), labels[G.neighbours]
    votes, counts = np.unique(nodes * len(G) + found, return_counts=True)
    most, own = np.zeros((2, len(G)), np.int64)
    np.maximum.at(most, votes // max(len(G), 1), counts)
    mine = votes % max(len(G), 1) == labels[votes // max(len(G), 1)]
    own[votes[mine] // max(len(G), 1)] = counts[mine]
    if (own < most).any():
        raise NotImplementedError("label propagation has not converged")
    return _parts(G, labels)


def _modularity(G: Graph, communities: Iterable, weight: str | None, resolution: float) -> float:
    parts = list(communities)
    if not _is_partition(G, parts):
        raise NotImplementedError("the communities are not a partition of the nodes")
    label = np.zeros(len(G), np.int64)
    for number, part in enumerate(parts):
        label[G.numbers(part)] = number
    rows, columns, values = G.weights(weight).to_coo()
    same = label[rows] == label[columns]
    inside = values[same].sum()
    if G.is_directed():
        out, into = strengths(G, "out", weight), strengths(G, "in", weight)
        all_weights, pairs = out.sum(), out.sum() ** 2
    else:
        out = into = strengths(G, "both", weight)
        inside = (inside + values[rows == columns].sum()) / 2  # an edge is listed twice, a loop once
        all_weights, pairs = out.sum() / 2, out.sum() ** 2
    if not all_weights:
        raise NotImplementedError("the sum of the weights is 0")
    sums = np.bincount(label, out, len(parts)) @ np.bincount(label, into, len(parts))
    return float(inside / all_weights - resolution * sums / pairs)


def _is_partition(G: Graph, communities: Iterable) -> bool:
    parts = list(communities)
    nodes = {node for part in parts for node in part if node in G}
    return len(G) == len(nodes) == sum(map(len, parts))


define(refuse=_limited, leiden_communities=_found(algorithms.leiden), louvain_communities=_found(algorithms.louvain))
define(
    refuse=lambda G, weight: directed(G) if weight is None else "edges have weights",
    asyn_lpa_communities=lambda G: iter(_settled(G)),
    fast_label_propagation_communities=lambda G: iter(_settled(G)),
)
define(pays="converted", is_partition=_is_partition, modularity=_modularity)
