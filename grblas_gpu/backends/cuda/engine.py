"""The CUDA engine: the definitions on arrays in device memory, kernels for the hot loops.

Products with vectors are in ``eager/mxv.py``, whole loops in ``fusion/run.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cupy
import numpy as np

from ...plan.facts import uses
from ...plan.rules import CUDA_COSTS
from ...plan.storage_rules import DENSE_LIMIT, matrix_form
from ..by_type import ByType, kind_among
from ..entries import Store, cast, operand
from ..every_form import EveryForm
from ..later import Later
from ..matrix_forms import moved
from ..matrix_storage import HYPERSPARSE, SPARSE
from ..messages import Numbering, Parcel
from ..reference import Definitions
from ..reference.elementwise import with_values
from ..storage import INT32_LIMIT, Array, HostEntry, HostList, MaskView, MatrixStore, VectorStore, column_type
from . import messages
from .eager import (
    array_code,
    building,
    extracting,
    matrices,
    matrix_elements,
    operating,
    positions,
    radix,
    rows,
    selecting,
    vectors,
)
from .eager.assign import assign_scalar
from .eager.assign_block import assign_block
from .eager.assign_few import MOST_FEW, assign_few
from .eager.assign_region import assign_region
from .eager.degree_order import by_degree, may_order_searches, orders_searches
from .eager.groups import heaviest_groups, spread_out
from .eager.kronecker import kronecker_keys
from .eager.kronecker_product import kronecker_product
from .eager.mxm import mxm, shaped_product
from .eager.mxm_dot import estimate_dots, triangle_counts
from .eager.mxm_masked import estimate_masked_products
from .eager.mxm_operands import Product
from .eager.mxv import VectorProducts
from .fusion.run import Loops
from .runtime import records
from .runtime.arrays import another_empty_list, empty_list, empty_rows
from .runtime.reporting import sized
from .search import CudaSearch

_HOST = Definitions()
FEW = 2**14  # so many entries that come from the host are put in order there, before they travel


class CudaKernels(Loops, VectorProducts):
    """What CudaBackend computes with CSR. Stores hold CuPy arrays; nothing is computed on the host."""

    write_form: Any  # for matrices that are not CSR
    assign_form: Any

    # ---- memory -------------------------------------------------------------------------------------------------

    @sized
    def array(self, values: Any, dtype: Any = None) -> Array:
        return records.to_device(values, dtype)

    @sized
    def listed(self, part: range) -> Array:
        return cupy.arange(part.start, part.stop, part.step, dtype=np.int64)

    @sized
    def host(self, array: Array) -> np.ndarray:
        return records.to_host(array)  # synchronizes

    @sized
    def share(self, array: Any) -> Array:
        if isinstance(array, records.RecordArray):
            return array
        if type(array) is cupy.ndarray and array.flags.c_contiguous:
            return array
        interface = getattr(array, "__cuda_array_interface__", None)
        if interface is None:
            shared = cupy.from_dlpack(array)
        elif interface["data"][1]:  # read-only: values may change in place, so they cannot be shared
            shared = cupy.array(array)
        else:
            shared = cupy.asarray(array)
        return cupy.ascontiguousarray(shared) if shared.ndim else shared

    @sized
    def adopt(self, store: Store) -> Store:
        return _move(store, records.to_device)

    @sized
    def export(self, store: Store) -> Store:
        return _move(store, records.to_host)  # synchronizes

    @sized
    def empty_vector(self, size: int, dtype: np.dtype) -> VectorStore:
        return empty_list(size, dtype)

    @sized
    def empty_matrix(self, nrows: int, ncols: int, dtype: np.dtype) -> MatrixStore:
        if matrix_form(0, nrows, ncols, "sparse") != "sparse":
            return moved(_HOST.empty_matrix(nrows, ncols, dtype), cupy.asarray)
        return empty_rows(nrows, ncols, dtype)

    # ---- products -----------------------------------------------------------------------------------------------

    @sized
    def mxm(self, a: MatrixStore, b: MatrixStore, semiring: Any, mask: MaskView | None, *, plan: Any) -> MatrixStore:
        return mxm(a, b, semiring, mask, plan=plan)

    @sized
    def kronecker(self, a: MatrixStore, b: MatrixStore, op: Any) -> MatrixStore:
        nrows, ncols, entries = a.nrows * b.nrows, a.ncols * b.ncols, a.nvals * b.nvals
        if not entries or HYPERSPARSE in (a.form, b.form, matrix_form(entries, nrows, ncols, SPARSE)):
            return super().kronecker(a, b, op)
        return kronecker_product(a, b, op)

    def shaped_product(self, a: MatrixStore, b: MatrixStore, semiring: Any, masked: bool) -> tuple[str, str] | None:
        return shaped_product(a, b, semiring, masked)

    @sized
    def triangle_counts(self, lower: MatrixStore, semiring: Any, of_edges: bool) -> Array | None:
        return triangle_counts(lower, Product(lower, lower, semiring, True), of_edges)

    @sized
    def heaviest_groups(
        self, a: MatrixStore, groups: VectorStore, handicap: VectorStore | None, rows: VectorStore | None
    ) -> VectorStore | None:
        costs = None if handicap is None else spread_out(handicap.values, a.ncols)
        asked = None if rows is None else self.with_kind(rows, "bitmap").present
        return heaviest_groups(a, spread_out(groups.values, a.ncols), costs, asked)

    def estimate_products(self, a: MatrixStore, b: MatrixStore, mask: MatrixStore | None = None) -> float:
        """As the definition, but of a row that is far longer than the mask's only what the mask has is searched."""
        if mask is None or mask.form != SPARSE or a.nvals == 0:
            return super().estimate_products(a, b, mask)
        return estimate_masked_products(a, b, mask)

    def estimate_dots(self, a: MatrixStore, b: MatrixStore, mask: MatrixStore) -> float:
        """As the definition, but a column that is far longer than the row is not read: the row is searched in it."""
        if b._transpose is None or mask.nvals == 0:
            return super().estimate_dots(a, b, mask)
        return estimate_dots(a, b._transpose, mask)

    @sized
    def search(self, part: MatrixStore, layout: Any, degrees: Array, here: Array) -> CudaSearch:
        return CudaSearch(part, layout, degrees, here)

    # ---- what travels between ranks: complex numbers by the definitions, records by these on the host -------------

    @sized
    def pack_parts(
        self, u: VectorStore, lengths: list[int], dtype: np.dtype | None, here: int, on_host: bool
    ) -> Parcel:
        if u.dtype.kind == "V":
            return _HOST.pack_parts(self.export(u), lengths, dtype, here, on_host)
        if u.dtype.kind == "c":
            return super().pack_parts(u, lengths, dtype, here, on_host)
        return messages.pack_parts(u, lengths, dtype, here, on_host)

    @sized
    def join_parts(self, sent: list[Any], lengths: list[int], dtype: np.dtype, dense: bool) -> VectorStore:
        if dtype.kind == "V":
            return self.adopt(_HOST.join_parts(sent, lengths, dtype, dense))
        if dtype.kind == "c":
            return super().join_parts(sent, lengths, dtype, dense)
        return messages.join_parts(sent, lengths, dtype, dense)

    @sized
    def fold_parts(
        self, sent: list[Any], size: int, dtype: np.dtype, monoid: Any, numbering: list[Numbering] | None
    ) -> VectorStore:
        if dtype.kind == "V":
            return self.adopt(_HOST.fold_parts(sent, size, dtype, monoid, numbering))
        if dtype.kind == "c":
            return super().fold_parts(sent, size, dtype, monoid, numbering)
        return messages.fold_parts(sent, size, dtype, monoid, numbering)

    # ---- vectors, position by position --------------------------------------------------------------------------

    @sized
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

    @sized
    def select(self, x: Store, op: Any, thunk: Any) -> Store:
        if type(x) is MatrixStore:
            return selecting.select(x, op, thunk)
        return vectors.filtered(x, op, thunk, True) if vectors.worthwhile(x) else super().select(x, op, thunk)

    @sized
    def apply_index(self, x: Store, op: Any, thunk: Any) -> Store:
        if type(x) is MatrixStore:
            return selecting.apply_index(x, op, thunk)
        return vectors.filtered(x, op, thunk, False) if vectors.worthwhile(x) else super().apply_index(x, op, thunk)

    @sized
    def checked_positions(self, index: Array, size: int) -> Array | None:
        return positions.checked_positions(index, size)

    @sized
    def extract_vector(self, u: VectorStore, index: Array | None) -> VectorStore:
        if index is None or not vectors.worthwhile(u):
            return super().extract_vector(u, index)
        return positions.taken(u, index)

    @sized
    def extract_given(self, u: VectorStore, given: Array) -> VectorStore | None:
        if u.dtype.kind in "cV" or not vectors.worthwhile(u):
            return None
        return positions.taken_if_inside(u, given)

    @sized
    def with_kind(self, u: VectorStore, kind: str) -> VectorStore:
        if kind == "bitmap" and u.kind == "sparse":
            return vectors.as_bitmap(u)
        if kind == "sparse" and u.kind == "bitmap":
            return vectors.as_list(u)
        return super().with_kind(u, kind)

    @sized
    def cast(self, x: Store, dtype: np.dtype) -> Store:
        pending = x.pending if type(x) is VectorStore else None
        if pending is None or x.dtype == dtype or pending.indices is None:
            return super().cast(x, dtype)
        values = cast(pending.values, dtype)
        return VectorStore.counted_list(x.size, values, pending.indices, pending.counter, x.ordered)

    # ---- whole matrices -----------------------------------------------------------------------------------------

    @sized
    def apply(self, x: Store, op: Any) -> Store:
        if _gives_one_value(x, op, "x"):
            return with_values(x, self.compute(op, cupy.zeros(1, op.type.np_type)), fresh=True)
        if op.positional is not None:
            return super().apply(x, op)
        return with_values(x, self.compute(op, operand(x.values, op.type.np_type)), fresh=True)

    @sized
    def apply_bind(self, x: Store, op: Any, scalar: Any, side: str) -> Store:
        if _gives_one_value(x, op, "y" if side == "left" else "x"):
            unread = cupy.zeros(1, (op.type2 if side == "left" else op.type).np_type)
            x = MatrixStore(x.nrows, x.ncols, x.indptr, x.indices, unread)
        if op.positional is not None:
            return super().apply_bind(x, op, scalar, side)
        is_left = side == "left"
        mine, its = (op.type, op.type2) if is_left else (op.type2, op.type)
        fixed = cast(np.asarray(scalar).reshape(1), mine.np_type)[0]
        return with_values(x, operating.compute_bound(op, operand(x.values, its.np_type), fixed, is_left), fresh=True)

    @sized
    def reduce_scalar(self, x: Store, monoid: Any) -> Any:
        found = _told(x, monoid)
        return super().reduce_scalar(x, monoid) if found is None else found.read()

    @sized
    def reduce_later(self, x: Store, monoid: Any) -> Any:
        found = None if monoid.odd_kinds or x.dtype.kind in "cV" else _told(x, monoid)
        return self.reduce_scalar(x, monoid) if found is None else found

    @sized
    def reduce_rowwise(self, a: MatrixStore, monoid: Any) -> VectorStore:
        return rows.reduce_rows(a, monoid)

    @sized
    def count_rowwise(self, a: MatrixStore) -> VectorStore:
        return rows.count_rows(a) if 0 < a.nrows <= DENSE_LIMIT else super().count_rowwise(a)

    @sized
    def diagonal(self, a: MatrixStore, k: int) -> VectorStore:
        if a.form != SPARSE or min(a.nrows, a.ncols) > DENSE_LIMIT:
            return super().diagonal(a, k)
        return extracting.diagonal(a, k)

    @sized
    def diagonal_matrix(self, u: VectorStore, k: int) -> MatrixStore:
        if k or u.kind != "full" or not u.size:
            return super().diagonal_matrix(u, k)
        places = cupy.arange(u.size + 1, dtype=column_type(u.size + 1))
        result = MatrixStore(u.size, u.size, places, places[:-1], u.values.copy())
        result._is_diagonal = True
        return result

    @sized
    def extract_matrix(self, a: MatrixStore, rows: Array | None, cols: Array | None) -> MatrixStore:
        picked = a if rows is None else extracting.rows_at(a, rows)
        found = picked if cols is None else extracting.columns_at(picked, cols)
        return super().extract_matrix(picked, None, cols) if found is None else found

    @sized
    def extract_rows(self, a: MatrixStore, first: int, stop: int) -> MatrixStore:
        return extracting.rows_between(a, first, stop)

    # ---- the output ---------------------------------------------------------------------------------------------

    @sized
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

    @sized
    def assign(
        self, c: Store, value: Any, index: tuple, mask: MaskView | None, accum: Any, replace: bool, submask: bool
    ) -> Store:
        if type(c) is MatrixStore:
            found = self.assign_form(c, value, index, mask, accum, replace, submask)
            if found is not None:
                return found
        is_scalar = type(value) not in (VectorStore, MatrixStore)
        plain = accum is None and not (replace or submask) and index[0] is None
        if type(c) is VectorStore and is_scalar and plain and mask is not None and c.size <= DENSE_LIMIT:
            return assign_scalar(vectors.writable(c), value, mask)
        to_some = mask is None and accum is None and index[0] is not None
        if type(c) is VectorStore and is_scalar and to_some and len(index[0]) and vectors.worthwhile(c):
            listed = VectorStore(c.size, index[0][:1], indices=index[0])
            return assign_scalar(vectors.writable(c), value, MaskView(listed, True, False), unique=False)
        region = type(c) is VectorStore and index[0] is not None and not submask and len(index[0])
        if region and vectors.worthwhile(c):
            found = assign_region(c, value, index[0], mask, accum, replace)
            if found is not None:
                return found
        everywhere = type(c) is MatrixStore and index[0] is None and index[1] is None
        if is_scalar and mask is not None and not mask.complement and everywhere and matrices.worthwhile(c):
            return matrices.assign_scalar(c, value, mask, accum, replace)
        return super().assign(c, value, index, mask, accum, replace, submask)

    @sized
    def assign_block(
        self, c: MatrixStore, value: Any, rows: range | Array | None, cols: range | None
    ) -> MatrixStore | None:
        if not (matrices.worthwhile(c) and c.nrows) or kind_among("cV", (c, value)):
            return None
        return assign_block(c, value, rows, cols)

    @sized
    def assign_few(
        self,
        c: VectorStore,
        value: Any,
        positions: np.ndarray,
        mask: MaskView | None,
        accum: Any,
        replace: bool,
        submask: bool,
    ) -> VectorStore | None:
        if len(positions) > MOST_FEW:
            return None
        return assign_few(c, value, positions.tolist(), mask, accum, replace, submask)

    @sized
    def set_element(self, x: Store, index: tuple[int, ...], value: Any) -> Store:
        if type(x) is MatrixStore:
            if not _has_room(x):
                return super().set_element(x, index, value)
            return matrix_elements.with_element(x, index[0], index[1], value)
        if x.kind == "sparse" and x.known_nvals == 0:
            return self.build_entry(x.size, index[0], value, x.dtype)
        found = assign_few(x, value, index, None, None, False, False)
        return super().set_element(x, index, value) if found is None else found

    @sized
    def remove_element(self, x: Store, index: tuple[int, ...]) -> Store:
        if type(x) is MatrixStore:
            if not _has_room(x):
                return super().remove_element(x, index)
            return matrix_elements.without_element(x, index[0], index[1])
        found = assign_few(x, None, index, None, None, False, False)
        return super().remove_element(x, index) if found is None else found

    # ---- operators ----------------------------------------------------------------------------------------------

    @sized
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

    @sized
    def build_matrix(self, nrows: int, ncols: int, rows: Array, cols: Array, values: Array, dup_op: Any) -> MatrixStore:
        if _few_on_host(rows, cols, values) or matrix_form(len(rows), nrows, ncols, "sparse") == "hypersparse":
            if isinstance(rows, cupy.ndarray):
                building.check_positions(nrows, ncols, rows, cols)
            rows, cols, values = (x if isinstance(x, np.ndarray) else cupy.asnumpy(x) for x in (rows, cols, values))
            return self.adopt(_HOST.build_matrix(nrows, ncols, rows, cols, values, dup_op))
        rows, cols, values = self.array(rows), self.array(cols), self.moved(values)
        found = building.build_matrix(nrows, ncols, rows, cols, values, dup_op, self.combined_runs)
        if found is None:
            building.check_positions(nrows, ncols, rows, cols)
            return super().build_matrix(nrows, ncols, rows, cols, values, dup_op)
        return found

    def checks_positions(self, rows: Array, cols: Array, values: Array) -> bool:
        """Those that are on the device, and all values but records, which another engine takes."""
        return isinstance(rows, cupy.ndarray) and isinstance(cols, cupy.ndarray) and values.dtype.kind in "biuf"

    def compute(self, op: Any, *operands: Array) -> Array:
        return operating.compute(op, *operands)

    def reduce_runs(self, op: Any, values: Array, starts: Array) -> Array:
        return operating.reduce_runs(op, values, starts)

    def in_order(self, keys: Array, limit: int) -> tuple[Array, Array]:
        return radix.sort_positions(cupy.ascontiguousarray(keys), radix.bits_for(limit))

    def reduce_all(self, monoid: Any, values: Array) -> Any:
        return operating.reduce_all(monoid, values)

    @sized
    def by_degree(self, pattern: MatrixStore) -> tuple[MatrixStore, MatrixStore]:
        return by_degree(pattern) if pattern.form == SPARSE and pattern.nvals else super().by_degree(pattern)

    def may_order_searches(self, a: MatrixStore) -> bool:
        return may_order_searches(a)

    def orders_searches(self, a: MatrixStore) -> bool:
        return orders_searches(a)

    # ---- generators ---------------------------------------------------------------------------------------------

    def kronecker_keys(self, recipe: Any, low: int, high: int, keys: Array) -> int:
        return kronecker_keys(recipe, low, high, keys)

    # ---- values that leave the device ---------------------------------------------------------------------------

    @sized
    def get_element(self, x: Store, index: tuple[int, ...]) -> Any:
        if type(x) is MatrixStore and x.form == SPARSE:
            return matrix_elements.element(x, index[0], index[1])
        return _scalar(super().get_element(x, index))

    # ---- by their definitions ----------------------------------------------------------------------------------------

    copy = sized(VectorProducts.copy)
    inner = sized(VectorProducts.inner)
    outer = sized(VectorProducts.outer)
    ewise_add = sized(VectorProducts.ewise_add)
    ewise_union = sized(VectorProducts.ewise_union)
    transpose = sized(VectorProducts.transpose)
    positions = sized(VectorProducts.positions)
    extract_row = sized(VectorProducts.extract_row)
    extract_column = sized(VectorProducts.extract_column)
    join_tiles = sized(VectorProducts.join_tiles)
    as_matrix = sized(VectorProducts.as_matrix)
    spread = sized(VectorProducts.spread)
    resize_vector = sized(VectorProducts.resize_vector)
    resize_matrix = sized(VectorProducts.resize_matrix)
    replace_row = sized(VectorProducts.replace_row)
    replace_column = sized(VectorProducts.replace_column)
    tuples = sized(VectorProducts.tuples)
    to_dense = sized(VectorProducts.to_dense)
    pattern = sized(VectorProducts.pattern)
    degree_statistics = sized(VectorProducts.degree_statistics)


