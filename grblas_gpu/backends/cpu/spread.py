"""A vector next to a matrix: its value in the row or the column of every entry."""

from __future__ import annotations

from ..reference.elementwise import with_values
from ..stores.matrix_storage import SPARSE
from ..stores.storage import MatrixStore, VectorStore
from . import buffers, pool
from .filtering import Test, counted, written
from .parallel import LIGHT_WORK, edge_chunks
from .tier import KernelTable

ALL = """\
@kernel
def kernel(indptr, indices, u_values, values, lo, hi):
    for row in range(U(lo), U(hi)):
        for p in range(U(indptr[row]), U(indptr[row + U(1)])):
            values[p] = u_values[{line}]
"""
LINES = {True: "row", False: "U(indices[p])"}

_table = KernelTable()


def spread(u: VectorStore, nrows: int, ncols: int, down: bool, pattern: MatrixStore | None) -> MatrixStore | None:
    """``t[i, j] = u[i]`` (``down``) or ``u[j]`` at the entries of a pattern; or None for the definition."""
    if pattern is None or pattern.form != SPARSE or u.indices is not None or u.iso or u.dtype.kind not in "biuf":
        return None
    indptr, indices = pattern.indptr, pattern.indices
    parts = edge_chunks(indptr) if len(indices) > LIGHT_WORK else [(0, pattern.nrows)]
    key, line = (down, indices.dtype.char, u.dtype.char), LINES[down]
    if u.present is not None and u.nvals < u.size:
        test = Test(f"keep = present[{line}]\n", ", present, u_values", value=f"u_values[{line}]")
        arguments = indptr, indices, u.present, u.values
        kernel, starts, total = counted(_table, ("some", *key), len(indices), lambda: test, parts, arguments)
        if total < len(indices):
            entries = written(kernel, starts, total, parts, arguments, indices.dtype, u.values)
            return MatrixStore(pattern.nrows, pattern.ncols, starts, *entries)
    kernel = _table.find(key, len(indices), lambda: (ALL.format(line=line), {}))  # all entries have one beside
    values = buffers.empty(len(indices), u.dtype)
    pool.launch(kernel, parts, indptr, indices, u.values, values)
    return with_values(pattern, values)
