"""``A[I, J]``: in each row the entries whose column has a place; without searches."""

from __future__ import annotations

import numpy as np

from ..stores.entries import compress
from ..stores.storage import INDEX, INT32_LIMIT, Array, MatrixStore, column_type
from . import buffers, pool
from .compile import Source
from .grouping import grouped
from .parallel import LIGHT_WORK, edge_chunks
from .tier import KernelTable

SPARSE = 8  # columns per entry of the rows: with more, a table of columns costs more than searches

COUNT = """\
@kernel
def kernel(indptr, indices, rows, places, counts, lo, hi):
    for p in range(U(lo), U(hi)):
        row, n = U(rows[p]), 0
        for t in range(U(indptr[row]), U(indptr[row + U(1)])):
            n += places[U(indices[t])] >= 0
        counts[p] = n
"""
FILL = """\
@kernel
def kernel(indptr, indices, values, rows, places, starts, out_indices, out_values, lo, hi):
    for p in range(U(lo), U(hi)):
        row, n, stop = U(rows[p]), U(starts[p]), U(starts[p + U(1)])
        t = U(indptr[row])
        while n < stop:
            place = {place}
            out_indices[n] = place
{copy}            n += U({kept})
            t += U(1)
"""
COPY = "            out_values[n] = values[t]\n"

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
    key = (cols is None, iso, a.indptr.dtype.char, a.indices.dtype.char, "" if iso else a.values.dtype.char)
    fill = _table.find(key, work, lambda: _fill_source(cols is None, iso))
    starts = np.zeros(len(rows) + 1, INDEX)
    np.cumsum(lengths, out=starts[1:])
    parts = edge_chunks(starts) if work > LIGHT_WORK else [(0, len(rows))]
    places = np.empty(0, np.int32)
    if cols is not None:
        count = _table.also(("count", *key[2:4]), work, lambda: (COUNT, {}))
        places = np.full(a.ncols, -1, column_type(ncols))
        places[cols] = np.arange(ncols)
        if not ascending and (max(len(rows), ncols) > INT32_LIMIT or (places[cols] != np.arange(ncols)).any()):
            return None
        pool.launch(count, parts, a.indptr, a.indices, rows, places, starts[1:])
        np.cumsum(starts, out=starts)
    total = int(starts[-1])
    indices = buffers.empty(total, column_type(ncols))
    values = a.values[: min(1, total)].copy() if iso else buffers.empty(total, a.values.dtype)
    pool.launch(fill, parts, a.indptr, a.indices, a.values, rows, places, starts, indices, values)
    if total and not ascending:
        row_of_each = np.repeat(np.arange(len(rows), dtype=np.int32), np.diff(starts))
        expanded = np.broadcast_to(values, (total,)) if iso else values
        starts, indices, values, _ = grouped(row_of_each, indices, expanded, len(rows), ncols)
        values = compress(values)
    return MatrixStore(len(rows), ncols, starts, indices, values)


def _fill_source(whole_rows: bool, iso: bool) -> Source:
    """Writes every entry and overwrites the unwanted ones: a branch would be unpredictable."""
    place, kept = ("indices[t]", "1") if whole_rows else ("places[U(indices[t])]", "place >= 0")
    return FILL.format(place=place, kept=kept, copy="" if iso else COPY), {}
