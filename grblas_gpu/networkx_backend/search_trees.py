"""Trees of breadth-first searches, with the parents that NetworkX selects: the first parent that it visits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from ..backends.stores.entries import ranges
from .dispatch import dispatched
from .distances import levels
from .graph import Graph


def tight_edges(
    G: Graph, source: int, cutoff: float | None = None
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """For each level, the edges to the next one in the order of NetworkX's visits; and a flag for tree edges."""
    level = levels(G, source, cutoff=cutoff)
    position = np.empty(len(G), np.int64)
    layer, depth = np.array([source]), 0
    while len(layer):
        depth += 1
        starts, counts = G.pointers[layer], G.pointers[layer + 1] - G.pointers[layer]
        parents, seen = np.repeat(layer, counts), G.neighbours[ranges(starts, counts)]
        deeper = level[seen] == depth
        parents, seen = parents[deeper], seen[deeper]
        # The assignment keeps the last of repeated values: reverse them to keep the first.
        position[seen[::-1]] = np.arange(len(seen) - 1, -1, -1)
        first = position[seen] == np.arange(len(seen))
        yield parents, seen, first
        layer = seen[first]


def _tree(G: Graph, source: object, cutoff: float | None) -> Iterator[tuple[object, object]]:
    """Parent and child of every edge of the tree."""
    for parents, seen, first in tight_edges(G, G.index[source], cutoff):
        yield from zip(G.named(parents[first]), G.named(seen[first]), strict=True)


def refused_search(arguments: dict) -> str | None:
    if arguments["sort_neighbors"] is not None:
        return "sort_neighbors is given"
    if arguments.get("reverse") and arguments["G"].is_directed():
        return "the order of predecessors is unknown"
    return None


def _check(G: Graph, source: object) -> None:
    hash(source)  # as in NetworkX, unhashable objects raise TypeError
    if source not in G:
        kind = "digraph" if G.is_directed() else "graph"
        raise nx.NetworkXError(f"The node {source} is not in the {kind}.")


@dispatched(pays="one search", refuse=refused_search)
def bfs_edges(
    G: Graph, source: object, reverse: bool = False, depth_limit: int | None = None, sort_neighbors: None = None
) -> Iterator[tuple]:
    _check(G, source)
    yield from _tree(G, source, depth_limit)


@dispatched(pays="one search", refuse=refused_search)
def bfs_predecessors(
    G: Graph, source: object, depth_limit: int | None = None, sort_neighbors: None = None
) -> Iterator[tuple]:
    _check(G, source)
    yield from ((child, parent) for parent, child in _tree(G, source, depth_limit))


@dispatched(pays="one search", refuse=refused_search)
def bfs_successors(
    G: Graph, source: object, depth_limit: int | None = None, sort_neighbors: None = None
) -> Iterator[tuple]:
    _check(G, source)
    children: dict = {source: []}
    for parent, child in _tree(G, source, depth_limit):
        children.setdefault(parent, []).append(child)
    yield from children.items()


def between(G: Graph, source: int, target: int) -> list[int]:
    """The numbers on the shortest path that two searches find, from both ends, the one with fewer nodes first.

    In a directed graph, we assume that lists of predecessors are in the order of the nodes.
    """
    reverse = (G.pointers, G.neighbours)
    if G.is_directed():
        pointers, neighbours, _ = G.pattern(backward=True).to_csr()
        reverse = pointers.astype(np.int64), neighbours.astype(np.int64)
    lists = ((G.pointers, G.neighbours), reverse)
    before = np.full((2, len(G)), -1)  # in each search, the node before; its own number at the start
    before[0, source], before[1, target] = source, target
    layers, meeting = [np.array([source]), np.array([target])], source if source == target else None
    while meeting is None and len(layers[0]) and len(layers[1]):
        side = 0 if len(layers[0]) <= len(layers[1]) else 1
        pointers, neighbours = lists[side]
        starts, counts = pointers[layers[side]], pointers[layers[side] + 1] - pointers[layers[side]]
        tails, seen = np.repeat(layers[side], counts), neighbours[ranges(starts, counts)].astype(np.int64)
        met = np.flatnonzero(before[1 - side][seen] >= 0)
        if len(met):
            meeting, seen, tails = int(seen[met[0]]), seen[: met[0] + 1], tails[: met[0] + 1]
        new = before[side][seen] < 0
        nodes, first = np.unique(seen[new], return_index=True)
        before[side][nodes] = tails[new][first]
        layers[side] = nodes[np.argsort(first)]
    if meeting is None:
        raise nx.NetworkXNoPath(f"No path between {G.labels[source]} and {G.labels[target]}.")
    halves: list[list[int]] = [[meeting], [meeting]]
    for side, half in enumerate(halves):
        while before[side][half[-1]] != half[-1]:
            half.append(int(before[side][half[-1]]))
    return halves[0][::-1] + halves[1][1:]


def paths_from(G: Graph, source: object, cutoff: float | None = None) -> dict:
    """A path to every node, in the order of the search."""
    paths = {source: [source]}
    for parent, child in _tree(G, source, cutoff):
        paths[child] = [*paths[parent], child]
    return paths


@dispatched(pays="one search")
def single_source_shortest_path(G: Graph, source: object, cutoff: float | None = None) -> dict:
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} not in G")
    return paths_from(G, source, cutoff)


def _directed(arguments: dict) -> str | None:
    return "the order of predecessors is unknown" if arguments["G"].is_directed() else None


@dispatched(pays="one search", refuse=_directed)
def single_target_shortest_path(G: Graph, target: object, cutoff: float | None = None) -> dict:
    if target not in G:
        raise nx.NodeNotFound(f"Target {target} not in G")
    return {node: path[::-1] for node, path in paths_from(G, target, cutoff).items()}


@dispatched(pays="search")
def all_pairs_shortest_path(G: Graph, cutoff: float | None = None) -> Iterator[tuple[object, dict]]:
    for node in G:
        yield node, paths_from(G, node, cutoff)


@dispatched(pays="one search")
def predecessor(
    G: Graph, source: object, target: object = None, cutoff: float | None = None, return_seen: object = None
) -> Any:
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} not in G")
    found: dict[Any, list] = {source: []}
    seen = {source: 0}
    for depth, (parents, children, _) in enumerate(tight_edges(G, G.index[source], cutoff or None), 1):
        for parent, child in zip(G.named(parents), G.named(children), strict=True):
            found.setdefault(child, []).append(parent)
            seen[child] = depth
    if target is None:
        return (found, seen) if return_seen else found
    return (found.get(target, []), seen.get(target, -1)) if return_seen else found.get(target, [])
