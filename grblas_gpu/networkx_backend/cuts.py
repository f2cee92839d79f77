"""Sets of nodes: cuts between two sets, boundaries, dominating and independent sets; matchings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import Vector, algorithms, monoid, semiring
from ..foundation.types import Matrix
from .degrees import strengths
from .dispatch import dispatched
from .graph import Graph


def _flags(G: Graph, nodes: Iterable) -> np.ndarray:
    """True at the given nodes; nodes outside the graph are ignored."""
    chosen = np.zeros(len(G), bool)
    chosen[[G.index[node] for node in nodes if node in G]] = True
    return chosen


def neighbours_of(G: Graph, chosen: np.ndarray, *, backward: bool = False) -> np.ndarray:
    """True at every node with an edge from a chosen node."""
    members = Vector.from_coo(np.flatnonzero(chosen), True, size=len(G), dtype=bool)
    # found = members any.pair A
    found = semiring.any_pair[bool](members @ G.pattern(backward=backward)).new()
    return found.to_dense(False)


def _between(G: Graph, first: np.ndarray, second: np.ndarray, weight: str | None) -> Any:
    """The total weight of the edges of the first set with an end in the second; an undirected edge counts once."""
    rows, columns, values = G.weights(weight).to_coo()
    across = (first[rows] & second[columns]) | (first[columns] & second[rows])
    across &= first[rows] if G.is_directed() else rows <= columns
    return values[across].sum().item()


@dispatched(pays="converted")
def cut_size(G: Graph, S: Matrix, T: Any = None, weight: str | None = None) -> Any:
    first = _flags(G, S)
    second = ~first if T is None else _flags(G, T)
    found = _between(G, first, second, weight)
    if G.is_directed():
        if T is None:
            raise NotImplementedError("T is required for a directed graph")
        found += _between(G, second, first, weight)
    return found


@dispatched(pays="converted")
def volume(G: Graph, S: Matrix, weight: str | None = None) -> Any:
    nodes = [S] if S in G else list(S)  # as in NetworkX, one node or several
    sizes = strengths(G, "out" if G.is_directed() else "both", weight)
    total = sizes[G.numbers([node for node in nodes if node in G])].sum().item()  # a repeated node counts repeatedly
    return total if weight is None or G.weights(weight).dtype.np_type.kind == "f" else int(total)


def _other_side(G: Graph, S: Matrix, T: object) -> Any:
    return set(G) - set(S) if T is None else T


@dispatched(pays="converted")
def normalized_cut_size(G: Graph, S: Matrix, T: Any = None, weight: str | None = None) -> float:
    T = _other_side(G, S, T)
    return cut_size(G, S, T, weight) * (1 / volume(G, S, weight) + 1 / volume(G, T, weight))


@dispatched(pays="converted")
def conductance(G: Graph, S: Matrix, T: Any = None, weight: str | None = None) -> float:
    T = _other_side(G, S, T)
    return cut_size(G, S, T, weight) / min(volume(G, S, weight), volume(G, T, weight))


@dispatched(pays="converted")
def edge_expansion(G: Graph, S: Any, T: Any = None, weight: str | None = None) -> float:
    T = _other_side(G, S, T)
    return cut_size(G, S, T, weight) / min(len(S), len(T))


@dispatched(pays="converted")
def mixing_expansion(G: Graph, S: Matrix, T: object = None, weight: str | None = None) -> float:
    return cut_size(G, S, T, weight) / (2 * G.number_of_edges())


@dispatched(pays="converted")
def node_expansion(G: Graph, S: Any) -> float:
    if missing := [node for node in S if node not in G]:
        raise NotImplementedError(f"node {missing[0]!r} is not in the graph")
    return int(neighbours_of(G, _flags(G, S)).sum()) / len(S)


@dispatched(pays="converted")
def boundary_expansion(G: Graph, S: Any) -> float:
    return len(node_boundary(G, S)) / len(S)


@dispatched(pays="converted")
def node_boundary(G: Graph, nbunch1: Any, nbunch2: Any = None) -> set:
    chosen = _flags(G, nbunch1)
    found = set(G.named(np.flatnonzero(neighbours_of(G, chosen) & ~chosen)))
    return found if nbunch2 is None else found & set(nbunch2)


@dispatched(pays="converted")
def is_dominating_set(G: Graph, nbunch: Any) -> bool:
    chosen = _flags(G, nbunch)
    return bool((chosen | neighbours_of(G, chosen)).all())


def _some_are_given(arguments: dict) -> str | None:
    return "nodes lists members of the set" if arguments["nodes"] else None


@dispatched(refuse=_some_are_given)
def maximal_independent_set(G: Graph, nodes: None = None, seed: Any = None) -> list:
    if len(G) == 0 or G.loops():
        raise NotImplementedError("the graph is empty or has self-loops")
    members = algorithms.maximal_independent_set(G.pattern(), seed=seed.getrandbits(32))
    return G.named(members.to_coo(values=False)[0])


@dispatched(pays="on request")
def maximal_matching(G: Graph) -> set[tuple]:
    partner = algorithms.maximal_matching(G.pattern())
    first, second = (part.astype(np.int64) for part in partner.to_coo())
    once = first < second
    return set(zip(G.named(first[once]), G.named(second[once]), strict=True))


def _group(G: Graph, S: Any, *, backward: bool) -> float:
    if missing := [node for node in S if node not in G]:
        raise NotImplementedError(f"node {missing[0]!r} is not in the graph")
    chosen = _flags(G, S)
    return int((neighbours_of(G, chosen, backward=backward) & ~chosen).sum()) / (len(G) - len(S))


@dispatched(pays="converted")
def group_degree_centrality(G: Graph, S: Matrix) -> float:
    return _group(G, S, backward=False)


@dispatched(pays="converted")
def group_out_degree_centrality(G: Graph, S: Matrix) -> float:
    return _group(G, S, backward=False)


@dispatched(pays="converted")
def group_in_degree_centrality(G: Graph, S: Matrix) -> float:
    return _group(G, S, backward=True)


@dispatched(pays="converted")
def s_metric(G: Graph) -> float:
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


@dispatched(pays="converted")
def number_of_selfloops(G: Graph) -> int:
    if G.is_multigraph():
        return int(G.weights(None).diag().reduce(monoid.plus).new().get(0))
    return G.loops()
