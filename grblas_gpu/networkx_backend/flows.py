"""Maximum flows and minimum cuts between two nodes, and cheapest flows."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np

from .. import Matrix, algorithms, binary, select
from ..algorithms.maximum_flow import MaximumFlow
from ..exceptions import InvalidValue
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


# ---- cheapest flows ------------------------------------------------------------------------------------------


def _not_simple(G: nx.Graph, demand: str | None = None) -> str | None:
    if not G.is_directed() or G.is_multigraph():
        return "the graph is undirected or a multigraph"
    if demand is None and any("demand" in data for _, data in G.nodes(data=True)):
        return "nodes have demands, which networkx adds to the flow"
    return None


def _arrays(G: Graph, capacity: str, weight: str) -> list[Matrix]:
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


def _cheapest(G: Graph, demand: str, capacity: str, weight: str) -> tuple[int, dict]:
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


def _largest_cheapest(G: Graph, s: object, t: object, capacity: str, weight: str) -> dict:
    if s not in G or t not in G or s == t:
        raise NotImplementedError("s and t are not two nodes of the graph")
    rooms, costs = _arrays(G, capacity, weight)
    return _amounts(G, algorithms.minimum_cost_flow(rooms, G.index[s], G.index[t], costs).flow)


define(
    pays="on request",
    refuse=_not_simple,
    max_flow_min_cost=_largest_cheapest,
    min_cost_flow=lambda G, demand, capacity, weight: _cheapest(G, demand, capacity, weight)[1],
    min_cost_flow_cost=lambda G, demand, capacity, weight: _cheapest(G, demand, capacity, weight)[0],
    network_simplex=_cheapest,
)
