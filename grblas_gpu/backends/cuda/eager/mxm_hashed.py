"""Rows of a matrix product that are added up in a hash table, because there are too many columns for a sum each.

Before each pass the rows are divided among groups of threads: a warp with a small table in shared memory, a block with
a larger one, a block with a table in scratch memory. All blocks share the rows with so many products that one block
would keep all others waiting, a batch of rows at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import cupy
import numpy as np

from ...stores.entries import ranges, repeat
from ...stores.storage import INDEX, Array
from ..runtime.launch import BLOCK, TILES, launch, most_blocks
from .mxm_programs import Multiplication, Result, sum_bytes, table_slots
from .radix import bits_for, sort_positions

SCRATCH_BYTES = 2**30  # for the tables in scratch memory; one is made in any case
SHARED_PRODUCTS = 2**20  # a block takes about a millisecond for so many, which is a long time for all others to wait
_COUNTERS = 9  # as in kernels/mxm_table.cuh
_ROWS_AT_A_TIME = 8  # as in kernels/mxm_table.cuh
_SLOTS_AT_A_TIME = 4096  # as in kernels/mxm_global.cu
_EVERYTHING = 2**40  # more than enough work for as many blocks as the device can run


class _Division(NamedTuple):
    """Rows, divided: as arguments of a kernel, and how many each group has."""

    lists: Array
    counters: Array
    entries: Array
    by_warp: int
    by_block: int
    shared: int
    in_scratch: int
    scratch_slots: int  # of the largest table
    shared_slots: int

    @property
    def _length(self) -> int:
        return len(self.lists) // 2

    def arguments(self, ncols: int) -> tuple[int | Array, ...]:
        return self.lists, self._length, self.counters, self.entries, ncols

    @property
    def shared_rows(self) -> Array:
        return self.lists[self._length : self._length + self.shared]

    def unsorted_rows(self, ncols: int) -> Array:
        """Rows that come out unsorted: those in scratch memory, except where every column had a slot of its own."""
        rows = np.concatenate([self.lists[len(self.lists) - self.in_scratch :], self.shared_rows])
        if len(rows) == 0:
            return rows
        return rows[self.entries[rows] * 4 <= 1 << (ncols - 1).bit_length()]  # shape_for() in kernels/mxm_table.cuh


class HashedRows:
    """These rows, which have so many ``products``; of all other rows the numbers do not matter."""

    def __init__(self, job: Multiplication, rows: Array, products: Array) -> None:
        self._job, self._rows, self._products = job, rows, products
        slots = [table_slots(job.column, word) for word in (0, sum_bytes(job.product))]
        self._slots = dict(zip(("COUNT_SLOTS", "FILL_SLOTS"), slots, strict=True))
        self._divide_rows, *self._kernels = job.functions("mxm_hashed.cu", **self._slots)

    def count(self, counts: Array) -> None:
        division = self._divide(self._products, self._slots["COUNT_SLOTS"])
        self._run(False, division, (counts,))
        for batch in self._batches(division, False):
            batch.count(counts)

    def fill(self, result: Result) -> None:
        indptr, counts, indices, values = result
        division = self._divide(counts, self._slots["FILL_SLOTS"])
        self._run(True, division, (indptr, indices, values))
        for batch in self._batches(division, True):
            batch.write(indptr, indices, values)
        unsorted_rows = division.unsorted_rows(self._job.ncols)
        _sort_rows(indptr, indices, None if self._job.product.structure else values, unsorted_rows, self._job.ncols)

    def _divide(self, entries: Array, block_slots: int) -> _Division:
        """Divide the rows by their work and by the size of the table that their entries need, at most."""
        rows, length = self._rows, len(self._rows)
        lists, counters = cupy.empty(2 * length, INDEX), cupy.zeros(_COUNTERS, INDEX)
        limit = SHARED_PRODUCTS if self._job.product.can_share else 2**62
        rule = (rows, self._products, limit, block_slots)
        launch(self._divide_rows, length, (*rule, lists, length, counters, entries, self._job.ncols))
        return _Division(lists, counters, entries, *counters[:6].get().tolist())  # synchronizes

    def _run(self, fills: bool, division: _Division, outputs: tuple[Array, ...]) -> None:
        """Run a pass over all rows but those that all blocks share."""
        by_warp, by_block = self._kernels[2 * fills : 2 * fills + 2]
        arguments = (*self._job.arguments, *division.arguments(self._job.ncols), *outputs)
        if division.by_warp:
            launch(by_warp, division.by_warp, arguments, per_block=_ROWS_AT_A_TIME * BLOCK // 32)
        if division.by_block:
            launch(by_block, division.by_block, arguments, per_block=1)
        if division.in_scratch:
            wanted = min(division.in_scratch, most_blocks(cupy.cuda.runtime.getDevice()))
            tables = _tables(self._job, fills, wanted, division.scratch_slots)
            in_scratch = self._job.functions("mxm_global.cu")[fills]
            in_scratch((len(tables[0]) // division.scratch_slots,), (BLOCK,), (*arguments, *tables))

    def _batches(self, division: _Division, fills: bool) -> Iterator[_Batch]:
        """As many of the rows that all blocks share as there is room for, at a time."""
        rows, indptr, slots = division.shared_rows, self._job.a.indptr, division.shared_slots
        if len(rows) == 0:
            return
        lengths, entries = (indptr[rows + 1] - indptr[rows]).get(), division.entries[rows].get()  # synchronizes
        tables = _tables(self._job, fills, len(rows), slots)
        step = len(tables[0]) // slots
        for first in range(0, len(rows), step):
            part = slice(first, first + step)
            yield _Batch(self._job, fills, rows[part], lengths[part], entries[part], division.entries, tables)


def _tables(job: Multiplication, fills: bool, wanted: int, slots: int) -> tuple[Array, Array, int]:
    """Room for the columns and sums of so many tables, or of as many as fit; the first pass has no sums."""
    word = sum_bytes(job.product) if fills else 0
    number = max(1, min(wanted, SCRATCH_BYTES // (slots * (job.column.itemsize + word))))
    keys = cupy.empty(number * slots, job.column)
    return keys, cupy.empty(number * slots, np.uint64 if word == 8 else np.uint32) if word else 0, slots


class _Batch:
    """Rows that all blocks share; their tables are filled."""

    def __init__(
        self,
        job: Multiplication,
        fills: bool,
        rows: Array,
        lengths: np.ndarray,
        entries: np.ndarray,
        most_entries: Array,
        tables: tuple[Array, Array, int],
    ) -> None:
        """``lengths``: of these rows in the left factor; ``entries``: of these rows, and ``most_entries`` of all."""
        self._job, self._rows, self._entries, self._tables = job, rows, entries, tables
        _, _, sum_products, number_products, clear, *adding, self._count, self._sum, self._write = job.functions(
            "mxm_global.cu"
        )
        self._tile_sums = cupy.empty(TILES, INDEX)
        starts = cupy.asarray(np.concatenate([[0], np.cumsum(lengths)]).astype(INDEX))
        offsets = cupy.empty(int(lengths.sum()) + 1, INDEX)
        batch = (*job.arguments, rows, starts, most_entries, len(rows), job.ncols)
        launch(sum_products, TILES, (*batch, self._tile_sums), per_block=1)
        launch(number_products, TILES, (*batch, self._tile_sums, offsets), per_block=1)
        launch(clear, self._slots, (*tables, len(rows)))
        launch(adding[fills], _EVERYTHING, (*batch, offsets, *tables))

    @property
    def _slots(self) -> int:
        return len(self._rows) * self._tables[2]

    def count(self, counts: Array) -> None:
        """Add the number of entries to those of the rows, which are 0."""
        keys, _, slots = self._tables
        launch(self._count, self._slots, (self._rows, len(self._rows), keys, slots, counts), per_block=_SLOTS_AT_A_TIME)

    def write(self, indptr: Array, indices: Array, values: Array) -> None:
        """The entries to their places in the result; there are exactly as many as was said."""
        keys, _, slots = self._tables
        taken = cupy.asarray((np.cumsum(self._entries) - self._entries).astype(INDEX))
        launch(self._sum, TILES, (keys, slots, len(self._rows), self._tile_sums), per_block=1)
        given = (*self._job.arguments, self._rows, len(self._rows), *self._tables, self._tile_sums, taken)
        launch(self._write, TILES, (*given, indptr, indices, values), per_block=1)


def _sort_rows(indptr: Array, indices: Array, values: Array | None, rows: Array, ncols: int) -> None:
    """Bring the entries of these rows into order, in place: all of them in one sort."""
    if len(rows) == 0:
        return
    counts = indptr[rows + 1] - indptr[rows]
    places = ranges(indptr[rows], counts)
    lines = repeat(np.arange(len(rows), dtype=INDEX, like=rows), counts)
    found = indices[places]
    column_bits, line_bits = bits_for(ncols), bits_for(len(rows))
    if column_bits + line_bits <= 63:
        _, order = sort_positions(lines << column_bits | found, column_bits + line_bits)
    else:
        _, order = sort_positions(found, column_bits)
        order = order[sort_positions(lines[order], line_bits)[1]]
    indices[places] = found[order]
    if values is not None:
        values[places] = values[places][order]
