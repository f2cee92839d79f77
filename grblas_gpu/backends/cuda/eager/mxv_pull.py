"""Pulls: every row of the result that the mask allows looks for its products."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from ...storage import INDEX, Array, MatrixStore, VectorStore
from ..runtime.arrays import two_arrays
from ..runtime.compile import constant, functions, using
from ..runtime.counters import EDGES, LISTED, Slots
from ..runtime.launch import BLOCK, launch
from ..runtime.workspace import Scratch
from .collect import collect
from .masks import KEPT_FLAGS, NO_MASK, VectorMask, address, as_flags, clear, flags_of, list_of, mark
from .mxv_product import EACH, Product, index_key

_BOOL = np.dtype(bool)
LISTED_ROWS = 16  # a sparse mask with more than size / LISTED_ROWS rows is read as flags
_ROWS_PER_BLOCK = {"pull.thread": BLOCK, "pull.warp": BLOCK // 32, "pull.hybrid": BLOCK}


def pull(
    product: Product,
    m: MatrixStore,
    u: VectorStore,
    mask: VectorMask,
    strategy: str,
    following: Array | None,
    scratch: Scratch,
) -> VectorStore:
    """``following``: the offsets of the matrix that the result is likely to be multiplied with next."""
    vector, listed = _as_dense(product, u, scratch)
    slots = scratch.slots()
    if strategy == "pull.compact" or (_listed(mask) and mask.length <= m.nrows // LISTED_ROWS):
        result = _pull_compact(product, m, u, vector, mask, following, slots, scratch)
    else:
        flags = as_flags(mask, scratch, m.nrows)
        run = _pull_edge if strategy == "pull.edge" else _pull_rows
        result = run(product, m, u, vector, flags, strategy, following, slots, scratch)
        clear(mask, scratch, m.nrows)
    if listed is not None:
        mark(listed, vector[0], False)
    if following is not None:
        result.edges = following, slots.published(EDGES)
    return result


def _listed(mask: VectorMask) -> bool:
    return mask.indices is not None and not mask.complement


def _as_dense(product: Product, u: VectorStore, scratch: Scratch) -> tuple[tuple[Any, Any], VectorMask | None]:
    """Flags and values of the vector by position; a list spread out in the scratch is returned, to be cleared."""
    if u.kind != "sparse":
        return (u.present, u.values), None
    indices, values, length, count_at = list_of(u)
    if product.vector != EACH and u.size <= KEPT_FLAGS:
        return (flags_of(u), values), None
    listed = VectorMask(indices=indices, length=length, count_at=count_at)
    flags = scratch.flags("vector", u.size)
    if product.vector != EACH:
        mark(listed, flags)
        return (flags, values), listed
    dense = scratch.values("vector", values.dtype, u.size)
    each = VectorMask(values=values)  # only names the type
    (kernel,) = functions("marks.cu", ("spread", each.key), ["spread_kernel"], each.pieces)
    launch(kernel, length, (indices, count_at, length, flags, values, dense))
    return (flags, dense), listed


def _kernel(
    file: str, name: str, product: Product, m: MatrixStore, u: VectorStore, mask: VectorMask, *more: str
) -> Any:
    full = u.kind == "full"
    (kernel,) = functions(
        file,
        (product.key, index_key(m), full, mask.key, more),
        [name],
        lambda: [*product.pieces(m), constant("FULL", full), *mask.pieces(), *more],
    )
    return kernel


def _operands(m: MatrixStore, vector: tuple[Array | None, Array], mask: VectorMask) -> tuple[int, ...]:
    present, values = vector
    matrix = (m.indptr.data.ptr, m.indices.data.ptr, m.values.data.ptr)
    return *matrix, address(present), values.data.ptr, *mask.addresses


def _pull_rows(
    product: Product,
    m: MatrixStore,
    u: VectorStore,
    vector: tuple[Any, Any],
    mask: VectorMask,
    strategy: str,
    following: Array | None,
    slots: Slots,
    scratch: Scratch,
) -> VectorStore:
    name = strategy.replace(".", "_")
    kernel = _kernel(f"{name}.cu", f"{name}_kernel", product, m, u, mask)
    nrows = m.nrows
    present, values = two_arrays(nrows, _BOOL, 1 if product.structure else nrows, product.dtype)
    outputs = (nrows, present.data.ptr, values.data.ptr, address(following), slots.address, slots.host)
    scratch.launch(kernel, nrows, (*_operands(m, vector, mask), *outputs), _ROWS_PER_BLOCK[strategy])
    return dense_result(nrows, present, values, slots)


def _pull_edge(
    product: Product,
    m: MatrixStore,
    u: VectorStore,
    vector: tuple[Any, Any],
    mask: VectorMask,
    strategy: str,
    following: Array | None,
    slots: Slots,
    scratch: Scratch,
) -> VectorStore:
    row_ids = m.row_ids
    kernel = _kernel("pull_edge.cu", "pull_edge_kernel", product, m, u, mask, using("RowId", row_ids.dtype))
    present, values = fresh_sums(product, m.nrows)
    walk = (row_ids.data.ptr, m.nvals)
    outputs = (present.data.ptr, values.data.ptr, address(following), slots.address, slots.host)
    scratch.launch(kernel, m.nvals, (*_operands(m, vector, mask), *walk, *outputs))
    return dense_result(m.nrows, present, values, slots)


def _pull_compact(
    product: Product,
    m: MatrixStore,
    u: VectorStore,
    vector: tuple[Any, Any],
    mask: VectorMask,
    following: Array | None,
    slots: Slots,
    scratch: Scratch,
) -> VectorStore:
    listed = _listed(mask)
    found = present = None
    if listed:  # the mask's own list: the result is a list of at most that length
        rows, row_count, count_at = mask.indices, mask.length, mask.count_at
        each = mask._replace(indices=None)
        found, length = cupy.empty(row_count, INDEX), row_count
    else:
        flags = as_flags(mask, scratch, m.nrows)
        rows, row_count, count_at = cupy.empty(m.nrows, INDEX), m.nrows, slots.address + 8 * LISTED
        collect(flags, m.nrows, rows, scratch, count_at)
        clear(mask, scratch, m.nrows)
        each = NO_MASK
        present, length = cupy.zeros(m.nrows, bool), m.nrows
    more = constant("LISTED_RESULT", listed)
    kernel = _kernel("pull_compact.cu", "pull_compact_kernel", product, m, u, each, more)
    values = cupy.empty(1 if product.structure else length, product.dtype)
    walk = (address(rows), count_at, row_count)
    outputs = (address(found), address(present), values.data.ptr, address(following), slots.address, slots.host)
    scratch.launch(kernel, row_count, (*_operands(m, vector, each), *walk, *outputs))
    if present is not None:
        return dense_result(m.nrows, present, values, slots)
    return VectorStore.counted_list(m.nrows, values, found, slots.published())


# --- results ---------------------------------------------------------------------------------------------------------


def fresh_sums(product: Product, size: int) -> tuple[Array, Array]:
    """Flags and sums of a result that is scattered into."""
    present = cupy.zeros(size, bool)
    if product.structure:
        return present, cupy.empty(1, product.dtype)
    if product.exit_at_first:
        return present, cupy.empty(size, product.dtype)
    return present, cupy.full(size, product.initial, product.dtype)


def dense_result(size: int, present: Array, values: Array, slots: Slots) -> VectorStore:
    return VectorStore.counted_bitmap(size, values, present, slots.published(), size)
