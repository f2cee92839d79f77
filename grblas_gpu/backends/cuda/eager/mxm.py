"""Matrix times matrix on the device: the planner's strategy, by the kernels of that name."""

from __future__ import annotations

import cupy
import numpy as np

from ....foundation.types import Plan, TypedSemiring
from ....ir.descriptor import DENSE_STRATEGIES
from ...forms import dense_products
from ...programs.reading import EACH
from ...stores.entries import cast
from ...stores.storage import INDEX, Array, MaskView, MatrixStore, column_type
from .building import build_matrix
from .gathering import is_simple, scaled
from .mxm_gustavson import MOST_SORTED, dense_suits, gustavson
from .mxm_masked import masked_dot, masked_rows
from .mxm_operands import INSIDE, MatrixMask, PatternOnly, Product, resolve
from .operating import compute, reduce_runs
from .radix import bits_for
from .spmm import DenseKernels

MOST_POSITION_BITS = 63
MOST_VALUE_BYTES = 8  # of a value that is sorted with its position


def mxm(a: MatrixStore, b: MatrixStore, semiring: TypedSemiring, mask: MaskView | None, *, plan: Plan) -> MatrixStore:
    """``t[i, j] = add_k mult(a[i, k], b[k, j])``, with sorted rows and nothing outside the mask."""
    nothing = a.nvals == 0 or b.nvals == 0
    if plan.strategy in DENSE_STRATEGIES and not nothing:
        found = dense_products.multiply(DenseKernels(), a, b, semiring, mask, plan)
        assert found is not None
        return found
    allowed = resolve(mask)
    if allowed is None or nothing:
        indptr = cupy.zeros(a.nrows + 1, INDEX)
        values = cupy.empty(0, semiring.return_type.np_type)
        return MatrixStore(a.nrows, b.ncols, indptr, cupy.empty(0, column_type(b.ncols)), values)
    if plan.strategy == "mxm.scale":
        return scaled(a, b, semiring, allowed)
    product = Product(a, b, semiring, plan.early_exit)
    if plan.strategy == "mxm.masked_dot" and allowed.where == INSIDE:
        return masked_dot(a, b.transposed(), product, allowed)
    if plan.strategy == "mxm.sort":
        return _by_sorting(a, b, product)
    return _by_rows(a, b, product, allowed, plan.deterministic)


def shaped_product(a: MatrixStore, b: MatrixStore, semiring: TypedSemiring, masked: bool) -> tuple[str, str] | None:
    """A strategy for factors with one entry in a row, and why."""
    if a.nvals == 0 or b.nvals == 0:
        return None
    if is_simple(a, b):
        return "mxm.scale", "a factor has at most one entry in each row"
    if not masked and _sorting_suits(a, b, semiring):
        return "mxm.sort", "long rows, and every row of the right factor has one entry"
    return None


def _by_rows(a: MatrixStore, b: MatrixStore, product: Product, mask: MatrixMask, deterministic: bool) -> MatrixStore:
    # Sums by atomics depend on timing. Where they must not: only the pattern here, then sums as dot products.
    fixed_order = deterministic and product.order_dependent
    filled = PatternOnly() if fixed_order else product
    by_rows = masked_rows if mask.where == INSIDE and filled.can_share else gustavson
    result = by_rows(a, b, filled, mask)
    if not fixed_order or result.nvals == 0:
        return result
    return masked_dot(a, b.transposed(), product, MatrixMask(INSIDE, result))


# Products with a factor that has one entry in every row, as vertices have one group: columns get other numbers. There
# are as many products as entries, and rows stay where they are. So positions are sorted as a whole, and those that are
# equal then are added up, in the order that they had; long rows would need large tables otherwise.


def _sorting_suits(a: MatrixStore, b: MatrixStore, semiring: TypedSemiring) -> bool:
    """Whether ``b`` has one entry in every row, and rows of ``a`` are longer than what is sorted in registers."""
    return (
        b.nvals == b.nrows
        and semiring.binaryop.positional is None
        and semiring.return_type.np_type.itemsize <= MOST_VALUE_BYTES
        and bits_for(a.nrows) + bits_for(b.ncols) <= MOST_POSITION_BITS
        and b.max_degree == 1
        and a.max_degree > MOST_SORTED
        and not dense_suits(Product(a, b, semiring, True), b.ncols, MatrixMask())
    )


def _by_sorting(a: MatrixStore, b: MatrixStore, product: Product) -> MatrixStore:
    op, monoid = product.semiring.binaryop, product.semiring.monoid
    left = a.values if product.first == EACH else a.values[:1]
    right = b.values[a.indices] if product.second == EACH else b.values[:1]
    values = compute(op, cast(left, op.type.np_type), cast(right, op.type2.np_type))
    if len(values) < a.nvals:
        values = np.broadcast_to(values[:1], (a.nvals,))

    def added(_: object, values: Array, starts: Array) -> Array:
        if product.structure:  # their sum is again the same
            return np.broadcast_to(values[:1], (len(starts),))
        return reduce_runs(monoid, values, starts)

    columns = b.indices[a.indices]
    given = (a.row_ids, columns, cast(values, product.dtype), monoid.binaryop, added)
    found = build_matrix(a.nrows, b.ncols, *given)
    assert found is not None, "positions fit: see _sorting_suits()"
    return found
