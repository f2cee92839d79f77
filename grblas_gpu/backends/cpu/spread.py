"""A vector next to a matrix: its value in the row or the column of every entry."""

from __future__ import annotations

import numpy as np

from ..reference.elementwise import with_values
from ..stores.matrix_storage import SPARSE
from ..stores.storage import INDEX, Array, MatrixStore, VectorStore
from . import buffers, pool
from .compile import Kernel
from .parallel import LIGHT_WORK, edge_chunks
from .tier import KernelTable

ALL = """\
@kernel
def kernel(indptr, indices, u_values, values, lo, hi):
    for i in range(U(lo), U(hi)):
        for p in range(U(indptr[i]), U(indptr[i + U(1)])):
            values[p] = u_values[{line}]
"""
COUNT = """\
@kernel
def kernel(indptr, indices, present, counts, lo, hi):
    for i in range(U(lo), U(hi)):
        n = 0
        for p in range(U(indptr[i]), U(indptr[i + U(1)])):
            n += present[{line}]
        counts[i] = n
"""
SOME = """\
@kernel
def kernel(indptr, indices, present, u_values, starts, out_indices, values, lo, hi):
    for i in range(U(lo), U(hi)):
        n = U(starts[i])
        for p in range(U(indptr[i]), U(indptr[i + U(1)])):
            if present[{line}]:
                out_indices[n] = indices[p]
                values[n] = u_values[{line}]
                n += U(1)
"""
LINES = {True: "i", False: "U(indices[p])"}

_table = KernelTable()


def spread(u: VectorStore, nrows: int, ncols: int, down: bool, pattern: MatrixStore | None) -> MatrixStore | None:
    """``t[i, j] = u[i]`` (``down``) or ``u[j]`` at the entries of a pattern; or None for the definition."""
    if pattern is None or pattern.form != SPARSE or u.indices is not None or u.iso or u.dtype.kind not in "biuf":
        return None
    indptr, indices = pattern.indptr, pattern.indices
    parts = edge_chunks(indptr) if len(indices) > LIGHT_WORK else [(0, pattern.nrows)]
    present, starts = u.present, np.zeros(pattern.nrows + 1, INDEX)
    whole = present is None or u.nvals == u.size
    if not whole:
        pool.launch(_kernel(COUNT, down, indices, ""), parts, indptr, indices, present, starts[1:])
        np.cumsum(starts, out=starts)
        whole = starts[-1] == len(indices)  # all entries are next to one of the vector
    if whole:
        values = buffers.empty(len(indices), u.dtype)
        pool.launch(_kernel(ALL, down, indices, u.dtype.char), parts, indptr, indices, u.values, values)
        return with_values(pattern, values)
    found = np.empty(int(starts[-1]), indices.dtype), buffers.empty(int(starts[-1]), u.dtype)
    fill = _kernel(SOME, down, indices, u.dtype.char)
    pool.launch(fill, parts, indptr, indices, present, u.values, starts, *found)
    return MatrixStore(pattern.nrows, pattern.ncols, starts, *found)


def _kernel(text: str, down: bool, indices: Array, kind: str) -> Kernel:
    return _table.find(
        (text, down, indices.dtype.char, kind), len(indices), lambda: (text.format(line=LINES[down]), {})
    )
