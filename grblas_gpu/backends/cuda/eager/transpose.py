"""The transpose on the device: a stable sort by column keeps the rows in order."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from ...storage import INDEX, INT32_LIMIT, Array, MatrixStore, column_type
from ..runtime import workspace as scratch_arrays
from ..runtime.compile import functions, using
from ..runtime.launch import BLOCK, launch
from ..runtime.reporting import sized
from .radix import bits_for, sort_pairs, sort_positions
from .rows import chunks_of

NEIGHBOURS = 1024  # as in kernels/transpose.cu
_PER_BLOCK = NEIGHBOURS * BLOCK // 32
_KERNELS = ("list_rows_kernel", "list_offsets_kernel", "take_kernel")
_BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


@sized
def transpose(a: MatrixStore) -> MatrixStore:
    """CSR of the transpose of a matrix in device memory."""
    entries = a.nvals
    if a.values.dtype.itemsize > 8 or a.values.dtype.kind == "V":
        return _by_order(a)
    offset = np.dtype(np.int32 if entries <= INT32_LIMIT else INDEX)
    row = np.dtype(column_type(a.nrows))
    if entries == 0:
        return MatrixStore(a.ncols, a.nrows, cupy.zeros(a.ncols + 1, offset), cupy.empty(0, row), a.values.copy())
    _, list_offsets, take = _kernels(a)
    indptr = cupy.empty(a.ncols + 1, offset)
    bits = bits_for(a.ncols)
    if not a.iso and a.values.dtype.itemsize <= 4 and row.itemsize == 4:
        columns, out_rows, values = _carried(a, bits)
        launch(list_offsets, a.ncols + 1, (columns, entries, a.ncols, indptr), _PER_BLOCK)
        return MatrixStore(a.ncols, a.nrows, indptr, out_rows, values)
    rows = a._row_ids
    own_rows = rows is None
    if own_rows:
        rows = row_ids(a)
    if a.iso:
        columns, out_rows = sort_pairs(a.indices, rows, bits, overwrite_payload=own_rows)
        values = a.values.copy()
    else:
        columns, positions = sort_positions(a.indices, bits)
        out_rows, values = cupy.empty(entries, row), cupy.empty(entries, a.values.dtype)
        launch(take, entries, (positions, entries, rows, a.values, out_rows, values))
    launch(list_offsets, a.ncols + 1, (columns, entries, a.ncols, indptr), _PER_BLOCK)
    return MatrixStore(a.ncols, a.nrows, indptr, out_rows, values)


def _by_order(a: MatrixStore) -> MatrixStore:
    """For values of more than a word: the structure is transposed with the places of the values."""
    places = MatrixStore(a.nrows, a.ncols, a.indptr, a.indices, cupy.arange(a.nvals, dtype=INDEX))
    turned = transpose(places)
    values = a.values.copy() if a.iso else a.values[turned.values]
    return MatrixStore(a.ncols, a.nrows, turned.indptr, turned.indices, values)


def _carried(a: MatrixStore, bits: int) -> tuple[Array, Array, Array]:
    """Columns in order, and rows and values, which are carried through the sort together: nothing is read at random."""
    entries, scratch = a.nvals, scratch_arrays.current()
    word, row = np.dtype(_BITS[a.values.dtype.itemsize]), np.dtype(np.int32)
    pack, unpack = functions(
        "pack_entries.cu",
        (a.indptr.dtype.char, word.char),
        ("pack_entries_kernel", "unpack_entries_kernel"),
        lambda: [using("Offset", a.indptr.dtype), using("Bits", word), using("Row", row)],
    )
    packed = cupy.empty(entries, np.uint64)
    given = (a.indptr.data.ptr, a.nrows, entries, a.values.data.ptr, packed.data.ptr)
    scratch.launch(pack, chunks_of(entries), given, BLOCK // 32)
    columns, packed = sort_pairs(a.indices, packed, bits, overwrite_payload=True)
    rows, values = cupy.empty(entries, row), cupy.empty(entries, a.values.dtype)
    scratch.launch(unpack, entries, (packed.data.ptr, entries, rows.data.ptr, values.data.ptr))
    return columns, rows, values


@sized
def row_ids(a: MatrixStore) -> Array:
    """The row of every entry."""
    rows = cupy.empty(a.nvals, column_type(a.nrows))
    if a.nvals:
        launch(_kernels(a)[0], a.nvals, (a.indptr, a.nrows, a.nvals, rows), _PER_BLOCK)
    return rows


def _kernels(a: MatrixStore) -> tuple[Any, ...]:
    offset = np.dtype(np.int32 if a.nvals <= INT32_LIMIT else INDEX)
    row = np.dtype(column_type(a.nrows))
    position = np.dtype(np.uint32 if a.nvals < 2**32 else np.int64)
    itemsize = (
        8 if a.values.dtype.kind == "V" else min(a.values.dtype.itemsize, 8)
    )  # longer values are not for these kernels; rows are listed without any
    return functions(
        "transpose.cu",
        (a.indptr.dtype.char, offset.char, row.char, a.indices.dtype.char, position.char, itemsize),
        _KERNELS,
        lambda: [
            using("Offset", a.indptr.dtype),
            using("OutOffset", offset),
            using("Row", row),
            using("Column", a.indices.dtype),
            using("Position", position),
            using("Value", np.dtype(_BITS[itemsize])),
        ],
    )
