"""Measures that need all shortest paths, and NetworkX's common name for their lengths."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from .. import agg, monoid, select, unary
from . import unweighted_paths, weighted_paths
from .components import is_connected, is_strongly_connected
from .dispatch import SINCE_3_7, dispatched
from .distances import in_batches
from .graph import Graph

METHODS = ("dijkstra", "bellman-ford")


def _by_ends(arguments: dict) -> str:
    """Without weights, NetworkX searches from one node, or between two nodes, in less time than a conversion takes."""
    given = sum(arguments[end] is not None for end in ("source", "target"))
    return ("search", "one search", "on request")[given] if arguments["weight"] is None else "search"


@dispatched(pays=_by_ends)
def shortest_path_length(
    G: Graph, source: object = None, target: object = None, weight: str | None = None, method: str = "dijkstra"
) -> Any:
    if method not in METHODS:
        raise ValueError(f"method not supported: {method}")
    if source is None and target is not None:
        return _to_target(G, target, weight, method)
    if weight is None:
        if source is None:
            return unweighted_paths.all_pairs_shortest_path_length(G)
        if target is None:
            return unweighted_paths.single_source_shortest_path_length(G, source)
        return unweighted_paths.edges_between(G, source, target)
    dijkstra = method == "dijkstra"
    if source is None:
        if dijkstra:
            return weighted_paths.all_pairs_dijkstra_path_length(G, weight=weight)
        return weighted_paths.all_pairs_bellman_ford_path_length(G, weight=weight)
    if target is None:
        if dijkstra:
            return weighted_paths.single_source_dijkstra_path_length(G, source, weight=weight)
        return weighted_paths.single_source_bellman_ford_path_length(G, source, weight=weight)
    if dijkstra:
        return weighted_paths.dijkstra_path_length(G, source, target, weight)
    return weighted_paths.bellman_ford_path_length(G, source, target, weight)


def _to_target(G: Graph, target: object, weight: str | None, method: str) -> dict:
    """Distances from all nodes, by a search from the target on the reversed edges."""
    if weight is None:
        if target not in G:
            raise nx.NodeNotFound(f"Source {target} is not in G")
        return unweighted_paths.single_target_shortest_path_length(G, target)
    return weighted_paths.lengths_to(G, target, weight, method)


def _is_connected(G: Graph) -> bool:
    return is_strongly_connected(G) if G.is_directed() else is_connected(G)


def _sum_of_lengths(G: Graph, weight: str | None) -> Any:
    # sum_ij d_ij
    totals = [distances.reduce_scalar(monoid.plus).new().get(0) for _, distances in in_batches(G, None, weight)]
    return sum(totals)


@dispatched(pays="search")
def average_shortest_path_length(G: Graph, weight: str | None = None, method: str | None = None) -> float:
    supported = ("unweighted", *METHODS, "floyd-warshall", "floyd-warshall-numpy")
    if method is not None and method not in supported:
        raise ValueError(f"method not supported: {method}")
    n = len(G)
    if n == 0:
        raise nx.NetworkXPointlessConcept("the null graph has no paths, thus there is no average shortest path length")
    if n == 1:
        return 0
    if not _is_connected(G):
        raise nx.NetworkXError(f"Graph is not {'strongly ' if G.is_directed() else ''}connected.")
    return _sum_of_lengths(G, None if method == "unweighted" else weight) / (n * (n - 1))


@dispatched(pays="search")
def wiener_index(G: Graph, weight: str | None = None) -> float:
    if not _is_connected(G):
        return float("inf")
    total = _sum_of_lengths(G, weight)
    return total if G.is_directed() else total / 2


@dispatched(pays="search")
def global_efficiency(G: Graph) -> float:
    n = len(G)
    if n < 2:
        return 0
    total = 0.0
    for _, distances in in_batches(G, None, None):
        # sum_ij 1 / d_ij, where i is not j
        near = unary.minv(select.valuegt(distances, 0).new(float)).new()
        total += near.reduce_scalar(monoid.plus).new().get(0.0)
    return total / (n * (n - 1))


def _no_speed_to_gain(arguments: dict) -> str | None:
    for given, what in (("e", "eccentricities"), ("sp", "shortest path lengths")):
        if arguments.get(given) is not None:
            return f"the {what} are given"
    return None


@dispatched(pays="search", refuse=_no_speed_to_gain)
def eccentricity(G: Graph, v: object = None, sp: None = None, weight: str | None = None) -> Any:
    if len(G) == 0 and SINCE_3_7:  # earlier versions returned no values and raised no error
        raise nx.NetworkXPointlessConcept("Cannot compute eccentricity of a null graph.")
    nodes = list(dict.fromkeys(G.nbunch_iter(v)))
    found: list = []
    for _, distances in in_batches(G, G.numbers(nodes), weight):
        counts = distances.reduce_rowwise(agg.count).new().to_dense(0)
        if np.any(counts != len(G)):
            kind = "digraph is not strongly" if G.is_directed() else "graph is not"
            raise nx.NetworkXError(f"Found infinite path length because the {kind} connected")
        # farthest_i = max_j d_ij
        found += distances.reduce_rowwise(monoid.max).new().to_dense().tolist()
    if v in G:
        return found[0]
    return dict(zip(nodes, found, strict=True))


def _eccentricities(G: Graph, usebounds: bool, weight: str | None) -> dict:
    """The values of all nodes. ``usebounds`` changes only the errors."""
    if len(G) == 0 and usebounds is True and not G.is_directed():
        return {}
    try:
        return eccentricity(G, weight=weight)
    except nx.NetworkXError:
        if usebounds is True and not G.is_directed():
            raise nx.NetworkXError("Cannot compute metric because graph is not connected.") from None
        raise


@dispatched(pays="search", refuse=_no_speed_to_gain)
def diameter(G: Graph, e: None = None, usebounds: bool = False, weight: str | None = None) -> Any:
    return max(_eccentricities(G, usebounds, weight).values())


@dispatched(pays="search", refuse=_no_speed_to_gain)
def radius(G: Graph, e: None = None, usebounds: bool = False, weight: str | None = None) -> Any:
    return min(_eccentricities(G, usebounds, weight).values())


@dispatched(pays="search", refuse=_no_speed_to_gain)
def periphery(G: Graph, e: None = None, usebounds: bool = False, weight: str | None = None) -> list:
    found = _eccentricities(G, usebounds, weight)
    most = max(found.values())
    return [node for node, value in found.items() if value == most]


@dispatched(pays="search", refuse=_no_speed_to_gain)
def center(G: Graph, e: None = None, usebounds: bool = False, weight: str | None = None) -> list:
    if len(G) == 0 and weight is None and usebounds is not True and not G.is_directed():
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    found = _eccentricities(G, usebounds, weight)
    least = min(found.values())
    return [node for node, value in found.items() if value == least]


def _weighted_sum(G: Graph, weight: str | None, of: Any) -> Any:
    """The sum of ``of(source, distances)`` over all nodes, if the graph is connected."""
    if not _is_connected(G):
        return float("inf")
    total: Any = 0
    for some, distances in in_batches(G, None, weight):
        # a row has the distances from a node to all others
        for source, row in zip(some, distances.to_dense(0), strict=True):
            total += of(source, row)
    return total.item() / 2 if hasattr(total, "item") else total / 2


@dispatched(pays="search")
def schultz_index(G: Graph, weight: str | None = None) -> float:
    degree = G.degrees()
    return _weighted_sum(G, weight, lambda source, row: (row * (degree + degree[source])).sum())


@dispatched(pays="search")
def gutman_index(G: Graph, weight: str | None = None) -> float:
    degree = G.degrees()
    return _weighted_sum(G, weight, lambda source, row: (row * degree).sum() * degree[source])


@dispatched(pays="search")
def hyper_wiener_index(G: Graph, weight: str | None = None) -> float:
    return _weighted_sum(G, weight, lambda source, row: (row + row**2).sum())


@dispatched(pays="on request")
def efficiency(G: Graph, u: object, v: object) -> float:
    try:
        return 1 / unweighted_paths.edges_between(G, u, v)
    except nx.NetworkXNoPath:
        return 0


@dispatched(pays="search", refuse=_no_speed_to_gain)
def harmonic_diameter(G: Graph, sp: None = None, *, weight: str | None = None) -> float:
    n, total = len(G), 0.0
    for _, distances in in_batches(G, None, weight):
        # sum_ij 1 / d_ij, where d_ij is not 0
        near = unary.minv(select.valuegt(distances, 0).new(float)).new()
        total += near.reduce_scalar(monoid.plus).new().get(0.0)
    if total:
        return n * (n - 1) / total
    return float("inf") if n > 1 else float("nan")
