"""The base of the distributed engine's classes: the grid, the local engine, and stores made of local ones.

Operations without a distributed form gather their operands: every rank computes, and keeps its part of the result.
This suits small operands and rare calls. GRBLAS_GPU_MPI_GATHER limits the entries of an operand (2**24 by default).
"""

from __future__ import annotations

import os
import re
from typing import Any, TypeAlias, TypeVar

import numpy as np

from ...exceptions import OutOfMemory
from ...foundation.types import Accum, Array, ArrayLike, TypedOperator, Value
from ...trace.records import Record, current as current_trace
from ..forms.every_form import is_dense
from ..protocol import Backend
from ..reference import Definitions
from ..stores.entries import compress, expand, is_iso, repeated, take
from ..stores.formats import choose_format
from ..stores.matrix_storage import from_lines
from ..stores.storage import MaskView, MatrixStore, VectorStore
from .grid import Grid
from .partition import Block
from .stores import Counts, DistMatrixStore, DistVectorStore

AnyStore = TypeVar("AnyStore", DistVectorStore, DistMatrixStore)
Store: TypeAlias = DistVectorStore | DistMatrixStore

_HOST = Definitions()
LIMIT = 2**24
DISTRIBUTED = (DistVectorStore, DistMatrixStore)


class Parts(Backend):
    """Every rank computes on its parts with ``local``, an engine of this library."""

    grid: Grid
    local: Backend
    counts: Counts
    exchanges: dict[str | int, Any]

    def vector(self, size: int, part: VectorStore) -> DistVectorStore:
        """A distributed vector with this chunk on this rank."""
        return DistVectorStore(self, size, choose_format(self.local, part))

    def matrix(self, nrows: int, ncols: int, part: MatrixStore) -> DistMatrixStore:
        """A distributed matrix with this block on this rank."""
        return DistMatrixStore(self, nrows, ncols, choose_format(self.local, part))

    def like(self, x: AnyStore, part: Any) -> AnyStore:
        """A store of the same shape as ``x``."""
        if isinstance(x, DistMatrixStore):
            return self.matrix(x.nrows, x.ncols, part)
        return self.vector(x.size, part)

    def view(self, mask: MaskView | None) -> MaskView | None:
        """A mask as the local engine sees it."""
        if mask is None:
            return None
        store: Any = mask.store
        return MaskView(store.part, mask.structure, mask.complement)

    def chunk(self, size: int) -> tuple[int, int]:
        """The indices of a vector that this rank owns."""
        return self.grid.line(size).chunk(self.grid.rank)

    def blocks(self, x: DistMatrixStore) -> tuple[Block, Block]:
        """The rows and columns of a matrix that this rank has."""
        return self.grid.rows_of(x.nrows), self.grid.columns_of(x.ncols)

    def row_lengths(self, size: int) -> list[int]:
        """The chunks of the ranks in this grid row: together the rows of the block."""
        line, across = self.grid.line(size), self.grid.shape[1]
        return [_length(line.chunk(self.grid.i * across + j)) for j in range(across)]

    def column_lengths(self, size: int) -> list[int]:
        """The chunks of the ranks in this grid column: together the columns of the block."""
        return [_length(piece) for piece in self.grid.line(size).column_pieces(self.grid.j)]

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
        return self._numbered(x, *self._entries_of(x.part))

    def global_entries(self, x: DistMatrixStore) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The entries of this rank's block with their global indices, on the host."""
        return self._numbered(x, *self.local.tuples(x.part))

    def _numbered(self, x: DistMatrixStore, rows: Array, cols: Array, values: Array) -> tuple[Array, Array, Array]:
        row_block, col_block = self.blocks(x)
        return row_block.to_global(rows.astype(np.int64)), col_block.to_global(cols.astype(np.int64)), values

    def owner_of(self, nrows: int, ncols: int, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """The rank whose block has each position."""
        across = self.grid.shape[1]
        return self.grid.line(nrows).owner(rows) // across * across + self.grid.line(ncols).owner(cols) % across

    def block(
        self, nrows: int, ncols: int, rows: np.ndarray, cols: np.ndarray, values: np.ndarray, dup_op: Accum
    ) -> DistMatrixStore:
        """A matrix from the entries of this rank's block, with global indices."""
        return self.matrix(nrows, ncols, self.block_part(nrows, ncols, rows, cols, values, dup_op))

    def block_part(
        self, nrows: int, ncols: int, rows: np.ndarray, cols: np.ndarray, values: np.ndarray, dup_op: Accum
    ) -> MatrixStore:
        """Only this rank's block: the method is not collective, so it may fail on one rank."""
        row_block, col_block = self.grid.rows_of(nrows), self.grid.columns_of(ncols)
        values = _one_for_all(values)
        here, there = self.local.array(row_block.to_local(rows)), self.local.array(col_block.to_local(cols))
        return self.local.build_matrix(row_block.size, col_block.size, here, there, self._given(values), dup_op)

    def _given(self, values: np.ndarray) -> Array:
        if is_iso(values):
            one = self.local.array(values[:1].copy())
            return np.broadcast_to(one, values.shape)
        return self.local.array(values)

    # ---- whole objects on every rank ------------------------------------------------------------------------------

    def cut(self, store: VectorStore | MatrixStore) -> Store:
        """This rank's part of a whole store on the host."""
        if self.grid.size == 1:
            part = self.local.adopt(store)
            return (
                self.matrix(part.nrows, part.ncols, part)
                if isinstance(store, MatrixStore)
                else self.vector(part.size, part)
            )
        rows, cols, values = _HOST.tuples(store)
        if isinstance(store, MatrixStore):
            rows, cols = rows.astype(np.int64), cols.astype(np.int64)
            mine = self.owner_of(store.nrows, store.ncols, rows, cols) == self.grid.rank
            down, across = self.grid.rows_of(store.nrows), self.grid.columns_of(store.ncols)
            places = down.to_local(rows[mine]), across.to_local(cols[mine])
            block = from_lines(down.size, across.size, *places, compress(take(values, mine)))
            return self.matrix(store.nrows, store.ncols, self.local.adopt(block))
        low, high = self.chunk(store.size)
        first, last = np.searchsorted(rows, [low, high])
        part = VectorStore(high - low, compress(values[first:last]).copy(), indices=rows[first:last] - low)
        return self.vector(store.size, self.local.adopt(part))

    def mine(self, x: Any) -> Any:
        """This rank's part of an output or value of another engine; all ranks have the same object."""
        return self.cut(x) if isinstance(x, (VectorStore, MatrixStore)) else x

    def export(self, store: Store) -> VectorStore | MatrixStore:
        """The whole store, on the host of every rank."""
        if self.grid.size == 1:
            return self.local.export(store.part)
        rows, cols, values = self.tuples(store)
        values = _one_for_all(values)
        if isinstance(store, DistMatrixStore):
            return _HOST.build_matrix(store.nrows, store.ncols, rows, cols, values, None)
        return _HOST.build_vector(store.size, rows, values, None)

    def tuples(self, x: Store) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All entries, in order, on every rank."""
        if isinstance(x, DistMatrixStore):
            rows, cols, values = (self.grid.everyone.gather_arrays(part) for part in self.global_entries(x))
            order = np.lexsort((cols, rows))
            return rows[order], cols[order], values[order]
        keys, _, values = self.local.tuples(x.part)
        keys = self.grid.everyone.gather_arrays(keys.astype(np.int64) + self.chunk(x.size)[0])
        return keys, keys, self.grid.everyone.gather_arrays(values)

    def gathered(self, name: str, *args: object, **options: object) -> Any:
        """Call a method of the local engine with whole objects."""
        for x in args:
            self.check_gatherable(x.store if isinstance(x, MaskView) else x, name)
        warn_of_gathering(name)
        result = getattr(self.local, name)(*(self._whole(x) for x in args), **options)
        if isinstance(result, (VectorStore, MatrixStore)):
            return self.cut(self.local.export(result))
        return result

    def check_gatherable(self, x: object, name: str) -> None:
        """Raise an error if a store is too large to gather."""
        if isinstance(x, DISTRIBUTED) and x.nvals > gather_limit():
            raise OutOfMemory(
                f"{name} has no distributed form, and an operand has {x.nvals} entries: too many to bring together on "
                f"every rank (GRBLAS_GPU_MPI_GATHER allows {gather_limit()})"
            )

    def _whole(self, x: Any) -> Any:
        if isinstance(x, MaskView):
            return MaskView(self._whole(x.store), x.structure, x.complement)
        if isinstance(x, DISTRIBUTED):
            return self.local.adopt(self.export(x))
        return x


def _one_for_all(values: np.ndarray) -> np.ndarray:
    """Equal values as a view of one of them."""
    return repeated(values, len(values)) if len(values) > 1 and bool((values == values[0]).all()) else values


def gather_limit() -> int:
    return int(os.environ.get("GRBLAS_GPU_MPI_GATHER", LIMIT))


def warn_of_gathering(name: str) -> None:
    """Name the operation in the trace, because it does not scale."""
    collector = current_trace()
    if collector is not None:
        reason = "warning: brought together on every rank, there is no distributed form"
        collector.records.append(Record(name, 0.0, 0, strategy="gathered", reason=reason))


def _length(bounds: tuple[int, int]) -> int:
    return bounds[1] - bounds[0]


def reads(op: TypedOperator, *names: str) -> bool:
    """Whether an operator reads any of these arguments (x, y, i, j); True if that is unknown.

    >>> from grblas_gpu import binary
    >>> reads(binary.pair[int], "x"), reads(binary.first[int], "x")
    (False, True)
    """
    if op.source is None:
        return True
    return any(re.search(rf"\b{name}\b", op.source) for name in names)


def as_scalar(value: ArrayLike, dtype: np.dtype) -> Value:
    """A NumPy scalar of this type."""
    return np.asarray(value, dtype)[()]
