"""Rows and columns of a matrix by number, or those that follow each other."""

from __future__ import annotations

import cupy
import numpy as np

from ...entries import is_iso
from ...storage import INDEX, Array, MatrixStore, column_type
from ..runtime import workspace as scratch_arrays
from ..runtime.compile import functions, using
from ..runtime.counters import EDGES
from .gathering import gathered
from .radix import bits_for, sort_positions
from .selecting import renamed


def rows_at(a: MatrixStore, index: Array) -> MatrixStore:
    """``t[p, :] = a[index[p], :]``; rows may repeat."""
    return gathered(a, None, cupy.ascontiguousarray(index.astype(INDEX, copy=False)), None, len(index))


def rows_between(a: MatrixStore, first: int, stop: int) -> MatrixStore:
    """``t[p, :] = a[first + p, :]`` before ``stop``: one launch for the offsets, two copies."""
    nrows, scratch = stop - first, scratch_arrays.current()
    (cut,) = functions(
        "cut_rows.cu", a.indptr.dtype.char, ["cut_rows_kernel"], lambda: [using("Offset", a.indptr.dtype)]
    )
    slots, offsets = scratch.slots(), cupy.empty(nrows + 1, a.indptr.dtype)
    scratch.launch(cut, nrows + 1, (a.indptr.data.ptr, first, nrows, offsets.data.ptr, slots.host))
    count, begin = slots.published().read(), slots.published(EDGES).read()  # synchronizes: memory must be sized
    values = a.values[: min(1, count)] if a.iso else a.values[begin : begin + count]
    return MatrixStore(nrows, a.ncols, offsets, a.indices[begin : begin + count].copy(), values.copy())


def columns_at(a: MatrixStore, index: Array) -> MatrixStore | None:
    """``t[:, q] = a[:, index[q]]``, or None where a column is wanted twice."""
    count = len(index)
    if a.nvals == 0 or column_type(a.ncols) != np.int32:
        return None
    places = cupy.full(a.ncols, -1, np.int32)
    places[index] = cupy.arange(count, dtype=np.int32)
    if int(np.count_nonzero(places >= 0)) < count:  # synchronizes
        return None
    result = renamed(a, places, count)
    if count < 2 or result.nvals == 0 or bool((index[1:] > index[:-1]).all()):  # synchronizes
        return result
    return _in_order(result)


def _in_order(a: MatrixStore) -> MatrixStore:
    """The same matrix with the columns of every row in ascending order."""
    keys = a.row_ids.astype(INDEX) * a.ncols + a.indices
    keys, positions = sort_positions(keys, bits_for(a.nrows * a.ncols))
    values = a.values if a.iso or is_iso(a.values) else a.values[positions]
    return MatrixStore(a.nrows, a.ncols, a.indptr, (keys % a.ncols).astype(np.int32), values)
