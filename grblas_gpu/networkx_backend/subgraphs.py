"""Parts of a graph as graphs of NetworkX, with all attributes."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from .. import algorithms
from .conversion import part_of
from .dispatch import dispatched
from .distances import levels
from .graph import Graph
from .search_trees import bfs_edges, refused_search


@dispatched()
def k_truss(G: Graph, k: Any) -> Any:
    if G.loops():
        raise nx.NetworkXNotImplemented(
            "Input graph has self loops which is not permitted; "
            "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
        )
    sources, n = G.sources(), len(G)
    kept = np.ones(len(sources), bool)
    if k > 2:
        rows, columns, _ = algorithms.k_truss(G.pattern(), int(np.ceil(k))).to_coo()
        kept = np.isin(sources * np.int64(n) + G.neighbours, rows * np.uint64(n) + columns)
    nodes = np.zeros(n, bool)
    nodes[sources[kept]] = True
    return part_of(G, np.flatnonzero(kept & (sources < G.neighbours)), nodes)


def _no_plain_neighbourhood(arguments: dict) -> str | None:
    G = arguments["G"]
    if G.is_multigraph():
        return "the graph is a multigraph"
    return "undirected=True ignores the directions of edges" if arguments["undirected"] and G.is_directed() else None


@dispatched(pays="one search", refuse=_no_plain_neighbourhood)
def ego_graph(
    G: Graph, n: object, radius: float = 1, center: bool = True, undirected: bool = False, distance: str | None = None
) -> Any:
    if n not in G:
        raise NotImplementedError(f"node {n!r} is not in the graph")
    source = G.index[n]
    if distance is None:
        level = levels(G, source, cutoff=radius)
        near = level >= 0
    else:
        near = algorithms.sssp(G.lengths(distance), source).to_dense(np.inf, dtype=float) <= radius
    near[source] = center
    sources = G.sources()
    between = near[sources] & near[G.neighbours]
    return part_of(G, np.flatnonzero(between & (G.is_directed() | (sources <= G.neighbours))), near)


@dispatched(pays="one search", refuse=refused_search)
def bfs_tree(
    G: Graph, source: object, reverse: bool = False, depth_limit: int | None = None, sort_neighbors: None = None
) -> Any:
    edges = list(bfs_edges(G, source, depth_limit=depth_limit))
    T = nx.DiGraph()
    T.add_node(source)
    T.add_edges_from(edges)
    return T
