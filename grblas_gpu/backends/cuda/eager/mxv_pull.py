"""Pulls: every row of the result that the mask allows looks for its products."""

from __future__ import annotations

from functools import cache

import cupy
import numpy as np

from ...programs.reading import EACH
from ...stores.storage import INDEX, Array, VectorStore
from ..runtime.arrays import Result
from ..runtime.compile import constant, using
from ..runtime.counters import LISTED, Slots
from ..runtime.launch import BLOCK
from .masks import KEPT_FLAGS, NO_MASK, VectorMask, address, as_flags, clear, collect, flags_of, list_of, mark
from .mxv_product import Job, Product
from .vectors import spread

_ROW = np.dtype(INDEX)
Dense = tuple[Array | None, Array]  # flags (None: all) and values by position
THREAD, WARP, HYBRID, EDGE = range(4)  # as in kernels/pull.cu


@cache
def _way(by: int, row: np.dtype = _ROW, listed_rows: bool = False, listed_result: bool = False) -> tuple[str, ...]:
    flags = constant("LISTED_ROWS", listed_rows), constant("LISTED_RESULT", listed_result)
    return constant("BY", by), using("RowId", row), *flags


_BY_ROWS = {"pull.thread": _way(THREAD), "pull.warp": _way(WARP), "pull.hybrid": _way(HYBRID)}


def _run(
    job: Job,
    way: tuple[str, ...],
    vector: Dense,
    walk: tuple[int, int, int],
    outputs: tuple[int, int, int],
    per_block: int = BLOCK,
) -> None:
    """``vector``: flags and values by position; ``walk``: rows, where their number is on the device, and a bound;
    ``outputs``: list, flags and values."""
    _, m, u, mask, following, slots, scratch = job
    full = u.kind == "full"
    (kernel,) = job.kernels("pull.cu", ["pull_kernel"], (full, way), lambda: [constant("FULL", full), *way])
    present, values = vector
    operands = (m.indptr.data.ptr, m.indices.data.ptr, m.values.data.ptr, address(present), values.data.ptr)
    counted = (address(following), slots.address, slots.host)
    words = (*operands, *mask.addresses, *walk, *outputs, *counted)
    scratch.launch(kernel, walk[2], words, per_block)


def pull(job: Job, strategy: str) -> VectorStore:
    vector, listed = _as_dense(job)
    if strategy == "pull.compact":
        result = _compact(job, vector)
    else:
        result = _by_edges(job, vector) if strategy == "pull.edge" else _by_rows(job, vector, strategy)
    if listed is not None:
        mark(listed, vector[0], False)
    return result


def _as_dense(job: Job) -> tuple[Dense, VectorMask | None]:
    """Flags and values of the vector by position; a list spread out in the scratch is returned, to be cleared."""
    product, u, scratch = job.product, job.u, job.scratch
    found = list_of(u)
    if found is None:
        return (u.present, u.values), None
    indices, values, length, count_at = found
    if product.second != EACH and u.size <= KEPT_FLAGS:
        return (flags_of(u), values), None
    listed = VectorMask(indices=indices, length=length, count_at=count_at)
    flags = scratch.flags("vector", u.size)
    if product.second != EACH:
        mark(listed, flags)
        return (flags, values), listed
    dense = scratch.values("vector", values.dtype, u.size)
    spread(indices, values, flags, dense, length, count_at)
    return (flags, dense), listed


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


def _by_rows(job: Job, vector: Dense, strategy: str) -> VectorStore:
    nrows = job.m.nrows
    result = Result(nrows, job.product.dtype, job.product.structure)
    per_block = BLOCK // 32 if strategy == "pull.warp" else BLOCK
    _run(job, _BY_ROWS[strategy], vector, (0, 0, nrows), (0, *result.addresses), per_block)
    return result.store(job.slots)


def _by_edges(job: Job, vector: Dense) -> VectorStore:
    row_ids = job.m.row_ids
    present, values = fresh_sums(job.product, job.m.nrows)
    walk = (row_ids.data.ptr, 0, job.m.nvals)
    _run(job, _way(EDGE, row_ids.dtype), vector, walk, (0, present.data.ptr, values.data.ptr))
    return dense_result(job.m.nrows, present, values, job.slots)


def _compact(job: Job, vector: Dense) -> VectorStore:
    product, m, _, mask, _, slots, scratch = job
    nrows = m.nrows
    found = present = None
    listed = mask.indices is not None and not mask.complement
    if listed:  # the mask's own list: the result is a list of at most that length
        rows, row_count, count_at = mask.indices, mask.length, mask.count_at
        each = mask._replace(indices=None)
        found, length = cupy.empty(row_count, INDEX), row_count
    else:
        rows, row_count, count_at = cupy.empty(nrows, INDEX), nrows, slots.address + 8 * LISTED
        collect(as_flags(mask, scratch, nrows), nrows, rows, scratch, count_at)
        clear(mask, scratch, nrows)
        each = NO_MASK
        present, length = cupy.zeros(nrows, bool), nrows
    values = cupy.empty(1 if product.structure else length, product.dtype)
    outputs = (address(found), address(present), values.data.ptr)
    way = _way(HYBRID, _ROW, True, listed)
    _run(job._replace(mask=each), way, vector, (address(rows), count_at, row_count), outputs)
    if present is not None:
        return dense_result(nrows, present, values, slots)
    return VectorStore.counted_list(nrows, values, found, slots.published())
