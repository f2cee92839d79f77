"""Triangles, clustering, squares and cores."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from .. import Matrix, Vector, agg, algorithms, binary, monoid, select, semiring
from .dispatch import dispatched
from .graph import Graph

BATCH_PRODUCTS = 2**24  # approximate number of entries of a product in memory at a time


def _refuse_parallel_edges(G: Graph) -> None:
    if G.is_multigraph():
        raise nx.NetworkXNotImplemented("not implemented for multigraph type")


def _of_nodes(G: Graph, nodes: object, values: list) -> Any:
    """The value of one node, or a dictionary for several or all."""
    if nodes is None:
        return dict(zip(G, values, strict=True))
    if nodes in G:
        return values[G.index[nodes]]
    return {node: values[G.index[node]] for node in G.nbunch_iter(nodes)}


def _of_all_nodes(arguments: dict) -> str:
    """NetworkX computes only the listed nodes, this backend all of them."""
    return "large" if arguments["nodes"] is None else "on request"


@dispatched(pays=_of_all_nodes)
def triangles(G: Graph, nodes: object = None) -> Any:
    if nodes is not None:
        _refuse_parallel_edges(G)
    return _of_nodes(G, nodes, algorithms.triangles(G.pattern()).to_dense().tolist())


@dispatched(pays=_of_all_nodes)
def clustering(G: Graph, nodes: object = None, weight: str | None = None) -> Any:
    _refuse_parallel_edges(G)
    if weight is None or len(G.neighbours) == 0:
        return _of_nodes(G, nodes, algorithms.clustering(G.pattern()).to_dense().tolist())
    A = G.weights(weight, negative=False)
    coefficients = algorithms.clustering(A, weighted=True).to_dense()
    # Weights are relative to the largest one: ours ignores loops, NetworkX's includes them.
    largest, proper = (x.reduce_scalar(monoid.max).new().get(0) for x in (A, select.offdiag(A).new()))
    if largest == 0:
        raise NotImplementedError("all weights are 0")
    return _of_nodes(G, nodes, (coefficients * (proper / largest)).tolist())


@dispatched(pays=_of_all_nodes)
def average_clustering(G: Graph, nodes: object = None, weight: str | None = None, count_zeros: bool = True) -> float:
    found = clustering(G, nodes, weight=weight).values()
    chosen = list(found) if count_zeros else [value for value in found if abs(value) > 0]
    return sum(chosen) / len(chosen)


@dispatched()
def transitivity(G: Graph) -> float:
    _refuse_parallel_edges(G)
    edges = select.offdiag(G.pattern()).new()
    # closed = sum over the edges (i, j) of the common neighbours of i and j
    closed = semiring.plus_pair["INT64"](edges @ edges.T).new(mask=edges.S).reduce_scalar(monoid.plus).new().get(0)
    degree = edges.reduce_rowwise(agg.count).new().to_dense(0)
    return closed / int((degree * (degree - 1)).sum()) if closed else 0


def _directed(arguments: dict) -> str | None:
    return "the graph is directed" if arguments["G"].is_directed() else None


@dispatched(pays=_of_all_nodes, refuse=_directed)
def square_clustering(G: Graph, nodes: object = None) -> Any:
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


def _refuse_loops(G: Graph, which: str) -> None:
    if G.loops():
        raise nx.NetworkXNotImplemented(
            f"Input graph {which} self loops which is not permitted; "
            "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
        )


@dispatched()
def core_number(G: Graph) -> dict:
    _refuse_loops(G, "has")
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


@dispatched(refuse=_directed)
def onion_layers(G: Graph) -> dict:
    _refuse_loops(G, "contains")
    layer = _peeled(binary.second(G.pattern(), 1).new(int))[1]
    return dict(sorted(G.by_node(layer).items(), key=lambda item: item[1]))


def _compared(arguments: dict) -> str | None:
    return "normalized=True compares with a random graph" if arguments["normalized"] else None


@dispatched(refuse=_compared)
def rich_club_coefficient(G: Graph, normalized: bool = True, Q: float = 100, seed: object = None) -> dict:
    if G.loops():
        raise NotImplementedError("the graph has self-loops")
    return dict(enumerate(algorithms.rich_club(G.pattern()).to_dense().tolist())) if len(G.neighbours) else {}


@dispatched()
def voterank(G: Graph, number_of_nodes: int | None = None) -> list:
    if G.loops() or G.is_multigraph():
        raise NotImplementedError("the graph has self-loops or parallel edges")
    return [G.labels[i] for i in algorithms.voterank(G.pattern(), number_of_nodes)]
