"""The group of columns with the largest sum in every row: a hash table of groups for each row, wherever it fits."""

from __future__ import annotations

import cupy
import numpy as np

from ....exceptions import IndexOutOfBound
from ...stores.storage import INDEX, INT32_LIMIT, Array, MatrixStore, VectorStore
from ..runtime.compile import specialized
from ..runtime.launch import BLOCK, launch, processors, run_with_shared, shared_limit
from .mxv_product import index_types

MOST_SLOTS = 8192  # of a block in shared memory, so that two blocks fit
FOUND, WRONG, COUNTERS = 6, 7, 8  # as in kernels/heaviest_groups.cu
THREADS = 512
_KERNELS = ("short_rows_kernel", "by_warp_kernel", "by_block_kernel", "long_rows_kernel")


def spread_out(values: Array, size: int) -> Array:
    """A value for every position, in memory: one that stands for all is copied."""
    return cupy.full(size, values[0]) if len(values) == 1 else values


def heaviest_groups(
    a: MatrixStore,
    groups: Array,
    handicap: Array | None,
    wanted_rows: Array | None,
    factors: Array | None,
    diagonal: Array | None,
) -> VectorStore | None:
    """None where a column has a number of more than 32 bits."""
    if max(a.nrows, a.ncols) >= INT32_LIMIT:
        return None
    if a.nvals == 0 and diagonal is None:
        return VectorStore(a.nrows, cupy.empty(0, INDEX), indices=cupy.empty(0, INDEX))
    flags = {"COUNTS": a.iso, "ROWS_GIVEN": wanted_rows is not None, "HANDICAP": handicap is not None}
    flags |= {"FACTORS": factors is not None, "DIAGONAL_GIVEN": diagonal is not None}
    flags |= dict.fromkeys(("ONE_GROUP", "ONE_HANDICAP", "ONE_FACTOR", "ONE_DIAGONAL"), False)
    types = {"Stored": a.values.dtype, "Group": np.dtype(np.int64)}
    types |= dict.fromkeys(("Handicap", "Factor", "Diagonal"), np.dtype(np.float64))
    given = {**index_types(a), **types, **flags}
    short, by_warp, by_block, by_long = specialized("heaviest_groups.cu", _KERNELS, given)
    size = 4 if a.iso else 8  # bytes of a sum
    device = cupy.cuda.runtime.getDevice()
    slots = MOST_SLOTS
    while slots * (size + 4) > shared_limit(device):
        slots //= 2
    many = 2 * a.nvals // slots + 1  # there are fewer rows of more than half as many entries
    present, best = cupy.empty(a.nrows, bool), cupy.empty(a.nrows, INDEX)
    counters, lists = cupy.zeros(COUNTERS, INDEX), (cupy.empty(a.nrows, INDEX), cupy.empty(many, INDEX))
    by_row = (0 if x is None else x for x in (handicap, factors, diagonal))
    beside = (groups, *by_row, a.nrows, a.ncols, 0 if wanted_rows is None else wanted_rows)
    words = (a.indptr, a.indices, a.values, *beside, present, best, *lists, counters)
    launch(short, a.nrows, (*words, np.uint32(slots)))
    if 2 * a.max_degree > slots:
        longest = 1 << (2 * a.max_degree - 1).bit_length()
        blocks = min(many, processors(device))
        sums, keys = cupy.empty(blocks * longest * size, np.uint8), cupy.empty(blocks * longest, np.uint32)
        by_long((blocks,), (THREADS,), (*words, np.uint32(longest), sums, keys))
    blocks = min(a.nrows, 2 * processors(device))
    run_with_shared(by_block, blocks, THREADS, (*words, np.uint32(slots)), slots * (size + 4))
    launch(by_warp, a.nrows, (*words, np.uint32(slots)), per_block=BLOCK // 32)
    count, wrong = counters[FOUND:].get().tolist()  # synchronizes: numbers of groups are checked
    if wrong:
        raise IndexOutOfBound(f"heaviest_groups: the groups of {a.ncols} columns have numbers below that")
    return VectorStore(a.nrows, best, present=None if count == a.nrows else present, nvals=count)
