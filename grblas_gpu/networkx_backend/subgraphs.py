"""Parts of a graph as graphs of NetworkX, with all attributes."""

from __future__ import annotations

import networkx as nx
import numpy as np

from .. import algorithms
from .clusters import refuse_loops
from .conversion import part_of
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
