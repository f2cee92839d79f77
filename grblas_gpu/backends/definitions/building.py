"""Making stores from arrays, and arrays from stores."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InvalidValue
from ..entries import Store, cast, compress, entries, expand, find, matrix_from_keys, runs, take
from ..storage import INDEX, Array, MatrixStore, VectorStore


class Building:
    xp = np

    def build_vector(self, size: int, index: Array, values: Array, dup_op: Any) -> VectorStore:
        """Entries from coordinates in any order; ``values`` may be a broadcast view (iso)."""
        keys, values = self.unique_entries(index, values, dup_op)
        return VectorStore(size, compress(values), indices=keys)

    def build_matrix(self, nrows: int, ncols: int, rows: Array, cols: Array, values: Array, dup_op: Any) -> MatrixStore:
        keys, values = self.unique_entries(rows * ncols + cols, values, dup_op)
        return matrix_from_keys(nrows, ncols, keys, values)

    def unique_entries(self, keys: Array, values: Array, dup_op: Any) -> tuple[Array, Array]:
        steps = np.diff(keys)
        if np.all(steps > 0):  # already in order: nothing to sort
            return keys.copy(), values if values.strides[:1] == (0,) else values.copy()
        order = np.argsort(keys, kind="stable")
        keys, values = keys[order], take(values, order)
        starts = runs(keys)
        if len(starts) < len(keys):
            if dup_op is None:
                raise InvalidValue("duplicate indices found; give dup_op= to say how to combine their values")
            values = dup_op.reduceat(cast(values, dup_op.type.np_type), starts)
            keys = keys[starts]
        return keys, values

    def tuples(self, x: Store) -> tuple[Array, Array, Array]:
        """Rows (or indices), columns and values of all entries, in order."""
        if type(x) is MatrixStore:
            return x.row_ids, x.indices, expand(x.values, x.nvals)
        keys, values = entries(x)
        return keys, keys, values

    def to_dense(self, x: Store, fill: Any, dtype: np.dtype) -> Array:
        shape = (x.nrows, x.ncols) if type(x) is MatrixStore else (x.size,)
        if type(x) is VectorStore and x.kind == "full":
            return np.array(np.broadcast_to(cast(x.values, dtype), shape))
        keys, values = entries(x)
        dense = np.full(shape, 0 if fill is None else fill, dtype)
        dense.reshape(-1)[keys] = cast(values, dtype)
        return dense

    def resize_vector(self, u: VectorStore, size: int) -> VectorStore:
        keys, values = entries(u)
        keep = keys < size
        return VectorStore(size, compress(take(values, keep)), indices=keys[keep])

    def resize_matrix(self, a: MatrixStore, nrows: int, ncols: int) -> MatrixStore:
        rows, cols = a.row_ids.astype(INDEX), a.indices.astype(INDEX)
        keep = (rows < nrows) & (cols < ncols)
        values = take(expand(a.values, a.nvals), keep)
        return matrix_from_keys(nrows, ncols, rows[keep] * ncols + cols[keep], values)

    def diagonal_matrix(self, u: VectorStore, k: int) -> MatrixStore:
        """A square matrix with ``u`` on its k-th diagonal."""
        size = u.size + abs(k)
        keys, values = entries(u)
        rows, cols = keys + max(0, -k), keys + max(0, k)
        return matrix_from_keys(size, size, rows * size + cols, values)

    def as_matrix(self, u: VectorStore, row: bool) -> MatrixStore:
        """A vector as a 1 x n (row) or n x 1 matrix."""
        keys, values = entries(u)
        return matrix_from_keys(1, u.size, keys, values) if row else matrix_from_keys(u.size, 1, keys, values)

    def spread(self, u: VectorStore, nrows: int, ncols: int, down: bool, pattern: MatrixStore | None) -> MatrixStore:
        """``t[i, j] = u[i]`` (``down``) or ``u[j]``: at every position, or only at those of a pattern."""
        u_keys, u_values = entries(u)
        if pattern is not None:
            index = (pattern.row_ids if down else pattern.indices).astype(INDEX)
            found, where = find(u_keys, index)
            keys = entries(pattern)[0][found]
            return matrix_from_keys(nrows, ncols, keys, take(u_values, where[found]))
        count = len(u_keys)
        if down:
            keys = (u_keys[:, None] * ncols + np.arange(ncols)).reshape(-1)
            return matrix_from_keys(nrows, ncols, keys, take(u_values, np.repeat(np.arange(count), ncols)))
        keys = (np.arange(nrows)[:, None] * ncols + u_keys).reshape(-1)
        return matrix_from_keys(nrows, ncols, keys, take(u_values, np.tile(np.arange(count), nrows)))

    def with_kind(self, u: VectorStore, kind: str) -> VectorStore:
        """The same vector stored as "sparse", "bitmap" or "full" (full needs an entry everywhere)."""
        if u.kind == kind:
            return u
        if kind == "sparse":
            keys, values = entries(u)
            return VectorStore(u.size, compress(values).copy(), indices=keys)
        values = u.values
        if u.indices is not None and not u.iso:
            values = np.zeros(u.size, u.dtype)
            values[u.indices] = u.values
        if kind == "full":
            return VectorStore(u.size, values)
        present = u.present
        if present is None:
            present = np.full(u.size, u.indices is None)
            if u.indices is not None:
                present[u.indices] = True
        return VectorStore(u.size, values, present=present, nvals=u.nvals)
