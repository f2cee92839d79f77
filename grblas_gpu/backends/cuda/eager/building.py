"""A matrix from coordinates in any order: positions are packed, sorted together with their values, and unpacked."""

from __future__ import annotations

from collections.abc import Callable

import cupy
import numpy as np

from ....exceptions import IndexOutOfBound, InvalidValue
from ....foundation.types import TypedOperator
from ...stores.entries import cast, compress, is_iso, runs_of_pairs
from ...stores.storage import INDEX, INT32_LIMIT, Array, MatrixStore, column_type
from ..runtime import workspace as scratch_arrays
from ..runtime.compile import specialized
from ..runtime.counters import EDGES
from ..runtime.launch import BLOCK, launch
from .radix import Work, bits_for, sort_apart

LINES_OF_A_BLOCK = 128 * BLOCK // 32  # as in kernels/radix_digits.cuh
PACKING = 4  # blocks that a processor has room for, as in kernels/build.cu
_PACKED = 8 * BLOCK  # entries of a block, at least: it has counts to add up at its end
_OUTSIDE = "a position lies outside of the matrix"
_KERNELS = ("pack_positions_kernel", "unpack_positions_kernel", "count_repeats_kernel", "list_rows_kernel")


def build_matrix(
    nrows: int,
    ncols: int,
    rows: Array,
    cols: Array,
    values: Array,
    dup_op: TypedOperator | None,
    combined: Callable[..., tuple[Array, Array]],
) -> MatrixStore | None:
    """``combined(op, values, starts)`` adds up runs. None where a position does not fit into 63 bits."""
    entries, column_bits = len(rows), bits_for(ncols)
    bits = bits_for(nrows) + column_bits
    if entries < 2 or bits > 63:
        return None
    rows, cols = cupy.ascontiguousarray(rows), cupy.ascontiguousarray(cols)
    key = np.dtype(np.uint32 if bits <= 31 else np.uint64)
    offset = np.dtype(np.int32 if entries <= INT32_LIMIT else INDEX)
    row, column = np.dtype(column_type(nrows)), np.dtype(column_type(ncols))
    work = Work(entries, bits, counted=True)
    types = {"Row": rows.dtype, "Column": cols.dtype, "Key": key, "Place": work.place}
    types |= {"OutOffset": offset, "OutRow": row, "OutColumn": column}
    pack, unpack, count_repeats, list_rows = specialized("build.cu", _KERNELS, types)
    scratch = scratch_arrays.current()
    keys = cupy.empty(entries, key)
    slots = scratch.slots()
    packing = (rows, cols, entries, nrows, ncols, column_bits, keys, slots.address, slots.host)
    launch(pack, entries, (*packing, *work.given), _PACKED, PACKING)
    iso = is_iso(values)
    descents = slots.read()  # synchronizes: most lists of coordinates are in order, or else not at all
    if slots.read(EDGES):
        raise IndexOutOfBound(_OUTSIDE)
    slots = scratch.slots()
    if descents:
        lines, indices, moved = sort_apart(keys, None if iso else values, bits, column_bits, row, column, work)
        values = values if iso else moved
        launch(count_repeats, entries, (lines, indices, entries, slots.address, slots.host))
    else:
        values = values if iso else values.copy()
        lines, indices = cupy.empty(entries, row), cupy.empty(entries, column)
        launch(unpack, entries, (keys, entries, column_bits, lines, indices, slots.address, slots.host))
    indptr = cupy.empty(nrows + 1, offset)
    launch(list_rows, nrows + 1, (lines, entries, nrows, indptr), LINES_OF_A_BLOCK)
    if slots.read():  # synchronizes: equal positions are combined
        if dup_op is None:
            raise InvalidValue("duplicate indices found; give dup_op= to say how to combine their values")
        starts = runs_of_pairs(lines, indices)
        values = combined(dup_op, cast(values, dup_op.type.np_type), starts)
        lines, indices = lines[starts], indices[starts]
        launch(list_rows, nrows + 1, (lines, len(lines), nrows, indptr), LINES_OF_A_BLOCK)
    return MatrixStore(nrows, ncols, indptr, indices, compress(values))


def check_positions(nrows: int, ncols: int, rows: Array, cols: Array) -> None:
    """As :func:`build_matrix` does, for positions that it leaves to others."""
    for index, size in ((rows, nrows), (cols, ncols)):
        if len(index) and not 0 <= int(index.min()) <= int(index.max()) < size:  # synchronizes
            raise IndexOutOfBound(_OUTSIDE)
