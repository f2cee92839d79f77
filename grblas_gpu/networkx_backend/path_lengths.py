"""Lengths of shortest paths, by number of edges and by weights, and other results of searches."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator

import networkx as nx
import numpy as np

from .. import Matrix, Vector, algorithms, monoid, semiring
from ..algorithms.sssp import distance_type, relax
from ..exceptions import InvalidValue
from .dispatch import define, own
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
