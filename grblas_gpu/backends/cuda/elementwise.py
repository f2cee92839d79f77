"""Vectors position by position, whole matrices entry by entry, and all entries combined."""

from __future__ import annotations

import cupy
import numpy as np

from ...foundation.types import TypedMonoid, TypedOperator, Value
from ...plan.facts import uses
from ...plan.storage_rules import DENSE_LIMIT
from ..protocol import Backend
from ..reference import Definitions
from ..reference.elementwise import with_values
from ..stores.entries import Store, cast, operand
from ..stores.later import Later
from ..stores.matrix_storage import SPARSE
from ..stores.storage import Array, MatrixStore, VectorStore
from .eager import matrices, operating, rows, selecting, vectors


class CudaElementwise(Backend):
    """By kernels where vectors are short enough to have a place for every position, else by the definitions."""

    def ewise_mult(self, x: Store, y: Store, op: TypedOperator) -> Store:
        if matrices.worthwhile(x):
            return matrices.intersection(x, y, op)
        return vectors.ewise(x, y, op, False) if vectors.worthwhile(x, y) else Definitions.ewise_mult(self, x, y, op)

    def union(
        self,
        x: Store,
        y: Store,
        op: TypedOperator,
        defaults: tuple[Value, Value] | None = None,
        dtype: np.dtype | None = None,
    ) -> Store:
        if matrices.worthwhile(x):
            return matrices.union(x, y, op, defaults, dtype)
        if not vectors.worthwhile(x, y):
            return Definitions.union(self, x, y, op, defaults, dtype)
        if dtype is None:
            return vectors.ewise(x, y, op, True, defaults)
        if dtype != x.dtype or op.positional is not None or defaults is not None:
            return Definitions.union(self, x, y, op, defaults, dtype)
        return vectors.write(x, y, None, op, False)  # in the type of x: x (op)= y

    def select(self, x: Store, op: TypedOperator, thunk: Value) -> Store:
        if type(x) is MatrixStore:
            return selecting.select(x, op, thunk)
        return vectors.filtered(x, op, thunk, True) if vectors.worthwhile(x) else Definitions.select(self, x, op, thunk)

    def apply_index(self, x: Store, op: TypedOperator, thunk: Value) -> Store:
        if type(x) is MatrixStore:
            return selecting.apply_index(x, op, thunk)
        if not vectors.worthwhile(x):
            return Definitions.apply_index(self, x, op, thunk)
        return vectors.filtered(x, op, thunk, False)

    def with_kind(self, u: VectorStore, kind: str) -> VectorStore:
        if kind == "bitmap" and u.kind == "sparse":
            return vectors.as_bitmap(u)
        if kind == "sparse" and u.kind == "bitmap":
            return vectors.as_list(u)
        return Definitions.with_kind(self, u, kind)

    def cast(self, x: Store, dtype: np.dtype) -> Store:
        pending = x.pending if type(x) is VectorStore else None
        if pending is None or x.dtype == dtype or pending.indices is None:
            return Definitions.cast(self, x, dtype)
        values = cast(pending.values, dtype)
        return VectorStore.counted_list(x.size, values, pending.indices, pending.counter, x.ordered)

    def apply(self, x: Store, op: TypedOperator) -> Store:
        if _gives_one_value(x, op, "x"):
            return with_values(x, self.compute(op, cupy.zeros(1, op.type.np_type)), fresh=True)
        if op.positional is not None:
            return Definitions.apply(self, x, op)
        return with_values(x, self.compute(op, operand(x.values, op.type.np_type)), fresh=True)

    def apply_bind(self, x: Store, op: TypedOperator, scalar: Value, side: str) -> Store:
        if _gives_one_value(x, op, "y" if side == "left" else "x"):
            unread = cupy.zeros(1, (op.type2 if side == "left" else op.type).np_type)
            x = MatrixStore(x.nrows, x.ncols, x.indptr, x.indices, unread)
        if op.positional is not None:
            return Definitions.apply_bind(self, x, op, scalar, side)
        is_left = side == "left"
        mine, its = (op.type, op.type2) if is_left else (op.type2, op.type)
        fixed = cast(np.asarray(scalar).reshape(1), mine.np_type)[0]
        return with_values(x, operating.compute_bound(op, operand(x.values, its.np_type), fixed, is_left), fresh=True)

    def reduce_scalar(self, x: Store, monoid: TypedMonoid) -> Value | None:
        found = _told(x, monoid)
        return Definitions.reduce_scalar(self, x, monoid) if found is None else found.read()

    def reduce_later(self, x: Store, monoid: TypedMonoid) -> Value | Later | None:
        found = None if monoid.odd_kinds or x.dtype.kind in "cV" else _told(x, monoid)
        return self.reduce_scalar(x, monoid) if found is None else found

    def count_rowwise(self, a: MatrixStore) -> VectorStore:
        return rows.count_rows(a) if 0 < a.nrows <= DENSE_LIMIT else Definitions.count_rowwise(self, a)

    def compute(self, op: TypedOperator, *operands: Array) -> Array:
        return operating.compute(op, *operands)

    def reduce_runs(self, op: TypedOperator, values: Array, starts: Array) -> Array:
        return operating.reduce_runs(op, values, starts)

    def reduce_all(self, monoid: TypedMonoid, values: Array) -> Value:
        return operating.reduce_all(monoid, values)


def _told(x: Store, monoid: TypedMonoid) -> Later | None:
    """All entries combined in the type of the monoid and in order, because sums depend on it; None without entries."""
    count, dtype = x.nvals, monoid.type.np_type
    if count and x.iso:
        return operating.one_combined(monoid, cast(x.values, dtype), count)
    in_order = x.form == SPARSE if type(x) is MatrixStore else x.present is None and x.ordered
    return operating.all_combined(monoid, x.values) if count and in_order and x.dtype == dtype else None


def _gives_one_value(x: Store, op: TypedOperator, operand: str) -> bool:
    """Whether an operator that ignores the entries of a matrix gives all of them one value."""
    return type(x) is MatrixStore and x.nvals > 1 and op.positional is None and not uses(op, operand)
