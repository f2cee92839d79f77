"""Whole matrices: element-wise operations, the output step and assignment, each by the cheapest of its kernels."""

from __future__ import annotations

import cupy
import numpy as np

from ....foundation.types import Accum, Array, Assigned, TypedOperator, Value
from ...stores.entries import cast, compress
from ...stores.storage import MaskView, MatrixStore
from ..runtime.arrays import no_offsets
from .matrix_facts import same_indices
from .merging import INTERSECTION, UNION, WRITE, merge, same_structure, worthwhile
from .mxm_operands import EVERYWHERE, INSIDE, OUTSIDE, MatrixMask, resolve
from .operating import compute
from .selecting import inside

COMPARED = 2**16  # entries from which on the indices of two matrices are compared

__all__ = ["assign_scalar", "intersection", "union", "worthwhile", "write"]


def _on_values(x: MatrixStore, y: MatrixStore, op: TypedOperator, dtype: np.dtype) -> MatrixStore:
    """``op`` on two matrices of one structure: nothing but their values is read."""
    values = compute(op, cast(x.values, op.type.np_type), cast(y.values, op.type2.np_type))
    return _with(x, compress(cast(values, dtype)))


def _with(x: MatrixStore, values: Array) -> MatrixStore:
    return MatrixStore(x.nrows, x.ncols, x.indptr, x.indices, values)


def _cast(x: MatrixStore, dtype: np.dtype) -> MatrixStore:
    return x if x.dtype == dtype else _with(x, cast(x.values, dtype))


def _equal_structure(x: MatrixStore, y: MatrixStore) -> bool:
    """Whether two matrices have entries at the same positions, as a symmetric graph and its transpose: to compare index
    arrays takes a tenth of the time of a merge."""
    return same_structure(x, y) or (x.nvals == y.nvals >= COMPARED and same_indices(x, y))


def intersection(x: MatrixStore, y: MatrixStore, op: TypedOperator) -> MatrixStore:
    """``op(x, y)`` where both have an entry."""
    dtype = op.return_type.np_type
    if op.positional is None and _equal_structure(x, y):
        return _on_values(x, y, op, dtype)
    return merge(x, y, op, INTERSECTION, dtype)


def union(
    x: MatrixStore,
    y: MatrixStore,
    op: TypedOperator,
    defaults: tuple[Value, Value] | None = None,
    dtype: np.dtype | None = None,
) -> MatrixStore:
    """``op(x, y)`` where both have an entry, the one that is there (with a default for the other) elsewhere."""
    dtype = op.return_type.np_type if dtype is None else dtype
    if op.positional is None and _equal_structure(x, y):
        return _on_values(x, y, op, dtype)
    return merge(x, y, op, UNION, dtype, defaults)


def write(c: MatrixStore, t: MatrixStore, view: MaskView | None, accum: Accum, replace: bool) -> MatrixStore:
    """``c<mask> (accum)= t``."""
    mask = resolve(view)
    if mask is None:  # nothing may be written
        return _empty(c) if replace else c
    if mask.where == EVERYWHERE:
        return _cast(t, c.dtype) if accum is None else union(c, t, accum, None, c.dtype)
    if _has_structure(mask, t):  # the mask lets all through, or nothing: it need not be searched
        if mask.where == INSIDE and not replace:
            return _put(t, c, c.dtype) if accum is None else union(c, t, accum, None, c.dtype)
        if mask.where == OUTSIDE:
            t = _empty(t)
    elif accum is None and (replace or c.nvals == 0):
        t = inside(t, mask)
    if accum is None and (replace or c.nvals == 0):
        return _cast(t, c.dtype)
    if accum is not None and not replace and t.nvals == 0:
        return c
    if accum is None and not replace and _has_structure(mask, c):
        return merge(c, t, None, INTERSECTION, c.dtype) if mask.where == INSIDE else _put(c, t, c.dtype)
    return merge(c, t, accum, WRITE, c.dtype, mask=mask, replace=replace)


def _put(x: MatrixStore, y: MatrixStore, dtype: np.dtype) -> MatrixStore:
    """The entries of ``x``, and those of ``y`` elsewhere."""
    return _cast(x, dtype) if _equal_structure(x, y) else merge(y, x, None, UNION, dtype)


def _has_structure(mask: MatrixMask, x: MatrixStore) -> bool:
    """Whether a mask is about the positions that ``x`` has, and all its entries count."""
    return mask.values is None and mask.store is not None and _equal_structure(mask.store, x)


def _empty(c: MatrixStore) -> MatrixStore:
    return MatrixStore(c.nrows, c.ncols, no_offsets(c.nrows), cupy.empty(0, c.indices.dtype), cupy.empty(0, c.dtype))


def assign_scalar(c: MatrixStore, value: Assigned, view: MaskView, accum: Accum, replace: bool) -> MatrixStore:
    """``c<mask> (accum)= value`` for a mask that is not complemented: its entries, with one value for all."""
    pattern = view.store
    assert type(pattern) is MatrixStore
    if not view.structure:
        mask = resolve(view)
        pattern = _empty(pattern) if mask is None else inside(pattern, mask)
    dtype = c.dtype if accum is None else np.asarray(value).dtype
    one = np.asarray([value], dtype)[0]  # comes with a launch: a copy to the device takes the host longer
    t = _with(pattern, cupy.full(min(1, pattern.nvals), one, dtype))
    if accum is None:
        return t if replace or same_structure(c, t) else merge(c, t, None, UNION, c.dtype)
    return write(c, t, view, accum, True) if replace else union(c, t, accum, None, c.dtype)
