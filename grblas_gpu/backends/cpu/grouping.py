"""Entries grouped by row on all cores: it builds large matrices from edges, and transposes them.

Entries move to buckets of rows that fit the cache, then to their rows, and stay in order in both steps. Edges that are
grouped by column and then by row are sorted, without a comparison.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...foundation.types import TypedOperator
from ..engine import Declined
from ..reference import Definitions
from ..stores.entries import compress, is_iso
from ..stores.storage import INDEX, INT32_LIMIT, Array, MatrixStore
from . import pool
from .parallel import even_chunks
from .tier import KernelTable

LARGE = 2**17  # entries: a build of fewer sorts them
LONG = 2**20  # ... of a transpose: SciPy groups fewer as fast
BUCKET = 2**16  # entries in a bucket
MOST = 2**11  # buckets
TYPES = "?bhilqBHILQfdFD"
COUNT, MOVE, SETTLE = range(3)

_table = KernelTable()

_SOURCE = """\
@kernel
def kernel(step, major, minor, values, shift, places, keys, moved, ends, minors, result, lo, hi):
    if step == 0:
        for p in range(U(lo), U(hi)):
            places[np.int64(major[p]) >> shift] += 1
    elif step == 1:
        within = (np.int64(1) << shift) - 1
        for p in range(U(lo), U(hi)):
            i = np.int64(major[p])
            place = places[i >> shift]
            places[i >> shift] = place + 1
            keys[place] = ((i & within) << 32) | np.int64(minor[p])
{move}
    else:
        for p in range(U(lo), U(hi)):
            ends[keys[p] >> 32] += 1
        place = np.int64(lo)
        for i in range(len(ends)):
            length = ends[i]
            ends[i] = place
            place += length
        for p in range(U(lo), U(hi)):
            i = keys[p] >> 32
            place = ends[i]
            ends[i] = place + 1
            minors[place] = keys[p] & 0x7FFFFFFF
{settle}
"""
_MOVES = {"move": "            moved[place] = values[p]", "settle": "            result[place] = moved[p]"}

Grouped = tuple[Array, Array, Array]  # row pointers, columns, values


def grouped(major: Array, minor: Array, values: Array, size: int) -> Grouped:
    """Entries by their major number, in their order; ``values`` may be a broadcast view."""
    length, iso = len(major), is_iso(values)
    if size > INT32_LIMIT or (not iso and values.dtype.char not in TYPES):
        raise Declined
    text = _SOURCE.format(**(dict.fromkeys(_MOVES, "") if iso else _MOVES))
    key = iso, major.dtype.char, minor.dtype.char, "" if iso else values.dtype.char
    kernel = _table.find(key, length, lambda: (text, {}))
    shift = max(0, (size - 1).bit_length() - min(MOST, length // BUCKET).bit_length())
    chunks, buckets = even_chunks(length, 1), range(0, size, 1 << shift)
    keys, indptr, minors = np.empty(length, np.int64), np.zeros(size + 1, INDEX), np.empty(length, np.int32)
    moved = np.empty(0 if iso else length, values.dtype)
    result, given = np.empty_like(moved), moved if iso else values

    def run(step: int, places: Array, ends: Array, lo: int, hi: int) -> None:
        kernel(step, major, minor, given, shift, places, keys, moved, ends, minors, result, lo, hi)

    counts = np.zeros((len(chunks), len(buckets)), np.int64)
    pool.run(lambda k: run(COUNT, counts[k], indptr, *chunks[k]), range(len(chunks)))
    ends = np.cumsum(counts.T).reshape(counts.T.shape)
    places, borders = (ends - counts.T).T.copy(), [0, *ends[:, -1].tolist()]
    pool.run(lambda k: run(MOVE, places[k], indptr, *chunks[k]), range(len(chunks)))

    def settle(k: int) -> None:
        rows = indptr[1:][buckets[k] : buckets[k] + (1 << shift)]
        run(SETTLE, places[0], rows, borders[k], borders[k + 1])

    pool.run(settle, range(len(buckets)))
    return indptr, minors, values if iso else result


def transposed(a: MatrixStore) -> MatrixStore | None:
    """The transpose of a large CSR matrix, else None."""
    if len(a.indices) < LONG or a.nrows > INT32_LIMIT:
        return None
    try:
        values = np.broadcast_to(a.values, len(a.indices)) if a.iso else a.values
        indptr, indices, values = grouped(a.indices, _lines(a.indptr), values, a.ncols)
    except Declined:
        return None
    return MatrixStore(a.ncols, a.nrows, indptr, indices, compress(values))


def _lines(indptr: Array) -> Array:
    return np.repeat(np.arange(len(indptr) - 1, dtype=np.int32), np.diff(indptr))


def build_matrix(
    self: Any, nrows: int, ncols: int, rows: Array, cols: Array, values: Array, dup_op: TypedOperator | None
) -> MatrixStore:
    """As the definition does: entries from positions in any order."""
    if len(rows) < LARGE or max(nrows, ncols) > min(INT32_LIMIT, 8 * len(rows)):
        return Definitions.build_matrix(self, nrows, ncols, rows, cols, values, dup_op)
    try:
        starts, minors, moved = grouped(cols, rows, values, ncols)
        indptr, indices, found = grouped(minors, _lines(starts), moved, nrows)
    except Declined:
        return Definitions.build_matrix(self, nrows, ncols, rows, cols, values, dup_op)
    first = np.ones(len(indices), bool)
    np.not_equal(indices[1:], indices[:-1], out=first[1:])
    first[indptr[:-1][indptr[:-1] < len(indices)]] = True
    if not first.all():
        chosen = np.flatnonzero(first)
        found = self._combined(found, chosen, dup_op)
        indptr, indices = np.searchsorted(chosen, indptr), indices[chosen]
    return MatrixStore(nrows, ncols, indptr, indices, compress(found))
