"""Parts of a graph as graphs of NetworkX, with all attributes; and spanning trees, by NetworkX's Kruskal algorithm."""

from __future__ import annotations

import networkx as nx
import numpy as np

from .. import Matrix, algorithms
from .clusters import refuse_loops
from .conversion import edges_at, part_of
from .dispatch import define, parallel
from .distances import levels
from .graph import Graph


def _k_truss(G: Graph, k: float) -> nx.Graph:
    refuse_loops(G, "has")
    sources = G.sources()
    kept = G.is_entry(algorithms.k_truss(G.pattern(), int(np.ceil(k)))) if k > 2 else np.ones(len(sources), bool)
    nodes = np.zeros(len(G), bool)
    nodes[sources[kept]] = True
    return part_of(G, np.flatnonzero(kept & (sources < G.neighbours)), nodes)


def _ego_graph(G: Graph, n: object, radius: float, center: bool, distance: str | None) -> nx.Graph:
    source = G.number(n, "node {!r} is not in the graph", NotImplementedError)
    if distance is None:
        near = levels(G, source, cutoff=radius) >= 0
    else:
        near = algorithms.sssp(G.lengths(distance), source).to_dense(np.inf, dtype=float) <= radius
    near[source] = center
    sources = G.sources()
    between = near[sources] & near[G.neighbours]
    return part_of(G, np.flatnonzero(between & (G.is_directed() | (sources <= G.neighbours))), near)


def _no_plain_neighbourhood(G: nx.Graph, undirected: bool) -> str | None:
    by_direction = "undirected=True ignores the directions of edges" if undirected and G.is_directed() else None
    return parallel(G) or by_direction


define(k_truss=_k_truss)
define(pays="one search", refuse=_no_plain_neighbourhood, ego_graph=_ego_graph)


# ---- spanning trees ------------------------------------------------------------------------------------------


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
