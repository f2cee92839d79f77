"""Measures that need all shortest paths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np

from .. import Matrix, agg, monoid, select, unary
from .components import is_connected, is_strongly_connected, refuse_null
from .dispatch import SINCE_3_7, define, own
from .distances import in_batches
from .graph import Graph
from .path_lengths import METHODS


def _is_connected(G: Graph) -> bool:
    return is_strongly_connected(G) if G.is_directed() else is_connected(G)


def _sum_of_lengths(G: Graph, weight: str | None) -> float:
    # sum_ij d_ij
    return sum(distances.reduce_scalar(monoid.plus).new().get(0) for _, distances in in_batches(G, None, weight))


def _average_length(G: Graph, weight: str | None, method: str | None) -> float:
    if method not in (None, "unweighted", *METHODS, "floyd-warshall", "floyd-warshall-numpy"):
        raise ValueError(f"method not supported: {method}")
    n = len(G)
    if n == 0:
        raise nx.NetworkXPointlessConcept("the null graph has no paths, thus there is no average shortest path length")
    if n == 1:
        return 0
    if not _is_connected(G):
        raise nx.NetworkXError(f"Graph is not {'strongly ' if G.is_directed() else ''}connected.")
    return _sum_of_lengths(G, None if method == "unweighted" else weight) / (n * (n - 1))


def _wiener(G: Graph, weight: str | None) -> float:
    if not _is_connected(G):
        return float("inf")
    total = _sum_of_lengths(G, weight)
    return total if G.is_directed() else total / 2


def _sum_of_inverses(G: Graph, weight: str | None) -> float:
    """The sum of 1 / d_ij over all pairs of different nodes."""
    total = 0.0
    for _, distances in in_batches(G, None, weight):
        # sum_ij 1 / d_ij, where d_ij is not 0
        near = unary.minv(select.valuegt(distances, 0).new(float)).new()
        total += near.reduce_scalar(monoid.plus).new().get(0.0)
    return total


def _global_efficiency(G: Graph) -> float:
    n = len(G)
    return _sum_of_inverses(G, None) / (n * (n - 1)) if n > 1 else 0


def _harmonic_diameter(G: Graph, weight: str | None) -> float:
    n, total = len(G), _sum_of_inverses(G, weight)
    if total:
        return n * (n - 1) / total
    return float("inf") if n > 1 else float("nan")


def _weighted_sum(G: Graph, weight: str | None, of: Callable[[int, np.ndarray], np.generic]) -> float:
    """Half the sum of ``of(source, distances)`` over all nodes, if the graph is connected."""
    if not _is_connected(G):
        return float("inf")
    total = sum(
        # a row has the distances from a node to all others
        of(source, row).item()
        for some, distances in in_batches(G, None, weight)
        for source, row in zip(some, distances.to_dense(0), strict=True)
    )
    return total / 2


def _schultz(G: Graph, weight: str | None) -> float:
    degree = G.degrees()
    return _weighted_sum(G, weight, lambda source, row: (row * (degree + degree[source])).sum())


def _gutman(G: Graph, weight: str | None) -> float:
    degree = G.degrees()
    return _weighted_sum(G, weight, lambda source, row: (row * degree).sum() * degree[source])


define(
    pays="search",
    average_shortest_path_length=_average_length,
    global_efficiency=_global_efficiency,
    gutman_index=_gutman,
    hyper_wiener_index=lambda G, weight: _weighted_sum(G, weight, lambda source, row: (row + row**2).sum()),
    schultz_index=_schultz,
    wiener_index=_wiener,
)


# ---- eccentricities ------------------------------------------------------------------------------------------


def _farthest(G: Graph, distances: Matrix) -> list:
    """farthest_i = max_j d_ij, if every node can be reached."""
    counts = distances.reduce_rowwise(agg.count).new().to_dense(0)
    if np.any(counts != len(G)):
        kind = "digraph is not strongly" if G.is_directed() else "graph is not"
        raise nx.NetworkXError(f"Found infinite path length because the {kind} connected")
    return distances.reduce_rowwise(monoid.max).new().to_dense().tolist()


def _eccentricity(G: Graph, v: object, weight: str | None) -> dict | float:
    if len(G) == 0 and SINCE_3_7:  # earlier versions returned no values and raised no error
        raise nx.NetworkXPointlessConcept("Cannot compute eccentricity of a null graph.")
    nodes = list(dict.fromkeys(G.nbunch_iter(v)))
    found = [far for _, distances in in_batches(G, G.numbers(nodes), weight) for far in _farthest(G, distances)]
    return found[0] if v in G else dict(zip(nodes, found, strict=True))


def _center(G: Graph, usebounds: bool, weight: str | None) -> list:
    if usebounds is True and not G.is_directed():
        return own("center")(G, usebounds=True, weight=weight)
    if weight is None and not G.is_directed():
        refuse_null(G, "G has no nodes.")
    found: Any = _eccentricity(G, None, weight)
    least = min(found.values())
    return [node for node, value in found.items() if value == least]


def no_speed_to_gain(e: object = None, sp: object = None) -> str | None:
    """The reason to refuse calls that need no search."""
    if e is not None:
        return "the eccentricities are given"
    return None if sp is None else "the shortest path lengths are given"


define(
    pays="search",
    refuse=no_speed_to_gain,
    center=_center,
    eccentricity=_eccentricity,
    harmonic_diameter=_harmonic_diameter,
)
