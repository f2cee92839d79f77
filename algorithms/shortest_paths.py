"""How many shortest paths lead to each vertex: the forward stage of TurboBFS and of betweenness centrality.

Counts are 64-bit integers for as long as they fit, which 32-bit ones do not on Kronecker graphs of scale 21. When they
would not fit any more, they are counted as floats with a warning; beyond the range of floats there is an error. Who
needs no more than their ratios gets floats, or logarithms, which have no limit: their sums are a semiring as well.
"""

from __future__ import annotations

import functools
import math
import warnings
from typing import Any

import numpy as np

from .. import FP64, INT32, INT64, Matrix, Vector, binary, io, loop, monoid, semiring
from .preparing import total

LIMIT = 2**63 - 1
ROUNDING = 1e-9  # more than the relative error of a sum of floats


def count_paths(A: Matrix, sources: Any, **options: Any) -> tuple[Any, Any, int]:
    """Levels and path counts from a source, or from several: Vectors, or Matrices with a row for each; and the depth.

    ``sources`` has a 1 at every source. Options are the descriptor's, for the products.

    >>> from grblas_gpu import Matrix, Vector
    >>> A = Matrix.from_coo([0, 0, 1, 2], [1, 2, 3, 3], True, nrows=4, ncols=4)
    >>> levels, sigma, deepest = count_paths(A, Vector.from_coo([0], [1], size=4))
    >>> levels.to_dict(), sigma.to_dict(), deepest
    ({0: 0, 1: 1, 2: 1, 3: 2}, {0: 1, 1: 1, 2: 1, 3: 2}, 2)
    """
    levels, sigma, deepest = search(A, sources.dup(INT64), semiring.plus_first[INT64], options)
    # A count adds up those of other vertices over at most as many edges as any vertex has. So there are at most as many
    # paths as the largest degree to the power of the depth; and the first count that does not fit makes the sum of all,
    # over so many edges, too large, whatever came of it.
    edges = A.degree_statistics().max
    if deepest * math.log2(max(1, edges)) < 62 or (
        total(sigma.dup(FP64)) * edges <= LIMIT and smallest_count(sigma) > 0
    ):
        return levels, sigma, deepest
    floats = search(A, sources.dup(FP64), semiring.plus_first[FP64], options)[1]
    most = largest(floats)
    if most * (1 + ROUNDING) <= LIMIT:
        return levels, sigma, deepest
    if most == math.inf:
        raise OverflowError("there are more than 1e308 shortest paths to a vertex: beyond the range of FP64")
    warnings.warn("path counts exceed 64 bits: going on with FP64, rounded to 53", RuntimeWarning, 5)
    return levels, floats, deepest


def compare_paths(A: Matrix, sources: Any) -> tuple[Any, Any, int, bool]:
    """The same for who needs ratios of counts: these are FP64 or, if True, their base-2 logarithms.

    >>> from grblas_gpu import Matrix, Vector
    >>> A = Matrix.from_coo([0, 0, 1, 2], [1, 2, 3, 3], True, nrows=4, ncols=4)
    >>> levels, sigma, deepest, logarithmic = compare_paths(A, Vector.from_coo([0], [1], size=4))
    >>> sigma.to_dict(), deepest, logarithmic
    ({0: 1.0, 1: 1.0, 2: 1.0, 3: 2.0}, 2, False)
    """
    levels, sigma, deepest = search(A, sources.dup(FP64), semiring.plus_first[FP64], {})
    if deepest * math.log2(max(1, A.degree_statistics().max)) < 1023 or largest(sigma) < math.inf:
        return levels, sigma, deepest, False
    frontier = sources.dup(FP64, clear=True)
    # frontier<sources> = log 1
    frontier(sources.S) << 0.0
    return *search(A, frontier, sum_of_logarithms(), {}), True


@functools.cache
def sum_of_logarithms() -> Any:
    """The semiring in which log(x + y) is the sum of log x and log y, and a product is the first factor.

    >>> from grblas_gpu import Matrix, Vector
    >>> sum_of_logarithms()(Vector.from_coo([0, 1], [2.0, 2.0]) @ Matrix.from_coo([0, 1], [0, 0], 0.0)).new().to_dict()
    {0: 3.0}
    """
    return semiring.register_anonymous(monoid.numpy.logaddexp2, binary.first, name="sum_of_logarithms")[FP64]


def search(A: Matrix, frontier: Any, step: Any, options: dict[str, Any]) -> tuple[Any, Any, int]:
    """The breadth-first search that adds up what the frontier has; a product of ``step`` is its first factor."""
    sigma = frontier.dup()
    levels = type(frontier)(INT32, *frontier.shape)
    rounds = loop(frontier)
    for depth in rounds:
        # levels<frontier> = depth
        levels(frontier.S) << depth
        # frontier<!sigma> = frontier A: a path to a vertex goes on along each of its edges
        frontier(~sigma.S, replace=True, **options) << step(frontier @ A)
        # sigma<frontier> = frontier
        sigma(frontier.S) << frontier
    return levels, sigma, rounds.steps - 1


def by_level(levels: Vector, deepest: int) -> Matrix:
    """The matrix whose row d has the vertices at level d.

    >>> by_level(Vector.from_coo([0, 1, 3], [0, 1, 1], size=4), 1).to_dicts()
    {0: {0: True}, 1: {1: True, 3: True}, 2: {2: True}}
    """
    level = io.to_array(levels, deepest + 1)  # what was not reached is a level of its own
    each = Matrix.from_csr(np.arange(levels.size + 1, like=level), level, True, ncols=deepest + 2, dtype=bool)
    return each.T.new()


def largest(x: Any) -> float:
    """The largest value of a Vector or Matrix; 0 without entries.

    >>> from grblas_gpu import Vector
    >>> largest(Vector.from_coo([0, 2], [5, 7]))
    7
    """
    return (x.reduce_scalar(monoid.max) if x.ndim == 2 else x.reduce(monoid.max)).new().get(0)


def smallest_count(x: Any) -> int:
    """The smallest of some counts; 1 if there are none.

    >>> smallest_count(Vector(int, 3))
    1
    """
    return (x.reduce_scalar(monoid.min) if x.ndim == 2 else x.reduce(monoid.min)).new().get(1)
