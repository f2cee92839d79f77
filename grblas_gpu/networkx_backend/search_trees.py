"""Trees of breadth-first searches, with the parents that NetworkX selects: the first parent that it visits."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx
import numpy as np

from .dispatch import define
from .distances import edges_from, levels, tight_edges
from .graph import Graph
from .path_lengths import start_of


def _tree(G: Graph, source: object, cutoff: float | None) -> Iterator[tuple[object, object]]:
    """Parent and child of every edge of the tree."""
    for parents, seen, first in tight_edges(G, levels(G, G.index[source], cutoff=cutoff), np.array([G.index[source]])):
        yield from zip(G.named(parents[first]), G.named(seen[first]), strict=True)


def tree_edges(G: Graph, source: object, depth_limit: float | None) -> Iterator[tuple[object, object]]:
    """The edges of the tree, or NetworkX's error about the source."""
    start_of(G, source)
    yield from _tree(G, source, depth_limit)


def _successors(G: Graph, source: object, depth_limit: float | None) -> Iterator[tuple[object, list]]:
    children: dict[object, list] = {source: []}
    for parent, child in tree_edges(G, source, depth_limit):
        children.setdefault(parent, []).append(child)
    yield from children.items()


def refused_search(G: nx.Graph, sort_neighbors: object, reverse: bool = False) -> str | None:
    if sort_neighbors is not None:
        return "sort_neighbors is given"
    return _unknown_order(G) if reverse else None


def _unknown_order(G: nx.Graph) -> str | None:
    return "the order of predecessors is unknown" if G.is_directed() else None


define(pays="one search", refuse=refused_search, bfs_edges=tree_edges, bfs_successors=_successors)


def between(G: Graph, source: int, target: int) -> list[int]:
    """The numbers on the shortest path that two searches find, from both ends, the one with fewer nodes first.

    In a directed graph, we assume that lists of predecessors are in the order of the nodes.
    """
    lists = (G.pointers, G.neighbours), G.incoming()
    before = np.full((2, len(G)), -1)  # in each search, the node before; its own number at the start
    before[0, source], before[1, target] = source, target
    layers, meeting = [np.array([source]), np.array([target])], source if source == target else None
    while meeting is None and len(layers[0]) and len(layers[1]):
        side = 0 if len(layers[0]) <= len(layers[1]) else 1
        pointers, neighbours = lists[side]
        tails, seen = edges_from(layers[side], pointers, neighbours)
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


def single_source(G: Graph, source: object, cutoff: float | None = None) -> dict:
    """A path to every node, or NetworkX's error about the source."""
    G.number(source, "Source {} not in G")
    return paths_from(G, source, cutoff)


def _single_target(G: Graph, target: object, cutoff: float | None) -> dict:
    G.number(target, "Target {} not in G")
    return {node: path[::-1] for node, path in paths_from(G, target, cutoff).items()}


def all_pairs(G: Graph, cutoff: float | None = None) -> Iterator[tuple[object, dict]]:
    """Every node with the paths from it."""
    for node in G:
        yield node, paths_from(G, node, cutoff)


def _predecessor(
    G: Graph, source: object, target: object, cutoff: float | None, return_seen: object
) -> dict | list | tuple:
    start = G.number(source, "Source {} not in G")
    found: dict[object, list] = {source: []}
    seen = {source: 0}
    layers = tight_edges(G, levels(G, start, cutoff=cutoff or None), np.array([start]))
    for depth, (parents, children, _) in enumerate(layers, 1):
        for parent, child in zip(G.named(parents), G.named(children), strict=True):
            found.setdefault(child, []).append(parent)
            seen[child] = depth
    if target is None:
        return (found, seen) if return_seen else found
    return (found.get(target, []), seen.get(target, -1)) if return_seen else found.get(target, [])


define(pays="search", all_pairs_shortest_path=all_pairs)
define(pays="one search", predecessor=_predecessor, single_source_shortest_path=single_source)
define(pays="one search", refuse=_unknown_order, single_target_shortest_path=_single_target)
