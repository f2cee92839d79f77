"""Matrix products inside of a mask, which has places for the result: there is nothing to count.

Either dot products at the entries of the mask, or Gustavson's method, whose products are looked up in the mask's row.
"""

from __future__ import annotations

import cupy
import numpy as np

from ...protocol import SAMPLE
from ...stores.storage import INDEX, Array, MatrixStore
from ..runtime.compile import specialized
from ..runtime.launch import BLOCK, launch
from .mxm_gustavson import count_products
from .mxm_operands import INSIDE, MatrixMask, PatternOnly, Product
from .mxm_programs import Multiplication, row_products
from .selecting import flagged

FAR_LONGER, WIDE_ROW = 16, 64  # as in kernels/mxm_masked.cu and mxm_rows.cuh
LEAST_CHUNK = 256  # entries of the mask in an item, as there
NO_CORNERS, OF_EDGES, OF_VERTICES = 0, 1, 2
EVERY_PAIR, ROW_IS_LONGER, COLUMN_IS_LONGER = 0, 1, 2
MANY = 2**16  # entries of a mask that make it worth to take it twice


def masked_rows(a: MatrixStore, b: MatrixStore, product: Product | PatternOnly, mask: MatrixMask) -> MatrixStore:
    """``a b`` at the entries of a mask, row by row of ``a``."""
    assert mask.store is not None
    job = Multiplication(a, b, product, mask, b.ncols)
    present, values = _places(mask.store, product)
    products = count_products(a, b, row_products(a, b, mask)[0])
    _run(job, EVERY_PAIR, mask.store, products, NO_CORNERS, present, values)
    return _kept_entries(job, present, values)


def masked_dot(a: MatrixStore, b: MatrixStore, product: Product, mask: MatrixMask) -> MatrixStore:
    """``a`` times the transpose of ``b`` at the entries of a mask."""
    assert mask.store is not None
    job, other = Multiplication(a, b, product, mask, b.nrows), None
    present, values = _places(mask.store, product)
    if a is b and mask.values is None and (product.counts or product.structure) and mask.store.nvals > MANY:
        other = mask.store._transpose  # not made for this: that takes as long as it saves
    _launch_dots(job, NO_CORNERS, other, present, values)
    return _kept_entries(job, present, values)


def triangle_counts(lower: MatrixStore, product: Product, of_edges: bool) -> Array:
    """How many triangles each edge or each vertex is in, of a graph given with every edge once."""
    assert product.counts and product.dtype == INDEX
    job = Multiplication(lower, lower, product, MatrixMask(INSIDE, lower), lower.nrows)
    # An edge has no more triangles than there are vertices, as in kernels/mxm_masked.cu.
    counts = cupy.zeros(lower.nvals, np.uint32) if of_edges else cupy.zeros(lower.nrows, INDEX)
    other = lower.transposed() if lower.nvals > MANY else None
    _launch_dots(job, OF_EDGES if of_edges else OF_VERTICES, other, 0, counts)
    return counts.astype(INDEX, copy=False)


def _launch_dots(job: Multiplication, corners: int, other: MatrixStore | None, *output: object) -> None:
    """All pairs at once; or, with the transpose of a structural mask, by which of the two is longer."""
    pattern = job.mask.store
    assert pattern is not None
    if other is None:
        _run(job, EVERY_PAIR, pattern, None, corners, *output)
        return
    offsets = other.indptr.astype(pattern.indptr.dtype, copy=False)  # one program for both
    turned = MatrixMask(INSIDE, MatrixStore(other.nrows, other.ncols, offsets, other.indices, other.values))
    _run(job, ROW_IS_LONGER, pattern, None, corners, *output)
    swapped = Multiplication(job.b, job.a, job.product, turned, job.a.nrows)
    _run(swapped, COLUMN_IS_LONGER, pattern, None, corners, *output)


def _run(
    job: Multiplication, side: int, places: MatrixStore, products: Array | None, corners: int, *output: object
) -> None:
    """Rows by the numbers of their products, or dot products if there are none; results have their ``places``."""
    constants = {"DOTS": products is None, "CORNERS": corners}
    list_items, by_warp, by_block = job.functions("mxm_masked.cu", **constants)
    a, (mask_indptr, *_) = job.a, job.mask.arguments
    capacity = a.nrows + places.nvals // LEAST_CHUNK + 1
    rows, firsts, counters = cupy.empty(capacity, INDEX), cupy.empty(capacity, INDEX), cupy.zeros(4, INDEX)
    lengths = (0 if products is None else products, a.indptr, mask_indptr, a.nrows)
    launch(list_items, a.nrows, (*lengths, capacity, rows, firsts, counters))
    arguments = (*job.arguments, rows, firsts, capacity, counters, side, places.indptr, places.indices, *output)
    launch(by_block, capacity, arguments, per_block=1)  # the longest first
    launch(by_warp, capacity, arguments, per_block=BLOCK // 32)


def _places(pattern: MatrixStore, product: Product | PatternOnly) -> tuple[Array, Array]:
    """Flags and values for the entries of a mask; kernels skip rows without entries or products."""
    values = cupy.empty(1 if product.structure else pattern.nvals, product.dtype)
    return cupy.zeros(pattern.nvals, bool), values


def _kept_entries(job: Multiplication, present: Array, values: Array) -> MatrixStore:
    """The entries of a mask's pattern that are present, with their values."""
    shape, pattern = (job.a.nrows, job.ncols), job.mask.store
    assert pattern is not None
    result = flagged(MatrixStore(*shape, pattern.indptr, pattern.indices, values), present)
    if result.indices.dtype == job.column:
        return result
    return MatrixStore(*shape, result.indptr, result.indices.astype(job.column), result.values)


def estimate_dots(a: MatrixStore, b: MatrixStore, mask: MatrixStore) -> float:
    """How many entries are looked up for ``a`` times the transpose of ``b`` at the entries of a mask, about."""
    row, column = _sampled_lengths(mask, a, b)
    return mask.nvals * float((np.minimum(column, FAR_LONGER * row + WIDE_ROW) * (row > 0)).mean())


def estimate_masked_products(a: MatrixStore, b: MatrixStore, mask: MatrixStore) -> float:
    """How many entries of ``b`` are looked up for ``a b`` inside of a mask, about."""
    open_, length = _sampled_lengths(a, mask, b)
    return a.nvals * float((np.minimum(length, FAR_LONGER * open_ + WIDE_ROW) * (open_ > 0)).mean())


def _sampled_lengths(store: MatrixStore, by_row: MatrixStore, by_column: MatrixStore) -> np.ndarray:
    """For some entries of a matrix, the lengths of other matrices' rows by the number of its row, and of its column."""
    step = -(-store.nvals // SAMPLE)
    count = -(-store.nvals // step)
    lengths = cupy.empty((2, count), INDEX)
    types = {"Offset": store.indptr.dtype, "Column": store.indices.dtype}
    types |= {"OfRow": by_row.indptr.dtype, "OfColumn": by_column.indptr.dtype}
    (kernel,) = specialized("sampled_lengths.cu", ["sampled_lengths_kernel"], types)
    given = store.indptr, store.indices, store.nrows, step, count, by_row.indptr, by_column.indptr, lengths
    launch(kernel, count, given)
    return cupy.asnumpy(lengths)  # synchronizes
