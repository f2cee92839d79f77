"""Element-wise operations, apply, select and reductions, each once for vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...foundation.types import Array, TypedMonoid, TypedOperator, Value
from ...plan.facts import uses
from ..stores.entries import (
    Store,
    cast,
    compress,
    entries,
    expand,
    find,
    look_up,
    merge,
    operand,
    positions,
    rebuild,
    runs,
    take,
    values_of,
)
from ..stores.matrix_storage import from_lines
from ..stores.storage import INDEX, MatrixStore, VectorStore, transpose_csr
from .operating import Operating

MANY_TIMES = 2**16  # entries with one value: from here on they are not combined one by one


class Elementwise(Operating):
    def ewise_mult(self, x: Store, y: Store, op: TypedOperator) -> Store:
        """The intersection: ``op(x, y)`` where both have an entry."""
        if type(x) is VectorStore and ("full" in (x.kind, y.kind) or (x.kind == "sparse") != (y.kind == "sparse")):
            return self._beside_dense(x, y, op)
        x_keys, x_values = entries(x)
        y_keys, y_values = entries(y)
        found, where = find(x_keys, y_keys)
        keys = y_keys[found]
        i, j = positions(x, keys)
        values = self.combine(op, (take(x_values, where[found]), i, j), (take(y_values, found), i, j))
        return rebuild(x, keys, values)

    def _beside_dense(self, x: VectorStore, y: VectorStore, op: TypedOperator) -> VectorStore:
        """The intersection of vectors, one of which is read where the other has entries."""
        if x.kind == y.kind == "full" and x.iso and y.iso and op.positional is None:
            return VectorStore(x.size, self.combine(op, (x.values, None, None), (y.values, None, None)))
        by_right = y.kind == "sparse" or x.kind == "full" != y.kind
        listed, dense = (y, x) if by_right else (x, y)
        keys, values = entries(listed)
        found, others = look_up(dense, keys)
        if dense.kind != "full":
            keys, values = keys[found], take(values, found)
        i, j = positions(x, keys)
        left, right = (others, values) if by_right else (values, others)
        return rebuild(x, keys, self.combine(op, (left, i, j), (right, i, j)))

    def ewise_add(self, x: Store, y: Store, op: TypedOperator) -> Store:
        """The union: ``op(x, y)`` where both have an entry, the present one elsewhere."""
        return self.union(x, y, op)

    def ewise_union(self, x: Store, y: Store, op: TypedOperator, left_default: Value, right_default: Value) -> Store:
        """The union, with a default in place of the missing operand."""
        return self.union(x, y, op, (left_default, right_default))

    def union(
        self,
        x: Store,
        y: Store,
        op: TypedOperator,
        defaults: tuple[Value, Value] | None = None,
        dtype: np.dtype | None = None,
    ) -> Store:
        """The union, in the operator's type or another: values that are not combined are cast to that directly."""
        dtype = op.return_type.np_type if dtype is None else dtype
        if type(x) is VectorStore and x.kind == y.kind == "full" and x.iso and y.iso and op.positional is None:
            return VectorStore(x.size, cast(self._beside_dense(x, y, op).values, dtype))
        x_keys, x_values = entries(x)
        y_keys, y_values = entries(y)
        found, where = find(x_keys, y_keys)
        in_both = np.zeros(len(x_keys), bool, like=x_keys)
        in_both[where[found]] = True
        both_i, both_j = positions(x, y_keys[found])
        both = self.combine(op, (take(x_values, where[found]), both_i, both_j), (take(y_values, found), both_i, both_j))
        both = cast(both, dtype)

        def alone(keys: Array, values: Array, default_is_left: bool) -> Array:
            if defaults is None:
                return cast(values, dtype)
            default = defaults[0 if default_is_left else 1]
            i, j = positions(x, keys)
            filler = np.broadcast_to(self.array(default).reshape(1), keys.shape)
            given, filled = (values, i, j), (filler, i, j)
            return self.combine(op, filled, given) if default_is_left else self.combine(op, given, filled)

        only_x, only_y = ~in_both, ~found
        keys, values = merge(
            x_keys[only_x],
            alone(x_keys[only_x], take(x_values, only_x), False),
            y_keys[only_y],
            alone(y_keys[only_y], take(y_values, only_y), True),
        )
        return rebuild(x, *merge(keys, values, y_keys[found], both))

    def apply(self, x: Store, op: TypedOperator) -> Store:
        """``op(x)`` on every entry."""
        if op.positional is not None:
            return self._by_place(x, op)
        return with_values(x, self.compute(op, operand(x.values, op.type.np_type)))

    def _by_place(self, x: Store, op: TypedOperator) -> Store:
        here = placed_entries(x, op)
        return _at_the_same(x, here[1:], self.combine(op, here, here))

    def apply_bind(self, x: Store, op: TypedOperator, scalar: Value, side: str) -> Store:
        """``op(scalar, x)`` (side "left") or ``op(x, scalar)`` (side "right")."""
        if op.positional is not None:
            return self._by_place(x, op)
        fixed = cast(self.array(scalar).reshape(1), (op.type if side == "left" else op.type2).np_type)
        if side == "left":
            return with_values(x, self.compute(op, fixed, operand(x.values, op.type2.np_type)))
        return with_values(x, self.compute(op, operand(x.values, op.type.np_type), fixed))

    def apply_index(self, x: Store, op: TypedOperator, thunk: Value) -> Store:
        """``op(x, i, j, thunk)`` on every entry."""
        values, i, j = placed_entries(x, op)
        return _at_the_same(x, (i, j), self.indexed(op, values, i, j, thunk))

    def select(self, x: Store, op: TypedOperator, thunk: Value) -> Store:
        """The entries for which ``op(x, i, j, thunk)`` is true."""
        values, i, j = placed_entries(x)
        keep = cast(self.indexed(op, values, i, j, thunk), np.dtype(bool))
        return with_entries(x, (i[keep], j[keep]), take(values, keep))

    def indexed(self, op: TypedOperator, values: Array, i: Array, j: Array, thunk: Value) -> Array:
        thunk = cast(self.array(thunk).reshape(1), op.type2.np_type)
        result = self.compute(op, operand(values, op.type.np_type), i, j, thunk)
        return np.broadcast_to(result, i.shape)

    def reduce_scalar(self, x: Store, monoid: TypedMonoid) -> Value | None:
        """All entries combined, or None when there is none."""
        if x.nvals == 0:
            return None
        if x.iso and x.nvals > MANY_TIMES:
            return _repeated(monoid, cast(self.host(x.values), monoid.type.np_type), x.nvals)
        return self.reduce_all(monoid, cast(values_of(x), monoid.type.np_type))

    def reduce_rowwise(self, a: MatrixStore, monoid: TypedMonoid) -> VectorStore:
        """The entries of each row combined; no entry for an empty row."""
        values = cast(expand(a.values, a.nvals), monoid.type.np_type)
        if a.rows is not None:
            return VectorStore(a.nrows, self.reduce_runs(monoid, values, a.starts[:-1]), indices=a.rows)
        rows = np.flatnonzero(np.diff(a.indptr)).astype(INDEX)
        return VectorStore(a.nrows, self.reduce_runs(monoid, values, a.indptr[rows]), indices=rows)

    def reduce_columnwise(self, a: MatrixStore, monoid: TypedMonoid) -> VectorStore:
        """The entries of each column combined, in the order of rows; no entry for an empty column."""
        if a._transpose is not None or a.copies > 1 or not isinstance(a.indices, np.ndarray):
            return self.reduce_rowwise(a.transposed(), monoid)
        order = np.argsort(a.indices, kind="stable")
        cols, values = a.indices[order].astype(INDEX), take(expand(a.values, a.nvals), order)
        starts = runs(cols)
        values = self.reduce_runs(monoid, cast(values, monoid.type.np_type), starts)
        return VectorStore(a.ncols, values, indices=cols[starts])

    def transpose(self, a: MatrixStore) -> MatrixStore:
        """A copy of the transpose (the cached one stays the cache's)."""
        return transpose_csr(a) if a._transpose is None else a._transpose.copy()

    def cast(self, x: Store, dtype: np.dtype) -> Store:
        """The same entries in another type; the very same store when the type is already right."""
        return x if x.dtype == dtype else with_values(x, cast(x.values, dtype))


