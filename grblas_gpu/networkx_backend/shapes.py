"""Tests of a graph: tree, forest, bipartite, Eulerian, acyclic; and attracting components."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from .. import algorithms
from ..backends.stores.entries import ranges
from ..exceptions import InvalidValue
from .components import is_connected, is_strongly_connected, strongly_connected_components
from .degrees import strengths
from .dispatch import define, dispatched
from .distances import levels
from .graph import Graph


def _parts(G: Graph) -> int:
    lowest = algorithms.connected_components(G.pattern()).to_dense()
    return int(np.count_nonzero(lowest == np.arange(len(G))))


def _refuse_null(G: Graph) -> None:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("G has no nodes.")


@dispatched(pays="converted")
def is_tree(G: Graph) -> bool:
    _refuse_null(G)
    return len(G) - 1 == G.number_of_edges() and _parts(G) == 1


@dispatched(pays="converted")
def is_forest(G: Graph) -> bool:
    _refuse_null(G)
    return len(G) - _parts(G) == G.number_of_edges()


@dispatched(pays="converted")
def is_arborescence(G: Graph) -> bool:
    return is_tree(G) and int(G.degrees("in").max()) <= 1


@dispatched(pays="converted")
def is_branching(G: Graph) -> bool:
    return is_forest(G) and int(G.degrees("in").max()) <= 1


@dispatched(pays="converted")
def is_eulerian(G: Graph) -> bool:
    if G.is_directed():
        return bool((G.degrees("in") == G.degrees("out")).all()) and is_strongly_connected(G)
    return bool((G.degrees() % 2 == 0).all()) and is_connected(G)


@dispatched(pays="on request")  # NetworkX stops at the first odd cycle
def is_bipartite(G: Graph) -> bool:
    return algorithms.is_bipartite(G.pattern())


@dispatched(pays="on request")
def is_directed_acyclic_graph(G: Graph) -> bool:
    if not G.is_directed():
        return False
    try:
        algorithms.topological_generations(G.pattern())
    except InvalidValue:
        return False
    return True


def _strong(G: Graph) -> np.ndarray:
    return algorithms.strongly_connected_components(G.pattern()).to_dense()


@dispatched(pays="on request")
def attracting_components(G: Graph) -> Iterator[set]:
    lowest = _strong(G)
    left = set(lowest[G.sources()][lowest[G.sources()] != lowest[G.neighbours]].tolist())
    for part in strongly_connected_components(G):
        if int(lowest[G.index[next(iter(part))]]) not in left:
            yield part


@dispatched(pays="on request")
def number_attracting_components(G: Graph) -> int:
    return sum(1 for _ in attracting_components(G))


@dispatched(pays="on request")
def is_attracting_component(G: Graph) -> bool:
    found = list(attracting_components(G))
    return len(found) == 1 and len(found[0]) == len(G)


@dispatched(pays="on request")
def flow_hierarchy(G: Graph, weight: str | None = None) -> float:
    if len(G.neighbours) == 0:
        raise nx.NetworkXError("flow_hierarchy not applicable to empty graphs")
    if not G.is_directed():
        raise nx.NetworkXError("G must be a digraph in flow_hierarchy")
    lowest = _strong(G)
    rows, columns, values = G.weights(weight).to_coo()
    inside: Any = values[lowest[rows] == lowest[columns]].sum()
    return 1 - (inside / strengths(G, "out", weight).sum()).item()


@dispatched(pays="converted")
def topological_generations(G: Graph) -> Iterator[list]:
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


@dispatched(pays="search")
def is_aperiodic(G: Graph) -> bool:
    if not G.is_directed():
        raise nx.NetworkXError("is_aperiodic not defined for undirected graphs")
    if not len(G):
        raise nx.NetworkXPointlessConcept("Graph has no nodes.")
    if not is_strongly_connected(G):
        raise nx.NetworkXError("Graph is not strongly connected.")
    level = levels(G, 0)
    return int(np.gcd.reduce(level[G.sources()] - level[G.neighbours] + 1)) == 1 if len(G.neighbours) else False


define(pays="on request", is_empty=lambda G: not len(G.neighbours))
