"""Matrix times full vector, balanced over entries: a pull of rows that are added up whole."""

from __future__ import annotations

import numpy as np

from ...storage import Array, MatrixStore, VectorStore
from ..runtime.arrays import two_arrays
from ..runtime.compile import constant, functions
from ..runtime.counters import EDGES
from ..runtime.launch import BLOCK
from ..runtime.workspace import Scratch
from .column_order import column_order
from .masks import NO_MASK, VectorMask, address
from .mxv_product import EACH, Product, index_key
from .rows import LEAST_CHUNK, carries, chunks_of

_BOOL = np.dtype(bool)
SHORT_MEAN = 8  # as in kernels/row_lanes.cuh
_KERNELS = ("pull_balanced_kernel", "pull_hubs_kernel", "add_carries_kernel")


def suits(product: Product, m: MatrixStore, u: VectorStore, mask: VectorMask) -> bool:
    """Whether every row has to be added up whole."""
    return mask is NO_MASK and u.kind == "full" and m.copies == 1 and product.adds_up_whole_rows


def may_have_short_rows(a: MatrixStore, transposed: bool = False) -> bool:
    """Whether rows (or columns) are looked at before they are added up: a lane takes one that is short."""
    return a.nvals < SHORT_MEAN * (a.ncols if transposed else a.nrows)


def pull_balanced(
    product: Product, m: MatrixStore, u: VectorStore, following: Array | None, scratch: Scratch
) -> VectorStore:
    """``following``: the offsets of the matrix that the result is likely to be multiplied with next."""
    nrows, entries = m.nrows, m.nvals
    short = may_have_short_rows(m)
    kernel, with_hubs, add_carries = functions(
        "pull_balanced.cu",
        (product.key, index_key(m), short),
        _KERNELS,
        lambda: [*product.pieces(m), constant("FULL", True), constant("SHORT_ROWS", short), *NO_MASK.pieces()],
    )
    present, values = two_arrays(nrows, _BOOL, nrows, product.dtype)
    slots = scratch.slots()
    kept = carries(scratch)
    path = entries + nrows  # which the chunks are of: see kernels/row_chunks.cuh
    order = column_order(m, 1) if product.vector == EACH else None
    indices = m.indices if order is None else order.indices
    elements = u.values if order is None else u.values[order.columns]
    operands = (m.indptr.data.ptr, indices.data.ptr, m.values.data.ptr, 0, elements.data.ptr, 0, 0)
    outputs = (nrows, entries, present.data.ptr, values.data.ptr, address(following))
    words = (*operands, *outputs, *kept, slots.address, slots.host)
    if order is None:
        scratch.launch(kernel, chunks_of(path), words, BLOCK // 32)
    else:
        scratch.launch_large(with_hubs, chunks_of(path), (*words, m.ncols), m.ncols * elements.itemsize)
    if path > LEAST_CHUNK:
        scratch.launch(add_carries, chunks_of(path), (m.indptr.data.ptr, nrows, entries, values.data.ptr, *kept))
    result = VectorStore.counted_bitmap(nrows, values, present, slots.published(), nrows)
    if following is not None:
        result.edges = following, slots.published(EDGES)
    return result
