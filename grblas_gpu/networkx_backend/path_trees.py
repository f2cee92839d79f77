"""Shortest paths by length; of several, the one that NetworkX finds first."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from .. import Matrix, Vector
from ..algorithms.sssp import shortest_path_edges
from ..backends.stores.entries import ranges
from . import search_trees
from .dispatch import dispatched
from .graph import Graph
from .weighted_paths import check_sources, distances_by_bellman_ford, lengths_from


def _tight(A: Matrix, distances: Vector, G: Graph) -> Iterator[tuple[float, list[tuple[int, int]]]]:
    """By distance: the edges (from, to) that shortest paths to nodes at it end with, in the order of the neighbours."""
    rows, columns, _ = shortest_path_edges(A, distances).to_coo()
    n, keys = len(G), G.sources().astype(np.int64) * len(G) + G.neighbours
    places = np.flatnonzero(np.isin(keys, rows.astype(np.int64) * n + columns.astype(np.int64)))
    far = distances.to_dense(np.inf, dtype=float) if distances.nvals < n else distances.to_dense()
    tails, heads = G.sources()[places], G.neighbours[places]
    if (far[tails] >= far[heads]).any():
        raise NotImplementedError("an edge on a shortest path has length 0 or less")
    order = np.argsort(far[heads], kind="stable")
    ends = zip(tails[order].tolist(), heads[order].tolist(), strict=True)
    for distance, group in itertools.groupby(zip(far[heads][order].tolist(), ends, strict=True), lambda item: item[0]):
        yield distance, [edge for _, edge in group]


def _tree(G: Graph, A: Matrix, distances: Vector, sources: list[int]) -> dict[int, list[int]]:
    """By node, in NetworkX's order of visits: the nodes before it on shortest paths, the first visited one first.

    A node is visited when its distance is the least one; of several such nodes, the one that was found first.
    """
    before: dict[int, list[int]] = {node: [] for node in sources}
    visit = {node: number for number, node in enumerate(sources)}
    for _, edges in _tight(A, distances, G):
        found: dict[int, list[int]] = {}
        for tail, head in sorted(edges, key=lambda edge: visit[edge[0]]):
            found.setdefault(head, []).append(tail)
        for node, tails in found.items():
            visit[node], before[node] = len(visit), tails
    return before


def _paths(
    G: Graph, A: Matrix, distances: Vector, sources: list[int], cutoff: float | None = None
) -> tuple[dict, dict]:
    """Distances and paths by node, in NetworkX's order."""
    lengths = dict(zip(*(part.tolist() for part in distances.to_coo()), strict=True))
    found, paths = {}, dict[object, list]()
    for node, tails in _tree(G, A, distances, sources).items():
        if cutoff is None or not tails or lengths[node] <= cutoff:
            label = G.labels[node]
            found[label] = lengths[node]
            paths[label] = [*paths[G.labels[tails[0]]], label] if tails else [label]
    return found, paths


@dispatched(pays="search")
def multi_source_dijkstra(
    G: Graph, sources: Any, target: Any = None, cutoff: float | None = None, weight: str | None = "weight"
) -> tuple:
    check_sources(G, sources)
    if target in sources:
        return 0, [target]
    A, numbers = G.lengths(weight), list(dict.fromkeys(G.numbers(sources)))
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
    start = [G.index[source]]
    if any(len(tails) > 1 for tails in _tree(G, A, distances, start).values()):
        raise NotImplementedError("several shortest paths exist, and NetworkX returns the first that it finds")
    return _paths(G, A, distances, start)


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


@dispatched(pays="search")
def dijkstra_predecessor_and_distance(
    G: Graph, source: object, cutoff: float | None = None, weight: str | None = "weight"
) -> tuple[dict, dict]:
    if source not in G:
        raise nx.NodeNotFound(f"Node {source} is not found in the graph")
    A, start = G.lengths(weight), [G.index[source]]
    distances = lengths_from(A, start)
    near = {
        i: d for i, d in zip(*(x.tolist() for x in distances.to_coo()), strict=True) if cutoff is None or d <= cutoff
    }
    before = {i: tails for i, tails in _tree(G, A, distances, start).items() if i in near}
    # the order in which nodes are first seen: that of the lists of neighbours of the visited nodes
    visited = np.array(list(before), np.int64)
    starts, counts = G.pointers[visited], G.pointers[visited + 1] - G.pointers[visited]
    seen = dict.fromkeys([*start, *G.neighbours[ranges(starts, counts)].tolist()])
    labels = G.labels
    return {labels[i]: [labels[j] for j in before[i]] for i in seen if i in before}, {
        labels[i]: near[i] for i in before
    }


@dispatched(pays="search")
def johnson(G: Graph, weight: str | None = "weight") -> dict:
    # Without negative lengths, its potentials are 0.
    return dict(all_pairs_dijkstra_path(G, weight=weight))


@dispatched(pays="search")
def bidirectional_dijkstra(G: Graph, source: object, target: object, weight: str | None = "weight") -> tuple:
    _check_ends(G, source, target)
    try:
        return single_source_dijkstra(G, source, target, weight=weight)
    except nx.NetworkXNoPath:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.") from None


def _check_ends(G: Graph, source: object, target: object) -> None:
    for role, node in (("Source", source), ("Target", target)):
        if node not in G:
            raise nx.NodeNotFound(f"{role} {node} is not in G")


@dispatched(pays="on request")
def bidirectional_shortest_path(G: Graph, source: object, target: object) -> list:
    _check_ends(G, source, target)
    return G.named(np.array(search_trees.between(G, G.index[source], G.index[target])))


def _by_ends(arguments: dict) -> str:
    """Without weights, NetworkX searches from one node, or between two nodes, in less time than a conversion takes."""
    given = sum(arguments[end] is not None for end in ("source", "target"))
    return ("search", "one search", "on request")[given] if arguments["weight"] is None else "search"


def _reversed(arguments: dict) -> str | None:
    if arguments["source"] is None and arguments["target"] is not None and arguments["G"].is_directed():
        return "the order of predecessors is unknown"
    return None


@dispatched(pays=_by_ends, refuse=_reversed)
def shortest_path(
    G: Graph, source: object = None, target: object = None, weight: str | None = None, method: str = "dijkstra"
) -> Any:
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    if source is not None and target is not None:
        if weight is None:
            return bidirectional_shortest_path(G, source, target)
        if method == "dijkstra":
            return bidirectional_dijkstra(G, source, target, weight)[1]
        return bellman_ford_path(G, source, target, weight)
    if source is None and target is None:
        if weight is None:
            return search_trees.all_pairs_shortest_path(G)
        return (all_pairs_dijkstra_path if method == "dijkstra" else all_pairs_bellman_ford_path)(G, weight=weight)
    node = target if source is None else source
    if weight is None:
        found = search_trees.single_source_shortest_path(G, node)
    else:
        found = (single_source_dijkstra_path if method == "dijkstra" else single_source_bellman_ford_path)(
            G, node, weight=weight
        )
    return found if target is None else {end: path[::-1] for end, path in found.items()}
