"""Rows of a matrix product with so many products that all blocks of the device share them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cupy
import numpy as np

from ...storage import INDEX, Array, MatrixStore
from ..runtime.launch import TILES, launch
from .mxm_operands import MatrixMask, PatternOnly, Product
from .mxm_programs import Program, sum_bytes

GIANT_PRODUCTS = 2**20  # a block takes about a millisecond for so many, which is a long time for all others to wait
MOST_GIANTS = 2**16  # room in the list; the rows that it does not hold are left to single blocks
_EVERYTHING = 2**40  # more than enough work for as many blocks as the device can run
_SLOTS_AT_A_TIME = 4096  # as in kernels/mxm_giant.cu


class Giants:
    """A batch of such rows, their tables in scratch memory filled."""

    def __init__(
        self,
        program: Program,
        operands: tuple[MatrixStore, MatrixStore, MatrixMask],
        rows: Array,
        lengths: np.ndarray,
        most_entries: tuple[Array, np.ndarray],
        tables: tuple[Array, Any, int],
    ) -> None:
        """``lengths``: of these rows in the left factor; ``most_entries``: of all rows of the result, and of these."""
        a, b, mask = operands
        sum_products, number_products, clear, add, *self._finishing = program.functions()
        self._tables = tables
        self._taken = most_entries[1]
        self._tile_sums = cupy.empty(TILES, INDEX)
        starts = cupy.asarray(np.concatenate([[0], np.cumsum(lengths)]).astype(INDEX))
        self._rows = (rows, starts, most_entries[0], len(rows), b.ncols)
        structures = (a.indptr, a.indices, b.indptr, b.indices)
        offsets = cupy.empty(int(lengths.sum()) + 1, INDEX)
        launch(sum_products, TILES, (*structures, *self._rows, self._tile_sums), per_block=1)
        launch(number_products, TILES, (*structures, *self._rows, self._tile_sums, offsets), per_block=1)
        launch(clear, self._slots, (*self._rows, *tables))
        add_to = (*structures, a.values, b.values, *mask.arguments, *self._rows, offsets, *tables)
        launch(add, _EVERYTHING, add_to)

    @property
    def _slots(self) -> int:
        return len(self._taken) * self._tables[2]

    def count(self, counts: Array) -> None:
        """Add the number of entries to those of the rows, which are 0."""
        count, *_ = self._finishing
        keys, _, slots = self._tables
        launch(count, self._slots, (*self._rows, keys, slots, counts), per_block=_SLOTS_AT_A_TIME)

    def write(self, indptr: Array, indices: Array, values: Array) -> None:
        """The entries to their places in the result; there are exactly as many as was said."""
        _, sum_slots, write = self._finishing
        keys, sums, slots = self._tables
        taken = cupy.asarray((np.cumsum(self._taken) - self._taken).astype(INDEX))
        launch(sum_slots, TILES, (*self._rows, keys, slots, self._tile_sums), per_block=1)
        given = (*self._rows, keys, sums, slots, self._tile_sums, taken)
        launch(write, TILES, (*given, indptr, indices, values), per_block=1)


def batches(
    program: Program,
    operands: tuple[MatrixStore, MatrixStore, MatrixMask],
    product: Product | PatternOnly,
    column: np.dtype,
    rows: Array,
    entries: Array,
    slots: int,
    scratch_bytes: int,
) -> Iterator[Giants]:
    """As many of these rows at a time as have room for a table of this many slots."""
    if len(rows) == 0:
        return
    indptr = operands[0].indptr
    lengths, most = (indptr[rows + 1] - indptr[rows]).get(), entries[rows].get()  # synchronizes
    word = sum_bytes(product)
    step = max(1, min(len(rows), scratch_bytes // (slots * (column.itemsize + word))))
    keys = cupy.empty(step * slots, column)
    sums: Any = cupy.empty(step * slots, np.uint64 if word == 8 else np.uint32) if word else 0
    for first in range(0, len(rows), step):
        part = slice(first, first + step)
        yield Giants(program, operands, rows[part], lengths[part], (entries, most[part]), (keys, sums, slots))