class CudaBackend(ByType, EveryForm, CudaKernels):
    """Matrices in every form; complex numbers and records by array code."""

    name = "cuda"
    keeps_dense = True
    costs = CUDA_COSTS
    sizes_on_device = True
    checks_positions_late = True
    left_to_others = "cV"

    def empty_vector(self, size: int, dtype: np.dtype) -> VectorStore:
        """Every result begins as one, so it is made before anybody asks what type it has, or what memory is left."""
        return another_empty_list(size, dtype) or super().empty_vector(size, dtype)

    def other_engine(self, kind: str, name: str) -> tuple[Callable[..., Any], str, str]:
        return sized(getattr(array_code.ARRAY_CODE, name)), "array code", array_code.REASONS[kind]


def _told(x: Store, monoid: Any) -> Later | None:
    """All entries combined, if there are some, of the type that is asked for and in order: sums depend on it."""
    count, dtype = x.nvals, monoid.type.np_type
    if count and x.iso:
        return operating.one_combined(monoid, cast(x.values, dtype), count)
    in_order = x.form == SPARSE if type(x) is MatrixStore else x.present is None and x.ordered
    return operating.all_combined(monoid, x.values) if count and in_order and x.dtype == dtype else None


def _few_on_host(*arrays: Array) -> bool:
    return len(arrays[0]) <= FEW and all(isinstance(array, np.ndarray) for array in arrays)


def _has_room(x: MatrixStore) -> bool:
    """Whether a matrix is CSR whose offsets can number one entry more."""
    return x.form == SPARSE and (x.indptr.dtype.itemsize == 8 or x.nvals < INT32_LIMIT)


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
