"""Communities, and how good they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import algorithms
from .degrees import strengths
from .dispatch import SINCE_3_7, dispatched
from .graph import Graph

ROUNDS = 100  # labels that have not settled by then never will
USUAL = {"threshold": 1e-7, "theta": 0.01}  # NetworkX's criteria to stop and to move; our algorithm has its own


def _limited(arguments: dict) -> str | None:
    if arguments["max_level"] is not None:
        return "max_level limits the number of levels"
    chosen = [name for name, usual in USUAL.items() if arguments.get(name, usual) != usual]
    return f"{chosen[0]} is chosen, which only NetworkX goes by" if chosen else None


def _found(G: Graph, algorithm: Any, weight: str | None, resolution: float, seed: Any) -> list[set]:
    A = G.weights(weight, negative=False)
    return _parts(G, algorithm(A, resolution=resolution, directed=False, seed=seed.getrandbits(32)).labels.to_dense())


def _parts(G: Graph, labels: np.ndarray) -> list[set]:
    parts: dict[int, set] = {}
    for node, label in zip(G, labels.tolist(), strict=True):
        parts.setdefault(label, set()).add(node)
    return list(parts.values())


@dispatched(refuse=_limited)
def louvain_communities(
    G: Graph,
    weight: str | None = "weight",
    resolution: float = 1,
    threshold: float = USUAL["threshold"],
    max_level: None = None,
    seed: object = None,
) -> list[set]:
    if G.is_directed():
        raise NotImplementedError("the graph is directed")
    return _found(G, algorithms.louvain, weight, resolution, seed)


def _judged_otherwise(arguments: dict) -> str | None:
    """From version 3.7 on, NetworkX has its own algorithm, with a choice of quality functions."""
    if SINCE_3_7 and arguments["metric"] != "modularity":
        return "the quality function is not modularity"
    return _limited(arguments)


@dispatched(refuse=_judged_otherwise)
def leiden_communities(
    G: Graph,
    weight: str | None = "weight",
    resolution: float = 1,
    max_level: None = None,
    seed: object = None,
    metric: str = "cpm",
    theta: float = USUAL["theta"],
) -> list[set]:
    if G.is_directed():
        raise NotImplementedError("the graph is directed")
    return _found(G, algorithms.leiden, weight, resolution, seed)


def _weighted_or_directed(arguments: dict) -> str | None:
    if arguments["weight"] is not None:
        return "edges have weights"
    return "the graph is directed" if arguments["G"].is_directed() else None


@dispatched(refuse=_weighted_or_directed)
def asyn_lpa_communities(G: Graph, weight: None = None, seed: object = None) -> Iterator[set]:
    return iter(_settled(G))


@dispatched(refuse=_weighted_or_directed)
def fast_label_propagation_communities(G: Graph, *, weight: None = None, seed: object = None) -> Iterator[set]:
    return iter(_settled(G))


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


@dispatched(pays="converted")
def modularity(G: Graph, communities: Any, weight: str | None = "weight", resolution: float = 1) -> float:
    parts = communities if isinstance(communities, list) else list(communities)
    if not is_partition(G, parts):
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


@dispatched(pays="converted")
def is_partition(G: Graph, communities: Any) -> bool:
    parts = communities if isinstance(communities, list) else list(communities)
    nodes = {node for part in parts for node in part if node in G}
    return len(G) == len(nodes) == sum(map(len, parts))
