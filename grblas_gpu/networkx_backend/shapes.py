"""Tests of a graph: tree, forest, bipartite, Eulerian, acyclic; and attracting components."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx
import numpy as np

from .. import algorithms
from ..backends.stores.entries import ranges
from ..exceptions import InvalidValue
from .components import (
    is_connected,
    is_strongly_connected,
    lowest_members,
    number_of,
    refuse_null,
    strong_members,
    strongly_connected_components,
)
from .degrees import strengths
from .dispatch import define
from .distances import levels
from .graph import Graph


def _is_forest(G: Graph) -> bool:
    refuse_null(G, "G has no nodes.")
    return len(G) - number_of(lowest_members(G)) == G.number_of_edges()


def _is_tree(G: Graph) -> bool:
    return _is_forest(G) and len(G) - 1 == G.number_of_edges()


def _one_parent(G: Graph) -> bool:
    return int(G.degrees("in").max()) <= 1


def _is_eulerian(G: Graph) -> bool:
    if G.is_directed():
        return bool((G.degrees("in") == G.degrees("out")).all()) and is_strongly_connected(G)
    return bool((G.degrees() % 2 == 0).all()) and is_connected(G)


define(
    pays="converted",
    is_arborescence=lambda G: _is_tree(G) and _one_parent(G),
    is_branching=lambda G: _is_forest(G) and _one_parent(G),
    is_eulerian=_is_eulerian,
    is_forest=_is_forest,
    is_tree=_is_tree,
)


def _is_acyclic(G: Graph) -> bool:
    if not G.is_directed():
        return False
    try:
        algorithms.topological_generations(G.pattern())
    except InvalidValue:
        return False
    return True


def _attracting(G: Graph) -> Iterator[set]:
    lowest = strong_members(G)
    left = set(lowest[G.sources()][lowest[G.sources()] != lowest[G.neighbours]].tolist())
    for part in strongly_connected_components(G):
        if int(lowest[G.index[next(iter(part))]]) not in left:
            yield part


def _flow_hierarchy(G: Graph, weight: str | None) -> float:
    if len(G.neighbours) == 0:
        raise nx.NetworkXError("flow_hierarchy not applicable to empty graphs")
    if not G.is_directed():
        raise nx.NetworkXError("G must be a digraph in flow_hierarchy")
    lowest = strong_members(G)
    rows, columns, values = G.weights(weight).to_coo()
    inside = values[lowest[rows] == lowest[columns]].sum()
    return 1 - (inside / strengths(G, "out", weight).sum()).item()


def _generations(G: Graph) -> Iterator[list]:
    if not G.is_directed():
        raise nx.NetworkXError("Topological sort not defined on undirected graphs.")
    waiting = G.degrees("in").copy()
    layer, left = np.flatnonzero(waiting == 0), len(G)
    while len(layer):
        yield G.named(layer)
        left -= len(layer)
        starts, counts = G.pointers[layer], G.pointers[layer + 1] - G.pointers[layer]
        places = ranges(starts, counts)
        seen = G.neighbours[places]
        np.subtract.at(waiting, seen, 1 if G.parallel is None else G.parallel[places])
        # a node follows when its last predecessor is visited
        last = len(seen) - 1 - np.unique(seen[::-1], return_index=True)[1]
        layer = seen[np.sort(last)]
        layer = layer[waiting[layer] == 0]
    if left:
        raise nx.NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration")


def _is_aperiodic(G: Graph) -> bool:
    if not G.is_directed():
        raise nx.NetworkXError("is_aperiodic not defined for undirected graphs")
    refuse_null(G, "Graph has no nodes.")
    if not is_strongly_connected(G):
        raise nx.NetworkXError("Graph is not strongly connected.")
    level = levels(G, 0)
    return int(np.gcd.reduce(level[G.sources()] - level[G.neighbours] + 1)) == 1 if len(G.neighbours) else False


define(
    pays="on request",
    attracting_components=_attracting,
    flow_hierarchy=_flow_hierarchy,
    is_bipartite=lambda G: algorithms.is_bipartite(G.pattern()),  # NetworkX stops at the first odd cycle
    is_directed_acyclic_graph=_is_acyclic,
    is_empty=lambda G: not len(G.neighbours),
)
define(pays="converted", topological_generations=_generations)
define(pays="search", is_aperiodic=_is_aperiodic)
