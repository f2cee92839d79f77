"""Gustavson's method inside of a mask: the products of a row are looked up among the entries of the mask's row."""

from __future__ import annotations

import cupy
import numpy as np

from ...protocol import SAMPLE
from ...storage import INDEX, Array, MatrixStore
from ..runtime.launch import BLOCK, launch
from .mxm_bins import count_products
from .mxm_operands import MatrixMask, PatternOnly, Product
from .mxm_programs import Programs
from .selecting import flagged

FAR_LONGER, WIDE_ROW = 16, 64  # as in kernels/mxm_masked_rows.cu and mxm_share.cuh


def masked_rows(a: MatrixStore, b: MatrixStore, product: Product | PatternOnly, mask: MatrixMask) -> MatrixStore:
    """``a b`` at the entries of a mask, which is not complemented."""
    pattern = mask.store
    assert pattern is not None
    programs = Programs(a, b, mask, b.ncols)
    list_rows, by_warp, by_block = programs.masked_rows(product).functions()
    products = count_products(programs.bins(), a, b)
    rows, counters = cupy.empty(a.nrows, INDEX), cupy.zeros(4, INDEX)
    launch(list_rows, a.nrows, (products, a.indptr, pattern.indptr, a.nrows, rows, counters))
    present = cupy.zeros(pattern.nvals, bool)  # rows without products are in no list
    values = cupy.empty(1 if product.structure else pattern.nvals, product.dtype)
    factors = (a.indptr, a.indices, a.values, b.indptr, b.indices, b.values, *mask.arguments)
    arguments = (*factors, a.nrows, rows, counters, present, values)
    launch(by_block, a.nrows, arguments, per_block=1)  # the longest first
    launch(by_warp, a.nrows, arguments, per_block=BLOCK // 32)
    return kept_entries(programs, (a.nrows, b.ncols), pattern, present, values)


def estimate_masked_products(a: MatrixStore, b: MatrixStore, mask: MatrixStore) -> float:
    """How many entries of ``b`` are looked up for ``a b`` inside of a mask, about."""
    entries = cupy.arange(0, a.nvals, -(-a.nvals // SAMPLE))
    rows, inner = np.searchsorted(a.indptr, entries, side="right") - 1, a.indices[entries]
    length, allowed = (x.indptr[at + 1] - x.indptr[at] for x, at in ((b, inner), (mask, rows)))
    looked_up = np.minimum(length, FAR_LONGER * allowed + WIDE_ROW) * (allowed > 0)
    return a.nvals * float(looked_up.mean())  # synchronizes


def kept_entries(
    programs: Programs, shape: tuple[int, int], pattern: MatrixStore, present: Array, values: Array
) -> MatrixStore:
    """The entries of a mask's pattern that are present, with their values."""
    result = flagged(MatrixStore(*shape, pattern.indptr, pattern.indices, values), present)
    if result.indices.dtype == programs.column:
        return result
    return MatrixStore(*shape, result.indptr, result.indices.astype(programs.column), result.values)
