"""The transpose on the device: a stable sort by column keeps the rows in order."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import cupy
import numpy as np

from ....foundation.types import Kernel
from ...stores.storage import INDEX, INT32_LIMIT, Array, MatrixStore, column_type
from ..runtime import workspace as scratch_arrays
from ..runtime.compile import specialized
from ..runtime.launch import BLOCK, launch
from ..runtime.reporting import sized
from ..runtime.tiers import together
from .building import LINES_OF_A_BLOCK
from .radix import SMALL, Work, bits_for, programs as sort_programs, sort_apart, sort_positions, sorters_for
from .rows import chunks_of

_USUAL = np.dtype(np.uint32)  # of keys and places, for kernels that have none
MOST_BITS = 64  # of a row and a column in one word


@sized
def transpose(a: MatrixStore) -> MatrixStore:
    """CSR of the transpose of a matrix in device memory.

    Rows go through the sort above the columns, and values beside them: nothing is read at random.
    """
    entries, column_bits = a.nvals, bits_for(a.ncols)
    bits = bits_for(a.nrows) + column_bits
    if a.values.dtype.itemsize > 8 or a.values.dtype.kind == "V" or bits > MOST_BITS:
        return _by_order(a)
    offset, row = _offset(entries), np.dtype(column_type(a.nrows))
    if entries == 0:
        return MatrixStore(a.ncols, a.nrows, cupy.zeros(a.ncols + 1, offset), cupy.empty(0, row), a.values.copy())
    key = np.dtype(np.uint32 if bits <= 32 else np.uint64)
    work = Work(entries, column_bits, counted=entries > SMALL)
    values, types = None if a.iso else a.values, (row, a.indices.dtype)
    width = 0 if values is None else values.dtype.itemsize
    chars = "".join(dtype.char for dtype in (a.indptr.dtype, offset, *types, key, work.place))
    together(
        ("transpose", chars, width, work.counted, sorters_for(entries)),
        lambda: [partial(_kernels, a, key, work.place), *sort_programs(key, values, work, entries, *types)],
    )
    kernels = _kernels(a, key, work.place)
    keys = cupy.empty(entries, key)
    given = (a.indptr, a.indices, a.nrows, entries, column_bits, keys, *work.given)
    launch(kernels.pack_entries, chunks_of(entries), given, BLOCK // 32)
    rows, columns, values = sort_apart(keys, values, column_bits, column_bits, *types, work)
    indptr = cupy.empty(a.ncols + 1, offset)
    launch(kernels.list_columns, a.ncols + 1, (columns, entries, a.ncols, indptr), LINES_OF_A_BLOCK)
    return MatrixStore(a.ncols, a.nrows, indptr, rows, a.values.copy() if a.iso else values)


def _by_order(a: MatrixStore) -> MatrixStore:
    """For values of more than a word, and positions: what comes where is found first."""
    columns, order = sort_positions(a.indices, bits_for(a.ncols))
    order = order.astype(INDEX)
    indptr = np.searchsorted(columns, cupy.arange(a.ncols + 1, dtype=columns.dtype)).astype(_offset(a.nvals))
    values = a.values.copy() if a.iso else a.values[order]
    return MatrixStore(a.ncols, a.nrows, indptr, row_ids(a)[order], values)


@sized
def row_ids(a: MatrixStore) -> Array:
    """The row of every entry."""
    rows = cupy.empty(a.nvals, column_type(a.nrows))
    if a.nvals:
        words = (a.indptr.data.ptr, a.nrows, a.nvals, rows.data.ptr)
        scratch_arrays.current().launch(_kernels(a).list_rows, chunks_of(a.nvals), words, BLOCK // 32)
    return rows


def _offset(entries: int) -> np.dtype:
    return np.dtype(np.int32 if entries <= INT32_LIMIT else INDEX)


class _Kernels(NamedTuple):
    list_rows: Kernel
    pack_entries: Kernel
    list_columns: Kernel


def _kernels(a: MatrixStore, key: np.dtype = _USUAL, place: np.dtype = _USUAL) -> _Kernels:
    types = {"Offset": a.indptr.dtype, "OutOffset": _offset(a.nvals), "Row": np.dtype(column_type(a.nrows))}
    types |= {"Column": a.indices.dtype, "Key": key, "Place": place}
    return _Kernels(*specialized("transpose.cu", [f"{name}_kernel" for name in _Kernels._fields], types))
