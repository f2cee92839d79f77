"""The CPU engine: compiled kernels for work that is large or already compiled, NumPy definitions for the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...dtypes import when_records_are_used
from ...foundation.types import Accum, Array, Assigned, Program, SearchLayout
from ..engine import Declined, Engine
from ..forms.every_form import ON_HOST, EveryForm, NumpyBackend
from ..reference import Definitions
from ..stores import counting, matrix_storage
from ..stores.entries import Store
from ..stores.storage import MaskView, MatrixStore, VectorStore
from . import (
    assign,
    buffers,
    contracting,
    distances,
    ewise,
    extract,
    flows,
    grouping,
    groups,
    kronecker,
    mxm,
    mxv,
    reduce,
    scatter,
    select,
    spread,
    tiles,
    write,
)
from .fusion import tier as loop_tier
from .fusion.run import Prepared, run_loop
from .masks import NO_MASK, ROWS, resolve
from .mxv_push import count_edges
from .search import CpuSearch
from .tier import get_tier, set_tier

__all__ = ["CpuBackend", "get_tier", "set_tier"]

_DEFINITIONS = NumpyBackend()
matrix_storage.transpose_compiled = grouping.transposed
counting.list_compiled = scatter.listed


class CpuKernels:
    """Each returns a new store; a static one that declines (None) leaves the work to the definition."""

    pull_into = staticmethod(mxv.pull_into)
    mxv = staticmethod(mxv.mxv)
    count_edges = staticmethod(count_edges)
    outer = kronecker.outer
    kronecker = staticmethod(kronecker.kronecker)
    ewise_mult = staticmethod(ewise.ewise_mult)
    union = staticmethod(ewise.union)
    apply = staticmethod(ewise.apply)
    apply_bind = staticmethod(ewise.apply_bind)
    matching = staticmethod(select.matching)
    select = staticmethod(select.select)
    reduce_scalar = staticmethod(reduce.reduce_scalar)
    reduce_rowwise = staticmethod(reduce.reduce_rowwise)
    reduce_columnwise = staticmethod(reduce.reduce_columnwise)
    count_columnwise = staticmethod(reduce.count_columnwise)
    spread = staticmethod(spread.spread)
    replace_column = staticmethod(assign.replace_column)
    extract_matrix = staticmethod(extract.extract_matrix)
    join_tiles = staticmethod(tiles.join_tiles)
    gather = staticmethod(scatter.gather)
    with_kind = staticmethod(scatter.with_kind)
    build_vector = scatter.build_vector
    build_matrix = grouping.build_matrix
    ascending_lines = staticmethod(grouping.ascending_lines)
    line_order = staticmethod(grouping.line_order)
    largest_flow = staticmethod(flows.largest_flow)
    shortest_distances = staticmethod(distances.shortest_distances)
    shaped_product = staticmethod(mxm.shaped_product)
    mxm = staticmethod(mxm.mxm)
    heaviest_groups = staticmethod(groups.heaviest_groups)
    contracted = staticmethod(contracting.contracted)
    run_loop = staticmethod(run_loop)

    @staticmethod
    def search(part: MatrixStore, layout: SearchLayout, degrees: Array, here: Array) -> CpuSearch | None:
        return None if get_tier() == "numpy" else CpuSearch(part, layout, degrees, here)

    def copy(self, store: Store) -> Store:
        """Large arrays are copied to memory that is kept: to touch new pages takes longer than to copy."""
        return store.copy(buffers.copy)

    @staticmethod
    def copy_allowed(store: Store, mask: MaskView | None) -> Store | None:
        kind, rows = resolve(mask) if type(store) is VectorStore and store.indices is None else (NO_MASK, None)
        if mask is not None and kind == ROWS:
            return write.at_rows(store, rows, mask.store.ordered)
        return None if store.iso else store  # no result of `write` has its values

    def assign(
        self: Any,
        c: Store,
        value: Assigned,
        index: tuple,
        mask: MaskView | None,
        accum: Accum,
        replace: bool,
        submask: bool,
    ) -> Store:
        result: Store | None = None
        whole, is_scalar = all(part is None for part in index), type(value) not in (VectorStore, MatrixStore)
        if type(c) is VectorStore and whole and is_scalar and accum is not None and not (submask or c.iso):
            return self.write(c, VectorStore(c.size, self.array([value])), mask, accum, replace)
        try:
            if type(c) is MatrixStore and not whole:
                result = assign.assign_region(c, value, index, mask, accum, replace, submask)
            elif type(c) is VectorStore and not whole and is_scalar and accum is None and mask is not None:
                result = None if replace else scatter.assign_open(c, value, index[0], mask, submask)
            elif replace or submask:
                pass
            elif whole and is_scalar and accum is None and mask is not None:
                by_kernel = assign.assign_scalar if type(c) is VectorStore else assign.assign_scalar_to_matrix
                result = by_kernel(c, value, mask)
            elif type(c) is VectorStore and not whole and accum is not None:
                result = scatter.scatter(self, c, value, index[0], mask, accum)
        except Declined:
            pass
        return Definitions.assign(self, c, value, index, mask, accum, replace, submask) if result is None else result

    def write(
        self: Any, c: Store, t: Store, mask: MaskView | None, accum: Accum, replace: bool, masked: bool = False
    ) -> Store:
        if accum is None and (mask is None or (masked and (replace or c.nvals == 0))):
            return t if t.dtype == c.dtype else self.cast(t, c.dtype)
        try:
            result = write.write(c, t, mask, accum, replace, masked)
        except Declined:
            result = None
        if result is None:
            return Definitions.write(self, c, t, mask, accum, replace, masked)
        return result if result.dtype == c.dtype else self.cast(result, c.dtype)

    def ran_one_by_one(self, program: Program) -> None:
        loop_tier.end(program)

    def prepare(self: Any, program: Program, meanwhile: object = None) -> Prepared:
        return Prepared(program, self)


class CpuBackend(Engine, definitions=ON_HOST, kernels=(CpuKernels,), forms=EveryForm):
    """Matrices in every form, and whole loops."""

    name = "cpu"
    reads_narrow_positions = True
    runs_loops = True

    def __init__(self) -> None:
        when_records_are_used(self._look_at_types)

    def _look_at_types(self) -> None:
        """The first record type is there: from now on calls look for them."""
        self.left_to_others = "V"

    def other_engine(self, kind: str, name: str) -> tuple[Callable[..., object], str, str]:
        reason = "records of a user-defined type: by the definitions, kernels are for numbers"
        return getattr(_DEFINITIONS, name), "definitions", reason
