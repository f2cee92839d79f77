"""What changed in a graph, for algorithms that repair an old result: the rows of changed vertices, now and before.

``changed`` is the difference of two matrices, ``A`` now minus ``A`` before: the weight of an inserted edge, minus the
weight of a removed one. Invariant: all other rows of both matrices are equal, so ``now - before`` has all differences.
Cost: O(n) and the edges of changed vertices.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import FP64, Matrix, Vector, agg, binary, select
from ..exceptions import DimensionMismatch, InvalidValue
from ..foundation.suggestions import type_text
from .labels import called
from .preparing import Start, by_vertex


class ChangedRows(NamedTuple):
    """Vertices whose edges changed, and a row of weights for each: now, and before."""

    vertices: np.ndarray
    now: Matrix
    before: Matrix


def changed_rows(A: Matrix, changed: object) -> ChangedRows:
    """The rows of A in which ``changed`` has an entry.

    >>> A = Matrix.from_coo([0, 0, 2], [1, 2, 1], [1, 4, 5], nrows=3, ncols=3)
    >>> changed = Matrix.from_coo([0, 0], [0, 2], [-3, 4], nrows=3, ncols=3)
    >>> vertices, now, before = changed_rows(A, changed)
    >>> vertices.tolist(), now.to_dicts(), before.to_dicts()
    ([0], {0: {1: 1.0, 2: 4.0}}, {0: {0: 3.0, 1: 1.0}})
    """
    changed = check_changed(A, changed).to(A.backend)
    vertices = changed.reduce_rowwise(agg.count).new().to_coo(values=False)[0]
    now = A[vertices, :].new(FP64)
    return ChangedRows(vertices, now, weights_before(now, changed[vertices, :].new(FP64)))


def check_changed(A: Matrix, changed: object) -> Matrix:
    if not isinstance(changed, Matrix):
        said = "changed must be a Matrix, the differences of A now and A before"
        raise TypeError(f"{called()}{said}; got {type_text(changed)}")
    if changed.shape != A.shape:
        raise DimensionMismatch(f"{called()}changed has shape {changed.shape}, the graph {A.shape}")
    return changed


def weights_before(now: Matrix, difference: Matrix) -> Matrix:
    """``now - difference``, without the edges that are new: those with a difference and no weight left."""
    before = now.ewise_union(difference, binary.minus, 0, 0).new()
    new = select.valueeq(before, 0).new(mask=difference.S)
    return before.dup(mask=~new.S)


def old_values(start: Start, A: Matrix, argument: str = "start") -> Vector:
    """The old result, on the engine of A."""
    if start is None:
        raise TypeError(f"{called()}changed needs {argument}, the result before the change")
    return by_vertex(start, A.nrows, f"{called()}{argument}").to(A.backend)


def with_shorter_paths(A: Matrix, changed: object, *, weighted: bool) -> np.ndarray:
    """The vertices with new or shorter edges; removed and longer edges raise InvalidValue.

    >>> A = Matrix.from_coo([0], [1], [5], nrows=2, ncols=2)
    >>> with_shorter_paths(A, Matrix.from_coo([0], [1], [-1], nrows=2, ncols=2), weighted=True).tolist()
    [0]
    """
    vertices, now, before = changed_rows(A, changed)
    removed = before.dup(mask=~now.S)
    shorter = binary.minus(before & now).new()
    if removed.nvals or (weighted and select.valuelt(shorter, 0).new().nvals):
        said = "changed has a removed or a longer edge, after which old results may be wrong; compute without start"
        raise InvalidValue(f"{called()}{said}")
    return vertices
