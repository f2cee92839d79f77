"""Reductions of the rows of a matrix, balanced over its entries; their lengths, which offsets know."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...storage import INDEX, MatrixStore, VectorStore
from ..runtime import workspace as scratch_arrays
from ..runtime.arrays import empty_list, two_arrays
from ..runtime.compile import binary, constant, functions, using
from ..runtime.launch import BLOCK
from ..runtime.workspace import Scratch

MOST_CHUNKS, LEAST_CHUNK, WINDOW = 8192, 1024, 256  # as in kernels/row_starts.cuh
_BOOL, _COUNTS = np.dtype(bool), np.dtype(INDEX)
_KERNELS = ("reduce_rows_kernel", "add_carries_kernel", "repeat_rows_kernel")


def chunks_of(entries: int) -> int:
    """How many warps a sum over rows can use, at most."""
    return min(MOST_CHUNKS, -(-entries // LEAST_CHUNK))


def warps_for(entries: int, rows: int) -> int:
    """How many warps a kernel can use that shares out entries to warps and rows to threads."""
    return max(chunks_of(entries), -(-rows // 32))


def carries(scratch: Scratch) -> tuple[int, int]:
    """Where chunks leave values, and the rows that these belong to."""
    workspace = scratch.values("carries of rows", np.dtype(INDEX), 2 * MOST_CHUNKS)
    return workspace.data.ptr, workspace.data.ptr + 8 * MOST_CHUNKS


def reduce_rows(a: MatrixStore, monoid: Any) -> VectorStore:
    """The entries of each row combined; no entry for an empty row."""
    dtype, nrows, entries = monoid.return_type.np_type, a.nrows, a.nvals
    if entries == 0:
        return empty_list(nrows, dtype)
    scratch = scratch_arrays.current()
    aligned = a.values.data.ptr % 16 == 0
    reduce, add_carries, repeat = functions(
        "reduce_rows.cu",
        (monoid.key, a.values.dtype.char, a.indptr.dtype.char, aligned),
        _KERNELS,
        lambda: [
            using("Offset", a.indptr.dtype),
            using("Stored", a.values.dtype),
            using("Value", dtype),
            constant("ALIGNED", aligned),
            binary("add", monoid.binaryop),
        ],
    )
    present, result = two_arrays(nrows, _BOOL, nrows, dtype)
    slots = scratch.slots()
    outputs = (present.data.ptr, result.data.ptr)
    counters = (slots.address, slots.host)
    if a.iso:
        scratch.launch(repeat, nrows, (a.indptr.data.ptr, nrows, a.values.data.ptr, *outputs, *counters))
    else:
        kept = carries(scratch)
        given = (a.indptr.data.ptr, nrows, entries, a.values.data.ptr)
        scratch.launch(reduce, warps_for(entries, nrows), (*given, *outputs, *kept, *counters), BLOCK // 32)
        if entries > LEAST_CHUNK:
            words = (a.indptr.data.ptr, entries, result.data.ptr, *kept)
            scratch.launch(add_carries, chunks_of(entries), words)
    return VectorStore.counted_bitmap(nrows, result, present, slots.published(), nrows)


def count_rows(a: MatrixStore) -> VectorStore:
    """How many entries each row has; no entry for an empty row."""
    (kernel,) = functions(
        "count_rows.cu", a.indptr.dtype.char, ["count_rows_kernel"], lambda: [using("Offset", a.indptr.dtype)]
    )
    scratch, nrows = scratch_arrays.current(), a.nrows
    slots = scratch.slots()
    present, counts = two_arrays(nrows, _BOOL, nrows, _COUNTS)
    words = (a.indptr.data.ptr, nrows, present.data.ptr, counts.data.ptr, slots.address, slots.host)
    scratch.launch(kernel, nrows, words)
    return VectorStore.counted_bitmap(nrows, counts, present, slots.published(), nrows)
