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
    """Colours: 1 for the first node with an outgoing edge of each component, 0 for isolated nodes."""
    edges = G.pattern()
    try:
        side = algorithms.bipartite_sides(edges).to_dense()
    except InvalidValue as error:
        raise nx.NetworkXError("Graph is not bipartite.") from error
    component = algorithms.connected_components(edges).to_dense()
    starts = np.flatnonzero(np.diff(G.pointers))
    parts, first = np.unique(component[starts], return_index=True)
    colours = np.zeros(len(G), np.int64)
    colours[parts] = side[starts[first]]  # at the lowest node of each component
    return G.by_node(np.where(G.degrees("both") > 0, (side == colours[component]).astype(np.int64), 0))


def _given(arguments: dict) -> str | None:
    return "top_nodes is given" if arguments["top_nodes"] is not None else None


@dispatched(pays="converted", refuse=_given)
def sets(G: Graph, top_nodes: object = None) -> tuple[set, set]:
    if not len(G):
        raise NotImplementedError("the graph has no nodes")
    if algorithms.connected_components(G.pattern()).to_dense().any():  # some node is outside the component of node 0
        raise nx.AmbiguousSolution("Disconnected graph: Ambiguous solution for bipartite sets.")
    colours = color(G)
    return {node for node in G if colours[node]}, {node for node in G if not colours[node]}
