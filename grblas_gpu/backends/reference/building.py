"""Making stores from arrays, and arrays from stores."""

from __future__ import annotations

import numpy as np

from ...exceptions import InvalidValue
from ...foundation.types import TypedOperator, Value
from ...plan.storage_rules import MANY_ROWS
from ..machine.memory_limits import check_entries, check_positions
from ..stores.counting import every
from ..stores.entries import (
    Store,
    cast,
    compress,
    entries,
    expand,
    filled,
    find,
    is_iso,
    keys_at,
    matrix_from_keys,
    runs,
    runs_of_pairs,
    take,
)
from ..stores.matrix_storage import SPARSE, from_lines
from ..stores.storage import INDEX, Array, MatrixStore, VectorStore, column_type
from .elementwise import with_values
from .operating import Operating
from .products import grid


class Building(Operating):
    def build_vector(self, size: int, index: Array, values: Array, dup_op: TypedOperator | None) -> VectorStore:
        """Entries from coordinates in any order; ``values`` may be a broadcast view (iso)."""
        keys, values = self.unique_entries(self.array(index), size, self.moved(values), dup_op)
        return VectorStore(size, compress(values), indices=keys)

    def build_entry(self, size: int, index: int, value: Value, dtype: np.dtype) -> VectorStore:
        return VectorStore(size, np.array([value], dtype), indices=np.array([index], INDEX), nvals=1)

    def build_matrix(
        self, nrows: int, ncols: int, rows: Array, cols: Array, values: Array, dup_op: TypedOperator | None
    ) -> MatrixStore:
        rows, cols = self.array(rows), self.array(cols)
        if nrows * ncols >= 2**63:  # more positions than keys
            return self._build_by_pairs(nrows, ncols, rows, cols, self.moved(values), dup_op)
        keys = keys_at(rows, cols, nrows, ncols)
        if isinstance(keys, np.ndarray) and bool((keys[1:] > keys[:-1]).all()):  # in order: no keys to take apart
            values = self.moved(values)
            values = compress(values) if is_iso(values) else values.copy()
            return from_lines(nrows, ncols, rows.astype(INDEX, copy=False), cols.astype(column_type(ncols)), values)
        keys, values = self.unique_entries(keys, nrows * ncols, self.moved(values), dup_op)
        return matrix_from_keys(nrows, ncols, keys, values)

    def _build_by_pairs(
        self, nrows: int, ncols: int, rows: Array, cols: Array, values: Array, dup_op: TypedOperator | None
    ) -> MatrixStore:
        cols, by_column = self.in_order(cols, ncols)
        rows, by_row = self.in_order(rows[by_column], nrows)
        cols, values = cols[by_row], take(values, by_column[by_row])
        starts = runs_of_pairs(rows, cols)
        if len(starts) < len(rows):
            values = self._combined(values, starts, dup_op)
            rows, cols = rows[starts], cols[starts]
        return from_lines(nrows, ncols, rows, cols, compress(values))

    def _combined(self, values: Array, starts: Array, dup_op: TypedOperator | None) -> Array:
        if dup_op is None:
            raise InvalidValue("duplicate indices found; give dup_op= to say how to combine their values")
        return self.combined_runs(dup_op, cast(values, dup_op.type.np_type), starts)

    def moved(self, values: Array) -> Array:
        """Values in this engine's memory; one that stands for all stays one."""
        return np.broadcast_to(self.array(values[:1]), values.shape) if is_iso(values) else self.array(values)

    def unique_entries(
        self, keys: Array, limit: int, values: Array, dup_op: TypedOperator | None
    ) -> tuple[Array, Array]:
        if len(keys) < 2 or every(keys[1:] > keys[:-1]):  # already in order: nothing to sort
            return keys.copy(), values if is_iso(values) else values.copy()
        keys, order = self.in_order(keys, limit)
        values = take(values, order)
        starts = runs(keys)
        if len(starts) < len(keys):
            values = self._combined(values, starts, dup_op)
            keys = keys[starts]
        return keys, values

    def combined_runs(self, op: TypedOperator, values: Array, starts: Array) -> Array:
        """Each run combined; an iso value stays iso if combining it with itself changes nothing."""
        if is_iso(values):
            one = values[:1].copy()
            again = self.compute(op.binaryop if op.opclass == "Monoid" else op, one, one)
            if again.dtype == one.dtype and bool((again == one)[0]):
                return np.broadcast_to(one, (len(starts),))
        return self.reduce_runs(op, values, starts)

    def tuples(self, x: Store) -> tuple[Array, Array, Array]:
        """Rows (or indices), columns and values of all entries, in order."""
        if type(x) is MatrixStore:
            return self.host(x.row_ids), self.host(x.indices), expand(self.host(x.values), x.nvals)
        keys, values = entries(x)
        return self.host(keys), self.host(keys), self.host(values)

    def to_dense(self, x: Store, fill: Value, dtype: np.dtype) -> Array:
        shape = (x.nrows, x.ncols) if type(x) is MatrixStore else (x.size,)
        if type(x) is VectorStore and x.kind == "full":
            return np.array(np.broadcast_to(self.host(cast(x.values, dtype)), shape))
        check_positions(shape[0], shape[-1] if len(shape) == 2 else 1, np.dtype(dtype).itemsize)
        if type(x.present) is np.ndarray and np.dtype(dtype).kind != "V":
            other = np.full((), 0 if fill is None else fill, dtype)
            return np.where(x.present, cast(x.stored_values, dtype), other).reshape(shape)
        keys, values = entries(x)
        dense = np.full(shape, 0 if fill is None else fill, dtype)
        dense.reshape(-1)[self.host(keys)] = self.host(cast(values, dtype))
        return dense

    def resize_vector(self, u: VectorStore, size: int) -> VectorStore:
        keys, values = entries(u)
        keep = keys < size
        return VectorStore(size, compress(take(values, keep)), indices=keys[keep])

    def resize_matrix(self, a: MatrixStore, nrows: int, ncols: int) -> MatrixStore:
        if a.form == SPARSE and a.copies == 1 and ncols >= a.ncols and nrows <= MANY_ROWS:  # no entry moves
            known = min(nrows, a.nrows)
            indptr = np.zeros(nrows + 1, INDEX, like=a.indptr)
            indptr[: known + 1] = a.indptr[: known + 1]
            indptr[known + 1 :] = indptr[known]
            indices = a.indices[: int(indptr[known])].astype(column_type(ncols), copy=False)  # synchronizes
            return MatrixStore(nrows, ncols, indptr, indices, a.values[: len(indices)].copy())
        rows, cols = a.row_ids.astype(INDEX), a.indices.astype(INDEX)
        keep = (rows < nrows) & (cols < ncols)
        values = take(expand(a.values, a.nvals), keep)
        return from_lines(nrows, ncols, rows[keep], cols[keep], compress(values))

    def diagonal_matrix(self, u: VectorStore, k: int) -> MatrixStore:
        """A square matrix with ``u`` on its k-th diagonal."""
        if u.kind == "full" and k == 0 and u.size:
            places = np.arange(check_entries(u.size, like=u.values) + 1, dtype=INDEX, like=u.values)
            cols: Array = places[:-1].astype(column_type(u.size))
            result = MatrixStore(u.size, u.size, places, cols, u.values.copy())
            result._is_diagonal = True
            return result
        size = u.size + abs(k)
        keys, values = entries(u)
        rows, cols = keys + max(0, -k), keys + max(0, k)
        return from_lines(size, size, rows, cols, compress(values))

    def as_matrix(self, u: VectorStore, row: bool) -> MatrixStore:
        """A vector as a 1 x n (row) or n x 1 matrix."""
        keys, values = entries(u)
        zeros = np.zeros(len(keys), INDEX, like=keys)
        if row:
            return from_lines(1, u.size, zeros, keys, compress(values))
        return from_lines(u.size, 1, keys, zeros, compress(values))

    def spread(self, u: VectorStore, nrows: int, ncols: int, down: bool, pattern: MatrixStore | None) -> MatrixStore:
        """``t[i, j] = u[i]`` (``down``) or ``u[j]``: at every position, or only at those of a pattern."""
        if pattern is not None:
            index = pattern.row_ids if down else pattern.indices
            if u.indices is None and u.nvals == u.size:  # flags that are all set need not be looked at
                return with_values(pattern, u.values[: pattern.nvals] if u.iso else u.values[index])
            if u.size <= pattern.nvals:  # reading a flag takes less time than a search
                u = self.with_kind(u, "bitmap")
            if u.present is not None:
                found, where, values = u.present[index], index, expand(u.values, u.size)
            else:
                keys, values = entries(u)
                found, where = find(keys, index.astype(INDEX))
            rows, cols = pattern.row_ids[found], pattern.indices[found]
            return from_lines(nrows, ncols, rows, cols, compress(take(values, where[found])))
        u_keys, u_values = entries(u)
        if down:
            from_u, cols = grid(len(u_keys), ncols, u_keys)
            rows = u_keys[from_u]
        else:
            rows, from_u = grid(nrows, len(u_keys), u_keys)
            cols = u_keys[from_u]
        return from_lines(nrows, ncols, rows, cols, compress(take(u_values, from_u)))

    def with_kind(self, u: VectorStore, kind: str) -> VectorStore:
        """The same vector stored as "sparse", "bitmap" or "full" (full needs an entry everywhere)."""
        if u.kind == kind:
            return u
        if kind == "sparse":
            keys, values = entries(u)
            return VectorStore(u.size, compress(values).copy(), indices=keys)
        values = u.values
        if u.indices is not None and not u.iso:
            values = np.zeros(u.size, u.dtype, like=u.values)
            values[u.indices] = u.values
        if kind == "full":
            return VectorStore(u.size, values)
        present = u.present
        if present is None:
            present = filled(u.size, u.indices is None, u.values)
            if u.indices is not None:
                present[u.indices] = True
        return VectorStore(u.size, values, present=present, nvals=u.nvals)
