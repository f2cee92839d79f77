"""The two sides of bipartite graphs."""

from __future__ import annotations

import networkx as nx
import numpy as np

from .. import algorithms
from ..exceptions import InvalidValue
from .dispatch import dispatched
from .graph import Graph


@dispatched(pays="converted")
def color(G: Graph) -> dict:
    """The first node with edges out of each component has colour 1, those without any edges 0."""
    edges = G.pattern()
    try:
        side = algorithms.bipartite_sides(edges).to_dense()
    except InvalidValue as error:
        raise nx.NetworkXError("Graph is not bipartite.") from error
    component = algorithms.connected_components(edges).to_dense()
    starts = np.flatnonzero(np.diff(G.pointers))
    parts, first = np.unique(component[starts], return_index=True)
    colours = np.zeros(len(G), np.int64)
    colours[parts] = side[starts[first]]  # of the lowest node of each, for a moment
    return G.by_node(np.where(G.degrees("both") > 0, (side == colours[component]).astype(np.int64), 0))


def _given(arguments: dict) -> str | None:
    return "top_nodes is given" if arguments["top_nodes"] is not None else None


@dispatched(pays="converted", refuse=_given)
def sets(G: Graph, top_nodes: object = None) -> tuple[set, set]:
    if not len(G):
        raise NotImplementedError("the graph has no nodes")
    if algorithms.connected_components(G.pattern()).to_dense().any():  # all are in that of node 0
        raise nx.AmbiguousSolution("Disconnected graph: Ambiguous solution for bipartite sets.")
    colours = color(G)
    return {node for node in G if colours[node]}, {node for node in G if not colours[node]}
