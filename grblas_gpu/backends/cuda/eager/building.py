"""A matrix from coordinates in any order: positions are packed, sorted together with their values, and unpacked."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from ....errors import InvalidValue
from ...entries import cast, compress, is_iso, runs
from ...storage import INDEX, INT32_LIMIT, Array, MatrixStore, column_type
from ..runtime import workspace as scratch_arrays
from ..runtime.compile import functions, using
from ..runtime.launch import BLOCK, launch
from .radix import Work, bits_for, sort, sort_pairs
from .row_sorting import RowSorting, suits

NEIGHBOURS = 1024  # as in kernels/build.cu
_PER_BLOCK = NEIGHBOURS * BLOCK // 32
_PACKED = 8 * BLOCK  # entries of a block, at least: it has counts to add up at its end
_KERNELS = ("pack_positions_kernel", "unpack_positions_kernel", "list_rows_kernel")


def build_matrix(
    nrows: int, ncols: int, rows: Array, cols: Array, values: Array, dup_op: Any, combined: Any
) -> MatrixStore | None:
    """``combined(op, values, starts)`` adds up runs. None where a position does not fit into 64 bits."""
    bits = bits_for(nrows) + bits_for(ncols)
    if len(rows) < 2 or bits > 63:
        return None
    rows, cols = cupy.ascontiguousarray(rows), cupy.ascontiguousarray(cols)
    if suits(len(rows), nrows, ncols, bits):
        found = _by_rows(nrows, ncols, rows, cols, values)
        if found is not None:
            return found
    return from_positions(nrows, ncols, rows, cols, values, dup_op, combined)


def from_positions(
    nrows: int, ncols: int, rows: Array, cols: Array, values: Array, dup_op: Any, combined: Any
) -> MatrixStore:
    """By a sort of the positions, which fit into 63 bits."""
    entries, column_bits = len(rows), bits_for(ncols)
    bits = bits_for(nrows) + column_bits
    key = np.dtype(np.uint32 if bits <= 31 else np.uint64)
    offset = np.dtype(np.int32 if entries <= INT32_LIMIT else INDEX)
    column = np.dtype(column_type(ncols))
    work = Work(entries, bits, counted=True)
    types = {"Row": rows.dtype, "Column": cols.dtype, "Key": key, "Place": work.place}
    types |= {"OutOffset": offset, "OutColumn": column}
    pack, unpack, list_rows = functions(
        "build.cu",
        "".join(dtype.char for dtype in types.values()),
        _KERNELS,
        lambda: [using(name, dtype) for name, dtype in types.items()],
    )
    scratch = scratch_arrays.current()
    keys = cupy.empty(entries, key)
    slots = scratch.slots()
    launch(pack, entries, (rows, cols, entries, column_bits, keys, slots.address, *work.given), _PACKED)
    iso = is_iso(values)
    if slots.counter().read():  # synchronizes: most lists of coordinates are in order, or else not at all
        if iso:
            keys = sort(keys, bits, overwrite=True, work=work)
        else:
            keys, values = sort_pairs(keys, values, bits, overwrite=True, work=work)
    elif not iso:
        values = values.copy()
    indices, slots = cupy.empty(entries, column), scratch.slots()
    launch(unpack, entries, (keys, entries, column_bits, indices, slots.address))
    if slots.counter().read():  # synchronizes: equal positions are combined
        if dup_op is None:
            raise InvalidValue("duplicate indices found; give dup_op= to say how to combine their values")
        starts = runs(keys)
        values = combined(dup_op, cast(values, dup_op.type.np_type), starts)
        keys, indices = keys[starts], indices[starts]
    indptr = cupy.empty(nrows + 1, offset)
    launch(list_rows, nrows + 1, (keys, len(keys), column_bits, nrows, indptr), _PER_BLOCK)
    return MatrixStore(nrows, ncols, indptr, indices, compress(values))


def _by_rows(nrows: int, ncols: int, rows: Array, cols: Array, values: Array) -> MatrixStore | None:
    """Entries that are not in order and of which no two have the same position; None for others."""
    iso = is_iso(values)
    if not iso and not (values.flags.c_contiguous and values.dtype.itemsize <= 8):
        return None
    sorting = RowSorting(rows.dtype, cols.dtype, values.dtype, not iso)
    counted = sorting.count(rows, cols, nrows)
    if not counted.descents.read():  # synchronizes
        return None
    starts = counted.starts
    packed = sorting.scatter(rows, cols, None if iso else values, counted, starts)
    indices, sorted_values, repeated = sorting.sort(packed, counted.counts, starts, ncols, len(rows))
    if indices is None or repeated.read():  # synchronizes: equal positions are combined in the order that they have
        return None
    return MatrixStore(nrows, ncols, starts, indices, compress(values) if iso else sorted_values)
