"""Rows of a matrix product that are added up in a hash table, because there are too many columns for a sum each.

Two passes over the products, count and fill. Before each the rows are divided among groups of threads: a warp with a
small table in shared memory, a block with a larger one, a block with a table in scratch memory. Rows with so many
products that one block would keep all others waiting are shared by all of them (``mxm_giant.py``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import cupy
import numpy as np

from ...entries import ranges, repeat
from ...storage import INDEX, Array, MatrixStore
from ..runtime.launch import BLOCK, blocks_for, launch, most_blocks
from . import mxm_giant
from .mxm_operands import MatrixMask, PatternOnly, Product
from .mxm_programs import Program, Programs, sum_bytes
from .radix import bits_for, sort_positions

SCRATCH_BYTES = 2**30  # for the tables in scratch memory; one is made in any case
COUNTERS = 8  # as in kernels/mxm_table.cuh
ROWS_AT_A_TIME = 8  # as there


class HashedRows:
    """The rows of a product that have ``at_most`` so many entries; rows that are made elsewhere have none of these."""

    def __init__(
        self, programs: Programs, operands: tuple[MatrixStore, MatrixStore, MatrixMask], products: Array, at_most: Array
    ) -> None:
        self._programs, self._operands = programs, operands
        self._products, self._at_most = products, at_most
        a, b, _ = operands
        self._shape = (a.nrows, b.ncols)

    def count(self, counts: Array) -> None:
        """How many entries each has; the counts of all other rows become 0."""
        a, b, mask = self._operands
        groups = _divide(self._programs.divide(0), self._products, self._at_most, self._shape)
        structure = (a.indptr, a.indices, b.indptr, b.indices, *mask.arguments)
        _run(self._programs.count(), (*structure, *groups.arguments, counts), groups, [self._programs.column])
        for giants in _giants(self._programs, self._operands, PatternOnly(), groups):
            giants.count(counts)
        self._counts = counts.copy()

    def fill(self, product: Product | PatternOnly, indptr: Array, indices: Array, values: Array) -> None:
        a, b, mask = self._operands
        word_bytes = sum_bytes(product)
        groups = _divide(
            self._programs.divide(word_bytes), self._products, self._counts, self._shape, product.can_share
        )
        factors = (a.indptr, a.indices, a.values, b.indptr, b.indices, b.values, *mask.arguments)
        word = np.dtype(np.uint64 if word_bytes == 8 else np.uint32)
        arguments = (*factors, *groups.arguments, indptr, indices, values)
        _run(self._programs.fill(product), arguments, groups, [self._programs.column, word])
        for giants in _giants(self._programs, self._operands, product, groups):
            giants.write(indptr, indices, values)
        _sort_rows(indptr, indices, None if product.structure else values, groups.unsorted_rows(), self._shape[1])


class _Groups(NamedTuple):
    """The rows of a result, divided: as arguments of a kernel, and what the host must know to launch it."""

    arguments: tuple[Any, ...]
    by_block: int  # rows that a block does in shared memory
    in_scratch: int  # rows that a block does in scratch memory
    slots: int  # of the largest table there
    giants: Array  # rows that all blocks share
    giant_slots: int  # of the largest table of those

    @property
    def nrows(self) -> int:
        return self.arguments[4]

    def unsorted_rows(self) -> Array:
        """Rows that come out unsorted: those in scratch memory, except where every column had a slot of its own."""
        _, entries, rows, _, nrows, ncols = self.arguments
        rows = np.concatenate([rows[nrows - self.in_scratch :], self.giants])
        if len(rows) == 0:
            return rows
        return rows[entries[rows] * 4 <= 1 << (ncols - 1).bit_length()]  # shape_for() in kernels/mxm_table.cuh


def _divide(
    program: Program, products: Array, entries: Array, shape: tuple[int, int], can_share: bool = True
) -> _Groups:
    """Divide the rows by their work and by the size of the table that their entries need."""
    counters, rows = cupy.zeros(COUNTERS, INDEX), cupy.empty(shape[0], INDEX)
    giants = cupy.empty(min(shape[0], mxm_giant.MOST_GIANTS), INDEX)
    limit = mxm_giant.GIANT_PRODUCTS if can_share else 2**62
    launch(program.functions()[0], shape[0], (products, entries, *shape, limit, rows, giants, len(giants), counters))
    by_block, in_scratch, slots, shared, giant_slots = counters[:5].get().tolist()  # synchronizes
    arguments = (products, entries, rows, counters, *shape)
    return _Groups(arguments, by_block, in_scratch, slots, giants[:shared], giant_slots)


def _giants(
    programs: Programs,
    operands: tuple[MatrixStore, MatrixStore, MatrixMask],
    product: Product | PatternOnly,
    groups: _Groups,
) -> Iterator[mxm_giant.Giants]:
    """The rows that all blocks share, some at a time."""
    given = (programs.giant(product), operands, product, programs.column, groups.giants, groups.arguments[1])
    return mxm_giant.batches(*given, groups.giant_slots, SCRATCH_BYTES)


def _run(program: Program, arguments: tuple[Any, ...], groups: _Groups, slot: list[np.dtype]) -> None:
    """Run a pass over all rows; ``slot`` says what a table in scratch memory holds."""
    by_warp, by_block, in_scratch = program.functions()
    launch(by_warp, groups.nrows, arguments, per_block=ROWS_AT_A_TIME * BLOCK // 32)
    if groups.by_block:
        launch(by_block, groups.by_block, arguments, per_block=1)
    if groups.in_scratch:
        tables = SCRATCH_BYTES // (groups.slots * sum(dtype.itemsize for dtype in slot))
        most = min(most_blocks(cupy.cuda.runtime.getDevice()), max(1, tables))
        tables = blocks_for(groups.in_scratch, 1, most)
        scratch = [cupy.empty(tables * groups.slots, dtype) for dtype in slot]
        in_scratch((tables,), (BLOCK,), (*arguments, *scratch, groups.slots))


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
