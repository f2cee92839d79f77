"""Products of two matrices, and the transpose.

The larger operand stays in place. The entries of the other one go to the blocks that need them, and the products go
to their owners. So a frontier of several sources is exchanged like a vector.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...plan import dense_rules
from ...plan.facts import mxm_facts
from ..forms.every_form import is_dense
from ..stores.entries import expand
from ..stores.formats import choose_format
from ..stores.storage import MaskView, MatrixStore, same_arrays
from .parts import Parts
from .routing import route
from .stores import DistMatrixStore

Array = Any  # numpy.ndarray or cupy.ndarray


class MatrixProducts(Parts):
    """Matrix times matrix."""

    def mxm(
        self, a: DistMatrixStore, b: DistMatrixStore, semiring: Any, mask: MaskView | None, *, plan: Any
    ) -> DistMatrixStore:
        if semiring.binaryop.positional is not None:
            return self.gathered("mxm", a, b, semiring, mask, plan=plan)
        if a.nvals <= b.nvals:
            moved = self._for_rows_of(b, a)
            found = self._local_product(moved, b.part, semiring, plan)
            rows, cols, values = self._entries_of(found)
            owners = self.grid.line(a.nrows).owner(rows.astype(np.int64)) // self.grid.shape[1]
            wire = self.grid.column
            rows = rows.astype(np.int64)
            cols = self.grid.columns_of(b.ncols).to_global(cols.astype(np.int64))
        else:
            moved = self._for_columns_of(a, b)
            found = self._local_product(a.part, moved, semiring, plan)
            rows, cols, values = self._entries_of(found)
            owners = self.grid.line(b.ncols).owner(cols.astype(np.int64)) % self.grid.shape[1]
            wire = self.grid.row
            rows = self.grid.rows_of(a.nrows).to_global(rows.astype(np.int64))
            cols = cols.astype(np.int64)
        rows, cols, values = route(wire, owners, rows, cols, values, engine=self.local)
        return self.block(a.nrows, b.ncols, rows, cols, values, semiring.monoid.binaryop)

    def _local_product(self, a: MatrixStore, b: MatrixStore, semiring: Any, plan: Any) -> MatrixStore:
        """The product with a strategy for this rank's factors, which may be dense; the owners apply the mask."""
        chosen = dense_rules.choose(mxm_facts(self.local, a, b, semiring, None))
        chosen = chosen._replace(early_exit=plan.early_exit, deterministic=plan.deterministic)
        return self.local.mxm(a, b, semiring, None, plan=chosen)

    def _for_rows_of(self, b: DistMatrixStore, a: DistMatrixStore) -> Any:
        """All rows of ``a``, with the columns that match the rows of this rank's block of ``b``."""
        rows, cols, values = self._global_here(a)
        across = self.grid.shape[1]
        first = self.grid.line(b.nrows).owner(cols) // across * across
        targets = (first[:, np.newaxis] + np.arange(across, like=first)).reshape(-1)
        rows, cols, values = (np.repeat(x, across) for x in (rows, cols, values))
        rows, cols, values = route(self.grid.everyone, targets, rows, cols, values, engine=self.local)
        block = self.grid.rows_of(b.nrows)
        return self._local_matrix(a.nrows, block.size, rows, block.to_local(cols), values)

    def _for_columns_of(self, a: DistMatrixStore, b: DistMatrixStore) -> Any:
        """All columns of ``b``, with the rows that match the columns of this rank's block of ``a``."""
        rows, cols, values = self._global_here(b)
        down, across = self.grid.shape
        first = self.grid.line(a.ncols).owner(rows) % across
        targets = (first[:, np.newaxis] + across * np.arange(down, like=first)).reshape(-1)
        rows, cols, values = (np.repeat(x, down) for x in (rows, cols, values))
        rows, cols, values = route(self.grid.everyone, targets, rows, cols, values, engine=self.local)
        block = self.grid.columns_of(a.ncols)
        return self._local_matrix(block.size, b.ncols, block.to_local(rows), cols, values)

    def _local_matrix(self, nrows: int, ncols: int, rows: Any, cols: Any, values: Any) -> Any:
        rows, cols, values = (self.local.array(x) for x in (rows, cols, values))
        return choose_format(self.local, self.local.build_matrix(nrows, ncols, rows, cols, values, None))

    def estimate_products(self, a: DistMatrixStore, b: DistMatrixStore, mask: DistMatrixStore | None = None) -> float:
        """An estimate for rows of equal length: a sample of the rows would need messages."""
        return a.nvals * b.nvals / max(1, b.nrows)

    def estimate_dots(self, a: DistMatrixStore, b: DistMatrixStore, mask: DistMatrixStore) -> float:
        return mask.nvals * (a.nvals + b.nvals) / max(1, a.ncols)

    # ---- entries and blocks ---------------------------------------------------------------------------------------

    def _entries_of(self, part: MatrixStore) -> tuple[Array, Array, Array]:
        """Rows, columns and values of a block's entries, in memory of the local engine; records on the host."""
        if part.dtype.kind == "V":
            return self.local.tuples(part)
        if is_dense(part):
            rows, cols, values = self.local.tuples(part)
            return self.local.array(rows), self.local.array(cols), self.local.array(values)
        return part.row_ids, part.indices, expand(part.values, part.nvals)

    def _global_here(self, x: DistMatrixStore) -> tuple[Array, Array, Array]:
        """Like :meth:`global_entries`, in memory of the local engine."""
        rows, cols, values = self._entries_of(x.part)
        row_block, col_block = self.blocks(x)
        return row_block.to_global(rows.astype(np.int64)), col_block.to_global(cols.astype(np.int64)), values

    def global_entries(self, x: DistMatrixStore) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The entries of this rank's block with their global indices, on the host."""
        rows, cols, values = self.local.tuples(x.part)
        row_block, col_block = self.blocks(x)
        return row_block.to_global(rows.astype(np.int64)), col_block.to_global(cols.astype(np.int64)), values

    def owner_of(self, nrows: int, ncols: int, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """The rank whose block has each position."""
        across = self.grid.shape[1]
        return self.grid.line(nrows).owner(rows) // across * across + self.grid.line(ncols).owner(cols) % across

    def block(
        self, nrows: int, ncols: int, rows: np.ndarray, cols: np.ndarray, values: np.ndarray, dup_op: Any
    ) -> DistMatrixStore:
        """A matrix from the entries of this rank's block, with global indices."""
        return self.matrix(nrows, ncols, self.block_part(nrows, ncols, rows, cols, values, dup_op))

    def block_part(
        self, nrows: int, ncols: int, rows: np.ndarray, cols: np.ndarray, values: np.ndarray, dup_op: Any
    ) -> MatrixStore:
        """Only this rank's block: the method is not collective, so it may fail on one rank."""
        row_block, col_block = self.grid.rows_of(nrows), self.grid.columns_of(ncols)
        if len(values) > 1 and bool((values == values[0]).all()):
            values = np.broadcast_to(values[:1], values.shape)  # iso
        here, there = self.local.array(row_block.to_local(rows)), self.local.array(col_block.to_local(cols))
        return self.local.build_matrix(row_block.size, col_block.size, here, there, self._given(values), dup_op)

    def _given(self, values: np.ndarray) -> Any:
        if len(values) > 1 and values.strides[0] == 0:
            one = self.local.array(values[:1].copy())
            return np.broadcast_to(one, values.shape)
        return self.local.array(values)

    def make_transpose(self, a: DistMatrixStore) -> DistMatrixStore:
        if self.grid.size == 1:
            part = a.part.transposed()
            return a if part is a.part else self.matrix(a.ncols, a.nrows, part)
        rows, cols, values = self._global_here(a)
        owners = self.owner_of(a.ncols, a.nrows, cols, rows)
        rows, cols, values = route(self.grid.everyone, owners, rows, cols, values, engine=self.local)
        other = self.block(a.ncols, a.nrows, cols, rows, values, None)
        if a.nrows != a.ncols:
            return other
        differing = self.grid.everyone.add_up([int(not self._same_entries(a.part, other.part))])[0]
        return other if differing else a

    def _same_entries(self, x: MatrixStore, y: MatrixStore) -> bool:
        if x.nvals != y.nvals:
            return False
        if x.iso == y.iso:
            return same_arrays(x, y)
        pairs = zip(self.local.tuples(x), self.local.tuples(y), strict=True)
        return all(np.array_equal(mine, other) for mine, other in pairs)

    def transpose(self, a: DistMatrixStore) -> DistMatrixStore:
        other = a.transposed()
        return self.like(other, self.local.copy(other.part))
