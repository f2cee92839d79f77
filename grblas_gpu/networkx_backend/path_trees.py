"""Shortest paths by length, if each node has only one, so that NetworkX returns the same path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from .. import Matrix, Vector, agg
from ..algorithms.sssp import shortest_path_edges
from . import search_trees
from .dispatch import dispatched
from .distances import nearest_first
from .graph import Graph
from .weighted_paths import check_sources, distances_by_bellman_ford, lengths_from


def _predecessors(A: Matrix, distances: Vector, sources: list[int]) -> np.ndarray:
    """The predecessor of each node on its shortest path; sources and unreached nodes have their own number."""
    tight = shortest_path_edges(A, distances)
    rows, columns, _ = tight.to_coo()
    before = np.arange(A.nrows)
    before[columns.astype(np.int64)] = rows.astype(np.int64)
    predecessors = tight.reduce_columnwise(agg.count).new().to_dense(0)
    if predecessors.max(initial=0) > 1 or predecessors[sources].any():
        raise NotImplementedError("several shortest paths exist, and NetworkX returns the first that it finds")
    return before


def _paths(
    G: Graph, A: Matrix, distances: Vector, sources: list[int], cutoff: float | None = None
) -> tuple[dict, dict]:
    """Distances and paths by node, the nearest first."""
    before = _predecessors(A, distances, sources)
    lengths = nearest_first(G, *distances.to_coo(), cutoff, sources)
    paths: dict[object, list] = {}
    for node in lengths:
        previous = G.labels[int(before[G.index[node]])]
        paths[node] = [*paths[previous], node] if previous in paths and previous != node else [node]
        if len(paths[node]) == 1 and G.index[node] not in sources:
            raise NotImplementedError("a shortest path has an edge of negative length")
    return lengths, paths


@dispatched(pays="search")
def multi_source_dijkstra(
    G: Graph, sources: Any, target: Any = None, cutoff: float | None = None, weight: str | None = "weight"
) -> tuple:
    check_sources(G, sources)
    if target in sources:
        return 0, [target]
    A, numbers = G.lengths(weight), sorted(set(G.numbers(sources)))
    lengths, paths = _paths(G, A, lengths_from(A, numbers), numbers, cutoff)
    if target is None:
        return lengths, paths
    if target not in lengths:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return lengths[target], paths[target]


@dispatched(pays="search")
def multi_source_dijkstra_path(
    G: Graph, sources: object, cutoff: float | None = None, weight: str | None = "weight"
) -> dict:
    return multi_source_dijkstra(G, sources, cutoff=cutoff, weight=weight)[1]


@dispatched(pays="search")
def single_source_dijkstra(
    G: Graph, source: object, target: object = None, cutoff: float | None = None, weight: str | None = "weight"
) -> tuple:
    return multi_source_dijkstra(G, {source}, target, cutoff, weight)


@dispatched(pays="search")
def single_source_dijkstra_path(
    G: Graph, source: object, cutoff: float | None = None, weight: str | None = "weight"
) -> dict:
    return multi_source_dijkstra(G, {source}, cutoff=cutoff, weight=weight)[1]


@dispatched(pays="search")
def dijkstra_path(G: Graph, source: object, target: object, weight: str | None = "weight") -> list:
    return multi_source_dijkstra(G, {source}, target, weight=weight)[1]


@dispatched(pays="search")
def all_pairs_dijkstra(G: Graph, cutoff: float | None = None, weight: str | None = "weight") -> Iterator[tuple]:
    # Compute all paths before yielding the first: afterwards NetworkX could not take over the call.
    return iter([(node, multi_source_dijkstra(G, {node}, cutoff=cutoff, weight=weight)) for node in G])


@dispatched(pays="search")
def all_pairs_dijkstra_path(G: Graph, cutoff: float | None = None, weight: str | None = "weight") -> Iterator[tuple]:
    return iter([(node, paths) for node, (_, paths) in all_pairs_dijkstra(G, cutoff, weight)])


def _bellman_ford(G: Graph, source: object, weight: str | None) -> tuple[dict, dict]:
    distances = distances_by_bellman_ford(G, source, weight)
    A = G.lengths(weight, negative=True)
    if A.nvals and A.value_range().min < 0:
        raise NotImplementedError("some edges have a negative length")
    return _paths(G, A, distances, [G.index[source]])


@dispatched(pays="search")
def single_source_bellman_ford(G: Graph, source: object, target: object = None, weight: str | None = "weight") -> tuple:
    if source == target:
        if source not in G:
            raise nx.NodeNotFound(f"Node {source} is not found in the graph")
        return 0, [source]
    lengths, paths = _bellman_ford(G, source, weight)
    if target is None:
        return lengths, paths
    if target not in lengths:
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    return lengths[target], paths[target]


@dispatched(pays="search")
def single_source_bellman_ford_path(G: Graph, source: object, weight: str | None = "weight") -> dict:
    return single_source_bellman_ford(G, source, weight=weight)[1]


@dispatched(pays="search")
def bellman_ford_path(G: Graph, source: object, target: object, weight: str | None = "weight") -> list:
    return single_source_bellman_ford(G, source, target, weight)[1]


@dispatched(pays="search")
def all_pairs_bellman_ford_path(G: Graph, weight: str | None = "weight") -> Iterator[tuple]:
    return iter([(node, single_source_bellman_ford_path(G, node, weight)) for node in G])


def _not_from_one_node(arguments: dict) -> str | None:
    if arguments["source"] is None or arguments["target"] is not None:
        return "NetworkX may return another shortest path for a target"
    return None


def _by_weight(arguments: dict) -> str:
    return "one search" if arguments["weight"] is None else "search"


@dispatched(pays=_by_weight, refuse=_not_from_one_node)
def shortest_path(
    G: Graph, source: object = None, target: object = None, weight: str | None = None, method: str = "dijkstra"
) -> dict:
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    if weight is None:
        return search_trees.single_source_shortest_path(G, source)
    if method == "dijkstra":
        return single_source_dijkstra_path(G, source, weight=weight)
    return single_source_bellman_ford_path(G, source, weight)
