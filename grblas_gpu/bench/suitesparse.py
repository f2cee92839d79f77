"""Searches and betweenness in idiomatic python-graphblas, for comparison.

Graphs are symmetric, so that ``A q`` is a pull and ``q A`` a push. Directions that SuiteSparse leaves to its user
follow LAGraph.
"""

from __future__ import annotations

from graphblas import Matrix, Vector, binary, semiring, unary

from ..foundation.types import Array, ArrayLike, Value
from .graphs import BenchmarkGraph


def matrix(graph: BenchmarkGraph, values: ArrayLike | Value = True, csr: tuple[Array, Array] | None = None) -> Matrix:
    """The graph with these values; ``csr`` is another structure of as many vertices."""
    A = Matrix.from_csr(*(csr or graph.csr), values, ncols=graph.n)
    A.wait()
    return A


def push_pull_bfs(A: Matrix, source: int) -> Vector:
    """Levels; pull while the frontier grows and has over an eighth of the unexplored edges, or while it has a large
    part of the vertices. As in LAGraph, the frontier is a bitmap for a pull and a list for a push: a pull with a list
    takes SuiteSparse hundreds of times as long as a push."""
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


def brandes(A: Matrix, source: int) -> Vector:
    """Betweenness of one source, the formulas of algorithms/bc.py."""
    sigma = Vector.from_coo([source], [1.0], size=A.nrows)
    frontier, levels = sigma.dup(), []
    while frontier.nvals:
        levels.append(frontier.dup())
        frontier(~sigma.S, replace=True) << semiring.plus_first(frontier @ A)
        sigma(binary.plus) << frontier
    delta = unary.one["FP64"](sigma).new()
    for level, above in zip(reversed(levels[2:]), reversed(levels[1:-1]), strict=True):
        w = binary.second(level & delta).new()
        w << binary.truediv(w & sigma)
        w(above.S, replace=True) << semiring.plus_first(w @ A)
        delta(binary.plus) << binary.times(w & sigma)
    scores = binary.minus(delta, 1).new()
    scores[source] << 0.0
    scores.wait()
    return scores
