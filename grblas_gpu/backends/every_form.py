"""Operations on matrices that are not CSR: in front of the methods that compute with CSR.

Bitmap and full matrices run position by position (``dense_matrices.py``), hypersparse ones by their entries
(``hypersparse.py``, and definitions that need no row pointers). Other operations read CSR of any form, made on first
use (``matrix_storage.py``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..plan.storage_rules import MOST_KEYS
from . import dense_matrices as dense
from . import hypersparse
from .entries import Store
from .matrix_forms import flat
from .matrix_storage import BITMAP, FULL, HYPERSPARSE, SPARSE
from .memory_limits import check_positions
from .reference import Definitions
from .reference.groups import heaviest_groups
from .storage import Array, MaskView, MatrixStore, VectorStore


class EveryForm(Definitions):
    """Derive an engine from this and from the class that computes with CSR, in this order."""

    # ---- products ------------------------------------------------------------------------------------------------

    def mxm(self, a: MatrixStore, b: MatrixStore, semiring: Any, mask: MaskView | None, *, plan: Any) -> MatrixStore:
        if (a.form == HYPERSPARSE or b.form == HYPERSPARSE) and not hypersparse.pointers_fit(a, b):
            return hypersparse.mxm(self, a, b, semiring, mask, plan)
        return super().mxm(a, b, semiring, mask, plan=plan)

    def shaped_product(self, a: MatrixStore, b: MatrixStore, semiring: Any, masked: bool) -> tuple[str, str] | None:
        if (a.form == HYPERSPARSE or b.form == HYPERSPARSE) and not hypersparse.pointers_fit(a, b):
            return None
        return super().shaped_product(a, b, semiring, masked)

    def triangle_counts(self, lower: MatrixStore, semiring: Any, of_edges: bool) -> Array | None:
        if lower.form != SPARSE:
            return None
        return super().triangle_counts(lower, semiring, of_edges)

    def heaviest_groups(
        self, a: MatrixStore, groups: VectorStore, handicap: VectorStore | None, rows: VectorStore | None
    ) -> VectorStore | None:
        return None if a.form == HYPERSPARSE else super().heaviest_groups(a, groups, handicap, rows)

    def estimate_products(self, a: MatrixStore, b: MatrixStore, mask: MatrixStore | None = None) -> float:
        if b.form == FULL:
            return float(a.nvals * b.ncols)
        if b.rows is not None:
            return a.nvals * b.nvals / max(1, len(b.rows))
        return super().estimate_products(a, b, mask)

    def estimate_dots(self, a: MatrixStore, b: MatrixStore, mask: MatrixStore) -> float:
        if HYPERSPARSE in (a.form, b.form, mask.form) or (b._transpose is not None and b._transpose.rows is not None):
            return mask.nvals * b.nvals / max(1, len(b.rows) if b.rows is not None else b.ncols)
        return super().estimate_dots(a, b, mask)

    # ---- element-wise, apply, select -----------------------------------------------------------------------------

    def ewise_mult(self, x: Store, y: Store, op: Any) -> Store:
        if type(x) is MatrixStore and (x.form != SPARSE or y.form != SPARSE):
            if by_entries(x, y):
                return hypersparse.ewise(self, "ewise_mult", x, y, op)
            if is_dense(x) or is_dense(y):
                found = dense.ewise(self, "ewise_mult", x, y, op)
                if found is not None:
                    return found
        return super().ewise_mult(x, y, op)

    def ewise_add(self, x: Store, y: Store, op: Any) -> Store:
        if type(x) is MatrixStore and (x.dense is not None or y.dense is not None):
            found = dense.ewise(self, "ewise_add", x, y, op)
            if found is not None:
                return found
        return super().ewise_add(x, y, op)

    def ewise_union(self, x: Store, y: Store, op: Any, left_default: Any, right_default: Any) -> Store:
        if type(x) is MatrixStore and (x.dense is not None or y.dense is not None):
            found = dense.ewise(self, "ewise_union", x, y, op, left_default, right_default)
            if found is not None:
                return found
        return super().ewise_union(x, y, op, left_default, right_default)

    def union(self, x: Store, y: Store, op: Any, defaults: Any = None, dtype: np.dtype | None = None) -> Store:
        if type(x) is MatrixStore and (x.rows is not None or y.rows is not None) and by_entries(x, y):
            return hypersparse.ewise(self, "union", x, y, op, defaults, dtype)
        return super().union(x, y, op, defaults, dtype)

    def apply(self, x: Store, op: Any) -> Store:
        if type(x) is MatrixStore and x.form != SPARSE:
            if x.form == HYPERSPARSE:
                return Definitions.apply(self, x, op)
            found = dense.apply(self, "apply", x, op)
            if found is not None:
                return found
        return super().apply(x, op)

    def apply_bind(self, x: Store, op: Any, scalar: Any, side: str) -> Store:
        if type(x) is MatrixStore and x.form != SPARSE:
            if x.form == HYPERSPARSE:
                return Definitions.apply_bind(self, x, op, scalar, side)
            found = dense.apply(self, "apply_bind", x, op, scalar, side)
            if found is not None:
                return found
        return super().apply_bind(x, op, scalar, side)

    def apply_index(self, x: Store, op: Any, thunk: Any) -> Store:
        if type(x) is MatrixStore and x.form != SPARSE:
            if x.form == HYPERSPARSE:
                return Definitions.apply_index(self, x, op, thunk)
            found = dense.indexed(self, "apply_index", x, op, thunk)
            if found is not None:
                return found
        return super().apply_index(x, op, thunk)

    def select(self, x: Store, op: Any, thunk: Any) -> Store:
        if type(x) is MatrixStore and x.form != SPARSE:
            if x.form == HYPERSPARSE:
                return Definitions.select(self, x, op, thunk)
            found = dense.indexed(self, "select", x, op, thunk)
            if found is not None:
                return found
        return super().select(x, op, thunk)

    def cast(self, x: Store, dtype: np.dtype) -> Store:
        if type(x) is MatrixStore and is_dense(x) and x.dtype != dtype:
            return dense.as_matrix(x.nrows, x.ncols, super().cast(flat(x), dtype))
        return super().cast(x, dtype)

    # ---- reductions ----------------------------------------------------------------------------------------------

    def reduce_rowwise(self, a: MatrixStore, monoid: Any) -> VectorStore:
        if a.form == HYPERSPARSE:
            return Definitions.reduce_rowwise(self, a, monoid)
        found = dense.reduce_rowwise(self, a, monoid) if is_dense(a) else None
        return super().reduce_rowwise(a, monoid) if found is None else found

    # ---- structure -----------------------------------------------------------------------------------------------

    def extract_matrix(self, a: MatrixStore, rows: Array | None, cols: Array | None) -> MatrixStore:
        if a.form == HYPERSPARSE:
            return Definitions.extract_matrix(self, a, rows, cols)
        return dense.extract(a, rows, cols) if is_dense(a) else super().extract_matrix(a, rows, cols)

    def extract_row(self, a: MatrixStore, row: int, cols: Array | None) -> VectorStore:
        if not is_dense(a):
            return super().extract_row(a, row, cols)
        line = dense.extract_line(a, row, is_row=True)
        return line if cols is None else self.extract_vector(line, cols)

    def extract_column(self, a: MatrixStore, col: int, rows: Array | None) -> VectorStore:
        if not is_dense(a):
            return super().extract_column(a, col, rows)
        line = dense.extract_line(a, col, is_row=False)
        return line if rows is None else self.extract_vector(line, rows)

    def diagonal(self, a: MatrixStore, k: int) -> VectorStore:
        return dense.diagonal(self, a, k) if is_dense(a) else super().diagonal(a, k)

    def spread(self, u: VectorStore, nrows: int, ncols: int, down: bool, pattern: MatrixStore | None) -> MatrixStore:
        if u.kind == "full" and (pattern is None or pattern.form == FULL):
            return dense.spread(u, nrows, ncols, down)
        return super().spread(u, nrows, ncols, down, pattern)

    def pattern(self, a: MatrixStore) -> MatrixStore:
        if is_dense(a):
            return dense.one_value(a, self.array([True], bool))
        return super().pattern(a)

    # ---- the output ----------------------------------------------------------------------------------------------

    def write_form(
        self, c: MatrixStore, t: MatrixStore, mask: MaskView | None, accum: Any, replace: bool, masked: bool
    ) -> MatrixStore | None:
        """The output step if a matrix is not CSR; None if it reads CSR. Engines call it before their own."""
        other: Any = None if mask is None else mask.store
        if is_dense(c) or is_dense(t) or (other is not None and is_dense(other)):
            return dense.write(self, c, t, mask, accum, replace, masked)
        return hypersparse.write(self, c, t, mask, accum, replace, masked) if by_entries(c, t) else None

    def assign_form(
        self, c: MatrixStore, value: Any, index: tuple, mask: MaskView | None, accum: Any, replace: bool, submask: bool
    ) -> MatrixStore | None:
        """Assignment to a matrix that is not CSR, or will not be; None if it reads CSR. Engines call it first."""
        whole = index[0] is None and index[1] is None
        if whole and mask is None and accum is None and type(value) is not MatrixStore:
            check_positions(c.nrows, c.ncols, 0)
            return MatrixStore.full(c.nrows, c.ncols, self.array([value], c.dtype))  # one value stands for all
        if is_dense(c) or (mask is not None and is_dense(mask.store)):  # type: ignore[arg-type]
            return dense.assign(self, c, value, index, mask, accum, replace, submask)
        if c.form == HYPERSPARSE:
            return hypersparse.assign(self, c, value, index, mask, accum, replace, submask)
        return None

    def replace_row(self, c: MatrixStore, row: int, line: VectorStore) -> MatrixStore:
        return dense.replace_line(c, row, line, True) if is_dense(c) else super().replace_row(c, row, line)

    def replace_column(self, c: MatrixStore, col: int, line: VectorStore) -> MatrixStore:
        return dense.replace_line(c, col, line, False) if is_dense(c) else super().replace_column(c, col, line)

    # ---- elements, in and out ------------------------------------------------------------------------------------

    def get_element(self, x: Store, index: tuple[int, ...]) -> Any:
        if type(x) is MatrixStore and is_dense(x):
            return super().get_element(flat(x), (index[0] * x.ncols + index[1],))
        return super().get_element(x, index)

    def set_element(self, x: Store, index: tuple[int, ...], value: Any) -> Store:
        if type(x) is MatrixStore and is_dense(x):
            place = index[0] * x.ncols + index[1]
            if x.iso:
                check_positions(x.nrows, x.ncols, x.dtype.itemsize, x.dense)
            return dense.as_matrix(x.nrows, x.ncols, super().set_element(dense.changeable(x), (place,), value))
        return super().set_element(x, index, value)

    def remove_element(self, x: Store, index: tuple[int, ...]) -> Store:
        if type(x) is MatrixStore and is_dense(x):
            return dense.without(x, index)
        return super().remove_element(x, index)

    def has_one_value(self, x: Store) -> bool:
        return super().has_one_value(flat(x) if type(x) is MatrixStore and is_dense(x) else x)

    def tuples(self, x: Store) -> tuple[Array, Array, Array]:
        if type(x) is MatrixStore and is_dense(x):
            rows, cols, values = dense.tuples(x)
            return self.host(rows), self.host(cols), self.host(values)
        return super().tuples(x)

    def to_dense(self, x: Store, fill: Any, dtype: np.dtype) -> Array:
        if type(x) is MatrixStore and is_dense(x):
            if x.iso:
                check_positions(x.nrows, x.ncols, dtype.itemsize)
            return super().to_dense(flat(x), fill, dtype).reshape(x.nrows, x.ncols)
        return super().to_dense(x, fill, dtype)


class NumpyBackend(EveryForm):
    """The definitions as an engine."""

    def heaviest_groups(
        self, a: MatrixStore, groups: VectorStore, handicap: VectorStore | None, rows: VectorStore | None
    ) -> VectorStore | None:
        return None if a.form == HYPERSPARSE else heaviest_groups(a, groups, handicap, rows)

    def write(
        self, c: Store, t: Store, mask: MaskView | None, accum: Any, replace: bool, masked: bool = False
    ) -> Store:
        if accum is None and (mask is None or (masked and (replace or c.nvals == 0))):
            return self.cast(t, c.dtype)
        found = self.write_form(c, t, mask, accum, replace, masked) if type(c) is MatrixStore else None
        return super().write(c, t, mask, accum, replace, masked) if found is None else found

    def assign(
        self, c: Store, value: Any, index: tuple, mask: MaskView | None, accum: Any, replace: bool, submask: bool
    ) -> Store:
        given = (c, value, index, mask, accum, replace, submask)
        found = self.assign_form(*given) if type(c) is MatrixStore else None
        return super().assign(*given) if found is None else found


def is_dense(a: MatrixStore) -> bool:
    return a.form == FULL or a.form == BITMAP


def by_entries(x: MatrixStore, y: MatrixStore) -> bool:
    """Whether two matrices of one shape are to be numbered: neither has row pointers (if one has, there is memory for
    the other's), or their positions have no keys."""
    if x.form == HYPERSPARSE:
        return y.form == HYPERSPARSE or x.nrows * x.ncols >= MOST_KEYS
    return y.form == HYPERSPARSE and x.nrows * x.ncols >= MOST_KEYS
