"""What stores ask about matrices in device memory, once for each: one small kernel, one answer.

Importing it is enough: stores find it by the type of their arrays.
"""

from __future__ import annotations

import sys

import cupy
import numpy as np

from ....foundation.memory import free_on_device as free_bytes
from ...stores.storage import INDEX, INT32_LIMIT, Array, MatrixStore, natives
from ..runtime import records, workspace as scratch_arrays
from ..runtime.compile import functions, specialized
from ..runtime.counters import MOVES
from ..runtime.host_memory import is_on_host
from ..runtime.launch import launch
from ..runtime.reporting import sized
from .bitmaps import bitmap_of, csr_of_bitmap
from .operating import cast_values
from .radix import bits_for, sort_positions
from .transpose import row_ids
from .transpose_in_parts import transpose

__all__ = [
    "bitmap_of",
    "cast_values",
    "csr_of_bitmap",
    "free_bytes",
    "hub_neighbours",
    "is_diagonal",
    "is_on_host",
    "max_degree",
    "order_of_keys",
    "repeated_offsets",
    "row_ids",
    "same",
    "squared_lengths",
    "transpose",
]

natives[cupy.ndarray] = natives[records.RecordArray] = sys.modules[__name__]

_KERNELS = tuple(
    f"{name}_kernel" for name in ("longest_row", "hub_neighbours", "off_diagonal", "squared_lengths", "repeat_offsets")
)
DENSE_ROWS = 8  # entries on average: in shorter rows the first entry is as good as any


def order_of_keys(keys: Array, limit: int) -> Array:
    return sort_positions(cupy.ascontiguousarray(keys), bits_for(limit))[1]


@sized
def max_degree(a: MatrixStore) -> int:
    """The length of the longest row."""
    longest_row, *_ = _kernels(a.indptr.dtype)
    slots = scratch_arrays.current().slots()
    launch(longest_row, a.nrows, (a.indptr, a.nrows, slots.address))
    return slots.counter().read()  # synchronizes


@sized
def squared_lengths(a: MatrixStore) -> int:
    """The sum of the squares of the rows' lengths, below 2^64."""
    *_, squares, _ = _kernels(a.indptr.dtype)
    slots = scratch_arrays.current().slots()
    launch(squares, a.nrows, (a.indptr, a.nrows, slots.address))
    return slots.counter().read() % 2**64  # synchronizes


@sized
def repeated_offsets(a: MatrixStore, copies: int) -> Array:
    """The offsets of a matrix several times along the diagonal."""
    *_, repeat = _kernels(a.indptr.dtype)
    wide = a.nvals * copies > INT32_LIMIT
    offsets = cupy.empty(a.nrows * copies + 1, INDEX if wide else a.indptr.dtype)
    launch(repeat, len(offsets), (a.indptr, a.nrows, a.nvals, copies, wide, offsets))
    return offsets


@sized
def is_diagonal(a: MatrixStore) -> bool:
    """Whether every row of a square matrix with an entry for each has it on the diagonal."""
    _, _, off_diagonal, *_ = _kernels(a.indptr.dtype, a.indices.dtype)
    slots = scratch_arrays.current().slots()
    launch(off_diagonal, a.nrows, (a.indptr, a.indices, a.nrows, slots.address))
    return slots.counter().read() == 0  # synchronizes


@sized
def same_indices(a: MatrixStore, b: MatrixStore) -> bool:
    """Whether two matrices have entries at the same positions."""
    return same((a.indptr, b.indptr), (a.indices, b.indices))


@sized
def same(*pairs: tuple[Array, Array]) -> bool:
    """Whether arrays are equal to the last bit. The short ones first: then the device does not read the others."""
    if any(x.dtype != y.dtype or len(x) != len(y) for x, y in pairs):
        return False
    *_, differences = functions("moves.cu", None, MOVES)
    slots = scratch_arrays.current().slots()
    for x, y in pairs:
        if isinstance(x, records.RecordArray):
            x, y = x.words, y.words
        launch(differences, -(-x.nbytes // 4), (x, y, x.nbytes, slots.address))
    return slots.counter().read() == 0  # synchronizes


@sized
def hub_neighbours(a: MatrixStore) -> Array | None:
    """For every row the two columns whose own rows are longest; None where rows are short.

    -1 stands for what there is not, -2 - k for a row's last entry in column k. The second columns are behind the first
    ones, and flags of the rows that have entries behind both.
    """
    if a.nrows != a.ncols or a.nvals < DENSE_ROWS * a.nrows:
        return None
    if a._hub_neighbours is None:
        length = -(-a.nrows // 4) * 4  # read by fours
        a._hub_neighbours = cupy.empty(2 * length + -(-length // a.indices.itemsize), a.indices.dtype)
        _find_hub_neighbours(a, np.uint64(0), a.nrows)
    return a._hub_neighbours


def mend_hub_neighbours(a: MatrixStore, before: MatrixStore, rows: Array, count: int) -> None:
    """Take what was found before these rows changed, and find it for them: in other rows it is as likely as before."""
    if before._hub_neighbours is not None and a.nrows:
        a._hub_neighbours = before._hub_neighbours.copy()
        _find_hub_neighbours(a, rows, count)


def _find_hub_neighbours(a: MatrixStore, rows: Array | np.uint64, count: int) -> None:
    _, find, *_ = _kernels(a.indptr.dtype, a.indices.dtype)
    launch(find, 32 * count, (a.indptr, a.indices, a.nrows, rows, count, a._hub_neighbours))


def _kernels(offset: np.dtype, column: np.dtype | None = None) -> tuple:
    return specialized("matrix_facts.cu", _KERNELS, {"Offset": offset, "Column": column or np.dtype(np.int32)})
