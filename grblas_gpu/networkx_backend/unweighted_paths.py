"""Shortest paths by number of edges, and other results of searches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from .. import Vector, semiring
from .dispatch import dispatched
from .distances import NOT_FOUND, as_found, in_batches, levels, nearest_first, rows
from .graph import Graph


def _by_layers(G: Graph, source: int, cutoff: float | None, *, backward: bool = False) -> dict:
    level = levels(G, source, cutoff=cutoff, backward=backward)
    layers = as_found(G, level, np.array([source]), backward=backward)
    return {node: depth for depth, layer in enumerate(layers) for node in G.named(layer)}


@dispatched(pays="one search")
def single_source_shortest_path_length(G: Graph, source: object, cutoff: float | None = None) -> dict:
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} is not in G")
    return _by_layers(G, G.index[source], cutoff)


@dispatched(pays="one search")
def single_target_shortest_path_length(G: Graph, target: object, cutoff: float | None = None) -> dict:
    if target not in G:
        raise nx.NodeNotFound(f"Target {target} is not in G")
    return _by_layers(G, G.index[target], cutoff, backward=True)


@dispatched(pays="search")
def all_pairs_shortest_path_length(G: Graph, cutoff: float | None = None) -> Iterator[tuple[object, dict]]:
    if cutoff is not None:
        for node in G:
            yield node, _by_layers(G, G.index[node], cutoff)
        return
    for some, distances in in_batches(G, None, None):
        for source, (where, values) in zip(some, rows(distances), strict=True):
            yield G.labels[source], nearest_first(G, where, values)


def edges_between(G: Graph, source: object, target: object) -> int:
    """The number of edges on a shortest path."""
    for role, node in (("Source", source), ("Target", target)):
        if node not in G:
            raise nx.NodeNotFound(f"{role} {node} is not in G")
    distance = int(levels(G, G.index[source])[G.index[target]])
    if distance == NOT_FOUND:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return distance


@dispatched(pays="on request")
def has_path(G: Graph, source: object, target: object) -> bool:
    try:
        edges_between(G, source, target)
    except nx.NetworkXNoPath:
        return False
    return True


@dispatched(pays="one search")
def bfs_layers(G: Graph, sources: Any) -> Iterator[list]:
    chosen = {sources} if sources in G else set(sources)
    for node in chosen:
        if node not in G:
            raise nx.NetworkXError(f"The node {node} is not in the graph.")
    first = np.array(G.numbers(chosen), np.int64)
    A = G.pattern()
    found = Vector(int, len(G))
    frontier: Any = Vector.from_coo(first, True, size=len(G), dtype=bool)
    depth = 0
    while frontier.nvals:
        # found<frontier> = depth
        found(frontier.S) << depth
        # frontier<!found> = frontier any.pair A
        frontier(~found.S, replace=True) << semiring.any_pair(frontier @ A)
        depth += 1
    yield from map(G.named, as_found(G, found.to_dense(NOT_FOUND), first))


@dispatched(pays="one search")
def descendants_at_distance(G: Graph, source: object, distance: object) -> set:
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    level = levels(G, G.index[source])
    return set(G.named(np.flatnonzero((level == distance) & (level != NOT_FOUND))))


def _reached(G: Graph, source: object, *, backward: bool = False) -> set:
    hash(source)  # as in NetworkX, unhashable objects raise TypeError
    if source not in G:
        kind = "digraph" if G.is_directed() else "graph"
        raise nx.NetworkXError(f"The node {source} is not in the {kind}.")
    level = levels(G, G.index[source], backward=backward)
    return set(G.named(np.flatnonzero(level > 0)))


@dispatched(pays="one search")
def descendants(G: Graph, source: object) -> set:
    return _reached(G, source)


@dispatched(pays="one search")
def ancestors(G: Graph, source: object) -> set:
    return _reached(G, source, backward=True)
