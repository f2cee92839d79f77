"""Dot products at the entries of a mask."""

from __future__ import annotations

import cupy
import numpy as np

from ...protocol import SAMPLE
from ...storage import INDEX, MatrixStore
from ..runtime.launch import BLOCK, launch
from .mxm_masked import kept_entries
from .mxm_operands import MatrixMask, Product
from .mxm_programs import Programs

CHUNK, FAR_LONGER, WIDE_COLUMN = 256, 16, 64  # as in kernels/mxm_masked_dot.cu


def masked_dot(a: MatrixStore, b: MatrixStore, product: Product, mask: MatrixMask) -> MatrixStore:
    """``a`` times the transpose of ``b`` at the entries of a mask, which is not complemented."""
    pattern = mask.store
    assert pattern is not None
    programs = Programs(a, b, mask, b.nrows)
    items, by_warp, by_block = programs.dot(product).functions()
    entries = pattern.nvals
    present = cupy.zeros(entries, bool)  # rows without entries are in no item
    values = cupy.empty(1 if product.structure else entries, product.dtype)
    room = a.nrows + entries // CHUNK + 1
    rows, firsts, counters = cupy.empty(room, INDEX), cupy.empty(room, INDEX), cupy.zeros(4, INDEX)
    launch(items, a.nrows, (a.indptr, pattern.indptr, a.nrows, room, rows, firsts, counters))
    factors = (a.indptr, a.indices, a.values, b.indptr, b.indices, b.values)
    arguments = (*factors, *mask.arguments, rows, firsts, room, counters, present, values)
    launch(by_block, room, arguments, per_block=1)  # the longest first
    launch(by_warp, room, arguments, per_block=BLOCK // 32)
    return kept_entries(programs, product, (a.nrows, b.nrows), pattern, present, values)


def estimate_dots(a: MatrixStore, b: MatrixStore, mask: MatrixStore) -> float:
    """How many entries are looked up for ``a`` times the transpose of ``b`` at the entries of a mask, about."""
    entries = cupy.arange(0, mask.nvals, -(-mask.nvals // SAMPLE))
    rows, columns = np.searchsorted(mask.indptr, entries, side="right") - 1, mask.indices[entries]
    row, column = (x.indptr[at + 1] - x.indptr[at] for x, at in ((a, rows), (b, columns)))
    return mask.nvals * float(np.minimum(column, FAR_LONGER * row + WIDE_COLUMN).mean())  # synchronizes