def placed_entries(x: Store, op: TypedOperator | None = None) -> tuple[Array, Array, Array]:
    """Value, row and column of every entry, in order; a vector is a single column. What ``op`` does not read is 0."""
    if type(x) is MatrixStore:
        rows, cols = (x.dense is not None or op is None or _reads(op, axis) for axis in "ij")
        nothing = np.broadcast_to(np.zeros(1, INDEX, like=x.indices), (x.nvals,))
        i = x.row_ids.astype(INDEX) if rows else nothing
        return expand(x.values, x.nvals), i, x.indices.astype(INDEX) if cols else nothing
    keys, values = entries(x)
    return values, keys, np.zeros(len(keys), INDEX, like=keys)


def with_entries(like: Store, places: tuple[Array, Array], values: Array) -> Store:
    """A store of the same shape with these entries, in order."""
    if type(like) is MatrixStore:
        return from_lines(like.nrows, like.ncols, *places, compress(values))
    if 0 < like.size == len(values):
        return VectorStore(like.size, compress(values).copy())
    return VectorStore(like.size, compress(values), indices=places[0])


def _at_the_same(x: Store, places: tuple[Array, Array], values: Array) -> Store:
    """New values for all entries of the same structure; rows are not counted again."""
    if type(x) is MatrixStore and x.dense is None:
        return with_values(x, compress(values))
    return with_entries(x, places, values)


def _reads(op: TypedOperator, axis: str) -> bool:
    """Whether an operator reads the row ("i") or the column ("j") of its entry."""
    if op.positional is not None and not op.indexed:
        return op.positional.endswith(axis)
    return uses(op, axis)


def _repeated(monoid: TypedMonoid, one: Array, count: int) -> Value:
    """A value combined with itself so many times: by doubling, along the binary digits of the count."""
    result: Any = None
    while count:
        if count & 1:
            result = one if result is None else monoid.binaryop.numpy(result, one)
        one = monoid.binaryop.numpy(one, one)
        count >>= 1
    return result[0]


def with_values(x: Store, values: Array, fresh: bool = False) -> Store:
    """The structure of ``x`` with other values. Index arrays are shared, arrays that may change in place are not.

    ``fresh``: no other object shares these values, so this is not checked.
    """
    if not fresh and np.may_share_memory(values, x.values):
        values = values.copy()
    if type(x) is MatrixStore:
        if x.rows is not None:
            return MatrixStore.hypersparse(x.nrows, x.ncols, x.rows, x.starts, x.indices, values)
        return MatrixStore(x.nrows, x.ncols, x.indptr, x.indices, values)
    present = None if x.present is None else x.present.copy()
    if x.pending is not None and present is not None:
        return VectorStore.counted_bitmap(x.size, values, present, x.pending.counter, x.pending.at_most)
    return VectorStore(x.size, values, indices=x.indices, present=present, nvals=x.nvals, ordered=x.ordered)
