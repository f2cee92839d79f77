"""Link prediction: scores of pairs of nodes by their common neighbours."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

import numpy as np

from .. import FP64, Matrix, Vector, algorithms, binary, semiring
from .dispatch import define
from .graph import Graph


def _pairs(G: Graph, ebunch: Collection[tuple] | None) -> list[tuple]:
    """The pairs to score: by default those without an edge, in NetworkX's order."""
    if G.loops():
        raise NotImplementedError("the graph has self-loops")
    if ebunch is None:
        ends = zip(G.pointers[:-1].tolist(), G.pointers[1:].tolist(), strict=True)
        near = {node: set(G.named(G.neighbours[i:j])) for node, (i, j) in zip(G, ends, strict=True)}
        found, nodes = [], set(G)
        while nodes:
            u = nodes.pop()
            found += [(u, v) for v in nodes - near[u]]
        return found
    for u, v in ebunch:
        for node in (u, v):
            G.number(node, "Node {} not in G.")
        if u == v:
            raise NotImplementedError("a pair consists of the same node twice")
    return list(ebunch)


def _scored(score: Callable[[Graph, np.ndarray], Matrix]) -> Callable:
    """The function of NetworkX for a Matrix of scores of the pairs in an array."""

    def run(G: Graph, ebunch: Collection[tuple] | None) -> Iterator[tuple]:
        pairs = _pairs(G, ebunch)
        ends = np.array([G.numbers(pair) for pair in pairs], np.int64).reshape(-1, 2)
        found = G.values_at(score(G, ends), *ends.T) if pairs else np.empty(0)
        return iter([(u, v, value) for (u, v), value in zip(pairs, found.tolist(), strict=True)])

    return run


def _sums(G: Graph, ends: np.ndarray, values: np.ndarray) -> Matrix:
    """For every pair the sum of the values of its common neighbours."""
    wanted = Matrix.from_coo(ends[:, 0], ends[:, 1], True, nrows=len(G), ncols=len(G))
    sums = binary.second(wanted, 0.0).new(FP64)
    A = G.pattern()
    # near_ij = value_j at the neighbours j of i
    near = binary.second(A & Vector.from_dense(values)).new(FP64)
    # sums<wanted> += near plus.first A
    sums(wanted.S, binary.plus) << semiring.plus_first[FP64](near @ A)
    return sums


def _products_of_degrees(G: Graph, ebunch: Collection[tuple] | None) -> Iterator[tuple]:
    degree = dict(zip(G, G.degrees().tolist(), strict=True))
    return iter([(u, v, degree[u] * degree[v]) for u, v in _pairs(G, ebunch)])


def _refused(ebunch: object) -> str | None:
    return None if ebunch is None or isinstance(ebunch, (list, tuple, set)) else "ebunch is an iterator"


define(
    refuse=_refused,
    # A common neighbour has at least two neighbours.
    adamic_adar_index=_scored(lambda G, ends: _sums(G, ends, 1 / np.log(np.maximum(G.degrees(), 2)))),
    jaccard_coefficient=_scored(lambda G, ends: algorithms.jaccard(G.pattern(), ends)),
    resource_allocation_index=_scored(lambda G, ends: _sums(G, ends, 1 / np.maximum(G.degrees(), 1))),
)
define(pays="converted", refuse=_refused, preferential_attachment=_products_of_degrees)
