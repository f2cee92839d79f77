"""Minimum and maximum spanning trees: the edges of NetworkX's Kruskal algorithm, in its order."""

from __future__ import annotations

import networkx as nx
import numpy as np

from .. import Matrix, algorithms
from .conversion import edges_at, part_of
from .dispatch import define
from .graph import Graph


def _refused(G: nx.Graph, algorithm: str, ignore_nan: bool) -> str | None:
    if G.is_directed() or G.is_multigraph():
        return "the graph is directed, or a multigraph"
    if algorithm != "kruskal":
        return "the algorithm is not Kruskal's, so the order of edges differs"
    return "ignore_nan leaves edges out" if ignore_nan else None


def _taken(G: Graph, weight: str | None, sign: int) -> np.ndarray:
    """The positions of the forest's edges in ``neighbours``, lightest first (heaviest first, if ``sign`` is -1).

    NetworkX takes the first of several edges of the same weight. So the weights here are the ranks of the edges in
    its order. All ranks differ, and the minimum forest is unique.
    """
    sources, n = G.sources(), len(G)
    once = np.flatnonzero(sources < G.neighbours)
    order = once[np.argsort(sign * G.edge_values(weight)[once], kind="stable")]
    rows, columns, place = sources[order], G.neighbours[order], np.arange(len(order))
    # ranks = the upper triangle, and its transpose
    ends = np.concatenate([rows, columns]), np.concatenate([columns, rows])
    ranks = Matrix.from_coo(*ends, np.tile(place, 2), dtype=int, nrows=n, ncols=n)
    return order[np.unique(algorithms.minimum_spanning_forest(ranks).to_coo()[2])]


define(
    refuse=_refused,
    maximum_spanning_edges=lambda G, weight, data: edges_at(G, _taken(G, weight, -1), data=data),
    maximum_spanning_tree=lambda G, weight: part_of(G, _taken(G, weight, -1)),
    minimum_spanning_edges=lambda G, weight, data: edges_at(G, _taken(G, weight, 1), data=data),
    minimum_spanning_tree=lambda G, weight: part_of(G, _taken(G, weight, 1)),
)
