"""How many shortest paths lead to each vertex: the forward stage of TurboBFS and of betweenness centrality.

Counts are 64-bit integers for as long as they fit, which 32-bit ones do not on Kronecker graphs of scale 21. When they
would not fit any more, they go on as floats with a warning; beyond the range of floats there is an error.
"""

from __future__ import annotations

import warnings
from typing import Any

from .. import FP64, INT64, Matrix, monoid, semiring

LIMIT = 2**63 - 1
ROUNDING = 1e-9  # more than the relative error of a sum of floats


class ShortestPaths:
    """``sigma``, the path counts so far, and ``frontier``, those found last: Vectors, or Matrices, a row per source.

    >>> from grblas_gpu import Matrix, Vector
    >>> A = Matrix.from_coo([0, 0, 1, 2], [1, 2, 3, 3], True, nrows=4, ncols=4)
    >>> paths = ShortestPaths(A, Vector.from_coo([0], [1], size=4))
    >>> while paths.frontier.nvals:
    ...     paths.advance()
    >>> paths.sigma.to_dict()
    {0: 1, 1: 1, 2: 1, 3: 2}
    """

    def __init__(self, A: Matrix, sources: Any) -> None:
        self.A = A
        self.frontier = sources
        self.sigma = sources.dup()
        self._at_most = 1  # no count in the frontier is higher
        self._degree = A.degree_statistics().max

    def advance(self, **options: Any) -> None:
        """One step: the frontier becomes the vertices it leads to for the first time. Options are the descriptor's."""
        if self.sigma.dtype == INT64:
            self._make_room()
        # frontier<!sigma> = frontier A, over (+, first): a path to a vertex goes on along each of its edges
        step = semiring.plus_first[self.sigma.dtype]
        self.frontier(~self.sigma.S, replace=True, **options) << step(self.frontier @ self.A)
        if self.sigma.dtype == FP64 and largest(self.frontier) == float("inf"):
            raise OverflowError("there are more than 1e308 shortest paths to a vertex: beyond the range of FP64")
        # sigma<frontier> = frontier
        self.sigma(self.frontier.S) << self.frontier

    def _make_room(self) -> None:
        """Change to floats if the next counts would not fit; the cheapest bound that answers that is used."""
        self._at_most *= self._degree
        if self._at_most > LIMIT:
            self._at_most = int(largest(self.frontier)) * self._degree
        if self._at_most > LIMIT:
            frontier = self.frontier.dup(FP64)
            # next<!sigma> = frontier A, in floats
            after = semiring.plus_first[FP64](frontier @ self.A).new(mask=~self.sigma.S)
            self._at_most = int(min(largest(after), 1e300) * (1 + ROUNDING))
            if self._at_most > LIMIT:
                warnings.warn("path counts exceed 64 bits: going on with FP64, rounded to 53", RuntimeWarning, 5)
                self.frontier, self.sigma = frontier, self.sigma.dup(FP64)


def largest(x: Any) -> float:
    """The largest value of a Vector or Matrix; 0 without entries.

    >>> from grblas_gpu import Vector
    >>> largest(Vector.from_coo([0, 2], [5, 7]))
    7
    """
    return (x.reduce_scalar(monoid.max) if x.ndim == 2 else x.reduce(monoid.max)).new().get(0)
