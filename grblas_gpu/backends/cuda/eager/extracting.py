"""Rows and columns of a matrix by number."""

from __future__ import annotations

import cupy
import numpy as np

from ...entries import is_iso
from ...storage import INDEX, Array, MatrixStore, column_type
from .gathering import gathered
from .radix import bits_for, sort_positions
from .selecting import renamed


def rows_at(a: MatrixStore, index: Array) -> MatrixStore:
    """``t[p, :] = a[index[p], :]``; rows may repeat."""
    return gathered(a, None, cupy.ascontiguousarray(index.astype(INDEX, copy=False)), None, len(index))


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
