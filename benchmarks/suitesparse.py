"""Algorithms in python-graphblas, as somebody who knows SuiteSparse:GraphBLAS writes them: our measure.

Semirings are those with kernels of their own (factory kernels); graphs are symmetric, so that ``A q`` is a pull and
``q A`` a push; directions that SuiteSparse leaves to its user are chosen as LAGraph does.
"""

from __future__ import annotations

import graphblas as gb
import numpy as np
from graphblas import Matrix, Vector, agg, binary, monoid, select, semiring, unary

PULL_ABOVE, PULL_STILL = 0.10, 0.06  # betweenness: fill of the frontier at which LAGraph changes direction, and back


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


def push_pull_bfs(A: Matrix, source: int) -> Vector:
    """Levels; pull while the frontier grows and has more than one edge in eight of those not yet looked at, or while it
    has a large part of the vertices. As in LAGraph the frontier is a bitmap for a pull, and a list for a push: to pull
    with a list takes SuiteSparse hundreds of times as long as to push it."""
    any_pair, n = semiring.any_pair[bool], A.nrows
    levels = Vector("INT32", n)
    levels.ss.config["sparsity_control"] = "bitmap"
    frontier = Vector.from_coo([source], [True], size=n)
    mean, unexplored, before, pull, depth = A.nvals / max(1, n), A.nvals, 0, False, 0
    while size := frontier.nvals:
        levels(frontier.S) << depth
        edges = size * mean
        if pull:
            pull = not (size < before and size < n / 512)
        else:
            pull = size > before and edges * 8 > unexplored and size > n / 512
        unexplored -= edges
        frontier.ss.config["sparsity_control"] = "bitmap" if pull else "sparse"
        frontier(~levels.S, replace=True) << (any_pair(A @ frontier) if pull else any_pair(frontier @ A))
        before, depth = size, depth + 1
    levels.wait()
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
    delta = Matrix.from_dense(np.ones((count, n)))
    pull = False
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


def pagerank(A: Matrix, damping: float, tol: float, limit: int) -> tuple[Vector, list[float]]:
    """Ranks, and the sum of all changes of every step; done when that is below ``n * tol``."""
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
        difference = binary.minus(ranks & before).new()
        changes.append(unary.abs(difference).new().reduce(monoid.plus).new().value)
        if changes[-1] < n * tol:
            break
    return ranks, changes


def bellman_ford(A: Matrix, source: int) -> Vector:
    """Distances, relaxed from what became nearer."""
    distances = Vector.from_coo([source], [0.0], size=A.nrows)
    frontier = distances.dup()
    while frontier.nvals:
        nearer = semiring.min_plus(frontier @ A).new()
        known = binary.le(distances & nearer).new()
        frontier(~known.V, replace=True) << nearer
        distances(frontier.S) << frontier
    distances.wait()
    return distances


def triangle_count(A: Matrix) -> int:
    """Dot products of the lower with the upper triangle, at the entries of the lower one."""
    L, U = select.tril(A, -1).new(), select.triu(A, 1).new()
    found = semiring.plus_pair["INT64"](L @ U.T).new(mask=L.S)
    return found.reduce_scalar(monoid.plus).new().value


def connected_components(A: Matrix) -> Vector:
    """FastSV: hook trees onto the lowest grandparent among the neighbours', and shorten them."""
    n = A.nrows
    parents = Vector.from_dense(np.arange(n))
    grandparents = parents.dup()
    pointers = np.arange(n, dtype=np.uint64)
    offsets = np.arange(n + 1, dtype=np.uint64)
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
