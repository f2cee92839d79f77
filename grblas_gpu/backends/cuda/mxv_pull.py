"""Pulls: every row of the result that the mask allows looks for its products."""

from __future__ import annotations

from typing import Any

import cupy

from ..storage import INDEX, Array, MatrixStore, VectorStore
from .collect import collect
from .compile import constant, functions, using
from .launch import BLOCK, launch
from .masks import NO_MASK, VectorMask, as_flags, clear, mark
from .mxv_product import EACH, Product
from .scratch import Scratch

LISTED_ROWS = 16  # a sparse mask with more than size / LISTED_ROWS rows is read as flags
_ROWS_PER_BLOCK = {"pull.thread": BLOCK, "pull.warp": BLOCK // 32, "pull.hybrid": BLOCK}


def pull(
    product: Product, m: MatrixStore, u: VectorStore, mask: VectorMask, strategy: str, scratch: Scratch
) -> VectorStore:
    vector = _as_dense(product, u, scratch)
    if strategy == "pull.compact" or (_listed(mask) and mask.length <= m.nrows // LISTED_ROWS):
        result = _pull_compact(product, m, u, vector, mask, scratch)
    else:
        flags = as_flags(mask, scratch, m.nrows)
        run = _pull_edge if strategy == "pull.edge" else _pull_rows
        result = run(product, m, u, vector, flags, strategy, scratch)
        clear(mask, scratch, m.nrows)
    if u.indices is not None:
        mark(VectorMask(indices=u.indices, length=u.nvals), vector[0], False)
    return result


def _listed(mask: VectorMask) -> bool:
    return mask.indices is not None and not mask.complement


def _as_dense(product: Product, u: VectorStore, scratch: Scratch) -> tuple[Any, Any]:
    """Flags and values of the vector by position; a list is spread out in the scratch."""
    if u.indices is None:
        return (0 if u.present is None else u.present), u.values
    flags = scratch.flags("vector", u.size)
    if product.vector != EACH:
        mark(VectorMask(indices=u.indices, length=u.nvals), flags)
        return flags, u.values
    dense = scratch.values("vector", u.values.dtype, u.size)
    each = VectorMask(values=u.values)  # only names the type
    (kernel,) = functions("marks.cu", ("spread", each.key), ["spread_kernel"], each.pieces)
    launch(kernel, u.nvals, (u.indices, 0, u.nvals, flags, u.values, dense))
    return flags, dense


def _kernel(
    file: str, name: str, product: Product, m: MatrixStore, u: VectorStore, mask: VectorMask, *more: str
) -> Any:
    full = u.indices is None and u.present is None
    (kernel,) = functions(
        file,
        (product.key, m.indices.dtype.char, full, mask.key, more),
        [name],
        lambda: [*product.pieces(m.indices.dtype), constant("FULL", full), *mask.pieces(), *more],
    )
    return kernel


def _operands(m: MatrixStore, vector: tuple[Any, Any], mask: VectorMask) -> tuple[Any, ...]:
    return m.indptr, m.indices, m.values, *vector, *mask.arguments


def _pull_rows(
    product: Product,
    m: MatrixStore,
    u: VectorStore,
    vector: tuple[Any, Any],
    mask: VectorMask,
    strategy: str,
    scratch: Scratch,
) -> VectorStore:
    name = strategy.replace(".", "_")
    kernel = _kernel(f"{name}.cu", f"{name}_kernel", product, m, u, mask)
    present = cupy.empty(m.nrows, bool)
    values = cupy.empty(1 if product.structure else m.nrows, product.dtype)
    scratch.reset_counters()
    arguments = (*_operands(m, vector, mask), m.nrows, present, values, scratch.counters)
    launch(kernel, m.nrows, arguments, per_block=_ROWS_PER_BLOCK[strategy])
    return dense_result(m.nrows, present, values, scratch.count())


def _pull_edge(
    product: Product,
    m: MatrixStore,
    u: VectorStore,
    vector: tuple[Any, Any],
    mask: VectorMask,
    strategy: str,
    scratch: Scratch,
) -> VectorStore:
    row_ids = m.row_ids
    kernel = _kernel("pull_edge.cu", "pull_edge_kernel", product, m, u, mask, using("RowId", row_ids.dtype))
    present, values = fresh_sums(product, m.nrows)
    scratch.reset_counters()
    arguments = (*_operands(m, vector, mask), row_ids, m.nvals, present, values, scratch.counters)
    launch(kernel, m.nvals, arguments)
    return dense_result(m.nrows, present, values, scratch.count())


def _pull_compact(
    product: Product, m: MatrixStore, u: VectorStore, vector: tuple[Any, Any], mask: VectorMask, scratch: Scratch
) -> VectorStore:
    scratch.reset_counters()
    if _listed(mask):  # the mask's own list: the result is a list of at most that length
        rows, row_count, on_device, listed = mask.indices, mask.length, 0, True
        each = mask._replace(indices=None)
    else:
        flags = as_flags(mask, scratch, m.nrows)
        rows, row_count, listed = cupy.empty(m.nrows, INDEX), m.nrows, False
        on_device = collect(flags, m.nrows, rows, scratch)
        clear(mask, scratch, m.nrows)
        each = NO_MASK
    more = constant("LISTED_RESULT", listed)
    kernel = _kernel("pull_compact.cu", "pull_compact_kernel", product, m, u, each, more)
    found: Array
    if listed:
        found, present = cupy.empty(row_count, INDEX), 0
        values = cupy.empty(1 if product.structure else row_count, product.dtype)
    else:
        found, present = 0, cupy.zeros(m.nrows, bool)
        values = cupy.empty(1 if product.structure else m.nrows, product.dtype)
    arguments = (rows, on_device, row_count, found, present, values, scratch.counters)
    launch(kernel, row_count, (*_operands(m, vector, each), *arguments))
    count = scratch.count()
    if not listed:
        return dense_result(m.nrows, present, values, count)
    return listed_result(m.nrows, found, values, count, row_count)


# --- results ---------------------------------------------------------------------------------------------------------


def fresh_sums(product: Product, size: int) -> tuple[Array, Array]:
    """Flags and sums of a result that is scattered into."""
    present = cupy.zeros(size, bool)
    if product.structure:
        return present, cupy.empty(1, product.dtype)
    if product.exit_at_first:
        return present, cupy.empty(size, product.dtype)
    return present, cupy.full(size, product.initial, product.dtype)


def dense_result(size: int, present: Array, values: Array, count: int) -> VectorStore:
    if count == size:
        return VectorStore(size, values)
    return VectorStore(size, values, present=present, nvals=count)


def listed_result(size: int, indices: Array, values: Array, count: int, capacity: int) -> VectorStore:
    """Without the unused ends of the arrays."""
    indices = indices[:count]
    values = values[:count] if len(values) == capacity or count == 0 else values
    if count * 2 < capacity:  # do not keep the unused part alive
        indices, values = indices.copy(), values.copy()
    return VectorStore(size, values, indices=indices, ordered=count < 2)
