"""The CPU engine: compiled kernels for work that is large or already compiled, NumPy definitions for the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...dtypes import when_records_are_used
from ..by_type import ByType
from ..entries import Store, expand, present_flags
from ..every_form import EveryForm, NumpyBackend
from ..reference import groups as defined
from ..storage import Array, MaskView, MatrixStore, VectorStore
from . import assign, ewise, extract, kronecker, mxm, reduce, scaling, scatter, select, spread, write
from . import groups as by_groups
from .fusion import tier as loop_tier
from .fusion.run import Prepared, run_loop
from .masks import NO_MASK, ROWS, resolve
from .mxv import VectorProducts
from .search import CpuSearch
from .tier import get_tier, set_tier

__all__ = ["CpuBackend", "get_tier", "set_tier"]

_DEFINITIONS = NumpyBackend()


class CpuKernels(VectorProducts):
    """Every method returns a new store; a module that declines (None) leaves the work to the definition."""

    def mxm(self, a: MatrixStore, b: MatrixStore, semiring: Any, mask: MaskView | None, *, plan: Any) -> MatrixStore:
        result = scaling.scaled(a, b, semiring) if plan.strategy == "mxm.scale" and mask is None else None
        if result is None:
            result = mxm.mxm(a, b, semiring, mask, plan=plan)
        return super().mxm(a, b, semiring, mask, plan=plan) if result is None else result

    def kronecker(self, a: MatrixStore, b: MatrixStore, op: Any) -> MatrixStore:
        result = kronecker.kronecker(a, b, op)
        return super().kronecker(a, b, op) if result is None else result

    def shaped_product(self, a: MatrixStore, b: MatrixStore, semiring: Any, masked: bool) -> tuple[str, str] | None:
        if masked or not scaling.is_scaling(a, b, semiring):
            return super().shaped_product(a, b, semiring, masked)
        return "mxm.scale", "a factor is a diagonal"

    def ewise_mult(self, x: Store, y: Store, op: Any) -> Store:
        result = ewise.ewise_mult(x, y, op)
        return super().ewise_mult(x, y, op) if result is None else result

    def union(self, x: Store, y: Store, op: Any, defaults: Any = None, dtype: np.dtype | None = None) -> Store:
        result = ewise.union(x, y, op, defaults, dtype)
        return super().union(x, y, op, defaults, dtype) if result is None else result

    def apply(self, x: Store, op: Any) -> Store:
        result = ewise.apply(x, op)
        return super().apply(x, op) if result is None else result

    def apply_bind(self, x: Store, op: Any, scalar: Any, side: str) -> Store:
        result = ewise.apply_bind(x, op, scalar, side)
        return super().apply_bind(x, op, scalar, side) if result is None else result

    def select(self, x: Store, op: Any, thunk: Any) -> Store:
        result = select.select(x, op, thunk)
        return super().select(x, op, thunk) if result is None else result

    def reduce_scalar(self, x: Store, monoid: Any) -> Any:
        result = reduce.reduce_scalar(x, monoid)
        return super().reduce_scalar(x, monoid) if result is None else result

    def reduce_rowwise(self, a: MatrixStore, monoid: Any) -> VectorStore:
        result = reduce.reduce_rowwise(a, monoid)
        return super().reduce_rowwise(a, monoid) if result is None else result

    def spread(self, u: VectorStore, nrows: int, ncols: int, down: bool, pattern: MatrixStore | None) -> MatrixStore:
        result = spread.spread(u, down, pattern)
        return super().spread(u, nrows, ncols, down, pattern) if result is None else result

    def extract_matrix(self, a: MatrixStore, rows: Array | None, cols: Array | None) -> MatrixStore:
        result = extract.extract_matrix(a, rows, cols)
        return super().extract_matrix(a, rows, cols) if result is None else result

    def gather(self, u: VectorStore, index: VectorStore) -> VectorStore:
        result = scatter.gather(u, index)
        return super().gather(u, index) if result is None else result

    def heaviest_groups(
        self, a: MatrixStore, groups: VectorStore, handicap: VectorStore | None, rows: VectorStore | None
    ) -> VectorStore | None:
        worth = np.zeros(a.ncols) if handicap is None else expand(handicap.values, a.ncols)
        allowed = np.ones(a.nrows, bool) if rows is None else present_flags(rows)
        found = by_groups.heaviest_groups(a, defined.group_numbers(groups), worth, allowed)
        if found is None:
            return defined.heaviest_groups(a, groups, handicap, rows)
        present, best, count = found
        return VectorStore(a.nrows, best, present=None if count == a.nrows else present, nvals=count)


class CpuBackend(EveryForm, CpuKernels):
    """Matrices in every form, and whole loops."""

    name = "cpu"
    runs_loops = True

    def __init__(self) -> None:
        when_records_are_used(self._look_at_types)

    def _look_at_types(self) -> None:
        self.__class__ = CpuBackendWithRecords

    def copy_allowed(self, store: Store, mask: MaskView) -> Store:
        kind, rows = resolve(mask) if type(store) is VectorStore and store.indices is None else (NO_MASK, None)
        return write.at_rows(store, rows, mask.store.ordered) if kind == ROWS else self.copy(store)

    def assign(
        self, c: Store, value: Any, index: tuple, mask: MaskView | None, accum: Any, replace: bool, submask: bool
    ) -> Store:
        if (
            type(c) is VectorStore
            and mask is not None
            and accum is None
            and not (replace or submask)
            and index[0] is None
            and type(value) is not VectorStore
        ):
            result = assign.assign_scalar(c, value, mask)
            if result is not None:
                return result
        if type(c) is VectorStore and index[0] is not None and accum is not None and not (replace or submask):
            result = scatter.scatter(self, c, value, index[0], mask, accum)
            if result is not None:
                return result
        if type(c) is MatrixStore:
            found = self.assign_form(c, value, index, mask, accum, replace, submask)
            plain = accum is None and not (replace or submask) and index[0] is None and index[1] is None
            if found is None and plain and mask is not None and type(value) is not MatrixStore:
                found = assign.assign_scalar_to_matrix(c, value, mask)
            if found is not None:
                return found
        return super().assign(c, value, index, mask, accum, replace, submask)

    def write(
        self, c: Store, t: Store, mask: MaskView | None, accum: Any, replace: bool, masked: bool = False
    ) -> Store:
        if accum is None and (mask is None or (masked and (replace or c.nvals == 0))):
            if type(c) is MatrixStore:
                return t if t.dtype == c.dtype else self.cast(t, c.dtype)
            return t if t.values.dtype == c.values.dtype else self.cast(t, c.values.dtype)
        if type(c) is MatrixStore:
            found = self.write_form(c, t, mask, accum, replace, masked)
            if found is not None:
                return found
        result = write.write(c, t, mask, accum, replace, masked)
        return super().write(c, t, mask, accum, replace, masked) if result is None else result

    def search(self, part: MatrixStore, layout: Any, degrees: Any, here: Any) -> CpuSearch | None:
        return None if get_tier() == "numpy" else CpuSearch(part, layout, degrees, here)

    def run_loop(self, program: Any, first: int = 0) -> int | None:
        return run_loop(program, first)

    def ran_one_by_one(self, program: Any) -> None:
        loop_tier.end(program)

    def prepare(self, program: Any, meanwhile: Any = None) -> Prepared:
        return Prepared(program, self)


class CpuBackendWithRecords(ByType, CpuBackend):
    """The class of the engine after the first record type was made. Records run by the definitions."""

    left_to_others = "V"

    def other_engine(self, kind: str, name: str) -> tuple[Callable[..., Any], str, str]:
        reason = "records of a user-defined type: by the definitions, kernels are for numbers"
        return getattr(_DEFINITIONS, name), "definitions", reason
