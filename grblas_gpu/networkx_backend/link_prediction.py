"""Link prediction: scores of pairs of nodes by their common neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from .. import FP64, Matrix, Vector, algorithms, binary, semiring
from .dispatch import dispatched
from .graph import Graph


def _refused(arguments: dict) -> str | None:
    ebunch = arguments["ebunch"]
    return None if ebunch is None or isinstance(ebunch, (list, tuple, set)) else "ebunch is an iterator"


def _pairs(G: Graph, ebunch: Any) -> list[tuple]:
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
            if node not in G:
                raise nx.NodeNotFound(f"Node {node} not in G.")
        if u == v:
            raise NotImplementedError("a pair consists of the same node twice")
    return list(ebunch)


def _scored(G: Graph, pairs: list[tuple], score: Any) -> Iterator[tuple]:
    """The pairs with their scores; ``score`` computes a Matrix of scores from the arrays of both ends."""
    rows = np.array([G.index[u] for u, _ in pairs], np.int64)
    columns = np.array([G.index[v] for _, v in pairs], np.int64)
    scores = score(np.stack([rows, columns], axis=1))
    found_rows, found_columns, values = scores.to_coo()
    keys = found_rows.astype(np.int64) * len(G) + found_columns.astype(np.int64)  # in order
    wanted = values[np.searchsorted(keys, rows * len(G) + columns)] if len(pairs) else values
    return iter([(u, v, value) for (u, v), value in zip(pairs, wanted.tolist(), strict=True)])


@dispatched(refuse=_refused)
def jaccard_coefficient(G: Graph, ebunch: object = None) -> Iterator[tuple]:
    return _scored(G, _pairs(G, ebunch), lambda ends: algorithms.jaccard(G.pattern(), ends))


def _sums(G: Graph, ends: np.ndarray, values: np.ndarray) -> Matrix:
    """For every pair the sum of the values of its common neighbours."""
    wanted = Matrix.from_coo(ends[:, 0], ends[:, 1], True, nrows=len(G), ncols=len(G))
    sums: Any = binary.second(wanted, 0.0).new(FP64)
    A = G.pattern()
    # near_ij = value_j at the neighbours j of i
    near = binary.second(A & Vector.from_dense(values)).new(FP64)
    # sums<wanted> += near plus.first A
    sums(wanted.S, binary.plus) << semiring.plus_first[FP64](near @ A)
    return sums


@dispatched(refuse=_refused)
def resource_allocation_index(G: Graph, ebunch: object = None) -> Iterator[tuple]:
    inverse = 1 / np.maximum(G.degrees(), 1)
    return _scored(G, _pairs(G, ebunch), lambda ends: _sums(G, ends, inverse))


@dispatched(refuse=_refused)
def adamic_adar_index(G: Graph, ebunch: object = None) -> Iterator[tuple]:
    inverse = 1 / np.log(np.maximum(G.degrees(), 2))  # a common neighbour has at least two neighbours
    return _scored(G, _pairs(G, ebunch), lambda ends: _sums(G, ends, inverse))


@dispatched(pays="converted", refuse=_refused)
def preferential_attachment(G: Graph, ebunch: object = None) -> Iterator[tuple]:
    degree = dict(zip(G, G.degrees().tolist(), strict=True))
    return iter([(u, v, degree[u] * degree[v]) for u, v in _pairs(G, ebunch)])
