"""The number of triangles of a graph that changed: those with inserted edges come, those with removed ones go.

Theorem: let M be the edges that the graphs before and now share, I the inserted and R the removed ones, as symmetric
matrices without a diagonal. A triangle of now that is none of M has one, two or three edges of I; over (plus, pair) the
sums of M M, I M and I I at the entries of I count it two, two and six times, respectively, and no other triangle. So
the change is a half, a half and a sixth of these sums for I, minus the same for R.
Cost: O(n), and the edges of the ends of changed edges.
"""

from __future__ import annotations

import numpy as np

from .. import FP64, Matrix, monoid, select, semiring
from .changes import changed_rows, weights_before
from .preparing import total

count = semiring.plus_pair["INT64"]


def triangles_gained(A: Matrix, changed: Matrix) -> int:
    """The number of triangles of A now, minus that before.

    >>> A = Matrix.from_coo([0, 1, 2], [1, 2, 0], True)
    >>> triangles_gained(A, Matrix.from_coo([2], [0], True, nrows=3, ncols=3))
    1
    """
    sources = changed_rows(A, changed).vertices
    changed = changed.to(A.backend)
    ends = np.union1d(sources, changed.to_coo(values=False)[1])
    chosen = Matrix.from_coo(range(len(ends)), ends, True, nrows=len(ends), ncols=A.ncols)
    # all changes are between the ends
    now = A[ends, ends].new(FP64)
    before = both_ways(weights_before(now, changed[ends, ends].new(FP64)))
    now = both_ways(now)
    inserted, removed = now.dup(mask=~before.S), before.dup(mask=~now.S)
    # near = all neighbours of the ends now; shared = those by an edge of before
    near = monoid.lor(A[ends, :].new().pattern() | A.T[ends, :].new().pattern()).new(mask=~chosen.S)
    shared = near.dup(mask=~semiring.any_pair[bool](inserted @ chosen).new().S)
    return _with(inserted, shared, ends) - _with(removed, shared, ends)


def both_ways(A: Matrix) -> Matrix:
    """The edges in both directions, without loops."""
    edges = A.pattern()
    return select.offdiag(monoid.lor(edges | edges.T).new()).new()


def _with(edges: Matrix, shared: Matrix, ends: np.ndarray) -> int:
    """The number of triangles with one, two or three of these edges, and all others shared."""
    one = total(count(shared @ shared.T).new(mask=edges.S))
    two = total(count(edges @ shared[:, ends].new()).new(mask=edges.S))
    three = total(count(edges @ edges).new(mask=edges.S))
    return int(3 * one + 3 * two + three) // 6
