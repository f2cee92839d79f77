"""Maximum flows and minimum cuts between two nodes, and cheapest flows."""

from __future__ import annotations

import math
from typing import Any

import networkx as nx
import numpy as np

from .. import Matrix, algorithms, binary, select
from ..exceptions import InvalidValue
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
    return _cut(G, source, target, G.weights(capacity, negative=False, missing=math.inf))


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


# ---- cheapest flows ------------------------------------------------------------------------------------------


def _not_simple(arguments: dict) -> str | None:
    G = arguments["G"]
    if not G.is_directed() or G.is_multigraph():
        return "the graph is undirected or a multigraph"
    if "demand" not in arguments and any("demand" in data for _, data in G.nodes(data=True)):
        return "nodes have demands, which networkx adds to the flow"
    return None


def _arrays(G: Graph, capacity: str, weight: str) -> list:
    found = [G.weights(capacity, negative=False, missing=math.inf), G.weights(weight, negative=False, missing=0)]
    if any(A.dtype.np_type.kind == "f" for A in found):
        raise NotImplementedError("capacities or weights are no integers")
    return found


def _amounts(G: Graph, flow: Matrix) -> dict:
    """The flow of every edge, by nodes."""
    found, result = flow.to_dicts(), {}
    for i, node in enumerate(G.labels):
        ends, amounts = G.neighbours[G.pointers[i] : G.pointers[i + 1]], found.get(i, {})
        result[node] = {other: amounts.get(j, 0) for j, other in zip(ends.tolist(), G.named(ends), strict=True)}
    return result


def _cheapest(G: Graph, demand: str, capacity: str, weight: str) -> tuple[Any, dict]:
    """The flow from a new node to those that send, and from those that receive to another new node."""
    n = len(G)
    demands = [data.get(demand, 0) for data in G.node_data or [{}] * n]
    if n == 0 or not all(isinstance(each, int) for each in demands):
        raise NotImplementedError("the graph is null, or demands are no integers")
    rooms, costs = _arrays(G, capacity, weight)
    if sum(demands) != 0:
        raise nx.NetworkXUnfeasible("total node demand is not zero")
    ends = [(n, i, -each) if each < 0 else (i, n + 1, each) for i, each in enumerate(demands) if each]
    if not ends:
        return 0, _amounts(G, rooms.dup(clear=True))
    rows, columns, values = zip(*ends, strict=True)
    room = Matrix.from_coo(rows, columns, values, int, nrows=n + 2, ncols=n + 2)
    rooms, costs = rooms.dup(int), costs.dup()
    for A in (rooms, costs):
        A.resize(n + 2, n + 2)
    room << binary.plus(room | rooms)
    try:
        found = algorithms.minimum_cost_flow(room, n, n + 1, costs, value=sum(map(abs, demands)) // 2)
    except InvalidValue as error:
        raise nx.NetworkXUnfeasible("no flow satisfies all node demands") from error
    return found.cost, _amounts(G, found.flow)


define(
    pays="on request",
    refuse=_not_simple,
    network_simplex=lambda G, demand="demand", capacity="capacity", weight="weight": _cheapest(
        G, demand, capacity, weight
    ),
    min_cost_flow=lambda G, demand="demand", capacity="capacity", weight="weight": _cheapest(
        G, demand, capacity, weight
    )[1],
    min_cost_flow_cost=lambda G, demand="demand", capacity="capacity", weight="weight": _cheapest(
        G, demand, capacity, weight
    )[0],
)


@dispatched(pays="on request", refuse=_not_simple)
def max_flow_min_cost(G: Graph, s: object, t: object, capacity: str = "capacity", weight: str = "weight") -> dict:
    if s not in G or t not in G or s == t:
        raise NotImplementedError("s and t are not two nodes of the graph")
    rooms, costs = _arrays(G, capacity, weight)
    return _amounts(G, algorithms.minimum_cost_flow(rooms, G.index[s], G.index[t], costs).flow)
