"""Matrix times matrix on the device: the planner's strategy, by the kernels of that name."""

from __future__ import annotations

from typing import Any

import cupy

from ....ir.descriptor import DENSE_STRATEGIES
from ... import dense_products
from ...storage import INDEX, MaskView, MatrixStore, column_type
from .gathering import is_simple, scaled
from .mxm_dot import masked_dot
from .mxm_gustavson import gustavson
from .mxm_operands import INSIDE, Product, resolve
from .mxm_sort import by_sorting, suits
from .spmm import DenseKernels


def mxm(a: MatrixStore, b: MatrixStore, semiring: Any, mask: MaskView | None, *, plan: Any) -> MatrixStore:
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
        return by_sorting(a, b, product)
    return gustavson(a, b, product, allowed, plan.deterministic)


def shaped_product(a: MatrixStore, b: MatrixStore, semiring: Any, masked: bool) -> tuple[str, str] | None:
    """A strategy for factors with one entry in a row, and why."""
    if a.nvals == 0 or b.nvals == 0:
        return None
    if is_simple(a, b):
        return "mxm.scale", "a factor has at most one entry in each row"
    if not masked and suits(a, b, semiring):
        return "mxm.sort", "long rows, and every row of the right factor has one entry"
    return None
