"""The CUDA engine: the definitions on arrays in device memory, kernels for the hot loops.

Memory is in ``memory.py`` and ``building.py``, work entry by entry in ``elementwise.py``, and the output step in
``writing.py``. Products with vectors are in ``eager/mxv.py``, whole loops in ``fusion/run.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import cupy
import numpy as np

from ...foundation.types import SearchLayout, TypedMonoid, TypedOperator, TypedSemiring
from ...plan.rules import CUDA_COSTS
from ...plan.storage_rules import DENSE_LIMIT, matrix_form
from ..engine import Engine
from ..forms.every_form import EveryForm
from ..protocol import Backend
from ..reference import DEFINITIONS, Definitions
from ..stores.matrix_storage import HYPERSPARSE, SPARSE
from ..stores.messages import Numbering, PackedParts
from ..stores.storage import Array, MatrixStore, VectorStore, column_type
from .building import CudaBuilding
from .eager import array_code, degree_order, extracting, kronecker, mxm, positions, radix, rows, selecting, vectors
from .eager.contracting import contracted
from .eager.groups import heaviest_groups, spread_out
from .eager.mxm_masked import estimate_dots, estimate_masked_products, triangle_counts
from .eager.mxm_operands import Product
from .eager.mxv import VectorProducts
from .elementwise import CudaElementwise
from .fusion.run import Loops
from .memory import HOST, CudaMemory
from .runtime.arrays import another_empty_list, empty_list
from .runtime.reporting import failed, sized
from .search import CudaSearch
from .writing import CudaWriting

first_list = sized(empty_list)


class CudaKernels(Backend):
    """What CudaBackend computes with CSR. Stores hold CuPy arrays; nothing is computed on the host."""

    # ---- products -----------------------------------------------------------------------------------------------

    def kronecker(self, a: MatrixStore, b: MatrixStore, op: TypedOperator) -> MatrixStore:
        nrows, ncols, entries = a.nrows * b.nrows, a.ncols * b.ncols, a.nvals * b.nvals
        if not entries or HYPERSPARSE in (a.form, b.form, matrix_form(entries, nrows, ncols, SPARSE)):
            return Definitions.kronecker(self, a, b, op)
        return kronecker.kronecker_product(a, b, op)

    def triangle_counts(self, lower: MatrixStore, semiring: TypedSemiring, of_edges: bool) -> Array | None:
        return triangle_counts(lower, Product(lower, lower, semiring, True), of_edges)

    def heaviest_groups(
        self,
        a: MatrixStore,
        groups: VectorStore,
        handicap: VectorStore | None,
        rows: VectorStore | None,
        factors: VectorStore | None,
        diagonal: VectorStore | None,
    ) -> VectorStore | None:
        wanted_rows = None if rows is None else self.with_kind(rows, "bitmap").present
        by_row = [None if x is None else spread_out(x.values, x.size) for x in (handicap, factors, diagonal)]
        return heaviest_groups(a, spread_out(groups.values, a.ncols), by_row[0], wanted_rows, *by_row[1:])

    def matching(self, a: MatrixStore, left: VectorStore, op: TypedOperator, right: VectorStore) -> MatrixStore:
        return selecting.matching(a, left, op, right)

    def contracted(
        self, a: MatrixStore, groups: VectorStore, monoid: TypedMonoid, symmetric: bool
    ) -> tuple[MatrixStore, VectorStore] | None:
        return contracted(a, spread_out(groups.values, a.ncols), monoid, symmetric)

    def estimate_products(self, a: MatrixStore, b: MatrixStore, mask: MatrixStore | None = None) -> float:
        """As the definition, but a row that is far longer than the mask's is searched at the mask's entries only."""
        if mask is None or mask.form != SPARSE or a.nvals == 0:
            return Definitions.estimate_products(self, a, b, mask)
        return estimate_masked_products(a, b, mask)

    def estimate_dots(self, a: MatrixStore, b: MatrixStore, mask: MatrixStore) -> float:
        """As the definition, but a column that is far longer than the row is searched at the row's entries only."""
        if b._transpose is None or mask.nvals == 0:
            return Definitions.estimate_dots(self, a, b, mask)
        return estimate_dots(a, b._transpose, mask)

    def search(self, part: MatrixStore, layout: SearchLayout, degrees: Array, here: Array) -> CudaSearch:
        return CudaSearch(part, layout, degrees, here)

    # ---- messages between ranks: records are packed and merged on the host -----------------------------------------

    def pack_parts(self, u: VectorStore, lengths: list[int], dtype: np.dtype | None, here: int) -> PackedParts:
        if u.dtype.kind == "V":
            return HOST.pack_parts(self.export(u), lengths, dtype, here)
        return Definitions.pack_parts(self, u, lengths, dtype, here)

    def join_parts(self, sent: list[Array], lengths: list[int], dtype: np.dtype, dense: bool) -> VectorStore:
        if dtype.kind == "V":
            return self.adopt(HOST.join_parts(sent, lengths, dtype, dense))
        return Definitions.join_parts(self, sent, lengths, dtype, dense)

    def fold_parts(
        self, sent: list[Array], size: int, dtype: np.dtype, monoid: TypedMonoid, numbering: list[Numbering] | None
    ) -> VectorStore:
        if dtype.kind == "V":
            return self.adopt(HOST.fold_parts(sent, size, dtype, monoid, numbering))
        return Definitions.fold_parts(self, sent, size, dtype, monoid, numbering)

    # ---- parts of vectors and matrices ---------------------------------------------------------------------------

    def extract_vector(self, u: VectorStore, index: Array | None) -> VectorStore:
        if index is None or not vectors.worthwhile(u):
            return Definitions.extract_vector(self, u, index)
        return positions.taken(u, index)

    def extract_given(self, u: VectorStore, given: Array) -> VectorStore | None:
        if u.dtype.kind in "cV" or not vectors.worthwhile(u):
            return None
        return positions.taken_if_inside(u, given)

    def diagonal(self, a: MatrixStore, k: int) -> VectorStore:
        if a.form != SPARSE or min(a.nrows, a.ncols) > DENSE_LIMIT:
            return Definitions.diagonal(self, a, k)
        return extracting.diagonal(a, k)

    def diagonal_matrix(self, u: VectorStore, k: int) -> MatrixStore:
        if k or u.kind != "full" or not u.size:
            return Definitions.diagonal_matrix(self, u, k)
        places = cupy.arange(u.size + 1, dtype=column_type(u.size + 1))
        result = MatrixStore(u.size, u.size, places, places[:-1], u.values.copy())
        result._is_diagonal = True
        return result

    def extract_matrix(self, a: MatrixStore, rows: Array | None, cols: Array | None) -> MatrixStore:
        picked = a if rows is None else extracting.rows_at(a, rows)
        found = picked if cols is None else extracting.columns_at(picked, cols)
        return Definitions.extract_matrix(self, picked, None, cols) if found is None else found

    # ---- orders --------------------------------------------------------------------------------------------------

    def in_order(self, keys: Array, limit: int) -> tuple[Array, Array]:
        return radix.sort_positions(cupy.ascontiguousarray(keys), radix.bits_for(limit))

    def by_degree(self, pattern: MatrixStore) -> tuple[MatrixStore, MatrixStore]:
        ordered = pattern.form == SPARSE and pattern.nvals
        return degree_order.by_degree(pattern) if ordered else Definitions.by_degree(self, pattern)


