"""Matrix products by expansion: list every product, bring equal keys together, reduce each run."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..entries import allowed, cast, entries, expand, find, matrix_from_keys, ranges, runs, take
from ..storage import INDEX, Array, MaskView, MatrixStore, VectorStore


class Products:
    def mxv(
        self,
        a: MatrixStore,
        u: VectorStore,
        semiring: Any,
        mask: MaskView | None,
        *,
        transposed: bool,
        flip: bool,
        plan: Any,
    ) -> VectorStore:
        """``t[i] = add_k mult(m[i, k], u[k])`` with ``m = a'`` if transposed; operands of mult swapped if ``flip``."""
        m = a.transposed() if transposed else a
        u_keys, u_values = entries(u)
        found, where = find(u_keys, m.indices.astype(INDEX))
        rows = m.row_ids[found].astype(INDEX)
        if mask is not None:
            keep = allowed(mask, rows)
            rows = rows[keep]
            found[found] = keep
        where = where[found]
        inner = m.indices[found].astype(INDEX)
        zeros = np.zeros(len(rows), INDEX)
        left, right = (take(expand(m.values, m.nvals), found), rows, inner), (take(u_values, where), inner, zeros)
        if flip:  # u is a row: position (0, k); the matrix is seen as stored: position (k, i)
            left, right = (right[0], zeros, inner), (left[0], inner, rows)
        values = multiply(semiring.binaryop, left, right)
        starts = runs(rows)
        return VectorStore(m.nrows, semiring.monoid.reduceat(values, starts), indices=rows[starts])

    def mxm(self, a: MatrixStore, b: MatrixStore, semiring: Any, mask: MaskView | None, *, plan: Any) -> MatrixStore:
        """``t[i, j] = add_k mult(a[i, k], b[k, j])``."""
        counts = np.diff(b.indptr)[a.indices]
        from_a = np.repeat(np.arange(a.nvals), counts)
        from_b = ranges(b.indptr[a.indices], counts)
        rows, inner, cols = a.row_ids[from_a].astype(INDEX), a.indices[from_a].astype(INDEX), b.indices[from_b]
        keys = rows * b.ncols + cols
        order = np.argsort(keys, kind="stable")
        if mask is not None:
            order = order[allowed(mask, keys[order])]
        left = (take(expand(a.values, a.nvals), from_a[order]), rows[order], inner[order])
        right = (take(expand(b.values, b.nvals), from_b[order]), inner[order], cols[order].astype(INDEX))
        keys = keys[order]
        starts = runs(keys)
        values = semiring.monoid.reduceat(multiply(semiring.binaryop, left, right), starts)
        return matrix_from_keys(a.nrows, b.ncols, keys[starts], values)

    def inner(self, u: VectorStore, v: VectorStore, semiring: Any) -> Any:
        """``add_k mult(u[k], v[k])``, or None when no position is shared."""
        u_keys, u_values = entries(u)
        v_keys, v_values = entries(v)
        found, where = find(u_keys, v_keys)
        shared = v_keys[found]
        if len(shared) == 0:
            return None
        zeros = np.zeros(len(shared), INDEX)
        left, right = (take(u_values, where[found]), zeros, shared), (take(v_values, found), shared, zeros)
        return semiring.monoid.reduce(multiply(semiring.binaryop, left, right))

    def outer(self, u: VectorStore, v: VectorStore, op: Any) -> MatrixStore:
        """``t[i, j] = op(u[i], v[j])``."""
        u_keys, u_values = entries(u)
        v_keys, v_values = entries(v)
        i, j = np.repeat(u_keys, len(v_keys)), np.tile(v_keys, len(u_keys))
        zeros = np.zeros(len(i), INDEX)
        left = (take(u_values, np.repeat(np.arange(len(u_keys)), len(v_keys))), i, zeros)
        right = (take(v_values, np.tile(np.arange(len(v_keys)), len(u_keys))), zeros, j)
        return matrix_from_keys(u.size, v.size, i * v.size + j, multiply(op, left, right))

    def kronecker(self, a: MatrixStore, b: MatrixStore, op: Any) -> MatrixStore:
        """``t[i * b.nrows + k, j * b.ncols + l] = op(a[i, j], b[k, l])``."""
        from_a = np.repeat(np.arange(a.nvals), b.nvals)
        from_b = np.tile(np.arange(b.nvals), a.nvals)
        i, j = a.row_ids[from_a].astype(INDEX), a.indices[from_a].astype(INDEX)
        k, l = b.row_ids[from_b].astype(INDEX), b.indices[from_b].astype(INDEX)
        left = (take(expand(a.values, a.nvals), from_a), i, j)
        right = (take(expand(b.values, b.nvals), from_b), k, l)
        values = multiply(op, left, right)
        ncols = a.ncols * b.ncols
        keys = (i * b.nrows + k) * ncols + j * b.ncols + l
        order = np.argsort(keys)
        return matrix_from_keys(a.nrows * b.nrows, ncols, keys[order], values[order])


def multiply(op: Any, left: tuple[Array, Array, Array], right: tuple[Array, Array, Array]) -> Array:
    """Apply a binary operator to operands given as (values, rows, columns); positional ones look only at the latter."""
    if op.positional is None:
        return op.numpy(cast(left[0], op.type.np_type), cast(right[0], op.type2.np_type))
    _, rows, cols = left if op.positional.startswith("first") else right
    return ((rows if op.positional.endswith("i") else cols) + op.offset).astype(op.return_type.np_type)
