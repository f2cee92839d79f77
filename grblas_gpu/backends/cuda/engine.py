"""The CUDA engine: the definitions on arrays in device memory, kernels for the hot loops.

What objects are made of is in ``memory.py`` and ``building.py``, what is done entry by entry in ``elementwise.py``, and
how results get into an object in ``writing.py``. Products with vectors are in ``eager/mxv.py``, whole loops in
``fusion/run.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cupy
import numpy as np

from ...plan.rules import CUDA_COSTS
from ...plan.storage_rules import DENSE_LIMIT, matrix_form
from ..by_type import ByType
from ..every_form import EveryForm
from ..matrix_storage import HYPERSPARSE, SPARSE
from ..messages import Numbering, Parcel
from ..storage import Array, MaskView, MatrixStore, VectorStore, column_type
from . import messages
from .eager import array_code, extracting, positions, radix, vectors
from .eager.degree_order import by_degree, may_order_searches, orders_searches
from .eager.groups import heaviest_groups, spread_out
from .eager.kronecker import kronecker_keys, kronecker_product
from .eager.mxm import mxm, shaped_product
from .eager.mxm_masked import estimate_dots, estimate_masked_products, triangle_counts
from .eager.mxm_operands import Product
from .eager.mxv import VectorProducts
from .elementwise import CudaElementwise
from .fusion.run import Loops
from .memory import HOST, CudaMemory
from .runtime.arrays import another_empty_list
from .runtime.reporting import sized
from .search import CudaSearch
from .writing import CudaWriting


class CudaKernels(Loops, CudaWriting, CudaElementwise, CudaMemory, VectorProducts):
    """What CudaBackend computes with CSR. Stores hold CuPy arrays; nothing is computed on the host."""

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
            return HOST.pack_parts(self.export(u), lengths, dtype, here, on_host)
        if u.dtype.kind == "c":
            return super().pack_parts(u, lengths, dtype, here, on_host)
        return messages.pack_parts(u, lengths, dtype, here, on_host)

    @sized
    def join_parts(self, sent: list[Any], lengths: list[int], dtype: np.dtype, dense: bool) -> VectorStore:
        if dtype.kind == "V":
            return self.adopt(HOST.join_parts(sent, lengths, dtype, dense))
        if dtype.kind == "c":
            return super().join_parts(sent, lengths, dtype, dense)
        return messages.join_parts(sent, lengths, dtype, dense)

    @sized
    def fold_parts(
        self, sent: list[Any], size: int, dtype: np.dtype, monoid: Any, numbering: list[Numbering] | None
    ) -> VectorStore:
        if dtype.kind == "V":
            return self.adopt(HOST.fold_parts(sent, size, dtype, monoid, numbering))
        if dtype.kind == "c":
            return super().fold_parts(sent, size, dtype, monoid, numbering)
        return messages.fold_parts(sent, size, dtype, monoid, numbering)

    # ---- parts of vectors and matrices ---------------------------------------------------------------------------

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

    # ---- orders --------------------------------------------------------------------------------------------------

    def in_order(self, keys: Array, limit: int) -> tuple[Array, Array]:
        return radix.sort_positions(cupy.ascontiguousarray(keys), radix.bits_for(limit))

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
