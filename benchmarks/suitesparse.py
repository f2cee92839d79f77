"""More algorithms in idiomatic python-graphblas, for comparison.

Semirings are those with kernels of their own (factory kernels); graphs are symmetric, so that ``A q`` is a pull and
``q A`` a push.
"""

import graphblas as gb
import numpy as np
from graphblas import Matrix, Vector, agg, binary, monoid, select, semiring, unary

from grblas_gpu.bench.suitesparse import brandes, matrix, push_pull_bfs

__all__ = ["brandes", "matrix", "push_pull_bfs"]
PULL_ABOVE, PULL_STILL = 0.10, 0.06  # betweenness: fill of the frontier at which LAGraph starts and ends pulls


def level_bfs(A: Matrix, source: int) -> Vector:
    """Levels, every step a product of the frontier with the matrix."""
    levels = Vector("INT32", A.nrows)
    frontier = Vector.from_coo([source], [True], size=A.nrows)
    step, depth = semiring.any_pair[bool], 0
    while frontier.nvals:
        levels(frontier.S) << depth
        frontier(~levels.S, replace=True) << step(frontier @ A)
        depth += 1
    levels.wait()
    return levels


def many_bfs(A: Matrix, sources: list[int]) -> Matrix:
    """The same statements as ``bfs_multi``: a row of levels for each source."""
    count = len(sources)
    frontier = Matrix.from_coo(range(count), sources, True, nrows=count, ncols=A.ncols, dtype=bool)
    levels, depth = Matrix(int, count, A.ncols), 0
    while frontier.nvals:
        levels(frontier.S) << depth
        frontier(~levels.S, replace=True) << semiring.any_pair(frontier @ A)
        depth += 1
    return levels


def batched_bc(A: Matrix, sources: list[int]) -> Vector:
    """Betweenness from several sources at once: a row for each in matrices of path counts and dependencies."""
    count, n = len(sources), A.nrows
    step = semiring.plus_first["FP64"]
    paths = Matrix.from_dense(np.zeros((count, n)))
    frontier = Matrix.from_coo(np.arange(count), sources, 1.0, nrows=count, ncols=n)
    levels, pull = [], False
    while size := frontier.nvals:
        levels.append(frontier.S.new())
        paths(binary.plus) << frontier
        pull = size / (count * n) > (PULL_STILL if pull else PULL_ABOVE)
        frontier(~paths.V, replace=True) << step(frontier @ (A.T if pull else A))
    delta, pull = Matrix.from_dense(np.ones((count, n))), False
    for level, above in zip(reversed(levels[1:]), reversed(levels[:-1]), strict=True):
        shares = binary.truediv(delta & paths).new(mask=level.S)
        pull = level.nvals / (count * n) > (PULL_STILL if pull else PULL_ABOVE)
        shares(above.S, replace=True) << step(shares @ (A if pull else A.T))
        delta(binary.plus) << binary.times(shares & paths)
    for row, source in enumerate(sources):
        delta[row, source] = 1.0
    scores = delta.reduce_columnwise(monoid.plus).new()
    scores(binary.minus) << float(count)
    scores.wait()
    return scores


def pagerank(A: Matrix, tol: float, limit: int, damping: float = 0.85) -> tuple[Vector, list[float]]:
    """Ranks, and the total change of every step; it stops when the change is below ``n * tol``."""
    n = A.nrows
    out = A.reduce_rowwise(agg.count).new("FP64")
    share_of = binary.truediv(damping, out).new()
    ranks, changes = Vector.from_scalar(1.0 / n, n), []
    for _ in range(limit):
        before = ranks
        share = binary.times(before & share_of).new()
        stuck = before.dup(mask=~out.S).reduce(monoid.plus).new().get(0.0)
        ranks = Vector.from_scalar((1 - damping + damping * stuck) / n, n)
        ranks(binary.plus) << semiring.plus_first(share @ A)
        changes.append(unary.abs(binary.minus(ranks & before).new()).new().reduce(monoid.plus).new().value)
        if changes[-1] < n * tol:
            break
    return ranks, changes


def pagerank_steps(A: Matrix, steps: int, dtype, damping: float = 0.85) -> Vector:
    """PageRank with ``steps`` steps in one type; products go by rows, which is faster in SuiteSparse."""
    n = A.nrows
    out = A.reduce_rowwise(agg.count).new(dtype)
    ranks = Vector.from_scalar(1 / n, n, dtype)
    for _ in range(steps):
        share = binary.truediv(ranks & out).new()
        stuck = ranks.dup(mask=~out.S).reduce(monoid.plus).new().get(0.0)
        ranks = Vector.from_scalar((1 - damping + damping * stuck) / n, n, dtype)
        ranks(binary.plus) << binary.times(dtype(damping), semiring.plus_second(A @ share).new())
    ranks.wait()
    return ranks


def bellman_ford(W: Matrix, source: int) -> Vector:
    """Distances, relaxed from vertices with a new distance, in the type of the weights."""
    distances = Vector.from_coo([source], [0], dtype=W.dtype, size=W.nrows)
    frontier = distances.dup()
    while frontier.nvals:
        nearer = semiring.min_plus(frontier @ W).new()
        known = binary.le(distances & nearer).new()
        frontier(~known.V, replace=True) << nearer
        distances(frontier.S) << frontier
    distances.wait()
    return distances


def triangle_count(L: Matrix, U: Matrix | None = None) -> int:
    """Dot products of the lower with the upper triangle, at the entries of the lower one; ``L`` alone has every edge
    once."""
    found = semiring.plus_pair["INT64"](L @ (L if U is None else U).T).new(mask=L.S)
    return int(found.reduce_scalar(monoid.plus).new().get(0))


def all_triangles(A: Matrix) -> int:
    return triangle_count(select.tril(A, -1).new(), select.triu(A, 1).new())


def connected_components(A: Matrix) -> Vector:
    """FastSV: hook trees onto the lowest grandparent among the neighbours', and shorten them."""
    n = A.nrows
    parents = Vector.from_dense(np.arange(n))
    grandparents = parents.dup()
    pointers, offsets = np.arange(n, dtype=np.uint64), np.arange(n + 1, dtype=np.uint64)
    while True:
        lowest = semiring.min_second(A @ grandparents).new()
        points = Matrix.from_csr(offsets, pointers, True, ncols=n)
        parents(binary.min) << semiring.min_first(lowest @ points)
        parents(binary.min) << lowest
        parents(binary.min) << grandparents
        pointers = parents.to_dense().astype(np.uint64)
        after = parents[pointers].new()
        if after.isequal(grandparents):
            return parents
        grandparents = after


def set_threads(count: int) -> None:
    gb.ss.config["nthreads"] = count
