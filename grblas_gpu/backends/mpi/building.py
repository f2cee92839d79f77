"""Stores from arrays that every rank has, exports of stores, and single elements.

Every rank passes the same arrays to ``from_coo``, and keeps its own part. Objects that are too large for one rank are
built from parts (:mod:`.construction`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..reference import Definitions
from ..stores.entries import entries
from ..stores.matrix_storage import from_lines
from ..stores.storage import MatrixStore, VectorStore
from .parts import Parts, Store
from .stores import DistMatrixStore, DistVectorStore

_HOST = Definitions()


class Building(Parts):
    """Construction, export and element access."""

    def build_vector(self, size: int, index: Any, values: Any, dup_op: Any) -> DistVectorStore:
        index, values = np.asarray(index), np.asarray(values)
        self.grid.check_same_arrays("a vector", index, values)
        low, high = self.chunk(size)
        mine = (index >= low) & (index < high)

        def build() -> VectorStore:
            return _HOST.build_vector(high - low, index[mine] - low, values[mine], dup_op)

        return self.vector(size, self.local.adopt(self.grid.together(build)))

    def build_matrix(self, nrows: int, ncols: int, rows: Any, cols: Any, values: Any, dup_op: Any) -> DistMatrixStore:
        rows, cols, values = np.asarray(rows), np.asarray(cols), np.asarray(values)
        self.grid.check_same_arrays("a matrix", rows, cols, values)
        mine = self.owner_of(nrows, ncols, rows, cols) == self.grid.rank
        given = rows[mine], cols[mine], values[mine]
        return self.matrix(nrows, ncols, self.grid.together(lambda: self.block_part(nrows, ncols, *given, dup_op)))

    def adopt(self, store: Any) -> Store:
        """This rank's part of a store that every rank has."""
        if isinstance(store, (DistVectorStore, DistMatrixStore)):
            return store
        if isinstance(store, MatrixStore):
            self.grid.check_same_arrays("a matrix", *store.arrays.values())
        else:
            self.grid.check_same_arrays("a vector", *(x for x in entries(store)))
        return self.cut(store)

    def cut(self, store: Any) -> Store:
        """This rank's part of a whole store on the host."""
        if self.grid.size == 1:
            part = self.local.adopt(store)
            return (
                self.matrix(part.nrows, part.ncols, part)
                if isinstance(store, MatrixStore)
                else self.vector(part.size, part)
            )
        if isinstance(store, MatrixStore):
            ((low, high),) = self.grid.rows_of(store.nrows).pieces
            block = self.grid.columns_of(store.ncols)
            first, last = np.searchsorted(store.row_ids, [low, high])
            cols = store.indices[first:last].astype(np.int64)
            mine = self.grid.line(store.ncols).owner(cols) % self.grid.shape[1] == self.grid.j
            rows, cols = store.row_ids[first:last][mine].astype(np.int64) - low, block.to_local(cols[mine])
            values = store.values[: len(rows)] if store.iso else store.values[first:last][mine]
            part = from_lines(high - low, block.size, rows, cols, values.copy())
            return self.matrix(store.nrows, store.ncols, self.local.adopt(part))
        keys, values = entries(store)
        low, high = self.chunk(store.size)
        first, last = np.searchsorted(keys, [low, high])
        some = values[first:last]
        one = len(some) and some.strides[0] == 0
        part = VectorStore(high - low, some[:1].copy() if one else some.copy(), indices=keys[first:last] - low)
        return self.vector(store.size, self.local.adopt(part))

    # ---- export ---------------------------------------------------------------------------------------------------

    def export(self, store: Store) -> Any:
        """The whole store, on the host of every rank."""
        if self.grid.size == 1:
            return self.local.export(store.part)
        rows, cols, values = self.tuples(store)
        if len(values) > 1 and bool((values == values[0]).all()):
            values = np.broadcast_to(values[:1], values.shape)
        if isinstance(store, DistMatrixStore):
            return _HOST.build_matrix(store.nrows, store.ncols, rows, cols, values, None)
        return _HOST.build_vector(store.size, rows, values, None)

    def has_one_value(self, x: Store) -> bool:
        values = self.tuples(x)[2]
        return bool(len(values) and (values == values[0]).all())

    def tuples(self, x: Store) -> tuple[Any, Any, Any]:
        """All entries, in order, on every rank."""
        if isinstance(x, DistMatrixStore):
            rows, cols, values = (self.grid.everyone.gather_arrays(part) for part in self.global_entries(x))
            order = np.lexsort((cols, rows))
            return rows[order], cols[order], values[order]
        keys, _, values = self.local.tuples(x.part)
        keys = self.grid.everyone.gather_arrays(keys.astype(np.int64) + self.chunk(x.size)[0])
        return keys, keys, self.grid.everyone.gather_arrays(values)

    def to_dense(self, x: Store, fill: Any, dtype: Any) -> Any:
        return _HOST.to_dense(self.export(x), fill, dtype)

    # ---- elements -------------------------------------------------------------------------------------------------

    def _place(self, x: Store, index: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        """The rank that has a position, and the position in its part."""
        if isinstance(x, DistMatrixStore):
            row, col = np.array([index[0]]), np.array([index[1]])
            owner = int(self.owner_of(x.nrows, x.ncols, row, col)[0])
            if owner != self.grid.rank:
                return owner, ()
            row_block, col_block = self.blocks(x)
            return owner, (int(row_block.to_local(row)[0]), int(col_block.to_local(col)[0]))
        owner = int(self.grid.line(x.size).owner(np.array([index[0]]))[0])
        return owner, (index[0] - self.grid.line(x.size).chunk(owner)[0],)

    def get_element(self, x: Store, index: tuple[int, ...]) -> Any:
        owner, place = self._place(x, index)
        value = self.local.get_element(x.part, place) if owner == self.grid.rank else None
        return self.grid.everyone.gather_objects(value)[owner]

    def set_element(self, x: Store, index: tuple[int, ...], value: Any, owned: bool = False) -> Store:
        owner, place = self._place(x, index)
        return self.like(x, self.local.set_element(x.part, place, value) if owner == self.grid.rank else x.part)

    def remove_element(self, x: Store, index: tuple[int, ...]) -> Store:
        owner, place = self._place(x, index)
        return self.like(x, self.local.remove_element(x.part, place) if owner == self.grid.rank else x.part)
