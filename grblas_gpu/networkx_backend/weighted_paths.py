"""Shortest paths that add up lengths, and NetworkX's common name for the lengths of all shortest paths."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator

import networkx as nx
import numpy as np

from .. import Matrix, Vector, algorithms, monoid
from ..algorithms.sssp import distance_type, relax
from ..exceptions import InvalidValue
from .dispatch import define, own
from .distances import in_batches, nearest_first, rows
from .graph import Graph
from .unweighted_paths import edges_between, lengths_at

METHODS = ("dijkstra", "bellman-ford")


def lengths_from(A: Matrix, sources: list[int]) -> Vector:
    """Distances from the nearest of the sources; no length is negative."""
    if len(sources) == 1:
        return algorithms.sssp(A, sources[0])
    distances = Vector.from_coo(sources, 0, distance_type(A), size=A.nrows)
    frontier = distances.dup()
    while frontier.nvals:
        # distances = min(distances, frontier min.+ A)
        relax(distances, frontier, A)
    return distances


def numbers_of(G: Graph, sources: Collection[Hashable]) -> list[int]:
    """The numbers of the nodes where Dijkstra's algorithm starts, each once."""
    if not sources:
        raise ValueError("sources must not be empty")
    return list(dict.fromkeys(G.number(node) for node in sources))


def distances_by_bellman_ford(G: Graph, source: object, weight: str | None, *, backward: bool = False) -> Vector:
    """Distances from a node, or NetworkX's error about a negative cycle."""
    hash(source)  # as in NetworkX, unhashable objects raise TypeError
    start = G.number(source, "Source {} not in G")
    try:
        return algorithms.sssp(G.lengths(weight, negative=True, backward=backward), start)
    except InvalidValue as error:
        raise nx.NetworkXUnbounded("Negative cycle detected.") from error


def _dijkstra(G: Graph, sources: Collection[Hashable], cutoff: float | None, weight: str | None) -> dict:
    numbers = sorted(numbers_of(G, sources))
    return nearest_first(G, *lengths_from(G.lengths(weight), numbers).to_coo(), cutoff, numbers)


def _bellman_ford(G: Graph, source: object, weight: str | None, *, backward: bool = False) -> dict:
    return nearest_first(G, *distances_by_bellman_ford(G, source, weight, backward=backward).to_coo())


def _at(G: Graph, distances: Vector, target: object, otherwise: str) -> float:
    found = distances.get(G.index[target]) if target in G else None
    if found is None:
        raise nx.NetworkXNoPath(otherwise)
    return found


def _dijkstra_between(G: Graph, source: object, target: object, weight: str | None) -> float:
    start = G.number(source)
    if source == target:
        return 0
    return _at(G, lengths_from(G.lengths(weight), [start]), target, f"Node {target} not reachable from {source}")


def _bellman_ford_between(G: Graph, source: object, target: object, weight: str | None) -> float:
    if source == target:
        G.number(source)
        return 0
    distances = distances_by_bellman_ford(G, source, weight)
    return _at(G, distances, target, f"node {target} not reachable from {source}")


def _all_pairs(G: Graph, weight: str | None, cutoff: float | None = None, *, negative: bool = False) -> Iterator[tuple]:
    G.lengths(weight, negative=negative)  # raises before the first result if NetworkX must handle the call
    return _rows(G, weight, cutoff, negative)


def _rows(G: Graph, weight: str | None, cutoff: float | None, negative: bool) -> Iterator[tuple[object, dict]]:
    try:
        for some, distances in in_batches(G, None, weight, negative=negative):
            for source, (where, values) in zip(some, rows(distances), strict=True):
                yield G.labels[source], nearest_first(G, where, values, cutoff, [source])
    except InvalidValue as error:
        raise nx.NetworkXUnbounded("Negative cycle detected.") from error


