"""Shortest paths that add up lengths."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from .. import Matrix, Vector, algorithms, monoid
from ..algorithms.sssp import distance_type, relax
from ..exceptions import InvalidValue
from .dispatch import define, dispatched
from .distances import in_batches, nearest_first, rows
from .graph import Graph


def _unbounded(error: Exception) -> nx.NetworkXUnbounded:
    found = nx.NetworkXUnbounded("Negative cycle detected.")
    found.__cause__ = error
    return found


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


def check_sources(G: Graph, sources: Any) -> None:
    if not sources:
        raise ValueError("sources must not be empty")
    for node in sources:
        if node not in G:
            raise nx.NodeNotFound(f"Node {node} not found in graph")


@dispatched(pays="search")
def multi_source_dijkstra_path_length(
    G: Graph, sources: Any, cutoff: float | None = None, weight: str | None = "weight"
) -> dict:
    check_sources(G, sources)
    numbers = sorted(set(G.numbers(sources)))
    return nearest_first(G, *lengths_from(G.lengths(weight), numbers).to_coo(), cutoff, numbers)


@dispatched(pays="search")
def single_source_dijkstra_path_length(
    G: Graph, source: object, cutoff: float | None = None, weight: str | None = "weight"
) -> dict:
    return multi_source_dijkstra_path_length(G, {source}, cutoff, weight)


@dispatched(pays="search")
def dijkstra_path_length(G: Graph, source: object, target: object, weight: str | None = "weight") -> Any:
    if source not in G:
        raise nx.NodeNotFound(f"Node {source} not found in graph")
    if source == target:
        return 0
    distances = lengths_from(G.lengths(weight), [G.index[source]])
    found = distances.get(G.index[target]) if target in G else None
    if found is None:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return found


def _all_pairs(G: Graph, weight: str | None, cutoff: float | None = None, *, negative: bool = False) -> Iterator:
    G.lengths(weight, negative=negative)  # raises before the first result if NetworkX must handle the call
    return _rows(G, weight, cutoff, negative)


def _rows(G: Graph, weight: str | None, cutoff: float | None, negative: bool) -> Iterator[tuple[object, dict]]:
    try:
        for some, distances in in_batches(G, None, weight, negative=negative):
            for source, (where, values) in zip(some, rows(distances), strict=True):
                yield G.labels[source], nearest_first(G, where, values, cutoff, [source])
    except InvalidValue as error:
        raise _unbounded(error) from error


@dispatched(pays="search")
def all_pairs_dijkstra_path_length(
    G: Graph, cutoff: float | None = None, weight: str | None = "weight"
) -> Iterator[tuple[object, dict]]:
    return _all_pairs(G, weight, cutoff)


@dispatched(pays="search")
def all_pairs_bellman_ford_path_length(G: Graph, weight: str | None = "weight") -> Iterator[tuple[object, dict]]:
    return _all_pairs(G, weight, negative=True)


def distances_by_bellman_ford(G: Graph, source: object, weight: str | None, *, backward: bool = False) -> Vector:
    hash(source)  # as in NetworkX, unhashable objects raise TypeError
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} not in G")
    try:
        return algorithms.sssp(G.lengths(weight, negative=True, backward=backward), G.index[source])
    except InvalidValue as error:
        raise _unbounded(error) from error


@dispatched(pays="search")
def single_source_bellman_ford_path_length(G: Graph, source: object, weight: str | None = "weight") -> dict:
    return nearest_first(G, *distances_by_bellman_ford(G, source, weight).to_coo())


@dispatched(pays="search")
def bellman_ford_path_length(G: Graph, source: object, target: object, weight: str | None = "weight") -> Any:
    if source == target:
        if source not in G:
            raise nx.NodeNotFound(f"Node {source} not found in graph")
        return 0
    distances = distances_by_bellman_ford(G, source, weight)
    found = distances.get(G.index[target]) if target in G else None
    if found is None:
        raise nx.NetworkXNoPath(f"node {target} not reachable from {source}")
    return found


def lengths_to(G: Graph, target: object, weight: str | None, method: str) -> dict:
    """Distances to the target, by a search from it on the reversed edges."""
    if method == "bellman-ford":
        return nearest_first(G, *distances_by_bellman_ford(G, target, weight, backward=True).to_coo())
    if target not in G:
        raise nx.NodeNotFound(f"Node {target} not found in graph")
    return nearest_first(G, *lengths_from(G.lengths(weight, backward=True), [G.index[target]]).to_coo())


define(
    pays="converted",
    refuse=lambda arguments: None if arguments["edge"] is None else "one edge is given",
    is_negatively_weighted=lambda G, edge=None, weight="weight": (
        weight is not None and bool(len(G.neighbours) and G.lengths(weight, negative=True).value_range().min < 0)
    ),
)


@dispatched(pays="search")
def negative_edge_cycle(G: Graph, weight: str | None = "weight", heuristic: bool = True) -> bool:
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


def _all_lengths(G: Graph, weight: str | None) -> np.ndarray:
    try:
        distances = algorithms.apsp(G.lengths(weight, negative=True))
    except InvalidValue as error:
        raise NotImplementedError("there is a cycle of negative length") from error
    return distances.to_dense(np.inf, dtype=float)


@dispatched()
def floyd_warshall(G: Graph, weight: str | None = "weight") -> dict:
    return {node: G.by_node(row) for node, row in zip(G, _all_lengths(G, weight), strict=True)}


@dispatched()
def floyd_warshall_numpy(G: Graph, nodelist: Any = None, weight: str | None = "weight") -> np.ndarray:
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
