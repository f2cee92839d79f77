"""The CUDA engine: the definitions on arrays in device memory, kernels for the hot loops.

Products with vectors are in ``eager/mxv.py``, whole loops in ``fusion/run.py``.
"""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from ...plan import rules
from ...plan.facts import uses
from ..entries import Store, cast
from ..every_form import EveryForm
from ..matrix_forms import moved
from ..records import refused
from ..reference import Definitions
from ..reference.elementwise import with_values
from ..storage import Array, HostEntry, HostList, MaskView, MatrixStore, VectorStore, column_type
from .eager import building, extracting, matrices, operating, radix, rows, selecting, vectors
from .eager.array_code import with_array_code
from .eager.assign import assign_scalar
from .eager.kronecker import kronecker_keys
from .eager.mxm import mxm
from .eager.mxm_dot import estimate_dots
from .eager.mxv import VectorProducts
from .fusion.run import Loops
from .runtime.arrays import empty_list, no_offsets
from .runtime.reporting import reported, sized
from .search import CudaSearch

_HOST = Definitions()
FEW = 2**14  # so many entries that come from the host are put in order there, before they travel


class CudaKernels(Loops, VectorProducts):
    """What CudaBackend computes with CSR. Stores hold CuPy arrays; nothing is computed on the host.

    A loop being recorded may make vectors, look at its graph and run, so what does that is not reported.
    """

    write_form: Any  # for matrices that are not CSR
    assign_form: Any

    # ---- memory -------------------------------------------------------------------------------------------------

    @reported
    def array(self, values: Any, dtype: Any = None) -> Array:
        return cupy.asarray(values, dtype)

    @reported
    def host(self, array: Array) -> np.ndarray:
        return cupy.asnumpy(array)  # synchronizes

    @reported
    def share(self, array: Any) -> Array:
        interface = getattr(array, "__cuda_array_interface__", None)
        if interface is None:
            shared = cupy.from_dlpack(array)
        elif interface["data"][1]:  # read-only: values may change in place, so they cannot be shared
            shared = cupy.array(array)
        else:
            shared = cupy.asarray(array)
        return cupy.ascontiguousarray(shared) if shared.ndim else shared

    @reported
    def adopt(self, store: Store) -> Store:
        return _move(store, cupy.asarray)

    @reported
    def export(self, store: Store) -> Store:
        return _move(store, cupy.asnumpy)  # synchronizes

    @sized
    def empty_vector(self, size: int, dtype: np.dtype) -> VectorStore:
        return empty_list(size, dtype)

    @reported
    def empty_matrix(self, nrows: int, ncols: int, dtype: np.dtype) -> MatrixStore:
        if rules.matrix_form(0, nrows, ncols, "sparse") != "sparse":
            return moved(_HOST.empty_matrix(nrows, ncols, dtype), cupy.asarray)
        return MatrixStore(nrows, ncols, no_offsets(nrows), cupy.empty(0, column_type(ncols)), cupy.empty(0, dtype))

    # ---- products -----------------------------------------------------------------------------------------------

    @reported
    def mxm(self, a: MatrixStore, b: MatrixStore, semiring: Any, mask: MaskView | None, *, plan: Any) -> MatrixStore:
        return mxm(a, b, semiring, mask, plan=plan)

    def estimate_dots(self, a: MatrixStore, b: MatrixStore, mask: MatrixStore) -> float:
        """As the definition, but a column that is far longer than the row is not read: the row is searched in it."""
        if b._transpose is None or mask.nvals == 0:
            return super().estimate_dots(a, b, mask)
        return estimate_dots(a, b._transpose, mask)

    @sized
    def search(self, part: MatrixStore, layout: Any, degrees: Array, here: Array) -> CudaSearch:
        return CudaSearch(part, layout, degrees, here)

    # ---- vectors, position by position --------------------------------------------------------------------------

    @reported
    def ewise_mult(self, x: Store, y: Store, op: Any) -> Store:
        if matrices.worthwhile(x):
            return matrices.intersection(x, y, op)
        return vectors.ewise(x, y, op, False) if vectors.worthwhile(x, y) else super().ewise_mult(x, y, op)

    @sized
    def union(self, x: Store, y: Store, op: Any, defaults: Any = None, dtype: np.dtype | None = None) -> Store:
        if matrices.worthwhile(x):
            return matrices.union(x, y, op, defaults, dtype)
        if not vectors.worthwhile(x, y):
            return super().union(x, y, op, defaults, dtype)
        return vectors.ewise(x, y, op, True, defaults, dtype)

    @reported
    def select(self, x: Store, op: Any, thunk: Any) -> Store:
        if type(x) is MatrixStore:
            return selecting.select(x, op, thunk)
        return vectors.filtered(x, op, thunk, True) if vectors.worthwhile(x) else super().select(x, op, thunk)

    @reported
    def apply_index(self, x: Store, op: Any, thunk: Any) -> Store:
        if type(x) is MatrixStore:
            return selecting.apply_index(x, op, thunk)
        return vectors.filtered(x, op, thunk, False) if vectors.worthwhile(x) else super().apply_index(x, op, thunk)

    @reported
    def with_kind(self, u: VectorStore, kind: str) -> VectorStore:
        if kind == "bitmap" and u.kind == "sparse":
            return vectors.as_bitmap(u)
        if kind == "sparse" and u.kind == "bitmap":
            return vectors.as_list(u)
        return super().with_kind(u, kind)

    @reported
    def cast(self, x: Store, dtype: np.dtype) -> Store:
        pending = x.pending if type(x) is VectorStore else None
        if pending is None or x.dtype == dtype or pending.indices is None:
            return super().cast(x, dtype)
        values = cast(pending.values, dtype)
        return VectorStore.counted_list(x.size, values, pending.indices, pending.counter, x.ordered)

    # ---- whole matrices -----------------------------------------------------------------------------------------

    @reported
    def apply(self, x: Store, op: Any) -> Store:
        if _gives_one_value(x, op, "x"):
            return with_values(x, self.compute(op, cupy.zeros(1, op.type.np_type)))
        return super().apply(x, op)

    @reported
    def apply_bind(self, x: Store, op: Any, scalar: Any, side: str) -> Store:
        if _gives_one_value(x, op, "y" if side == "left" else "x"):
            unread = cupy.zeros(1, (op.type2 if side == "left" else op.type).np_type)
            x = MatrixStore(x.nrows, x.ncols, x.indptr, x.indices, unread)
        return super().apply_bind(x, op, scalar, side)

    @reported
    def reduce_rowwise(self, a: MatrixStore, monoid: Any) -> VectorStore:
        return rows.reduce_rows(a, monoid)

    @reported
    def diagonal_matrix(self, u: VectorStore, k: int) -> MatrixStore:
        if k or u.kind != "full" or not u.size:
            return super().diagonal_matrix(u, k)
        places = cupy.arange(u.size + 1, dtype=column_type(u.size + 1))
        result = MatrixStore(u.size, u.size, places, places[:-1], u.values.copy())
        result._is_diagonal = True
        return result

    @reported
    def extract_matrix(self, a: MatrixStore, rows: Array | None, cols: Array | None) -> MatrixStore:
        picked = a if rows is None else extracting.rows_at(a, rows)
        found = picked if cols is None else extracting.columns_at(picked, cols)
        return super().extract_matrix(picked, None, cols) if found is None else found

    # ---- the output ---------------------------------------------------------------------------------------------

    @reported
    def write(
        self, c: Store, t: Store, mask: MaskView | None, accum: Any, replace: bool, masked: bool = False
    ) -> Store:
        if accum is None and (mask is None or (masked and (replace or _is_empty(c)))):
            return t if t.dtype == c.dtype else self.cast(t, c.dtype)
        if accum is None and masked and _is_gaps_of(c, mask) and vectors.worthwhile(c, t):
            return vectors.fill_gaps(c, t)
        if type(c) is MatrixStore:
            found = self.write_form(c, t, mask, accum, replace, masked)
            if found is not None:
                return found
        if matrices.worthwhile(c):
            return matrices.write(c, t, mask, accum, replace)
        if not vectors.worthwhile(c, t):
            return super().write(c, t, mask, accum, replace, masked)
        return vectors.write(c, t, mask, accum, replace)

    @reported
    def assign(
        self, c: Store, value: Any, index: tuple, mask: MaskView | None, accum: Any, replace: bool, submask: bool
    ) -> Store:
        if type(c) is MatrixStore:
            found = self.assign_form(c, value, index, mask, accum, replace, submask)
            if found is not None:
                return found
        is_scalar = type(value) not in (VectorStore, MatrixStore)
        plain = accum is None and not (replace or submask) and index[0] is None
        if type(c) is VectorStore and is_scalar and plain and mask is not None and c.size <= rules.DENSE_LIMIT:
            return assign_scalar(vectors.writable(c), value, mask)
        to_some = mask is None and accum is None and index[0] is not None
        if type(c) is VectorStore and is_scalar and to_some and c.kind != "sparse" and len(index[0]):
            listed = VectorStore(c.size, index[0][:1], indices=index[0])
            return assign_scalar(vectors.writable(c), value, MaskView(listed, True, False), unique=False)
        everywhere = type(c) is MatrixStore and index[0] is None and index[1] is None
        if is_scalar and mask is not None and not mask.complement and everywhere and matrices.worthwhile(c):
            return matrices.assign_scalar(c, value, mask, accum, replace)
        return super().assign(c, value, index, mask, accum, replace, submask)

    # ---- operators ----------------------------------------------------------------------------------------------

    @reported
    def build_vector(self, size: int, index: Array, values: Array, dup_op: Any) -> VectorStore:
        if len(values) == 1 and type(index) is type(values) is np.ndarray:  # nothing to put in order
            return self.build_entry(size, index.item(), values.item(), values.dtype)
        if _few_on_host(index, values):
            if len(values) > 1 and (values == values[0]).all():  # one value for all: kernels read none
                values = np.broadcast_to(values[:1], values.shape)
            return VectorStore.on_its_way(size, HostList(_HOST.build_vector(size, index, values, dup_op), cupy.asarray))
        return super().build_vector(size, index, values, dup_op)

    def build_entry(self, size: int, index: int, value: Any, dtype: np.dtype) -> VectorStore:
        """A vector of one entry, given as Python's numbers."""
        return VectorStore.on_its_way(size, HostEntry(size, index, value, dtype, cupy.asarray))

    @reported
    def build_matrix(self, nrows: int, ncols: int, rows: Array, cols: Array, values: Array, dup_op: Any) -> MatrixStore:
        if _few_on_host(rows, cols, values) or rules.matrix_form(len(rows), nrows, ncols, "sparse") == "hypersparse":
            rows, cols, values = (x if isinstance(x, np.ndarray) else cupy.asnumpy(x) for x in (rows, cols, values))
            return self.adopt(_HOST.build_matrix(nrows, ncols, rows, cols, values, dup_op))
        rows, cols, values = self.array(rows), self.array(cols), self.moved(values)
        found = building.build_matrix(nrows, ncols, rows, cols, values, dup_op, self.combined_runs)
        return super().build_matrix(nrows, ncols, rows, cols, values, dup_op) if found is None else found

    def compute(self, op: Any, *operands: Array) -> Array:
        return operating.compute(op, *operands)

    def reduce_runs(self, op: Any, values: Array, starts: Array) -> Array:
        return operating.reduce_runs(op, values, starts)

    def in_order(self, keys: Array, limit: int) -> tuple[Array, Array]:
        return radix.sort_positions(cupy.ascontiguousarray(keys), radix.bits_for(limit))

    def reduce_all(self, monoid: Any, values: Array) -> Any:
        return operating.reduce_all(monoid, values)

    # ---- generators ---------------------------------------------------------------------------------------------

    def kronecker_keys(self, recipe: Any, low: int, high: int, keys: Array) -> int:
        return kronecker_keys(recipe, low, high, keys)

    # ---- values that leave the device ---------------------------------------------------------------------------

    @reported
    def get_element(self, x: Store, index: tuple[int, ...]) -> Any:
        return _scalar(super().get_element(x, index))

    # ---- by their definitions ----------------------------------------------------------------------------------------

    copy = reported(VectorProducts.copy)
    inner = reported(VectorProducts.inner)
    outer = reported(VectorProducts.outer)
    kronecker = reported(VectorProducts.kronecker)
    ewise_add = reported(VectorProducts.ewise_add)
    ewise_union = reported(VectorProducts.ewise_union)
    reduce_scalar = reported(VectorProducts.reduce_scalar)
    transpose = reported(VectorProducts.transpose)
    extract_vector = reported(VectorProducts.extract_vector)
    positions = reported(VectorProducts.positions)
    extract_row = reported(VectorProducts.extract_row)
    extract_column = reported(VectorProducts.extract_column)
    diagonal = reported(VectorProducts.diagonal)
    as_matrix = reported(VectorProducts.as_matrix)
    spread = reported(VectorProducts.spread)
    resize_vector = reported(VectorProducts.resize_vector)
    resize_matrix = reported(VectorProducts.resize_matrix)
    replace_row = reported(VectorProducts.replace_row)
    replace_column = reported(VectorProducts.replace_column)
    set_element = reported(VectorProducts.set_element)
    remove_element = reported(VectorProducts.remove_element)
    tuples = reported(VectorProducts.tuples)
    to_dense = reported(VectorProducts.to_dense)
    pattern = sized(VectorProducts.pattern)
    degree_statistics = sized(VectorProducts.degree_statistics)
    by_degree = sized(VectorProducts.by_degree)


