"""Bitmaps from lists of entries, and back: CuPy would compile six operations for each."""

from __future__ import annotations

import cupy
import numpy as np

from ...stores.storage import INDEX, INT32_LIMIT, Array, MatrixStore, column_type
from ..runtime import workspace as scratch_arrays
from ..runtime.compile import moved, specialized
from ..runtime.launch import launch
from .masks import VectorMask, collect


def bitmap_of(a: MatrixStore, positions: int) -> tuple[Array, Array]:
    """Flags and values by position; of one value for all, that."""
    present = cupy.zeros(positions, bool)
    values = a.values.copy() if a.iso else cupy.zeros(positions, a.dtype)
    scatter, _ = _kernels(a.indptr.dtype, a.indices.dtype, a.row_ids.dtype, a.dtype)
    given, to = (0, 0) if a.iso else (a.values, values)
    launch(scatter, a.nvals, (a.row_ids, a.indices, given, a.nvals, a.ncols, present, to))
    return present, values


def csr_of_bitmap(a: MatrixStore) -> tuple[Array, Array, Array]:
    """The arrays of a CSR with the entries of a bitmap."""
    count, size, scratch, dense = a.nvals, a.nrows * a.ncols, scratch_arrays.current(), a.dense
    assert dense is not None
    offset, column = np.dtype(INDEX if size > INT32_LIMIT else np.int32), np.dtype(column_type(a.ncols))
    keys, values = cupy.empty(count, INDEX), None if a.iso else cupy.empty(count, a.dtype)
    slots = scratch.slots()
    collect(VectorMask(present=a.present), size, keys, scratch, slots.address, None if a.iso else dense, values)
    indptr, indices = cupy.empty(a.nrows + 1, offset), cupy.empty(count, column)
    _, split = _kernels(offset, column, column, a.dtype)
    launch(split, max(count, a.nrows + 1), (keys, count, a.nrows, max(1, a.ncols), indptr, indices))
    return indptr, indices, dense[: min(1, count)] if values is None else values


def _kernels(offset: np.dtype, column: np.dtype, row: np.dtype, value: np.dtype) -> tuple:
    given = {"Offset": offset, "Column": column, "RowId": row, "Value": moved(value)}
    return specialized("bitmap_form.cu", ["scatter_kernel", "split_kernel"], given)
