"""Maximum flows and minimum cuts between two nodes."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from .. import algorithms, select
from .conversion import edges_at
from .dispatch import define, dispatched
from .graph import Graph


def _refused(arguments: dict) -> str | None:
    if arguments["flow_func"] is not None or arguments["kwargs"]:
        return "flow_func selects an algorithm"
    return "the graph is a multigraph" if arguments["flowG"].is_multigraph() else None


def _cut(G: Graph, source: object, target: object, A: Any) -> Any:
    if source not in G or target not in G or source == target:
        raise NotImplementedError("source and target are not two nodes of the graph")
    # capacities off the diagonal: a loop carries no flow
    edges = select.offdiag(A).new()
    return algorithms.maximum_flow(edges, G.index[source], G.index[target], along_edges=False)


def _flow(G: Graph, source: object, target: object, capacity: str) -> Any:
    return _cut(G, source, target, G.weights(capacity, negative=False))


def _sides(G: Graph, found: Any) -> tuple[Any, tuple[set, set]]:
    near = set(G.named(found.source_side.to_coo(values=False)[0]))
    return found.value, (near, set(G) - near)


define(
    refuse=_refused,
    maximum_flow_value=lambda flowG, _s, _t, capacity="capacity", flow_func=None, **kwargs: (
        _flow(flowG, _s, _t, capacity).value
    ),
    minimum_cut_value=lambda flowG, _s, _t, capacity="capacity", flow_func=None, **kwargs: (
        _flow(flowG, _s, _t, capacity).value
    ),
    minimum_cut=lambda flowG, _s, _t, capacity="capacity", flow_func=None, **kwargs: _sides(
        flowG, _flow(flowG, _s, _t, capacity)
    ),
)


def _prepared(arguments: dict) -> str | None:
    given = [name for name in ("flow_func", "auxiliary", "residual", "cutoff") if arguments.get(name) is not None]
    if given:
        return f"{given[0]} is given"
    return "the graph is a multigraph" if arguments["G"].is_multigraph() else None


def _edges_between(G: Graph, s: object, t: object) -> int:
    return _cut(G, s, t, G.weights(None)).value


def _of_all(arguments: dict) -> str | None:
    if arguments["s"] is None or arguments["t"] is None:
        return "networkx needs fewer flows for the whole graph"
    return _prepared(arguments)


@dispatched(pays="on request", refuse=_of_all)
def edge_connectivity(G: Graph, s: object = None, t: object = None, flow_func: None = None, cutoff: None = None) -> int:
    for node in (s, t):
        if node not in G:
            raise nx.NetworkXError(f"node {node} not in graph")
    return _edges_between(G, s, t)


@dispatched(pays="on request", refuse=_prepared)
def minimum_st_edge_cut(
    G: Graph, s: object, t: object, flow_func: None = None, auxiliary: None = None, residual: None = None
) -> set:
    near = _cut(G, s, t, G.weights(None)).source_side.to_dense(False)
    return set(edges_at(G, np.flatnonzero(near[G.sources()] & ~near[G.neighbours]), data=False))


define(
    pays="on request",
    refuse=_prepared,
    local_edge_connectivity=lambda G, s, t, flow_func=None, auxiliary=None, residual=None, cutoff=None: _edges_between(
        G, s, t
    ),
)
