"""Structural operations: every rank computes the new positions of its entries, and sends them to their owners.

Lists of positions are the same on every rank; everything else stays distributed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...foundation.types import Accum, Assigned, TypedOperator
from ..stores.entries import ranges, repeat
from ..stores.storage import MaskView, VectorStore
from .exchange import Expanding
from .indirect import Indirect
from .partition import Block
from .routing import route
from .stores import DistMatrixStore, DistVectorStore

Array = np.ndarray


class Moving(Indirect):
    """Extraction, diagonals, other shapes, a vector aligned with a matrix."""

    # ---- a vector aligned with a block ----------------------------------------------------------------------------

    def spread(
        self, u: DistVectorStore, nrows: int, ncols: int, down: bool, pattern: DistMatrixStore | None
    ) -> DistMatrixStore:
        rows, cols = self.grid.rows_of(nrows).size, self.grid.columns_of(ncols).size
        here = None if pattern is None else pattern.part
        return self.matrix(nrows, ncols, self.local.spread(self._beside(u, down), rows, cols, down, here))

    def outer(self, u: DistVectorStore, v: DistVectorStore, op: TypedOperator) -> DistMatrixStore:
        if op.positional is not None:
            return self.gathered("outer", u, v, op)
        part = self.local.outer(self._beside(u, True), self._beside(v, False), op)
        return self.matrix(u.size, v.size, part)

    def _beside(self, u: DistVectorStore, rows: bool) -> VectorStore:
        """The entries of a vector for the rows, or the columns, of this rank's block."""
        u = self.mine(u)
        wire = self.grid.row if rows else self.grid.column
        lengths = self.row_lengths(u.size) if rows else self.column_lengths(u.size)
        operand = Expanding(wire, self.local, u.part, lengths, True, u.count.known == u.size)
        operand.start()
        return operand.finish(False)

    # ---- parts --------------------------------------------------------------------------------------------------

    def extract_vector(self, u: DistVectorStore, index: Array | None) -> DistVectorStore:
        """``t[p] = u[index[p]]``: the owner of p requests the value."""
        if index is None:
            return self.copy(u)
        low, high = self.chunk(len(index))
        mine = self.local.array(np.asarray(index[low:high], np.int64))
        return self.gather(u, DistVectorStore(self, len(index), VectorStore(high - low, mine)))

    def extract_matrix(self, a: DistMatrixStore, rows: Array | None, cols: Array | None) -> DistMatrixStore:
        """``t[p, q] = a[rows[p], cols[q]]``; rows and columns may repeat."""
        down, across, values = self.global_entries(a)
        nrows, down, taken = _renumbered(rows, a.nrows, down)
        across, values = across[taken], values[taken]
        ncols, across, taken = _renumbered(cols, a.ncols, across)
        return self._owned_matrix(nrows, ncols, down[taken], across, values[taken])

    def extract_row(self, a: DistMatrixStore, row: int, cols: Array | None) -> DistVectorStore:
        ((low, high),) = self.grid.rows_of(a.nrows).pieces
        found = self.local.extract_row(a.part, row - low, None) if low <= row < high else None
        return self.extract_vector(self._line(a, a.ncols, found, self.grid.columns_of(a.ncols)), cols)

    def extract_column(self, a: DistMatrixStore, col: int, rows: Array | None) -> DistVectorStore:
        block, found = self.grid.columns_of(a.ncols), None
        if any(low <= col < high for low, high in block.pieces):
            found = self.local.extract_column(a.part, int(block.to_local(np.array([col]))[0]), None)
        return self.extract_vector(self._line(a, a.nrows, found, self.grid.rows_of(a.nrows)), rows)

    def _line(self, a: DistMatrixStore, size: int, found: VectorStore | None, block: Block) -> DistVectorStore:
        """A row or column as a vector; ``found`` is this rank's part of it, or None."""
        keys, values = np.empty(0, np.int64), np.empty(0, a.dtype)
        if found is not None:
            keys, _, values = self.local.tuples(found)
            keys = block.to_global(keys.astype(np.int64))
        return self._owned_vector(size, keys, values)

    def diagonal(self, a: DistMatrixStore, k: int) -> DistVectorStore:
        size = max(0, min(a.nrows, a.ncols - k) if k >= 0 else min(a.nrows + k, a.ncols))
        rows, cols, values = self.global_entries(a)
        there = np.flatnonzero(cols - rows == k)
        return self._owned_vector(size, (rows if k >= 0 else cols)[there], values[there])

    # ---- other shapes -------------------------------------------------------------------------------------------

    def diagonal_matrix(self, u: DistVectorStore, k: int) -> DistMatrixStore:
        keys, values = self._global_part(u)
        size = u.size + abs(k)
        return self._owned_matrix(size, size, keys + max(0, -k), keys + max(0, k), values)

    def as_matrix(self, u: DistVectorStore, row: bool) -> DistMatrixStore:
        keys, values = self._global_part(u)
        zeros = np.zeros(len(keys), np.int64)
        if row:
            return self._owned_matrix(1, u.size, zeros, keys, values)
        return self._owned_matrix(u.size, 1, keys, zeros, values)

    def resize_vector(self, u: DistVectorStore, size: int) -> DistVectorStore:
        keys, values = self._global_part(u)
        kept = keys < size
        return self._owned_vector(size, keys[kept], values[kept])

    def resize_matrix(self, a: DistMatrixStore, nrows: int, ncols: int) -> DistMatrixStore:
        rows, cols, values = self.global_entries(a)
        kept = (rows < nrows) & (cols < ncols)
        return self._owned_matrix(nrows, ncols, rows[kept], cols[kept], values[kept])

    # ---- into a vector or a matrix --------------------------------------------------------------------------------

    def replace_row(self, c: DistMatrixStore, row: int, line: DistVectorStore) -> DistMatrixStore:
        cols, values = self._global_part(line)
        return self._with_line(c, self.global_entries(c)[0] != row, np.full_like(cols, row), cols, values)

    def replace_column(self, c: DistMatrixStore, col: int, line: DistVectorStore) -> DistMatrixStore:
        rows, values = self._global_part(line)
        return self._with_line(c, self.global_entries(c)[1] != col, rows, np.full_like(rows, col), values)

    def _with_line(self, c: DistMatrixStore, kept: Array, rows: Array, cols: Array, values: Array) -> DistMatrixStore:
        """The ``kept`` entries of a matrix, and new entries for one of its rows or columns."""
        owners = self.owner_of(c.nrows, c.ncols, rows, cols)
        arrived = route(self.grid.everyone, owners, rows, cols, values)
        pairs = zip(self.global_entries(c), arrived, strict=True)
        rows, cols, values = (np.concatenate([old[kept], new]) for old, new in pairs)
        return self.block(c.nrows, c.ncols, rows, cols, values, None)

    def assign_to_list(
        self,
        c: DistVectorStore,
        value: Assigned | DistVectorStore,
        index: Array,
        mask: MaskView | None,
        accum: Accum,
        replace: bool,
        sub: bool,
    ) -> DistVectorStore:
        """``c<mask>[index[p]] (accum)= value[p]``: values go to the owners of the positions, in the order of the list.

        With ``sub``, the mask has an element for each position in the list, and goes there, too.
        """
        owners = self.grid.line(c.size).owner(index)
        low, _ = self.chunk(c.size)
        here = self.local.array(index[owners == self.grid.rank] - low)
        what = self._along(value, owners) if isinstance(value, DistVectorStore) else value
        view = self.view(mask)
        if sub and mask is not None:
            store: Any = mask.store
            view = MaskView(self._along(store, owners), mask.structure, mask.complement)
        return self.like(c, self.local.assign(c.part, what, (here,), view, accum, replace, sub))

    def _along(self, u: DistVectorStore, owners: Array) -> VectorStore:
        """The elements for this rank, in order, of a vector with an element for each position in a list."""
        keys, values = self._global_part(u)
        keys, values = route(self.grid.everyone, owners[keys], keys, values)
        mine = np.flatnonzero(owners == self.grid.rank)
        places = self.local.array(np.searchsorted(mine, keys))
        return self.local.build_vector(len(mine), places, self.local.array(values), None)

    # ---- entries and owners -------------------------------------------------------------------------------------

    def _global_part(self, u: DistVectorStore) -> tuple[Array, Array]:
        """The entries of this rank with their global indices, on the host."""
        keys, _, values = self.local.tuples(self.mine(u).part)
        return keys.astype(np.int64) + self.chunk(u.size)[0], values

    def _owned_vector(self, size: int, keys: Array, values: Array) -> DistVectorStore:
        """A vector from entries on any ranks; each entry is on one rank."""
        keys, values = route(self.grid.everyone, self.grid.line(size).owner(keys), keys, values)
        low, high = self.chunk(size)
        part = self.local.build_vector(high - low, self.local.array(keys - low), self.local.array(values), None)
        return self.vector(size, part)

    def _owned_matrix(self, nrows: int, ncols: int, rows: Array, cols: Array, values: Array) -> DistMatrixStore:
        owners = self.owner_of(nrows, ncols, rows, cols)
        rows, cols, values = route(self.grid.everyone, owners, rows, cols, values)
        return self.block(nrows, ncols, rows, cols, values, None)


def _renumbered(index: Array | None, size: int, places: Array) -> tuple[int, Array, Array | slice]:
    """The occurrences of ``places`` in a list: its length, the positions in it, and the number of the place for each.

    >>> _renumbered(np.array([4, 2, 4]), 5, np.array([1, 2, 4]))[1:]
    (array([1, 0, 2]), array([1, 2, 2]))
    """
    if index is None:
        return size, places, slice(None)
    order = np.argsort(index, kind="stable")
    ascending = np.asarray(index)[order]
    first = np.searchsorted(ascending, places, side="left")
    copies = np.searchsorted(ascending, places, side="right") - first
    return len(index), order[ranges(first, copies)], repeat(np.arange(len(places)), copies)
