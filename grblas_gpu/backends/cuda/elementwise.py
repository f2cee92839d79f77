"""Vectors position by position, whole matrices entry by entry, and all entries combined."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from ...plan.facts import uses
from ...plan.storage_rules import DENSE_LIMIT
from ..entries import Store, cast, operand
from ..later import Later
from ..matrix_storage import SPARSE
from ..reference import Definitions
from ..reference.elementwise import with_values
from ..storage import Array, MatrixStore, VectorStore
from .eager import matrices, operating, rows, selecting, vectors
from .runtime.reporting import sized


class CudaElementwise(Definitions):
    """By kernels where vectors are short enough to have a place for every position, else by the definitions."""

    @sized
    def ewise_mult(self, x: Store, y: Store, op: Any) -> Store:
        if matrices.worthwhile(x):
            return matrices.intersection(x, y, op)
        return vectors.ewise(x, y, op, False) if vectors.worthwhile(x, y) else super().ewise_mult(x, y, op)

    @sized
    def union(self, x: Store, y: Store, op: Any, defaults: Any = None, dtype: np.dtype | None = None) -> Store:
        if matrices.worthwhile(x):
            return matrices.union(x, y, op, defaults, dtype)
        if dtype is not None or not vectors.worthwhile(x, y):
            return super().union(x, y, op, defaults, dtype)
        return vectors.ewise(x, y, op, True, defaults)

    @sized
    def select(self, x: Store, op: Any, thunk: Any) -> Store:
        if type(x) is MatrixStore:
            return selecting.select(x, op, thunk)
        return vectors.filtered(x, op, thunk, True) if vectors.worthwhile(x) else super().select(x, op, thunk)

    @sized
    def apply_index(self, x: Store, op: Any, thunk: Any) -> Store:
        if type(x) is MatrixStore:
            return selecting.apply_index(x, op, thunk)
        return vectors.filtered(x, op, thunk, False) if vectors.worthwhile(x) else super().apply_index(x, op, thunk)

    @sized
    def with_kind(self, u: VectorStore, kind: str) -> VectorStore:
        if kind == "bitmap" and u.kind == "sparse":
            return vectors.as_bitmap(u)
        if kind == "sparse" and u.kind == "bitmap":
            return vectors.as_list(u)
        return super().with_kind(u, kind)

    @sized
    def cast(self, x: Store, dtype: np.dtype) -> Store:
        pending = x.pending if type(x) is VectorStore else None
        if pending is None or x.dtype == dtype or pending.indices is None:
            return super().cast(x, dtype)
        values = cast(pending.values, dtype)
        return VectorStore.counted_list(x.size, values, pending.indices, pending.counter, x.ordered)

    @sized
    def apply(self, x: Store, op: Any) -> Store:
        if _gives_one_value(x, op, "x"):
            return with_values(x, self.compute(op, cupy.zeros(1, op.type.np_type)), fresh=True)
        if op.positional is not None:
            return super().apply(x, op)
        return with_values(x, self.compute(op, operand(x.values, op.type.np_type)), fresh=True)

    @sized
    def apply_bind(self, x: Store, op: Any, scalar: Any, side: str) -> Store:
        if _gives_one_value(x, op, "y" if side == "left" else "x"):
            unread = cupy.zeros(1, (op.type2 if side == "left" else op.type).np_type)
            x = MatrixStore(x.nrows, x.ncols, x.indptr, x.indices, unread)
        if op.positional is not None:
            return super().apply_bind(x, op, scalar, side)
        is_left = side == "left"
        mine, its = (op.type, op.type2) if is_left else (op.type2, op.type)
        fixed = cast(np.asarray(scalar).reshape(1), mine.np_type)[0]
        return with_values(x, operating.compute_bound(op, operand(x.values, its.np_type), fixed, is_left), fresh=True)

    @sized
    def reduce_scalar(self, x: Store, monoid: Any) -> Any:
        found = _told(x, monoid)
        return super().reduce_scalar(x, monoid) if found is None else found.read()

    @sized
    def reduce_later(self, x: Store, monoid: Any) -> Any:
        found = None if monoid.odd_kinds or x.dtype.kind in "cV" else _told(x, monoid)
        return self.reduce_scalar(x, monoid) if found is None else found

    @sized
    def reduce_rowwise(self, a: MatrixStore, monoid: Any) -> VectorStore:
        return rows.reduce_rows(a, monoid)

    @sized
    def count_rowwise(self, a: MatrixStore) -> VectorStore:
        return rows.count_rows(a) if 0 < a.nrows <= DENSE_LIMIT else super().count_rowwise(a)

    def compute(self, op: Any, *operands: Array) -> Array:
        return operating.compute(op, *operands)

    def reduce_runs(self, op: Any, values: Array, starts: Array) -> Array:
        return operating.reduce_runs(op, values, starts)

    def reduce_all(self, monoid: Any, values: Array) -> Any:
        return operating.reduce_all(monoid, values)


def _told(x: Store, monoid: Any) -> Later | None:
    """All entries combined, if there are some, of the type that is asked for and in order: sums depend on it."""
    count, dtype = x.nvals, monoid.type.np_type
    if count and x.iso:
        return operating.one_combined(monoid, cast(x.values, dtype), count)
    in_order = x.form == SPARSE if type(x) is MatrixStore else x.present is None and x.ordered
    return operating.all_combined(monoid, x.values) if count and in_order and x.dtype == dtype else None


def _gives_one_value(x: Store, op: Any, operand: str) -> bool:
    """Whether an operator that never looks at the entries of a matrix makes them all alike."""
    return type(x) is MatrixStore and x.nvals > 1 and op.positional is None and not uses(op, operand)