@refused
@with_array_code
class CudaBackend(EveryForm, CudaKernels):
    """Matrices in every form; complex numbers by array code."""

    name = "cuda"
    keeps_dense = True
    costs = rules.CUDA_COSTS
    sizes_on_device = True


def _few_on_host(*arrays: Array) -> bool:
    return len(arrays[0]) <= FEW and all(isinstance(array, np.ndarray) for array in arrays)


def _gives_one_value(x: Store, op: Any, operand: str) -> bool:
    """Whether an operator that never looks at the entries of a matrix makes them all alike."""
    return type(x) is MatrixStore and x.nvals > 1 and op.positional is None and not uses(op, operand)


def _is_empty(store: Store) -> bool:
    """Whether the host knows that there is no entry."""
    return (store.known_nvals if type(store) is VectorStore else store.nvals) == 0


def _is_gaps_of(c: Store, mask: MaskView | None) -> bool:
    """Whether a mask allows what has no entry yet, and nothing else."""
    return mask is not None and mask.store is c and mask.complement and mask.structure


def _scalar(value: Any) -> Any:
    """A device value as a NumPy scalar."""
    return value.get()[()] if isinstance(value, cupy.ndarray) else value  # synchronizes


def _move(store: Store, to: Any) -> Store:
    if type(store) is MatrixStore:
        return moved(store, to)
    nvals = store.nvals  # synchronizes
    return VectorStore(
        store.size,
        to(store.values),
        indices=None if store.indices is None else to(store.indices),
        present=None if store.present is None else to(store.present),
        nvals=nvals,
        ordered=store.ordered,
    )
