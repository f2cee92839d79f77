"""Products of two matrices, and the transpose.

The larger operand stays in place. The entries of the other one go to the blocks that need them, and the products go
to their owners. So a frontier of several sources is exchanged like a vector.
"""

from __future__ import annotations

import numpy as np

from ...foundation.types import Plan, TypedSemiring
from ...plan import dense_rules
from ...plan.facts import mxm_facts
from ..stores.formats import choose_format
from ..stores.storage import MaskView, MatrixStore, same_arrays
from .parts import Parts
from .routing import route
from .stores import DistMatrixStore


class MatrixProducts(Parts):
    """Matrix times matrix."""

    def mxm(
        self, a: DistMatrixStore, b: DistMatrixStore, semiring: TypedSemiring, mask: MaskView | None, *, plan: Plan
    ) -> DistMatrixStore:
        if semiring.binaryop.positional is not None:
            return self.gathered("mxm", a, b, semiring, mask, plan=plan)
        line, across = self.grid.line, self.grid.shape[1]
        if a.nvals <= b.nvals:
            moved = self._for_blocks_of(b, a, left=True)
            rows, cols, values = self._entries_of(self._local_product(moved, b.part, semiring, plan))
            cols = self.grid.columns_of(b.ncols).to_global(cols.astype(np.int64))
            wire, owners = self.grid.column, line(a.nrows).owner(rows.astype(np.int64)) // across
        else:
            moved = self._for_blocks_of(a, b, left=False)
            rows, cols, values = self._entries_of(self._local_product(a.part, moved, semiring, plan))
            rows = self.grid.rows_of(a.nrows).to_global(rows.astype(np.int64))
            wire, owners = self.grid.row, line(b.ncols).owner(cols.astype(np.int64)) % across
        places = rows.astype(np.int64), cols.astype(np.int64)
        rows, cols, values = route(wire, owners, *places, values, engine=self.local)
        return self.block(a.nrows, b.ncols, rows, cols, values, semiring.monoid.binaryop)

    def _local_product(self, a: MatrixStore, b: MatrixStore, semiring: TypedSemiring, plan: Plan) -> MatrixStore:
        """The product with a strategy for this rank's factors, which may be dense; the owners apply the mask."""
        chosen = dense_rules.choose(mxm_facts(self.local, a, b, semiring, None))
        chosen = chosen._replace(early_exit=plan.early_exit, deterministic=plan.deterministic)
        return self.local.mxm(a, b, semiring, None, plan=chosen)

    def _for_blocks_of(self, stays: DistMatrixStore, moves: DistMatrixStore, left: bool) -> MatrixStore:
        """What this rank's block of one factor is multiplied with: of the left factor all rows, and the columns that
        match the rows of the block; of the right factor all columns, and the rows that match its columns.
        """
        rows, cols, values = self._global_here(moves)
        down, across = self.grid.shape
        if left:  # to all ranks in the grid row of a column
            owners = self.grid.line(stays.nrows).owner(cols)
            first, others = owners // across * across, np.arange(across, like=owners)
        else:
            owners = self.grid.line(stays.ncols).owner(rows)
            first, others = owners % across, across * np.arange(down, like=owners)
        targets = (first[:, np.newaxis] + others).reshape(-1)
        rows, cols, values = (np.repeat(x, len(others)) for x in (rows, cols, values))
        rows, cols, values = route(self.grid.everyone, targets, rows, cols, values, engine=self.local)
        row_block, col_block = self.blocks(stays)
        if left:
            nrows, ncols, cols = moves.nrows, row_block.size, row_block.to_local(cols)
        else:
            nrows, ncols, rows = col_block.size, moves.ncols, col_block.to_local(rows)
        rows, cols, values = (self.local.array(x) for x in (rows, cols, values))
        return choose_format(self.local, self.local.build_matrix(nrows, ncols, rows, cols, values, None))

    def estimate_products(self, a: DistMatrixStore, b: DistMatrixStore, mask: DistMatrixStore | None = None) -> float:
        """An estimate for rows of equal length: a sample of the rows would need messages."""
        return a.nvals * b.nvals / max(1, b.nrows)

    def estimate_dots(self, a: DistMatrixStore, b: DistMatrixStore, mask: DistMatrixStore) -> float:
        return mask.nvals * (a.nvals + b.nvals) / max(1, a.ncols)

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
