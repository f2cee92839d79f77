"""``A[I, J]``: in each row the entries whose column has a place; without searches."""

from __future__ import annotations

import numpy as np

from ..stores.entries import compress
from ..stores.storage import INDEX, INT32_LIMIT, Array, MatrixStore, column_type
from .filtering import Test, counted, written
from .grouping import grouped
from .parallel import LIGHT_WORK, edge_chunks
from .tier import KernelTable

SPARSE = 8  # columns per entry of the rows: with more, a table of columns costs more than searches

PLACED = "place = places[U(indices[p])]\nkeep = place >= 0\n"

_table = KernelTable()


def extract_matrix(a: MatrixStore, rows: Array | None, cols: Array | None) -> MatrixStore | None:
    """``t[p, q] = a[rows[p], cols[q]]``; None for the definition: a column may be named several times."""
    if not _table.enabled or a.nvals == 0:
        return None
    rows = np.arange(a.nrows, dtype=INDEX) if rows is None else np.ascontiguousarray(rows)
    lengths = a.indptr[rows + 1] - a.indptr[rows]
    work = int(lengths.sum())
    if cols is not None and a.ncols > SPARSE * work:
        return None
    ascending = cols is None or bool((cols[1:] > cols[:-1]).all())
    ncols, iso = a.ncols if cols is None else len(cols), len(a.values) == 1
    key = (cols is None, iso, a.indices.dtype.char, "" if iso else a.values.dtype.char)
    starts = np.zeros(len(rows) + 1, INDEX)
    np.cumsum(lengths, out=starts[1:])
    parts = edge_chunks(starts) if work > LIGHT_WORK else [(0, len(rows))]
    places = np.empty(0, np.int32)
    if cols is not None:
        places = np.full(a.ncols, -1, column_type(ncols))
        places[cols] = np.arange(ncols)
        if not ascending and (max(len(rows), ncols) > INT32_LIMIT or (places[cols] != np.arange(ncols)).any()):
            return None
    given, known = (a.indptr, a.indices, a.values, rows, places), starts if cols is None else None
    kernel, starts, total = counted(_table, key, work, lambda: _test(cols is None, iso), parts, given, known)
    indices, values = written(kernel, starts, total, parts, given, column_type(ncols), a.values)
    if total and not ascending:
        row_of_each = np.repeat(np.arange(len(rows), dtype=np.int32), np.diff(starts))
        expanded = np.broadcast_to(values, (total,)) if iso else values
        starts, indices, values, _ = grouped(row_of_each, indices, expanded, len(rows), ncols)
        values = compress(values)
    return MatrixStore(len(rows), ncols, starts, indices, values)


def _test(whole_rows: bool, iso: bool) -> Test:
    lines, column = ("keep = True\n", "indices[p]") if whole_rows else (PLACED, "place")
    return Test(lines, ", values, rows, places", "rows[t]", column, "" if iso else "values[p]")
