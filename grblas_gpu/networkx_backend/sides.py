"""The two sides of bipartite graphs."""

from __future__ import annotations

import networkx as nx
import numpy as np

from .. import algorithms
from ..exceptions import InvalidValue
from .components import lowest_members
from .dispatch import define
from .graph import Graph


def _colour(G: Graph) -> dict:
    """Colours: 1 for the first node with an outgoing edge of each component, 0 for isolated nodes."""
    try:
        side = algorithms.bipartite_sides(G.pattern()).to_dense()
    except InvalidValue as error:
        raise nx.NetworkXError("Graph is not bipartite.") from error
    component = lowest_members(G)
    starts = np.flatnonzero(np.diff(G.pointers))
    parts, first = np.unique(component[starts], return_index=True)
    colours = np.zeros(len(G), np.int64)
    colours[parts] = side[starts[first]]  # at the lowest node of each component
    return G.by_node(np.where(G.degrees("both") > 0, (side == colours[component]).astype(np.int64), 0))


def _sets(G: Graph) -> tuple[set, set]:
    if not len(G):
        raise NotImplementedError("the graph has no nodes")
    if lowest_members(G).any():  # some node is outside the component of node 0
        raise nx.AmbiguousSolution("Disconnected graph: Ambiguous solution for bipartite sets.")
    colours = _colour(G)
    return {node for node in G if colours[node]}, {node for node in G if not colours[node]}


define(pays="converted", color=_colour)
define(pays="converted", refuse=lambda top_nodes: None if top_nodes is None else "top_nodes is given", sets=_sets)
