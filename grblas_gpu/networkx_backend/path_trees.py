"""Trees of searches, by edges and by length; of several paths, the one that NetworkX finds first."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Hashable, Iterator

import networkx as nx
import numpy as np

from .. import Matrix, Vector
from ..algorithms.sssp import shortest_path_edges
from ..backends.stores.entries import ranges
from .dispatch import compose, define
from .distances import edges_from, levels, tight_edges
from .graph import Graph
from .path_lengths import by_ends, distances_by_bellman_ford, ends_of, lengths_from, numbers_of, start_of


def _tight(A: Matrix, distances: Vector, G: Graph) -> Iterator[tuple[float, list[tuple[int, int]]]]:
    """By distance: the edges (from, to) that shortest paths to nodes at it end with, in the order of the neighbours."""
    places = np.flatnonzero(G.is_entry(shortest_path_edges(A, distances)))
    far = distances.to_dense(np.inf, dtype=float) if distances.nvals < len(G) else distances.to_dense()
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


def _chosen(found: tuple[dict, dict], target: object, otherwise: str) -> tuple:
    """Distances and paths, or those of the target."""
    lengths, paths = found
    if target is None:
        return lengths, paths
    if target not in lengths:
        raise nx.NetworkXNoPath(otherwise)
    return lengths[target], paths[target]


def _dijkstra(
    G: Graph, sources: Collection[Hashable], target: object, cutoff: float | None, weight: str | None
) -> tuple:
    numbers = numbers_of(G, sources)
    if target in sources:
        return 0, [target]
    A = G.lengths(weight)
    return _chosen(_paths(G, A, lengths_from(A, numbers), numbers, cutoff), target, f"No path to {target}.")


def _from_all(G: Graph, cutoff: float | None, weight: str | None) -> list[tuple[object, tuple]]:
    # All paths before the first result: afterwards NetworkX could not take over the call.
    return [(node, _dijkstra(G, {node}, None, cutoff, weight)) for node in G]


def _paths_from_all(G: Graph, cutoff: float | None, weight: str | None) -> Iterator[tuple[object, dict]]:
    return iter([(node, paths) for node, (_, paths) in _from_all(G, cutoff, weight)])


def _bidirectional(G: Graph, source: object, target: object, weight: str | None) -> tuple:
    ends_of(G, source, target)
    try:
        return _dijkstra(G, {source}, target, None, weight)
    except nx.NetworkXNoPath:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.") from None


def _bellman_ford(G: Graph, source: object, target: object, weight: str | None) -> tuple:
    if source == target:
        G.number(source, "Node {} is not found in the graph")
        return 0, [source]
    distances = distances_by_bellman_ford(G, source, weight)
    A = G.lengths(weight, negative=True)
    if A.nvals and A.value_range().min < 0:
        raise NotImplementedError("some edges have a negative length")
    start = [G.index[source]]
    if any(len(tails) > 1 for tails in _tree(G, A, distances, start).values()):
        raise NotImplementedError("several shortest paths exist, and NetworkX returns the first that it finds")
    return _chosen(_paths(G, A, distances, start), target, f"Target {target} cannot be reached from given sources")


def _predecessor_and_distance(G: Graph, source: object, cutoff: float | None, weight: str | None) -> tuple[dict, dict]:
    start = [G.number(source, "Node {} is not found in the graph")]
    A = G.lengths(weight)
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


define(
    pays="search",
    all_pairs_bellman_ford_path=lambda G, weight: iter([(node, _bellman_ford(G, node, None, weight)[1]) for node in G]),
    all_pairs_dijkstra=lambda G, cutoff, weight: iter(_from_all(G, cutoff, weight)),
    all_pairs_dijkstra_path=_paths_from_all,
    bellman_ford_path=lambda G, source, target, weight: _bellman_ford(G, source, target, weight)[1],
    bidirectional_dijkstra=_bidirectional,
    dijkstra_path=lambda G, source, target, weight: _dijkstra(G, {source}, target, None, weight)[1],
    dijkstra_predecessor_and_distance=_predecessor_and_distance,
    johnson=lambda G, weight: dict(_paths_from_all(G, None, weight)),  # its potentials are 0 without negative lengths
    multi_source_dijkstra=_dijkstra,
    multi_source_dijkstra_path=lambda G, sources, cutoff, weight: _dijkstra(G, sources, None, cutoff, weight)[1],
    single_source_bellman_ford=_bellman_ford,
    single_source_bellman_ford_path=lambda G, source, weight: _bellman_ford(G, source, None, weight)[1],
    single_source_dijkstra=lambda G, source, target, cutoff, weight: _dijkstra(G, {source}, target, cutoff, weight),
    single_source_dijkstra_path=lambda G, source, cutoff, weight: _dijkstra(G, {source}, None, cutoff, weight)[1],
)


define(
    pays="on request",
    bidirectional_shortest_path=lambda G, source, target: G.named(np.array(between(G, *ends_of(G, source, target)))),
)


def _reversed(G: nx.Graph, source: object, target: object) -> str | None:
    if source is None and target is not None and G.is_directed():
        return "the order of predecessors is unknown"
    return None


compose("shortest_path", pays=by_ends, refuse=_reversed)


def _first_edges(G: Graph, source: object, cutoff: float | None) -> Iterator[tuple[object, object]]:
    """Parent and child of every edge of the tree."""
    for parents, seen, first in tight_edges(G, levels(G, G.index[source], cutoff=cutoff), np.array([G.index[source]])):
        yield from zip(G.named(parents[first]), G.named(seen[first]), strict=True)


def tree_edges(G: Graph, source: object, depth_limit: float | None) -> Iterator[tuple[object, object]]:
    """The edges of the tree, or NetworkX's error about the source."""
    start_of(G, source)
    yield from _first_edges(G, source, depth_limit)


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
    for parent, child in _first_edges(G, source, cutoff):
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
