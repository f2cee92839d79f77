"""``C[I, a:b] = value`` without a mask: rows are spliced, and nothing is sorted or merged."""

from __future__ import annotations

import cupy
import numpy as np

from ....foundation.types import Assigned
from ...stores.entries import cast
from ...stores.storage import INDEX, INT32_LIMIT, Array, MatrixStore
from ..runtime import workspace as scratch_arrays
from ..runtime.compile import specialized
from ..runtime.launch import BLOCK, TILES
from ..runtime.workspace import word
from .masks import address
from .positions import places_of
from .rows import chunks_of

_KERNELS = ("sum_lengths_kernel", "list_offsets_kernel", "fill_block_kernel")


def assign_block(c: MatrixStore, value: Assigned, rows: range | Array | None, cols: range | None) -> MatrixStore | None:
    """The new matrix; None where a row is named several times. ``value``: a matrix of the block's shape, or a scalar of
    the type of ``c``."""
    b = value if type(value) is MatrixStore else None
    by_index = rows is not None and type(rows) is not range
    first_row, count = _extent(rows, c.nrows) if rows is None or isinstance(rows, range) else (0, len(rows))
    first_column, width = _extent(cols, c.ncols)
    at_most = c.nvals + (count * width if b is None else b.nvals)
    offset = np.dtype(np.int32 if at_most <= INT32_LIMIT else INDEX)
    iso = _gives_one_value(c, value)
    kind = c.dtype if b is None else b.values.dtype
    types = {
        "C": c.values.dtype,
        "RowOffset": c.indptr.dtype,
        "Column": c.indices.dtype,
        "B": kind,
        "BOffset": offset if b is None else b.indptr.dtype,
        "BColumn": c.indices.dtype if b is None else b.indices.dtype,
        "Offset": offset,
        "BY_INDEX": by_index,
        "WHOLE_ROWS": cols is None,
        "FROM_MATRIX": b is not None,
        "C_ISO": c.iso,
        "B_ISO": b is None or b.iso,
        "OUT_ISO": iso,
    }
    sum_lengths, list_offsets, fill = specialized("assign_block.cu", _KERNELS, types)
    scratch = scratch_arrays.current()
    places, placed = places_of(rows, c.nrows) if by_index else (None, None)
    cuts = None if cols is None else cupy.empty(2 * count, c.indptr.dtype)
    where = (address(places), c.nrows, first_row, count, first_column, width)
    given = (c.indptr.data.ptr, c.indices.data.ptr, *where, 0 if b is None else b.indptr.data.ptr, address(cuts))
    offsets, slots = cupy.empty(c.nrows + 1, offset), scratch.slots()
    sums = scratch.tile_sums.data.ptr
    scratch.launch(sum_lengths, TILES, (*given, sums), 1)
    scratch.launch(list_offsets, TILES, (*given, sums, offsets.data.ptr, slots.host), 1)
    entries = slots.read()  # synchronizes: memory must be sized
    if placed is not None and placed.read():
        return None
    indices = cupy.empty(entries, c.indices.dtype)
    values = _one_value(c, value)[: min(1, entries)] if iso else cupy.empty(entries, c.values.dtype)
    if entries:
        assigned = (0, 0, word(value)) if b is None else (b.indices.data.ptr, b.values.data.ptr, 0)
        outputs = (offsets.data.ptr, entries, indices.data.ptr, values.data.ptr)
        words = (*given, c.values.data.ptr, *assigned, *outputs)
        scratch.launch(fill, chunks_of(entries), words, BLOCK // 32)
    return MatrixStore(c.nrows, c.ncols, offsets, indices, values)


def _extent(part: range | None, size: int) -> tuple[int, int]:
    """Where positions that follow each other begin, and how many there are."""
    return (0, size) if part is None else (part.start, len(part))


def _one_value(c: MatrixStore, value: Assigned) -> Array:
    """The value that all of what is given has."""
    if type(value) is MatrixStore:
        return cast(value.values[:1], c.dtype).copy()
    return cupy.asarray(np.asarray(value).reshape(1))


def _gives_one_value(c: MatrixStore, value: Assigned) -> bool:
    """Whether one value stands for all of the result."""
    if type(value) is MatrixStore and not value.iso:
        return False
    if c.nvals == 0:
        return True
    return c.iso and bool(c.values[0] == _one_value(c, value)[0])  # synchronizes
