"""Entries in any order as rows in order: every entry goes to a place in its row at once, then rows are sorted.

That moves entries twice, where a sort by position moves them for every digit, but to places far apart: it pays from six
digits on. Places in a row are taken as threads come, so it is for entries without duplicates: they end up in the order
of columns, whatever the threads did.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import cupy
import numpy as np

from ...storage import INDEX, INT32_LIMIT, Array
from ..runtime import workspace as scratch_arrays
from ..runtime.compile import constant, functions, using
from ..runtime.counters import Counter
from ..runtime.launch import BLOCK, launch, processors, run_with_shared, shared_limit
from .mxm_bins import CAPACITIES, MOST_SMALL, Bins
from .mxm_operands import MatrixMask
from .mxm_programs import bins_program

LEAST, LEAST_BITS = 2**15, 41  # entries, and bits of their positions: fewer are sorted as quickly
MOST_WINDOWS = 8  # of the columns of a long row, whose entries are read again for each
_INT32 = np.dtype(np.int32)
_BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
_SCATTER = ("count_entries_kernel", "scatter_entries_kernel")
_SORT = (*(f"sort_{products}_kernel" for products in CAPACITIES), "rank_rows_kernel")


def suits(entries: int, nrows: int, ncols: int, bits: int) -> bool:
    """Whether there are enough entries in enough positions, and columns that a long row can be sorted by."""
    limit = shared_limit(cupy.cuda.runtime.getDevice())
    small = nrows <= min(4 * entries, INT32_LIMIT) and ncols <= min(MOST_WINDOWS * _window(limit), INT32_LIMIT)
    return LEAST <= entries <= INT32_LIMIT and bits >= LEAST_BITS and small


def _window(limit: int) -> int:
    """Columns whose bits fit, with a count for every 128 of them."""
    return limit // 20 * 128


class Counted(NamedTuple):
    """How many entries each line has, and which of them each entry is."""

    counts: Array
    ranks: Array
    descents: Counter  # entries that are not above the one before

    @property
    def starts(self) -> Array:
        starts = cupy.zeros(len(self.counts) + 1, np.int32)
        np.cumsum(self.counts, dtype=np.int32, out=starts[1:])
        return starts


class RowSorting:
    """Entries with a line (row of the result), another coordinate, and perhaps a value, as long as they have types."""

    def __init__(self, line: np.dtype, other: np.dtype, dtype: np.dtype, valued: bool) -> None:
        self._valued, self._dtype = valued, dtype
        bits = np.dtype(_BITS[dtype.itemsize])
        self._entry = np.dtype([("word", np.uint8, (4 if not valued else 16 if bits.itemsize == 8 else 8,))])
        self._count, self._scatter = functions(
            "scatter_entries.cu",
            (line.char, other.char, bits.char, valued),
            _SCATTER,
            lambda: [
                using("Line", line),
                using("Other", other),
                using("Bits", bits),
                constant("VALUED", valued),
            ],
        )

    def count(self, lines: Array, others: Array | None, nrows: int) -> Counted:
        entries = len(lines)
        counts, ranks = cupy.zeros(nrows, np.uint32), cupy.empty(entries, np.uint32)
        slots = scratch_arrays.current().slots()
        given = (lines, 0 if others is None else others, entries, counts, ranks, slots.address)
        launch(self._count, -(-entries // 4), given)
        return Counted(counts, ranks, slots.counter())

    def scatter(self, lines: Array, others: Array, values: Array | None, counted: Counted, starts: Array) -> Array:
        entries = len(lines)
        packed = self._workspace(entries)
        given = (lines, others, 0 if values is None else values, entries, starts, counted.ranks, packed)
        launch(self._scatter, entries, given)
        return packed

    def _workspace(self, entries: int) -> Array:
        return cupy.empty(entries * self._entry.itemsize, np.uint8)

    def sort(self, packed: Array, counts: Array, starts: Array, ncols: int, entries: int) -> tuple[Any, Any, Counter]:
        """Columns and values of all rows, and how many columns are there twice; None, None if a row is too long."""
        slots = scratch_arrays.current().slots()
        program = bins_program((_INT32, _INT32), _INT32, MatrixMask())
        bins = Bins(program, counts.astype(INDEX), 0, ncols, MOST_SMALL, True)
        if bins.at_most is not None:
            return None, None, slots.counter()
        indices = cupy.empty(entries, np.int32)
        values = cupy.empty(entries if self._valued else 0, self._dtype)
        wide = ncols.bit_length() > 23
        bits = np.dtype(_BITS[self._dtype.itemsize])
        *by_bin, rank = functions(
            "sort_rows.cu",
            (bits.char, self._valued, wide),
            _SORT,
            lambda: [
                using("Bits", bits),
                using("Column", _INT32),
                constant("VALUED", self._valued),
                constant("WIDE_KEYS", wide),
            ],
        )
        given = (starts, packed, indices, values, slots.address)
        for number, rows in bins.small():
            per_block = BLOCK // min(32, CAPACITIES[number])
            launch(by_bin[number], len(rows), (rows, len(rows), *given), per_block=per_block)
        long_rows = bins.dense()
        if len(long_rows):
            device = cupy.cuda.runtime.getDevice()
            windows = -(-ncols // _window(shared_limit(device)))
            window = (ncols // windows // 128 + 1) * 128  # of equal size
            blocks = min(len(long_rows), 2 * processors(device))
            arguments = (long_rows, len(long_rows), *given, ncols, window)
            run_with_shared(rank, blocks, 1024, arguments, window // 128 * 20)
        return indices, values, slots.counter()
