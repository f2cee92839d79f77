"""Rows and columns of a matrix by number, rows that follow each other, and diagonals."""

from __future__ import annotations

import cupy
import numpy as np

from ...stores.entries import is_iso
from ...stores.storage import INDEX, Array, MatrixStore, VectorStore, column_type
from ..runtime import workspace as scratch_arrays
from ..runtime.arrays import Result, empty_list
from ..runtime.compile import moved, specialized
from ..runtime.counters import EDGES
from .gathering import gathered
from .mxv_product import index_types
from .positions import places_of
from .radix import bits_for, sort_positions
from .rows import CUT_ROWS, kernels_on_offsets
from .selecting import renamed

#: Entries of a row, on average, whose columns are all read for a diagonal: a search brings most of them from memory,
#: too. Of fewer it waits for two or three reads, one after another, and that takes less time.
LEAST_READ, MOST_READ = 8, 24


def rows_at(a: MatrixStore, index: Array) -> MatrixStore:
    """``t[p, :] = a[index[p], :]``; rows may repeat."""
    return gathered(a, None, cupy.ascontiguousarray(index.astype(INDEX, copy=False)), None, len(index))


def rows_between(a: MatrixStore, first: int, stop: int) -> MatrixStore:
    """``t[p, :] = a[first + p, :]`` before ``stop``: one launch for the offsets, two copies."""
    nrows, scratch = stop - first, scratch_arrays.current()
    cut = kernels_on_offsets(a.indptr.dtype)[CUT_ROWS]
    slots, offsets = scratch.slots(), cupy.empty(nrows + 1, a.indptr.dtype)
    scratch.launch(cut, nrows + 1, (a.indptr.data.ptr, first, nrows, offsets.data.ptr, slots.host))
    count, begin = slots.read(), slots.read(EDGES)  # synchronizes: memory must be sized
    values = a.values[: min(1, count)] if a.iso else a.values[begin : begin + count]
    return MatrixStore(nrows, a.ncols, offsets, a.indices[begin : begin + count].copy(), values.copy())


def columns_at(a: MatrixStore, index: Array) -> MatrixStore | None:
    """``t[:, q] = a[:, index[q]]``, or None where a column is wanted twice."""
    count = len(index)
    if a.nvals == 0 or column_type(a.ncols) != np.int32:
        return None
    places, placed = places_of(index.astype(INDEX, copy=False), a.ncols)
    if placed.read():  # synchronizes
        return None
    result = renamed(a, places, count)
    return _in_order(result) if result.nvals and placed.read(EDGES) else result


def _in_order(a: MatrixStore) -> MatrixStore:
    """The same matrix with the columns of every row in ascending order."""
    keys = a.row_ids.astype(INDEX) * a.ncols + a.indices
    keys, positions = sort_positions(keys, bits_for(a.nrows * a.ncols))
    values = a.values if a.iso or is_iso(a.values) else a.values[positions]
    return MatrixStore(a.nrows, a.ncols, a.indptr, (keys % a.ncols).astype(np.int32), values)


def diagonal(a: MatrixStore, k: int) -> VectorStore:
    """The k-th diagonal, by one launch: a search in every row, or a look at all columns if rows are short."""
    first_row, first_column = max(0, -k), max(0, k)
    size = max(0, min(a.nrows - first_row, a.ncols - first_column))
    if size == 0 or a.nvals == 0:
        return empty_list(size, a.dtype)
    dtype, iso, short = a.values.dtype, len(a.values) == 1, LEAST_READ * a.nrows <= a.nvals < MOST_READ * a.nrows
    given: dict[str, np.dtype | int] = {**index_types(a), "Stored": moved(dtype), "ISO": iso}
    kernels = specialized("diagonal.cu", ["diagonal_kernel", "diagonal_short_kernel"], given)
    scratch = scratch_arrays.current()
    result, slots = Result(size, dtype, iso), scratch.slots()
    matrix = (a.indptr.data.ptr, a.indices.data.ptr, a.values.data.ptr, first_row, first_column)
    guess = () if short else (2**32 // a.ncols,)
    words = (*matrix, *guess, size, *result.addresses, slots.address, slots.host)
    scratch.launch(kernels[short], size, words, per_processor=6)  # for which they are compiled
    return result.store(slots)