define(
    pays="search",
    all_pairs_bellman_ford_path_length=lambda G, weight: _all_pairs(G, weight, negative=True),
    all_pairs_dijkstra_path_length=lambda G, cutoff, weight: _all_pairs(G, weight, cutoff),
    bellman_ford_path_length=_bellman_ford_between,
    dijkstra_path_length=_dijkstra_between,
    multi_source_dijkstra_path_length=_dijkstra,
    single_source_bellman_ford_path_length=_bellman_ford,
    single_source_dijkstra_path_length=lambda G, source, cutoff, weight: _dijkstra(G, {source}, cutoff, weight),
)


# ---- one name for all methods --------------------------------------------------------------------------------


def by_ends(source: object, target: object, weight: str | None) -> str:
    """Without weights, NetworkX searches from one node, or between two nodes, in less time than a conversion takes."""
    given = (source is not None) + (target is not None)
    return ("search", "one search", "on request")[given] if weight is None else "search"


def _shortest_length(G: Graph, source: object, target: object, weight: str | None, method: str) -> object:
    """NetworkX selects a function by the method; searches without weights, and those against all edges, begin here."""
    if method in METHODS and source is None and target is not None and G.is_directed():
        if weight is None:
            G.number(target, "Source {} is not in G")
            return lengths_at(G, target, backward=True)
        if method == "bellman-ford":
            return _bellman_ford(G, target, weight, backward=True)
        return nearest_first(G, *lengths_from(G.lengths(weight, backward=True), [G.number(target)]).to_coo())
    if method in METHODS and source is not None and target is not None and weight is None:
        return edges_between(G, source, target)
    return own("shortest_path_length")(G, source, target, weight, method)


define(pays=by_ends, shortest_path_length=_shortest_length)


# ---- negative lengths, and all lengths at once ---------------------------------------------------------------


def _negative_cycle(G: Graph, weight: str | None) -> bool:
    A = G.lengths(weight, negative=True)
    # low = sum of all negative lengths: no path without a cycle is shorter
    lengths = A.to_coo()[2]
    low = lengths[lengths < 0].sum()
    if low == 0 or not G.is_directed():
        return bool(low < 0)  # both directions of a negative edge form a cycle
    distances = Vector.from_scalar(0, len(G), distance_type(A))
    frontier = distances.dup()
    for _ in range(len(G)):
        # distances = min(distances, frontier min.+ A), from all nodes at once
        relax(distances, frontier, A)
        if not frontier.nvals:
            return False
        if distances.reduce(monoid.min).new().get(0) < low * (1 + 1e-9):
            break
    return True


def _has_negative(G: Graph, weight: str | None) -> bool:
    return weight is not None and bool(len(G.neighbours) and G.lengths(weight, negative=True).value_range().min < 0)


def _all_lengths(G: Graph, weight: str | None) -> np.ndarray:
    try:
        distances = algorithms.apsp(G.lengths(weight, negative=True))
    except InvalidValue as error:
        raise NotImplementedError("there is a cycle of negative length") from error
    return distances.to_dense(np.inf, dtype=float)


def _array_of_lengths(G: Graph, nodelist: list | None, weight: str | None) -> np.ndarray:
    if nodelist is None:
        return _all_lengths(G, weight)
    if not len(nodelist) == len(G) == len(set(nodelist)):
        raise nx.NetworkXError(
            "nodelist must contain every node in G with no repeats."
            "If you wanted a subgraph of G use G.subgraph(nodelist)"
        )
    if missing := set(nodelist) - G.index.keys():
        raise nx.NetworkXError(f"Nodes {missing} in nodelist is not in G")
    order = G.numbers(nodelist)
    return _all_lengths(G, weight)[np.ix_(order, order)]


define(
    floyd_warshall=lambda G, weight: {
        node: G.by_node(row) for node, row in zip(G, _all_lengths(G, weight), strict=True)
    },
    floyd_warshall_numpy=_array_of_lengths,
)
define(
    pays="converted",
    refuse=lambda edge: None if edge is None else "one edge is given",
    is_negatively_weighted=_has_negative,
)
define(pays="search", negative_edge_cycle=_negative_cycle)
