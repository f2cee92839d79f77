"""Maximum flows and minimum cuts between two nodes, and cheapest flows."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np

from .. import Matrix, algorithms, select
from ..algorithms.maximum_flow import MaximumFlow
from .conversion import edges_at
from .dispatch import define, parallel
from .graph import Graph


def _cut(G: Graph, source: object, target: object, A: Matrix) -> MaximumFlow:
    if source not in G or target not in G or source == target:
        raise NotImplementedError("source and target are not two nodes of the graph")
    # capacities off the diagonal: a loop carries no flow
    edges = select.offdiag(A).new()
    return algorithms.maximum_flow(edges, G.index[source], G.index[target], along_edges=False)


def _flow(flowG: Graph, _s: object, _t: object, capacity: str) -> MaximumFlow:
    return _cut(flowG, _s, _t, flowG.weights(capacity, negative=False, missing=math.inf))


def _value(flowG: Graph, _s: object, _t: object, capacity: str) -> float:
    return _flow(flowG, _s, _t, capacity).value


def _minimum_cut(flowG: Graph, _s: object, _t: object, capacity: str) -> tuple[float, tuple[set, set]]:
    found = _flow(flowG, _s, _t, capacity)
    near = set(flowG.named(found.source_side.to_coo(values=False)[0]))
    return found.value, (near, set(flowG) - near)


def _chosen(flowG: nx.Graph, flow_func: object, kwargs: dict) -> str | None:
    return parallel(flowG) if flow_func is None and not kwargs else "flow_func selects an algorithm"


define(refuse=_chosen, maximum_flow_value=_value, minimum_cut=_minimum_cut, minimum_cut_value=_value)


# ---- edges between two nodes ---------------------------------------------------------------------------------


def _local_connectivity(G: Graph, s: object, t: object) -> int:
    return _cut(G, s, t, G.weights(None)).value


def _connectivity(G: Graph, s: object, t: object) -> int:
    for node in (s, t):
        G.number(node, "node {} not in graph", nx.NetworkXError)
    return _local_connectivity(G, s, t)


def _edge_cut(G: Graph, s: object, t: object) -> set:
    near = _cut(G, s, t, G.weights(None)).source_side.to_dense(False)
    return set(edges_at(G, np.flatnonzero(near[G.sources()] & ~near[G.neighbours]), data=False))


def _prepared(
    G: nx.Graph, flow_func: object = None, auxiliary: object = None, residual: object = None, cutoff: object = None
) -> str | None:
    given = {"flow_func": flow_func, "auxiliary": auxiliary, "residual": residual, "cutoff": cutoff}
    chosen = next((name for name, value in given.items() if value is not None), None)
    return f"{chosen} is given" if chosen else parallel(G)


def _of_all(G: nx.Graph, s: object, t: object, flow_func: object, cutoff: object) -> str | None:
    if s is None or t is None:
        return "networkx needs fewer flows for the whole graph"
    return _prepared(G, flow_func, cutoff=cutoff)


define(pays="on request", refuse=_of_all, edge_connectivity=_connectivity)
define(pays="on request", refuse=_prepared, local_edge_connectivity=_local_connectivity, minimum_st_edge_cut=_edge_cut)
