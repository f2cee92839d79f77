"""Matrix products by expansion: list every product, bring equal keys together, reduce each run.

The asynchronous pull is two products: every row reads the operand first, and then all rows that settled.
"""

from __future__ import annotations

import numpy as np

from ...foundation.types import Plan, TypedOperator, TypedSemiring, Value
from ..machine.memory_limits import check_entries
from ..protocol import Backend
from ..stores.entries import (
    allowed,
    compress,
    entries,
    expand,
    find,
    in_order_of_pairs,
    keys_at,
    lines,
    look_up,
    matrix_from_keys,
    matrix_keys,
    ranges,
    repeat,
    rows_and_columns,
    runs,
    take,
    true_keys,
)
from ..stores.index_types import order_of_keys
from ..stores.matrix_storage import from_lines
from ..stores.storage import INDEX, Array, MaskView, MatrixStore, VectorStore
from .operating import Operating

PRODUCT_BYTES = 64  # what is listed for a product


class Products(Operating):
    def count_edges(self, columns: MatrixStore, u: VectorStore) -> int:
        """Entries of a matrix in the columns (here: rows of its transpose) that ``u`` has entries for."""
        index: Array = np.flatnonzero(u.present) if u.present is not None else u.indices
        return int(lines(columns, index)[1].sum())

    def mxv(
        self,
        a: MatrixStore,
        u: VectorStore,
        semiring: TypedSemiring,
        mask: MaskView | None,
        *,
        transposed: bool,
        flip: bool,
        plan: Plan,
    ) -> VectorStore:
        """``t[i] = add_k mult(m[i, k], u[k])`` with ``m = a'`` if transposed; operands of mult swapped if ``flip``."""
        m = a.transposed() if transposed else a
        found, u_values = look_up(u, m.indices.astype(INDEX))
        rows = m.row_ids[found].astype(INDEX)
        if mask is not None:
            keep = allowed(mask, rows)
            rows, u_values = rows[keep], take(u_values, keep)
            found[found] = keep
        inner = m.indices[found].astype(INDEX)
        zeros = np.zeros(len(rows), INDEX, like=rows)
        left, right = (take(expand(m.values, m.nvals), found), rows, inner), (u_values, inner, zeros)
        if flip:  # u is a row: position (0, k); the matrix is seen as stored: position (k, i)
            left, right = (right[0], zeros, inner), (left[0], inner, rows)
        values = self.combine(semiring.binaryop, left, right)
        starts = runs(rows)
        return VectorStore(m.nrows, self.reduce_runs(semiring.monoid, values, starts), indices=rows[starts])

    def mxm(
        self, a: MatrixStore, b: MatrixStore, semiring: TypedSemiring, mask: MaskView | None, *, plan: Plan
    ) -> MatrixStore:
        """``t[i, j] = add_k mult(a[i, k], b[k, j])``."""
        begins, counts = lines(b, a.indices)
        products = int(counts.sum())
        if mask is not None and not mask.complement and products > mask.store.nvals:
            pairs = true_keys(mask)
            firsts, lengths = lines(a, rows_and_columns(pairs, b.ncols)[0])
            if int(lengths.sum()) + b.nvals < products:  # fewer products in the rows that the mask names
                return self._mxm_at(a, b, semiring, pairs, firsts, lengths)
        check_entries(products, PRODUCT_BYTES, a.indices)
        from_a = repeat(np.arange(a.nvals, like=counts), counts)
        from_b = ranges(begins, counts)
        rows, inner, cols = a.row_ids[from_a].astype(INDEX), a.indices[from_a].astype(INDEX), b.indices[from_b]
        keys = keys_at(rows, cols, a.nrows, b.ncols)
        order = order_of_keys(keys, a.nrows * b.ncols)
        if mask is not None:
            order = order[allowed(mask, keys[order])]
        left = (take(expand(a.values, a.nvals), from_a[order]), rows[order], inner[order])
        right = (take(expand(b.values, b.nvals), from_b[order]), inner[order], cols[order].astype(INDEX))
        keys = keys[order]
        starts = runs(keys)
        values = self.reduce_runs(semiring.monoid, self.combine(semiring.binaryop, left, right), starts)
        return matrix_from_keys(a.nrows, b.ncols, keys[starts], values)

    def _mxm_at(
        self, a: MatrixStore, b: MatrixStore, semiring: TypedSemiring, pairs: Array, firsts: Array, lengths: Array
    ) -> MatrixStore:
        """The product at some positions: the entries of their rows of ``a``, and those of ``b`` that they multiply."""
        check_entries(int(lengths.sum()), PRODUCT_BYTES, a.indices)
        pair = repeat(np.arange(len(pairs), dtype=INDEX, like=lengths), lengths)
        from_a = ranges(firsts, lengths)
        rows, cols = rows_and_columns(pairs, b.ncols)
        inner = a.indices[from_a].astype(INDEX)
        found, from_b = find(matrix_keys(b), keys_at(inner, cols[pair], b.nrows, b.ncols))
        pair, from_a, from_b, inner = pair[found], from_a[found], from_b[found], inner[found]
        left = (take(expand(a.values, a.nvals), from_a), rows[pair], inner)
        right = (take(expand(b.values, b.nvals), from_b), inner, cols[pair])
        starts = runs(pair)
        values = self.reduce_runs(semiring.monoid, self.combine(semiring.binaryop, left, right), starts)
        return matrix_from_keys(a.nrows, b.ncols, pairs[pair[starts]], values)

    def inner(self, u: VectorStore, v: VectorStore, semiring: TypedSemiring) -> Value | None:
        """``add_k mult(u[k], v[k])``, or None when no position is shared."""
        if semiring.binaryop.positional is None:
            return self.reduce_scalar(self.ewise_mult(u, v, semiring.binaryop), semiring.monoid)
        u_keys, u_values = entries(u)
        v_keys, v_values = entries(v)
        found, where = find(u_keys, v_keys)
        shared = v_keys[found]
        if len(shared) == 0:
            return None
        zeros = np.zeros(len(shared), INDEX, like=shared)
        left, right = (take(u_values, where[found]), zeros, shared), (take(v_values, found), shared, zeros)
        return self.reduce_all(semiring.monoid, self.combine(semiring.binaryop, left, right))

    def outer(self, u: VectorStore, v: VectorStore, op: TypedOperator) -> MatrixStore:
        """``t[i, j] = op(u[i], v[j])``."""
        u_keys, u_values = entries(u)
        v_keys, v_values = entries(v)
        from_u, from_v = grid(len(u_keys), len(v_keys), u_keys)
        i, j = u_keys[from_u], v_keys[from_v]
        zeros = np.zeros(len(i), INDEX, like=i)
        left, right = (take(u_values, from_u), i, zeros), (take(v_values, from_v), zeros, j)
        return from_lines(u.size, v.size, i, j, compress(self.combine(op, left, right)))

    def kronecker(self, a: MatrixStore, b: MatrixStore, op: TypedOperator) -> MatrixStore:
        """``t[i * b.nrows + k, j * b.ncols + l] = op(a[i, j], b[k, l])``."""
        from_a, from_b = grid(a.nvals, b.nvals, a.indices)
        i, j = a.row_ids[from_a].astype(INDEX), a.indices[from_a].astype(INDEX)
        k, l = b.row_ids[from_b].astype(INDEX), b.indices[from_b].astype(INDEX)
        left = (take(expand(a.values, a.nvals), from_a), i, j)
        right = (take(expand(b.values, b.nvals), from_b), k, l)
        values = self.combine(op, left, right)
        nrows, ncols = a.nrows * b.nrows, a.ncols * b.ncols
        rows, cols = i * b.nrows + k, j * b.ncols + l
        order = in_order_of_pairs(rows, cols, nrows, ncols)
        return from_lines(nrows, ncols, rows[order], cols[order], compress(take(values, order)))


def grid(nrows: int, ncols: int, like: Array) -> tuple[Array, Array]:
    """Row and column of every position of a dense grid, row by row."""
    places = np.arange(check_entries(nrows * ncols, 16, like), dtype=INDEX, like=like)
    rows = places // max(1, ncols)
    return rows, places - rows * ncols


class Asynchronous(Backend):
    def pull_in_place(
        self,
        a: MatrixStore,
        u: VectorStore,
        semiring: TypedSemiring,
        mask: MaskView | None,
        *,
        transposed: bool,
        flip: bool,
        plan: Plan,
        final: Value,
    ) -> VectorStore:
        """``t = m u``, then ``t = t (+) m s`` with ``s`` the entries of ``t`` that are ``final``.

        This is the order of rows in which all settled rows come first.
        """
        first = self.mxv(a, u, semiring, mask, transposed=transposed, flip=flip, plan=plan)
        keys, values = entries(first)
        here = np.flatnonzero(values == final)
        settled = VectorStore(first.size, compress(take(values, here)), indices=keys[here])
        second = self.mxv(a, settled, semiring, mask, transposed=transposed, flip=flip, plan=plan)
        return self.ewise_add(first, second, semiring.monoid.binaryop)
