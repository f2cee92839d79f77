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

    def _mine(self, x: Store, index: tuple[np.ndarray, ...]) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
        """Which of the positions this rank has, and where these are in its part."""
        if isinstance(x, DistMatrixStore):
            mine = self.owner_of(x.nrows, x.ncols, *index) == self.grid.rank
            return mine, tuple(block.to_local(axis[mine]) for block, axis in zip(self.blocks(x), index, strict=True))
        line = self.grid.line(x.size)
        mine = line.owner(index[0]) == self.grid.rank
        return mine, (index[0][mine] - line.chunk(self.grid.rank)[0],)

    def get_element(self, x: Store, index: tuple[int, ...]) -> Any:
        mine, place = self._mine(x, _axes(index))
        value = self.local.get_element(x.part, tuple(int(axis[0]) for axis in place)) if mine.any() else None
        return next((found for found in self.grid.everyone.gather_objects(value) if found is not None), None)

    def set_element(self, x: Store, index: tuple[int, ...], value: Any, owned: bool = False) -> Store:
        return self.change_elements(x, _axes(index), np.array([value], x.dtype), np.array([True]))

    def remove_element(self, x: Store, index: tuple[int, ...]) -> Store:
        return self.change_elements(x, _axes(index), np.zeros(1, x.dtype), np.array([False]))

    def change_elements(
        self, x: Store, index: tuple[np.ndarray, ...], values: np.ndarray, kept: np.ndarray, owned: bool = False
    ) -> Store:
        """Every rank has all changes, and changes the elements of its part."""
        mine, place = self._mine(x, index)
        part = self.local.change_elements(x.part, place, values[mine], kept[mine]) if mine.any() else x.part
        return self.like(x, part)


def _axes(place: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    return tuple(np.array([number]) for number in place)
