"""Matrix times full vector, balanced over entries: a pull of rows that are added up whole."""

from __future__ import annotations

import numpy as np

from ...programs.reading import EACH
from ...stores.storage import MatrixStore, VectorStore
from ..runtime.arrays import Result
from ..runtime.compile import constant
from ..runtime.launch import BLOCK
from .column_order import column_order
from .masks import NO_MASK, VectorMask, address
from .mxv_product import Job, Product
from .rows import LEAST_CHUNK, carries, chunks_of

SHORT_MEAN = 8  # as in kernels/row_products.cuh, which has what a lane takes, too
WORTH_A_LOOK = 2**20  # entries: with fewer, finding the longest row would take as long as it saves
_KERNELS = ("pull_balanced_kernel", "pull_hubs_kernel", "add_carries_kernel")


def suits(product: Product, m: MatrixStore, u: VectorStore, mask: VectorMask) -> bool:
    """Whether every row has to be added up whole."""
    return mask is NO_MASK and u.kind == "full" and m.copies == 1 and product.adds_up_whole_rows


def may_have_short_rows(a: MatrixStore, transposed: bool = False) -> bool:
    """Whether rows (or columns) are looked at before they are added up: a lane takes one that is short."""
    return a.nvals < SHORT_MEAN * (a.ncols if transposed else a.nrows)


def lane_row(dtype: np.dtype) -> int:
    """How many entries a row has, at most, that a lane takes.

    >>> lane_row(np.dtype(np.float32)), lane_row(np.dtype(np.float64))
    (16, 12)
    """
    return 16 if dtype.itemsize < 8 else 12


def has_only_short_rows(a: MatrixStore, limit: int, transposed: bool = False) -> bool:
    """Whether no row (or column) has more entries, as far as that is worth knowing."""
    if a.nvals < WORTH_A_LOOK or not may_have_short_rows(a, transposed):
        return False
    return (a.transposed() if transposed else a).max_degree <= limit


def pull_balanced(job: Job) -> VectorStore:
    product, m, u, _, following, slots, scratch = job
    nrows, entries = m.nrows, m.nvals
    order = column_order(m, 1) if product.second == EACH else None
    short = may_have_short_rows(m)
    kernel, with_hubs, add_carries = job.kernels(
        "pull_balanced.cu", _KERNELS, (short,), lambda: [constant("FULL", True), constant("SHORT_ROWS", short)]
    )
    all_short = order is None and has_only_short_rows(m, lane_row(product.dtype))
    sums = Result(nrows, product.dtype)
    kept = carries(scratch)
    path = entries + nrows  # which the chunks are of: see kernels/row_products.cuh
    indices = m.indices if order is None else order.indices
    elements = u.values if order is None else u.values[order.columns]
    operands = (m.indptr.data.ptr, indices.data.ptr, m.values.data.ptr, 0, elements.data.ptr, 0, 0)
    outputs = (nrows, entries, *sums.addresses, address(following))
    words = (*operands, *outputs, *kept, all_short, slots.address, slots.host)
    if order is None:
        scratch.launch(kernel, chunks_of(path), words, BLOCK // 32)
    else:
        scratch.launch_large(with_hubs, chunks_of(path), (*words, m.ncols), m.ncols * elements.itemsize)
    if path > LEAST_CHUNK and not all_short:
        scratch.launch(add_carries, chunks_of(path), (m.indptr.data.ptr, nrows, entries, sums.addresses[1], *kept))
    return sums.store(slots)
