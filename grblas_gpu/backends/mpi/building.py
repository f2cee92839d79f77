"""Stores from arrays that every rank has, exports of stores, and single elements.

Every rank passes the same arrays to ``from_coo``, and keeps its own part. Objects that are too large for one rank are
built from parts (:mod:`.construction`).
"""

from __future__ import annotations

import numpy as np

from ...foundation.types import Accum, ArrayLike, Value
from ..reference import Definitions
from ..stores.entries import entries
from ..stores.storage import MatrixStore, VectorStore
from .parts import AnyStore, Parts, Store
from .stores import DistMatrixStore, DistVectorStore

_HOST = Definitions()


class Building(Parts):
    """Construction, export and element access."""

    def build_vector(self, size: int, index: ArrayLike, values: ArrayLike, dup_op: Accum) -> DistVectorStore:
        index, values = np.asarray(index), np.asarray(values)
        self.grid.check_same_arrays("a vector", index, values)
        low, high = self.chunk(size)
        mine = (index >= low) & (index < high)

        def build() -> VectorStore:
            return _HOST.build_vector(high - low, index[mine] - low, values[mine], dup_op)

        return self.vector(size, self.local.adopt(self.grid.together(build)))

    def build_matrix(
        self, nrows: int, ncols: int, rows: ArrayLike, cols: ArrayLike, values: ArrayLike, dup_op: Accum
    ) -> DistMatrixStore:
        rows, cols, values = np.asarray(rows), np.asarray(cols), np.asarray(values)
        self.grid.check_same_arrays("a matrix", rows, cols, values)
        mine = self.owner_of(nrows, ncols, rows, cols) == self.grid.rank
        given = rows[mine], cols[mine], values[mine]
        return self.matrix(nrows, ncols, self.grid.together(lambda: self.block_part(nrows, ncols, *given, dup_op)))

    def adopt(self, store: Store | MatrixStore | VectorStore) -> Store:
        """This rank's part of a store that every rank has."""
        if isinstance(store, (DistVectorStore, DistMatrixStore)):
            return store
        if isinstance(store, MatrixStore):
            self.grid.check_same_arrays("a matrix", *store.arrays.values())
        else:
            self.grid.check_same_arrays("a vector", *(x for x in entries(store)))
        return self.cut(store)

    # ---- export ---------------------------------------------------------------------------------------------------

    def has_one_value(self, x: Store) -> bool:
        values = self.tuples(x)[2]
        return bool(len(values) and (values == values[0]).all())

    def to_dense(self, x: Store, fill: Value | None, dtype: np.dtype) -> np.ndarray:
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

    def get_element(self, x: Store, index: tuple[int, ...]) -> Value | None:
        mine, place = self._mine(x, _axes(index))
        value = self.local.get_element(x.part, tuple(int(axis[0]) for axis in place)) if mine.any() else None
        return next((found for found in self.grid.everyone.gather_objects(value) if found is not None), None)

    def set_element(self, x: AnyStore, index: tuple[int, ...], value: Value, owned: bool = False) -> AnyStore:
        return self.change_elements(x, _axes(index), np.array([value], x.dtype), np.array([True]))

    def remove_element(self, x: AnyStore, index: tuple[int, ...]) -> AnyStore:
        return self.change_elements(x, _axes(index), np.zeros(1, x.dtype), np.array([False]))

    def change_elements(
        self, x: AnyStore, index: tuple[np.ndarray, ...], values: np.ndarray, kept: np.ndarray, owned: bool = False
    ) -> AnyStore:
        """Every rank has all changes, and changes the elements of its part."""
        mine, place = self._mine(x, index)
        part = self.local.change_elements(x.part, place, values[mine], kept[mine]) if mine.any() else x.part
        return self.like(x, part)


def _axes(place: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    return tuple(np.array([number]) for number in place)
