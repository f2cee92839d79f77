"""Shortest paths by number of edges, and other results of searches."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

import networkx as nx
import numpy as np

from .. import Matrix, Vector, semiring
from .dispatch import define
from .distances import NOT_FOUND, as_found, in_batches, levels, nearest_first, rows
from .graph import Graph


def lengths_at(G: Graph, end: object, cutoff: float | None = None, *, backward: bool = False) -> dict:
    """The number of edges from a node (``backward``: to it), in the order of a search."""
    start = G.number(end, f"{'Target' if backward else 'Source'} {{}} is not in G")
    return _by_layers(G, start, cutoff, backward=backward)


def _by_layers(G: Graph, start: int, cutoff: float | None, *, backward: bool = False) -> dict:
    level = levels(G, start, cutoff=cutoff, backward=backward)
    layers = as_found(G, level, np.array([start]), backward=backward)
    return {node: depth for depth, layer in enumerate(layers) for node in G.named(layer)}


def all_lengths(G: Graph, cutoff: float | None = None) -> Iterator[tuple[object, dict]]:
    """The number of edges between all nodes."""
    if cutoff is not None:
        for i, node in enumerate(G):
            yield node, _by_layers(G, i, cutoff)
        return
    for some, distances in in_batches(G, None, None):
        for source, (where, values) in zip(some, rows(distances), strict=True):
            yield G.labels[source], nearest_first(G, where, values)


def ends_of(G: Graph, source: object, target: object) -> tuple[int, int]:
    """The numbers of both ends of a path."""
    return G.number(source, "Source {} is not in G"), G.number(target, "Target {} is not in G")


def edges_between(G: Graph, source: object, target: object) -> int:
    """The number of edges on a shortest path."""
    first, last = ends_of(G, source, target)
    distance = int(levels(G, first)[last])
    if distance == NOT_FOUND:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return distance


def _has_path(G: Graph, source: object, target: object) -> bool:
    first, last = ends_of(G, source, target)
    return bool(levels(G, first)[last] != NOT_FOUND)


def _bfs_layers(G: Graph, sources: Iterable[Hashable]) -> Iterator[list]:
    chosen = {sources} if sources in G else set(sources)
    first = np.array(
        [G.number(node, "The node {} is not in the graph.", nx.NetworkXError) for node in chosen], np.int64
    )
    A: Matrix = G.pattern()
    found = Vector(int, len(G))
    frontier = Vector.from_coo(first, True, size=len(G), dtype=bool)
    depth = 0
    while frontier.nvals:
        # found<frontier> = depth
        found(frontier.S) << depth
        # frontier<!found> = frontier any.pair A
        frontier(~found.S, replace=True) << semiring.any_pair(frontier @ A)
        depth += 1
    yield from map(G.named, as_found(G, found.to_dense(NOT_FOUND), first))


def _at_distance(G: Graph, source: object, distance: object) -> set:
    level = levels(G, G.number(source, "The node {} is not in the graph.", nx.NetworkXError))
    return set(G.where((level == distance) & (level != NOT_FOUND)))


def start_of(G: Graph, source: object) -> int:
    """The number of the node where a search starts."""
    hash(source)  # as in NetworkX, unhashable objects raise TypeError
    return G.number(
        source, f"The node {{}} is not in the {'digraph' if G.is_directed() else 'graph'}.", nx.NetworkXError
    )


def _reached(G: Graph, source: object, *, backward: bool = False) -> set:
    return set(G.where(levels(G, start_of(G, source), backward=backward) > 0))


define(pays="search", all_pairs_shortest_path_length=all_lengths)
define(pays="on request", has_path=_has_path)
define(
    pays="one search",
    ancestors=lambda G, source: _reached(G, source, backward=True),
    bfs_layers=_bfs_layers,
    descendants=lambda G, source: _reached(G, source),
    descendants_at_distance=_at_distance,
    single_source_shortest_path_length=lambda G, source, cutoff: lengths_at(G, source, cutoff),
    single_target_shortest_path_length=lambda G, target, cutoff: lengths_at(G, target, cutoff, backward=True),
)
