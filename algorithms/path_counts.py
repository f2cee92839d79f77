"""Numbers of shortest paths to each vertex: the forward stage of betweenness centrality, in integers.

Counts have 64 bits; 32 bits overflow on Kronecker graphs of scale 21. Counts above 64 bits become floats, with a
warning; counts beyond the range of floats are an error.
"""

from __future__ import annotations

import math
import warnings

from .. import FP64, INT64, Matrix, Vector, monoid, semiring
from .bc import forward
from .labels import called
from .preparing import Values, largest, reduced, total

LIMIT = 2**63 - 1
ROUNDING = 1e-9  # more than the relative error of a sum of floats


def count_paths(A: Matrix, sources: Values, **options: str) -> tuple[Values, Values, int]:
    """Levels and path counts from one source (Vectors) or several (Matrices with a row for each), and the depth.

    ``sources`` has a 1 at every source. Options are those of the descriptor of the products.

    >>> from grblas_gpu import Matrix, Vector
    >>> A = Matrix.from_coo([0, 0, 1, 2], [1, 2, 3, 3], True, nrows=4, ncols=4)
    >>> levels, sigma, deepest = count_paths(A, Vector.from_coo([0], [1], size=4))
    >>> levels.to_dict(), sigma.to_dict(), deepest
    ({0: 0, 1: 1, 2: 1, 3: 2}, {0: 1, 1: 1, 2: 1, 3: 2}, 2)
    """
    levels, sigma, deepest = forward(A, sources.dup(INT64), semiring.plus_first[INT64], **options)
    # A count is a sum over at most as many edges as the largest degree. So the number of paths is at most the largest
    # degree to the power of the depth. The first count that overflows makes the sum of all counts, times the largest
    # degree, exceed the limit.
    edges = A.degree_statistics().max
    if deepest * math.log2(max(1, edges)) < 62 or (
        total(sigma.dup(FP64)) * edges <= LIMIT and smallest_count(sigma) > 0
    ):
        return levels, sigma, deepest
    floats = forward(A, sources.dup(FP64), semiring.plus_first[FP64], **options)[1]
    most = largest(floats)
    if most * (1 + ROUNDING) <= LIMIT:
        return levels, sigma, deepest
    if most == math.inf:
        raise OverflowError(f"{called()}a vertex has more than 1e308 shortest paths, beyond the range of FP64")
    warnings.warn(f"{called()}path counts exceed 64 bits; they become FP64, rounded to 53 bits", RuntimeWarning, 5)
    return levels, floats, deepest


def smallest_count(x: Matrix | Vector) -> int:
    """The smallest of some counts; 1 if there are none.

    >>> from grblas_gpu import Vector
    >>> smallest_count(Vector(int, 3))
    1
    """
    return reduced(x, monoid.min, 1)
