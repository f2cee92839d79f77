"""Operations on matrices that are not CSR: every engine has them in front of its kernels, which compute with CSR.

Bitmap and full matrices go position by position (``dense_matrices.py``), hypersparse ones by their entries
(``hypersparse.py``, and definitions that need no row pointers). All other operations read CSR of any form, made on
first use (``matrix_storage.py``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...foundation.types import Accum, Assigned, Plan, TypedMonoid, TypedOperator, TypedSemiring, Value
from ...plan.storage_rules import MOST_KEYS
from ..engine import Engine, Function
from ..machine.memory_limits import check_positions
from ..protocol import Backend
from ..reference import DEFINITIONS, Definitions
from ..reference.contracting import contracted
from ..reference.graphs import heaviest_groups, matching
from ..stores.entries import Store
from ..stores.matrix_forms import flat
from ..stores.matrix_storage import FULL, HYPERSPARSE, SPARSE
from ..stores.storage import Array, MaskView, MatrixStore, VectorStore
from . import dense_matrices as dense, hypersparse


def _union_of_dense(name: str) -> Callable[..., Store]:
    def form(self: Backend, x: Store, y: Store, op: TypedOperator, *defaults: object) -> Store:
        if type(x) is MatrixStore and (x.dense is not None or y.dense is not None):
            return dense.ewise(self, name, x, y, op, *defaults)
        return NotImplemented

    return form


def _by_value(name: str, of_dense: Callable[..., MatrixStore]) -> Callable[..., Store]:
    """An operation that goes entry by entry; of a hypersparse matrix, by its definition."""

    def form(self: Backend, x: Store, op: TypedOperator, *more: object) -> Store:
        if type(x) is not MatrixStore or x.form == SPARSE:
            return NotImplemented
        if x.form == HYPERSPARSE:
            return getattr(Definitions, name)(self, x, op, *more)
        return of_dense(self, name, x, op, *more)

    return form


def _of_dense(operation: Function) -> Function:
    """An operation on a bitmap or full matrix."""

    def form(self: Backend, x: Store, *given: object) -> object:
        return operation(self, x, *given) if is_dense(x) else NotImplemented

    return form


def _line_of_dense(is_row: bool) -> Function:
    def form(self: Backend, a: MatrixStore, which: int, index: Array | None) -> VectorStore:
        line = dense.extract_line(a, which, is_row)
        return line if index is None else self.extract_vector(line, index)

    return _of_dense(form)


def _unless_hypersparse(self: Backend, a: MatrixStore, *given: object) -> Any:
    return None if a.form == HYPERSPARSE else NotImplemented


class EveryForm(Backend):
    """Methods with the engine as ``self``. NotImplemented: the operands are CSR, or their CSR is to be read."""

    # ---- products ------------------------------------------------------------------------------------------------

    def mxm(
        self, a: MatrixStore, b: MatrixStore, semiring: TypedSemiring, mask: MaskView | None, *, plan: Plan
    ) -> MatrixStore:
        if (a.form == HYPERSPARSE or b.form == HYPERSPARSE) and not hypersparse.pointers_fit(a, b):
            return hypersparse.mxm(self, a, b, semiring, mask, plan)
        return NotImplemented

    def shaped_product(
        self, a: MatrixStore, b: MatrixStore, semiring: TypedSemiring, masked: bool
    ) -> tuple[str, str] | None:
        if (a.form == HYPERSPARSE or b.form == HYPERSPARSE) and not hypersparse.pointers_fit(a, b):
            return None
        return NotImplemented

    def triangle_counts(self, lower: MatrixStore, semiring: TypedSemiring, of_edges: bool) -> Array | None:
        if lower.form != SPARSE:
            return None
        return NotImplemented

    heaviest_groups: Function = _unless_hypersparse
    contracted: Function = _unless_hypersparse

    def matching(self, a: MatrixStore, left: VectorStore, op: TypedOperator, right: VectorStore) -> MatrixStore | None:
        if a.form == HYPERSPARSE:
            return None
        if "sparse" not in (left.kind, right.kind):
            return NotImplemented
        left, right = (self.with_kind(x, "bitmap") if x.kind == "sparse" else x for x in (left, right))
        return self.matching(a, left, op, right)

    def estimate_products(self, a: MatrixStore, b: MatrixStore, mask: MatrixStore | None = None) -> float:
        if b.form == FULL:
            return float(a.nvals * b.ncols)
        if b.rows is not None:
            return a.nvals * b.nvals / max(1, len(b.rows))
        return NotImplemented

    def estimate_dots(self, a: MatrixStore, b: MatrixStore, mask: MatrixStore) -> float:
        if HYPERSPARSE in (a.form, b.form, mask.form) or (b._transpose is not None and b._transpose.rows is not None):
            return mask.nvals * b.nvals / max(1, len(b.rows) if b.rows is not None else b.ncols)
        return NotImplemented

    # ---- element-wise, apply, select -----------------------------------------------------------------------------

    def ewise_mult(self, x: Store, y: Store, op: TypedOperator) -> Store:
        if type(x) is MatrixStore and (x.form != SPARSE or y.form != SPARSE):
            if by_entries(x, y):
                return hypersparse.ewise(self, "ewise_mult", x, y, op)
            if is_dense(x) or is_dense(y):
                return dense.ewise(self, "ewise_mult", x, y, op)
        return NotImplemented

    ewise_add = _union_of_dense("ewise_add")
    ewise_union = _union_of_dense("ewise_union")

    def union(
        self,
        x: Store,
        y: Store,
        op: TypedOperator,
        defaults: tuple[Value, Value] | None = None,
        dtype: np.dtype | None = None,
    ) -> Store:
        if type(x) is MatrixStore and (x.rows is not None or y.rows is not None) and by_entries(x, y):
            return hypersparse.ewise(self, "union", x, y, op, defaults, dtype)
        return NotImplemented

    apply = _by_value("apply", dense.apply)
    apply_bind = _by_value("apply_bind", dense.apply)
    apply_index = _by_value("apply_index", dense.indexed)
    select = _by_value("select", dense.indexed)

    def cast(self, x: Store, dtype: np.dtype) -> Store:
        if type(x) is MatrixStore and is_dense(x) and x.dtype != dtype:
            return dense.as_matrix(x.nrows, x.ncols, self.cast(flat(x), dtype))
        return NotImplemented

    # ---- reductions ----------------------------------------------------------------------------------------------

    def reduce_rowwise(self, a: MatrixStore, monoid: TypedMonoid) -> VectorStore:
        if a.form == HYPERSPARSE:
            return Definitions.reduce_rowwise(self, a, monoid)
        return dense.reduce_rowwise(self, a, monoid) if is_dense(a) else NotImplemented

    def reduce_columnwise(self, a: MatrixStore, monoid: TypedMonoid) -> VectorStore:
        return NotImplemented if a.form == SPARSE else self.reduce_rowwise(a.transposed(), monoid)

    # ---- structure -----------------------------------------------------------------------------------------------

    def extract_matrix(self, a: MatrixStore, rows: Array | None, cols: Array | None) -> MatrixStore:
        if a.form == HYPERSPARSE:
            return Definitions.extract_matrix(self, a, rows, cols)
        return dense.extract(a, rows, cols) if is_dense(a) else NotImplemented

    extract_row = _line_of_dense(True)
    extract_column = _line_of_dense(False)
    diagonal = _of_dense(dense.diagonal)
    pattern = _of_dense(lambda self, a: dense.one_value(a, self.array([True], bool)))

    def spread(self, u: VectorStore, nrows: int, ncols: int, down: bool, pattern: MatrixStore | None) -> MatrixStore:
        if u.kind == "full" and (pattern is None or pattern.form == FULL):
            return dense.spread(u, nrows, ncols, down)
        return NotImplemented

    # ---- the output ----------------------------------------------------------------------------------------------

    def write(
        self, c: Store, t: Store, mask: MaskView | None, accum: Accum, replace: bool, masked: bool = False
    ) -> Store:
        if type(c) is not MatrixStore:
            return NotImplemented
        if accum is None and (mask is None or (masked and (replace or c.nvals == 0))):
            return t if t.dtype == c.dtype else self.cast(t, c.dtype)
        if is_dense(c) or is_dense(t) or (mask is not None and is_dense(mask.store)):
            return dense.write(self, c, t, mask, accum, replace, masked)
        return hypersparse.write(self, c, t, mask, accum, replace, masked) if by_entries(c, t) else NotImplemented

    def assign(
        self, c: Store, value: Assigned, index: tuple, mask: MaskView | None, accum: Accum, replace: bool, submask: bool
    ) -> Store:
        if type(c) is not MatrixStore:
            return NotImplemented
        whole = index[0] is None and index[1] is None
        if whole and mask is None and accum is None and type(value) is not MatrixStore:
            check_positions(c.nrows, c.ncols, 0)
            return MatrixStore.full(c.nrows, c.ncols, self.array([value], c.dtype))  # one value stands for all
        if is_dense(c) or (mask is not None and is_dense(mask.store)):
            return dense.assign(self, c, value, index, mask, accum, replace, submask)
        if c.form == HYPERSPARSE:
            return hypersparse.assign(self, c, value, index, mask, accum, replace, submask)
        return NotImplemented

    replace_row = _of_dense(lambda self, c, row, line: dense.replace_line(c, row, line, True))
    replace_column = _of_dense(lambda self, c, col, line: dense.replace_line(c, col, line, False))

    # ---- elements, in and out ------------------------------------------------------------------------------------

    get_element = _of_dense(lambda self, x, index: self.get_element(flat(x), (index[0] * x.ncols + index[1],)))
    has_one_value = _of_dense(lambda self, x: self.has_one_value(flat(x)))
    tuples = _of_dense(lambda self, x: tuple(map(self.host, dense.tuples(x))))

    def change_elements(
        self, x: Store, index: tuple[Array, ...], values: Array, kept: Array, owned: bool = False
    ) -> Store:
        if type(x) is not MatrixStore or not is_dense(x):
            return NotImplemented
        if x.iso or not kept.all():
            check_positions(x.nrows, x.ncols, x.dtype.itemsize, x.dense)
        places = (index[0] * x.ncols + index[1],)
        return dense.as_matrix(x.nrows, x.ncols, self.change_elements(dense.changeable(x), places, values, kept))

    def to_dense(self, x: Store, fill: Value, dtype: np.dtype) -> Array:
        if type(x) is MatrixStore and is_dense(x):
            if x.iso:
                check_positions(x.nrows, x.ncols, dtype.itemsize)
            return self.to_dense(flat(x), fill, dtype).reshape(x.nrows, x.ncols)
        return NotImplemented


class GroupsOnHost:
    """Accelerated operations in array code, for arrays in the memory of the host."""

    contracted = contracted
    matching = matching

    def heaviest_groups(self, a: MatrixStore, groups: VectorStore, *beside: VectorStore | None) -> VectorStore:
        return heaviest_groups(a, groups, *beside)


ON_HOST = (*DEFINITIONS, GroupsOnHost)


class NumpyBackend(Engine, definitions=ON_HOST, forms=EveryForm):
    """The definitions as an engine."""

    name = "numpy"


def is_dense(a: Store) -> bool:
    return type(a) is MatrixStore and a.dense is not None


def by_entries(x: MatrixStore, y: MatrixStore) -> bool:
    """Whether two matrices of one shape are to be numbered: neither has row pointers (if one has, there is memory for
    the other's), or their positions have no keys."""
    if x.form == HYPERSPARSE:
        return y.form == HYPERSPARSE or x.nrows * x.ncols >= MOST_KEYS
    return y.form == HYPERSPARSE and x.nrows * x.ncols >= MOST_KEYS
