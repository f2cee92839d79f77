"""Gustavson's method: row by row of the left factor, the rows of the right one added up.

How a row is made depends on the number of its products: few are sorted in registers (``mxm_small.py``), many are added
to a sum for every column (``mxm_dense.py``), or to a hash table where there are very many columns (``mxm_hashed.py``).
"""

from __future__ import annotations

import cupy
import numpy as np

from ...storage import INDEX, MatrixStore
from . import mxm_dense
from .mxm_bins import MOST_SMALL, Bins, count_products
from .mxm_dense import DenseRows
from .mxm_dot import masked_dot
from .mxm_hashed import HashedRows
from .mxm_masked import masked_rows
from .mxm_operands import INSIDE, MatrixMask, PatternOnly, Product
from .mxm_programs import Programs
from .mxm_small import SmallRows

MOST_KEY_BITS = 64 - 9  # of a column in kernels/mxm_small.cu


def gustavson(a: MatrixStore, b: MatrixStore, product: Product, mask: MatrixMask, deterministic: bool) -> MatrixStore:
    programs = Programs(a, b, mask, b.ncols)
    operands = (a, b, mask)
    # Sums by atomics depend on timing. Where they must not: only the pattern here, then sums as dot products.
    fixed_order = deterministic and product.order_dependent
    filled: Product | PatternOnly = PatternOnly() if fixed_order else product
    if mask.where == INSIDE and filled.can_share:
        result = masked_rows(a, b, filled, mask)
        return _with_sums(a, b, product, result) if fixed_order and result.nvals else result
    most_small = MOST_SMALL if b.ncols.bit_length() <= MOST_KEY_BITS else 0
    dense_suits = mxm_dense.suits(filled, b.ncols, mask)
    products = count_products(programs.bins(), a, b)
    bins = Bins(programs.bins(), products, mask.arguments[0], b.ncols, most_small, dense_suits)
    counts = cupy.zeros(a.nrows, INDEX)
    hashed = None if bins.at_most is None else HashedRows(programs, operands, products, bins.at_most)
    if hashed is not None:
        hashed.count(counts)  # before the others: it has a count for every row
    small, dense = SmallRows(programs, operands, filled, bins), DenseRows(programs, operands, bins.dense())
    small.count(counts)
    dense.count(counts)
    indptr = cupy.zeros(a.nrows + 1, INDEX)
    np.cumsum(counts, out=indptr[1:])
    nvals = int(indptr[-1])  # synchronizes
    indices = cupy.empty(nvals, programs.column)
    values = cupy.empty(1 if filled.structure and nvals else nvals, filled.dtype)
    if nvals:
        small.fill(indptr, counts, indices, values)
        dense.fill(filled, indptr, indices, values)
        if hashed is not None:
            hashed.fill(filled, indptr, indices, values)
    result = MatrixStore(a.nrows, b.ncols, indptr, indices, values)
    return _with_sums(a, b, product, result) if fixed_order and nvals else result


def _with_sums(a: MatrixStore, b: MatrixStore, product: Product, pattern: MatrixStore) -> MatrixStore:
    return masked_dot(a, b.transposed(), product, MatrixMask(INSIDE, pattern))