class CudaFunctions:
    """Operations that are functions as they stand."""

    shaped_product = staticmethod(mxm.shaped_product)
    mxm = staticmethod(mxm.mxm)
    count_edges = staticmethod(vectors.count_edges)
    reduce_rowwise = staticmethod(rows.reduce_rows)
    checked_positions = staticmethod(positions.checked_positions)
    extract_rows = staticmethod(extracting.rows_between)
    may_order_searches = staticmethod(degree_order.may_order_searches)
    orders_searches = staticmethod(degree_order.orders_searches)
    kronecker_keys = staticmethod(kronecker.kronecker_keys)


PARTS = (Loops, CudaMemory, CudaBuilding, CudaElementwise, CudaWriting, VectorProducts, CudaKernels, CudaFunctions)


class CudaBackend(Engine, definitions=DEFINITIONS, kernels=PARTS, forms=EveryForm):
    """Matrices in every form; complex numbers and records by array code."""

    name = "cuda"
    keeps_dense = True
    costs = CUDA_COSTS
    sizes_on_device = True
    checks_positions_late = True
    left_to_others = "cV"

    def empty_vector(self, size: int, dtype: np.dtype) -> VectorStore:
        """Every result begins as one: its type is not looked at if there is a spare one."""
        spare = another_empty_list(size, dtype)
        if spare is not None:
            return spare
        return array_code.ARRAY_CODE.empty_vector(size, dtype) if dtype.kind in "cV" else first_list(size, dtype)

    def other_engine(self, kind: str, name: str) -> tuple[Callable[..., object], str, str]:
        return getattr(array_code.ARRAY_CODE, name), "array code", array_code.REASONS[kind]

    def failed(self, name: str, error: BaseException) -> AbstractContextManager[None] | None:
        return failed(name, error)
