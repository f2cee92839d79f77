"""Dot products at the entries of a mask."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from ...protocol import SAMPLE
from ...storage import INDEX, Array, MatrixStore
from ..runtime.launch import BLOCK, launch
from .mxm_masked import kept_entries
from .mxm_operands import INSIDE, MatrixMask, Product
from .mxm_programs import Program, Programs

CHUNK, FAR_LONGER, WIDE_COLUMN = 256, 16, 64  # as in kernels/mxm_masked_dot.cu
OF_EDGES, OF_VERTICES = 1, 2
EVERY_PAIR, ROW_IS_LONGER, COLUMN_IS_LONGER = 0, 1, 2
MANY = 2**16  # entries of a mask that make it worth to take it twice


def masked_dot(a: MatrixStore, b: MatrixStore, product: Product, mask: MatrixMask) -> MatrixStore:
    """``a`` times the transpose of ``b`` at the entries of a mask, which is not complemented."""
    pattern = mask.store
    assert pattern is not None
    programs = Programs(a, b, mask, b.nrows)
    present = cupy.zeros(pattern.nvals, bool)  # rows without entries are in no item
    values = cupy.empty(1 if product.structure else pattern.nvals, product.dtype)
    program, other = programs.dot(product), None
    if a is b and mask.values is None and (product.counts or product.structure) and pattern.nvals > MANY:
        other = pattern._transpose  # not made for this: that takes as long as it saves
    _launch_dots(program, a, b, mask, other, present, values)
    return kept_entries(programs, (a.nrows, b.nrows), pattern, present, values)


def triangle_counts(lower: MatrixStore, product: Product, of_edges: bool) -> Array:
    """How many triangles each edge or each vertex is in, of a graph given with every edge once."""
    assert product.counts and product.dtype == INDEX
    mask = MatrixMask(INSIDE, lower)
    # An edge has no more triangles than there are vertices, as in kernels/mxm_masked_dot.cu.
    counts = cupy.zeros(lower.nvals, np.uint32) if of_edges else cupy.zeros(lower.nrows, INDEX)
    program = Programs(lower, lower, mask, lower.nrows).dot(product, OF_EDGES if of_edges else OF_VERTICES)
    other = lower.transposed() if lower.nvals > MANY else None
    _launch_dots(program, lower, lower, mask, other, 0, counts)
    return counts.astype(INDEX, copy=False)


def _launch_dots(
    program: Program, a: MatrixStore, b: MatrixStore, mask: MatrixMask, other: MatrixStore | None, *output: Any
) -> None:
    """All pairs at once; or, with the transpose of a structural mask, by which of the two is longer."""
    pattern = mask.store
    assert pattern is not None
    places = (pattern.indptr, pattern.indices)
    sides = [(EVERY_PAIR, a, b, mask)]
    if other is not None:
        offsets = other.indptr.astype(pattern.indptr.dtype, copy=False)  # one program for both
        turned = MatrixStore(other.nrows, other.ncols, offsets, other.indices, other.values)
        sides = [(ROW_IS_LONGER, a, b, mask), (COLUMN_IS_LONGER, b, a, MatrixMask(INSIDE, turned))]
    items, by_warp, by_block = program.functions()
    for side, left, right, given in sides:
        assert given.store is not None
        capacity = left.nrows + pattern.nvals // CHUNK + 1
        rows, firsts, counters = cupy.empty(capacity, INDEX), cupy.empty(capacity, INDEX), cupy.zeros(4, INDEX)
        launch(items, left.nrows, (left.indptr, given.store.indptr, left.nrows, capacity, rows, firsts, counters))
        factors = (left.indptr, left.indices, left.values, right.indptr, right.indices, right.values)
        arguments = (*factors, *given.arguments, rows, firsts, capacity, counters, side, *places, *output)
        launch(by_block, capacity, arguments, per_block=1)  # the longest first
        launch(by_warp, capacity, arguments, per_block=BLOCK // 32)


def estimate_dots(a: MatrixStore, b: MatrixStore, mask: MatrixStore) -> float:
    """How many entries are looked up for ``a`` times the transpose of ``b`` at the entries of a mask, about."""
    entries = cupy.arange(0, mask.nvals, -(-mask.nvals // SAMPLE))
    rows, columns = np.searchsorted(mask.indptr, entries, side="right") - 1, mask.indices[entries]
    row, column = (x.indptr[at + 1] - x.indptr[at] for x, at in ((a, rows), (b, columns)))
    looked_up = np.minimum(column, FAR_LONGER * row + WIDE_COLUMN) * (row > 0)
    return mask.nvals * float(looked_up.mean())  # synchronizes
