"""Dot products at the entries of a mask."""

from __future__ import annotations

import cupy
import numpy as np

from ...protocol import SAMPLE
from ...storage import INDEX, MatrixStore
from ..runtime.launch import BLOCK, launch
from .mxm_operands import MatrixMask, Product
from .mxm_programs import Programs

CHUNK, FAR_LONGER, WIDE_COLUMN = 256, 16, 64  # as in kernels/mxm_masked_dot.cu


def masked_dot(a: MatrixStore, b: MatrixStore, product: Product, mask: MatrixMask) -> MatrixStore:
    """``a`` times the transpose of ``b`` at the entries of a mask, which is not complemented."""
    pattern = mask.store
    assert pattern is not None
    programs = Programs(a, b, mask, b.nrows)
    items, by_warp, by_block, keep = programs.dot(product).functions()
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
    kept = np.cumsum(present, dtype=INDEX)
    nvals = int(kept[-1])  # synchronizes
    if nvals == entries and pattern.indices.dtype == programs.column:  # the mask's pattern is that of the result
        return MatrixStore(a.nrows, b.nrows, pattern.indptr, pattern.indices, values)
    indptr, indices = cupy.empty(a.nrows + 1, INDEX), cupy.empty(nvals, programs.column)
    kept_values = values if product.structure and nvals else cupy.empty(nvals, product.dtype)
    given = (pattern.indptr, pattern.indices, a.nrows, entries, present, values, kept)
    launch(keep, max(entries, a.nrows + 1), (*given, indptr, indices, kept_values))
    return MatrixStore(a.nrows, b.nrows, indptr, indices, kept_values)


def estimate_dots(a: MatrixStore, b: MatrixStore, mask: MatrixStore) -> float:
    """How many entries are looked up for ``a`` times the transpose of ``b`` at the entries of a mask, about."""
    entries = cupy.arange(0, mask.nvals, -(-mask.nvals // SAMPLE))
    rows, columns = np.searchsorted(mask.indptr, entries, side="right") - 1, mask.indices[entries]
    row, column = (x.indptr[at + 1] - x.indptr[at] for x, at in ((a, rows), (b, columns)))
    return mask.nvals * float(np.minimum(column, FAR_LONGER * row + WIDE_COLUMN).mean())  # synchronizes
