"""Reductions of the rows of a matrix, balanced over its entries; their lengths, which offsets know."""

from __future__ import annotations

import numpy as np

from ....foundation.types import Kernels, TypedMonoid
from ...stores.storage import INDEX, MatrixStore, VectorStore
from ..runtime import workspace as scratch_arrays
from ..runtime.arrays import Result, empty_list
from ..runtime.compile import Sum, functions, specialized, using
from ..runtime.launch import AT_A_TIME, BLOCK
from ..runtime.workspace import Scratch
from .mxm_operands import path_offsets

MOST_CHUNKS, LEAST_CHUNK, WINDOW = 8192, 1024, 256  # as in kernels/row_starts.cuh
_COUNTS = np.dtype(INDEX)
_KERNELS = ("reduce_rows_kernel", "add_carries_kernel", "repeat_rows_kernel")
_ON_OFFSETS = [f"{name}_kernel" for name in ("count_rows", "cut_rows", "count_edges", "sum_degrees", "offsets")]
COUNT_ROWS, CUT_ROWS, COUNT_EDGES, SUM_DEGREES, OFFSETS = range(5)


def kernels_on_offsets(dtype: np.dtype) -> Kernels:
    """The kernels that read nothing of a matrix but its offsets, in the order of the names above."""
    return functions("row_offsets.cu", dtype.char, _ON_OFFSETS, lambda: [using("Offset", dtype)])


def chunks_of(entries: int) -> int:
    """How many warps a sum over rows can use, at most."""
    return min(MOST_CHUNKS, -(-entries // LEAST_CHUNK))


def carries(scratch: Scratch) -> tuple[int, int]:
    """Where chunks leave values, and the rows that these belong to."""
    workspace = scratch.values("carries of rows", np.dtype(INDEX), 2 * MOST_CHUNKS)
    return workspace.data.ptr, workspace.data.ptr + 8 * MOST_CHUNKS


def reduce_rows(a: MatrixStore, monoid: TypedMonoid) -> VectorStore:
    """The entries of each row combined; no entry for an empty row."""
    dtype, nrows, entries = monoid.return_type.np_type, a.nrows, a.nvals
    if entries == 0:
        return empty_list(nrows, dtype)
    scratch = scratch_arrays.current()
    offsets = path_offsets(a)
    given = {"Offset": offsets.dtype, "Stored": a.values.dtype, "Value": dtype}
    reduce, add_carries, repeat = specialized("reduce_rows.cu", _KERNELS, given, Sum(monoid))
    result, slots = Result(nrows, dtype), scratch.slots()
    counters = (slots.address, slots.host)
    if a.iso:
        scratch.launch(repeat, nrows, (offsets.data.ptr, nrows, a.values.data.ptr, *result.addresses, *counters))
    else:
        kept, chunks = carries(scratch), chunks_of(entries + nrows)
        matrix = (offsets.data.ptr, nrows, entries)
        words = (*matrix, a.values.data.ptr, *result.addresses, *kept, *counters)
        scratch.launch(reduce, chunks, words, BLOCK // 32)
        if chunks > 1:
            scratch.launch(add_carries, chunks, (*matrix, result.addresses[1], *kept))
    return result.store(slots)


def count_rows(a: MatrixStore) -> VectorStore:
    """How many entries each row has; no entry for an empty row."""
    kernel = kernels_on_offsets(a.indptr.dtype)[COUNT_ROWS]
    scratch, nrows = scratch_arrays.current(), a.nrows
    counts, slots = Result(nrows, _COUNTS), scratch.slots()
    words = (a.indptr.data.ptr, nrows, *counts.addresses, slots.address, slots.host)
    scratch.launch(kernel, nrows, words, AT_A_TIME * BLOCK)
    return counts.store(slots)
