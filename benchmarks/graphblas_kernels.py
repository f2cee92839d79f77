"""Kernels for python-graphblas (SuiteSparse) beside those of gpu_speed.py: mostly the formulas of ``algorithms/``.

Graphs are symmetric. Where a product of a full vector can be computed by rows or by columns, it is written so that
SuiteSparse computes it by rows of the stored matrix, which is its faster way.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def bfs(A: Any, source: int) -> Any:
    """Levels, by pushing or pulling."""
    from .suitesparse import push_pull_bfs

    return push_pull_bfs(A, source)


def pagerank(A: Any, iterations: int, dtype: Any = np.float64, damping: float = 0.85) -> Any:
    """So many steps of the power iteration, all in one type."""
    from graphblas import Vector, agg, binary, monoid, semiring

    n = A.nrows
    out = A.reduce_rowwise(agg.count).new(dtype)
    ranks = Vector.from_scalar(1 / n, n, dtype)
    for _ in range(iterations):
        share = binary.truediv(ranks & out).new()
        stuck = ranks.dup(mask=~out.S).reduce(monoid.plus).new().get(0.0)
        after = Vector.from_scalar((1 - damping + damping * stuck) / n, n, dtype)
        after(binary.plus) << binary.times(dtype(damping), semiring.plus_second(A @ share).new())
        ranks = after
    ranks.wait()
    return ranks


def sssp(W: Any, source: int) -> Any:
    """Bellman-Ford from what became nearer; the type of the distances is that of the weights."""
    from graphblas import Vector, binary, semiring

    distances = Vector.from_coo([source], [0], dtype=W.dtype, size=W.nrows)
    frontier = distances.dup()
    while frontier.nvals:
        nearer = semiring.min_plus(frontier @ W).new()
        known = binary.le(distances & nearer).new()
        frontier(~known.V, replace=True) << nearer
        distances(frontier.S) << frontier
    return distances


def triangle_count(L: Any) -> int:
    """Of a graph whose edges are there in one direction, from lower to higher numbers."""
    from graphblas import monoid, semiring

    return int(semiring.plus_pair["INT64"](L @ L.T).new(mask=L.S).reduce_scalar(monoid.plus).new().get(0))


def connected_components(A: Any) -> Any:
    """FastSV: the lowest vertex of each component."""
    from graphblas import Matrix, Vector, binary, semiring

    n = A.nrows
    rows = np.arange(n + 1)

    def pointers(parents: Any) -> Any:
        return Matrix.from_csr(rows, parents.to_dense(), True, ncols=n, dtype=bool)

    parents = Vector.from_dense(np.arange(n))
    grandparents = parents.dup()
    while True:
        lowest = semiring.min_second(A @ grandparents).new()
        parents(binary.min) << semiring.min_first(lowest @ pointers(parents))
        parents(binary.min) << lowest
        parents(binary.min) << grandparents
        after = semiring.min_second(pointers(parents) @ parents).new()
        if after.isequal(grandparents):
            return parents
        grandparents = after
