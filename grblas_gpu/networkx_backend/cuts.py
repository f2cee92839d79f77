"""Sets of nodes: cuts, boundaries, dominating and independent sets; matchings; flows and minimum cuts of two nodes."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable
from random import Random

import networkx as nx
import numpy as np

from .. import Matrix, Vector, algorithms, monoid, select, semiring
from ..algorithms.maximum_flow import MaximumFlow
from ..algorithms.spectral import Fiedler
from .components import is_connected
from .conversion import edges_at
from .degrees import strengths
from .dispatch import define, directed, parallel
from .graph import Graph

Nodes = Collection[Hashable]


def neighbours_of(G: Graph, chosen: np.ndarray, *, backward: bool = False) -> np.ndarray:
    """True at every node with an edge from a chosen node."""
    members = Vector.from_coo(np.flatnonzero(chosen), True, size=len(G), dtype=bool)
    # found = members any.pair A
    found = semiring.any_pair[bool](members @ G.pattern(backward=backward)).new()
    return found.to_dense(False)


def _between(G: Graph, first: np.ndarray, second: np.ndarray, weight: str | None) -> float:
    """The total weight of the edges of the first set with an end in the second; an undirected edge counts once."""
    rows, columns, values = G.weights(weight).to_coo()
    across = (first[rows] & second[columns]) | (first[columns] & second[rows])
    across &= first[rows] if G.is_directed() else rows <= columns
    return values[across].sum().item()


def _cut_size(G: Graph, S: Nodes, T: Nodes | None, weight: str | None) -> float:
    first = G.flags(S)
    second = ~first if T is None else G.flags(T)
    found = _between(G, first, second, weight)
    if G.is_directed():
        if T is None:
            raise NotImplementedError("T is required for a directed graph")
        found += _between(G, second, first, weight)
    return found


def _volume(G: Graph, S: Nodes, weight: str | None) -> float:
    sizes = strengths(G, "out" if G.is_directed() else "both", weight)
    total = sizes[G.numbers(G.nbunch_iter(S))].sum().item()  # a repeated node counts repeatedly
    return total if weight is None or G.weights(weight).dtype.np_type.kind == "f" else int(total)


def _boundary(G: Graph, nbunch1: Iterable, nbunch2: Iterable | None = None) -> set:
    chosen = G.flags(nbunch1)
    found = set(G.where(neighbours_of(G, chosen) & ~chosen))
    return found if nbunch2 is None else found & set(nbunch2)


def _is_dominating(G: Graph, nbunch: Iterable) -> bool:
    chosen = G.flags(nbunch)
    return bool((chosen | neighbours_of(G, chosen)).all())


def _members(G: Graph, S: Nodes) -> np.ndarray:
    """True at the given nodes, all of which are in the graph."""
    for node in S:
        G.number(node, "node {!r} is not in the graph", NotImplementedError)
    return G.flags(S)


def _group_degree(G: Graph, S: Nodes, *, backward: bool = False) -> float:
    chosen = _members(G, S)
    return int((neighbours_of(G, chosen, backward=backward) & ~chosen).sum()) / (len(G) - len(S))


def _s_metric(G: Graph) -> float:
    if G.is_multigraph():
        raise NotImplementedError("the graph has parallel edges")
    degrees = Vector.from_dense(G.degrees())
    # products_i = sum of degree_j over the neighbours j
    products = semiring.plus_second(G.pattern() @ degrees).new(int)
    total = int((products.to_dense(0) * G.degrees()).sum())
    if G.is_directed():
        return float(total)
    at_loop = G.sources() == G.neighbours
    return (total + float((G.degrees()[G.neighbours[at_loop]] ** 2).sum())) / 2


def _selfloops(G: Graph) -> int:
    if G.is_multigraph():
        return int(G.weights(None).diag().reduce(monoid.plus).new().get(0))
    return G.loops()


define(
    pays="converted",
    cut_size=_cut_size,
    group_degree_centrality=lambda G, S: _group_degree(G, S),
    group_in_degree_centrality=lambda G, S: _group_degree(G, S, backward=True),
    group_out_degree_centrality=lambda G, S: _group_degree(G, S),
    is_dominating_set=_is_dominating,
    node_boundary=_boundary,
    node_expansion=lambda G, S: int(neighbours_of(G, _members(G, S)).sum()) / len(S),
    number_of_selfloops=_selfloops,
    s_metric=_s_metric,
    volume=_volume,
)


# ---- cuts of the whole graph ---------------------------------------------------------------------------------


def _joined(G: Graph) -> None:
    if len(G) < 2:
        raise nx.NetworkXError("graph has less than two nodes.")
    if not is_connected(G):
        raise nx.NetworkXError("graph is not connected.")


def _least_cut(G: Graph, weight: str) -> tuple[float, tuple[list, list]]:
    _joined(G)
    A = G.weights(weight, negative=False)
    value, side = algorithms.minimum_cut(A)
    near = side.to_dense(False)
    parts = (G.named(np.flatnonzero(part)) for part in (near, ~near))
    return value if A.dtype.np_type.kind == "f" else int(value), (next(parts), next(parts))


def _fiedler(G: Graph, weight: str | None, tol: float) -> Fiedler:
    _joined(G)
    try:
        return algorithms.fiedler_vector(G.weights(weight, negative=False), weighted=True, tol=tol)
    except algorithms.NotConverged as error:
        raise NotImplementedError("the iteration has not converged") from error


define(refuse=lambda G: directed(G) or parallel(G), stoer_wagner=_least_cut)
define(
    refuse=lambda G, normalized: directed(G) or ("the Laplacian is normalized" if normalized else None),
    algebraic_connectivity=lambda G, weight, tol: (
        float(_fiedler(G, weight, tol).value) if len(G) < 2 or is_connected(G) else 0.0
    ),
    fiedler_vector=lambda G, weight, tol: _fiedler(G, weight, tol).vector.to_dense(),
)


# ---- independent sets and matchings --------------------------------------------------------------------------


def _independent_set(G: Graph, seed: Random) -> list:
    if len(G) == 0 or G.loops():
        raise NotImplementedError("the graph is empty or has self-loops")
    members = algorithms.maximal_independent_set(G.pattern(), seed=seed.getrandbits(32))
    return G.named(members.to_coo(values=False)[0])


def _matching(G: Graph) -> set[tuple]:
    partner = algorithms.maximal_matching(G.pattern())
    first, second = (part.astype(np.int64) for part in partner.to_coo())
    once = first < second
    return set(zip(G.named(first[once]), G.named(second[once]), strict=True))


define(
    refuse=lambda nodes: "nodes lists members of the set" if nodes else None, maximal_independent_set=_independent_set
)
define(pays="on request", maximal_matching=_matching)


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
