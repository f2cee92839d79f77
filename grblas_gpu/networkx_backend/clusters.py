"""Triangles, clustering, squares and cores; communities, and how good they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

import networkx as nx
import numpy as np

from .. import Matrix, Vector, agg, algorithms, binary, monoid, select, semiring
from .degrees import strengths
from .dispatch import define, directed
from .graph import Graph

BATCH_PRODUCTS = 2**24  # approximate number of entries of a product in memory at a time


def _refuse_parallel_edges(G: Graph) -> None:
    if G.is_multigraph():
        raise nx.NetworkXNotImplemented("not implemented for multigraph type")


def _of_nodes(G: Graph, nodes: object, values: list) -> dict | float:
    """The value of one node, or a dictionary for several or all."""
    if nodes is None:
        return dict(zip(G, values, strict=True))
    if nodes in G:
        return values[G.index[nodes]]
    return {node: values[G.index[node]] for node in G.nbunch_iter(nodes)}


def of_all_nodes(nodes: object) -> str:
    """NetworkX computes only the listed nodes, this backend all of them."""
    return "large" if nodes is None else "on request"


def _triangles(G: Graph, nodes: object) -> dict | float:
    if nodes is not None:
        _refuse_parallel_edges(G)
    return _of_nodes(G, nodes, algorithms.triangles(G.pattern()).to_dense().tolist())


def _coefficients(G: Graph, weight: str | None) -> list:
    _refuse_parallel_edges(G)
    if weight is None or len(G.neighbours) == 0:
        return algorithms.clustering(G.pattern()).to_dense().tolist()
    A = G.weights(weight, negative=False)
    coefficients = algorithms.clustering(A, weighted=True).to_dense()
    # Weights are relative to the largest one: ours ignores loops, NetworkX's includes them.
    largest, proper = (x.reduce_scalar(monoid.max).new().get(0) for x in (A, select.offdiag(A).new()))
    if largest == 0:
        raise NotImplementedError("all weights are 0")
    return (coefficients * (proper / largest)).tolist()


def _transitivity(G: Graph) -> float:
    _refuse_parallel_edges(G)
    edges = select.offdiag(G.pattern()).new()
    # closed = sum over the edges (i, j) of the common neighbours of i and j
    closed = semiring.plus_pair["INT64"](edges @ edges.T).new(mask=edges.S).reduce_scalar(monoid.plus).new().get(0)
    degree = edges.reduce_rowwise(agg.count).new().to_dense(0)
    return closed / int((degree * (degree - 1)).sum()) if closed else 0


def _squares(G: Graph, nodes: object) -> dict | float:
    edges = select.offdiag(G.pattern()).new()
    degree = edges.reduce_rowwise(agg.count).new(int)
    # reach_i = sum of the degrees of the neighbours of i
    reach = semiring.plus_second(edges @ degree).new(int).to_dense(0)
    triangles, squares = np.zeros((2, len(G)), np.int64)
    for some in _batches(reach):
        part = edges[some, :].new()
        # common_ij = number of common neighbours of i and j
        common = semiring.plus_pair["INT64"](part @ edges).new()
        # triangles_i = sum of common_ij over the edges (i, j)
        triangles[some] = binary.second(part & common).new().reduce_rowwise(monoid.plus).new().to_dense(0)
        # pairs_ij = common_ij (common_ij - 1)
        pairs = binary.times(common & binary.minus(common, 1).new()).new()
        squares[some] = _without(pairs, some)
    squares //= 2
    d = degree.to_dense(0)
    potential = (d - 1) * reach - d * (d - 1) - triangles - squares
    shares = np.divide(squares, potential, out=np.zeros(len(G)), where=(potential > 0) & (d > 1))
    return _of_nodes(G, nodes, shares.tolist())


def _without(pairs: Matrix, some: list[int]) -> np.ndarray:
    """The sum of each row, without the diagonal entry."""
    rows, columns, values = pairs.to_coo()
    other = np.asarray(some)[rows] != columns
    return np.bincount(rows[other], values[other], len(some)).astype(np.int64)


def _batches(products: np.ndarray) -> list[list[int]]:
    """All rows, in batches with about the same number of products."""
    which = np.cumsum(products) // BATCH_PRODUCTS
    cuts = np.flatnonzero(np.diff(which)) + 1
    return [part.tolist() for part in np.split(np.arange(len(products)), cuts) if len(part)]


define(transitivity=_transitivity)
define(
    pays=of_all_nodes,
    clustering=lambda G, nodes, weight: _of_nodes(G, nodes, _coefficients(G, weight)),
    triangles=_triangles,
)
define(pays=of_all_nodes, refuse=directed, square_clustering=_squares)


# ---- cores ---------------------------------------------------------------------------------------------------


def refuse_loops(G: Graph, which: str) -> None:
    """NetworkX's error for graphs with loops."""
    if G.loops():
        raise nx.NetworkXNotImplemented(
            f"Input graph {which} self loops which is not permitted; "
            "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
        )


def _core_number(G: Graph) -> dict:
    refuse_loops(G, "has")
    if not G.is_directed():
        return G.by_node(algorithms.core_number(G.pattern()))
    A = G.pattern()
    # W_ij = number of edges between i and j
    W = binary.plus(binary.second(A, 1).new(int) | binary.second(A.T, 1).new(int)).new()
    return G.by_node(_peeled(W)[0])


def _peeled(W: Matrix) -> tuple[np.ndarray, np.ndarray]:
    """The core number of every node of a graph with this many edges between nodes, and the round in which it left."""
    degree = W.reduce_rowwise(monoid.plus).new(int).to_dense(0)
    core, layer, k, time = np.zeros(len(degree), np.int64), np.zeros(len(degree), np.int64), 0, 0
    left = np.ones(len(degree), bool)
    while left.any():
        k, time = max(k, int(degree[left].min())), time + 1
        leaving = left & (degree <= k)
        core[leaving], layer[leaving] = k, time
        left &= ~leaving
        gone = Vector.from_coo(np.flatnonzero(leaving), 1, size=len(degree))
        # degree_i -= the edges between i and the nodes that leave
        degree = degree - semiring.plus_second["INT64"](gone @ W).new().to_dense(0)
    return core, layer


def _onion_layers(G: Graph) -> dict:
    refuse_loops(G, "contains")
    layer = _peeled(binary.second(G.pattern(), 1).new(int))[1]
    return dict(sorted(G.by_node(layer).items(), key=lambda item: item[1]))


def _rich_club(G: Graph) -> dict:
    if G.loops():
        raise NotImplementedError("the graph has self-loops")
    return dict(enumerate(algorithms.rich_club(G.pattern()).to_dense().tolist())) if len(G.neighbours) else {}


def _voterank(G: Graph, number_of_nodes: int | None) -> list:
    if G.loops() or G.is_multigraph():
        raise NotImplementedError("the graph has self-loops or parallel edges")
    return [G.labels[i] for i in algorithms.voterank(G.pattern(), number_of_nodes)]


define(core_number=_core_number, voterank=_voterank)
define(refuse=directed, onion_layers=_onion_layers)
define(
    refuse=lambda normalized: "normalized=True compares with a random graph" if normalized else None,
    rich_club_coefficient=_rich_club,
)


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
