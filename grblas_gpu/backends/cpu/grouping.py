"""Entries grouped by row on all cores: it builds large matrices from edges, and transposes them.

Entries move to buckets of rows that fit the cache. There they are sorted by the digits of their columns, without a
comparison, and then by row; all steps keep the order of equal ones.
"""

from __future__ import annotations

from collections.abc import Callable
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
DIGIT = 12  # bits by which a bucket is sorted at once
COUNT, MOVE, SETTLE, DROP = range(4)

_table = KernelTable()

# Numba looks for negative places unless they are unsigned.
_SOURCE = """\
@kernel
def sorted_by(bits, width, keys, moved, into, result):
    \"""Move entries in the order of a digit of their keys.\"""
    places, bits, mask = np.zeros((1 << width) + 1, np.int64), U(bits), (U(1) << U(width)) - U(1)
    for key in keys:
        places[((key >> bits) & mask) + U(1)] += 1
    for digit in range(1 << width):
        places[digit + 1] += places[digit]
    for p in range(U(len(keys))):
        digit = (keys[p] >> bits) & mask
        place = U(places[digit])
        places[digit] += 1
        into[place] = keys[p]
        {settle}

@kernel
def kernel(step, major, minor, values, shift, places, keys, moved, ends, minors, result, lo, hi, digits, width):
    if step == 0:
        for p in range(U(lo), U(hi)):
            places[U(major[p]) >> U(shift)] += 1
    elif step == 1:
        within = (U(1) << U(shift)) - U(1)
        for p in range(U(lo), U(hi)):
            i = U(major[p])
            place = U(places[i >> U(shift)])
            places[i >> U(shift)] += 1
            keys[place] = ((i & within) << U(32)) | U(minor[p])
            {move}
    elif step == 2:
        keys, moved, minors, result = keys[lo:hi], moved[lo:hi], minors[lo:hi], result[lo:hi]
        other, others = np.empty(hi - lo, np.uint64), np.empty(len(moved), moved.dtype)
        for digit in range(digits):
            sorted_by(digit * width, width, keys, moved, other, others)
            keys, moved, other, others = other, others, keys, moved
        for key in keys:
            ends[key >> U(32)] += 1
        place = np.int64(0)
        for i in range(len(ends)):
            place += ends[i]
            ends[i] = place - ends[i]
        for p in range(U(len(keys))):
            i = keys[p] >> U(32)
            place = U(ends[i])
            ends[i] += 1
            minors[place] = np.int32(keys[p])
            {settle}
        begin = np.int64(0)
        for i in range(len(ends)):
            end = ends[i]
            for p in range(U(begin + 1), U(end)):
                places[0] += minors[p] == minors[p - U(1)]
            begin, ends[i] = end, end + lo
    else:
        place = begin = np.int64(0)
        for i in range(len(ends)):
            end = ends[i]
            for p in range(U(begin), U(end)):
                if p == U(begin) or minors[p] != minors[p - U(1)]:
                    minors[U(place)] = minors[p]
                    place += 1
            begin, ends[i] = end, place
"""
_MOVES = {"move": "moved[place] = values[p]", "settle": "result[place] = moved[p]"}

Grouped = tuple[Array, Array, Array, int]  # row pointers, columns, values, repetitions


def grouped(
    major: Array, minor: Array, values: Array, size: int, columns: int = 1, once: Callable[[], bool] | None = None
) -> Grouped:
    """Entries by their major number and, if it is below ``columns``, by their minor one, else in their order.

    ``values`` may be a broadcast view. Then ``once`` says whether repeated entries are one.
    """
    length, iso = len(major), is_iso(values)
    if size > INT32_LIMIT or (not iso and values.dtype.char not in TYPES):
        raise Declined
    text = _SOURCE.format(**(dict.fromkeys(_MOVES, "") if iso else _MOVES))
    key = iso, major.dtype.char, minor.dtype.char, "" if iso else values.dtype.char
    kernel = _table.find(key, length, lambda: (text, {}))
    shift = max(0, (size - 1).bit_length() - min(MOST, length // BUCKET).bit_length())
    width = (columns - 1).bit_length()
    digits = -(-width // DIGIT)
    chunks, buckets = even_chunks(length, 1), range(0, size, 1 << shift)
    keys, indptr, minors = np.empty(length, np.uint64), np.zeros(size + 1, INDEX), np.empty(length, np.int32)
    moved = np.empty(0 if iso else length, values.dtype)
    result, given = np.empty_like(moved), moved if iso else values

    def run(step: int, places: Array, ends: Array, lo: int, hi: int) -> None:
        arrays = major, minor, given, shift, places, keys, moved, ends, minors, result
        kernel(step, *arrays, lo, hi, digits, -(-width // max(1, digits)))

    counts = np.zeros((len(chunks), len(buckets)), np.int64)
    pool.run(lambda k: run(COUNT, counts[k], indptr, *chunks[k]), range(len(chunks)))
    ends = np.cumsum(counts.T).reshape(counts.T.shape)
    places, borders = (ends - counts.T).T.copy(), [0, *ends[:, -1].tolist()]
    pool.run(lambda k: run(MOVE, places[k], indptr, *chunks[k]), range(len(chunks)))
    repeated = np.zeros((len(buckets), 1), np.int64)

    def settle(k: int) -> None:
        rows = indptr[1:][buckets[k] : buckets[k] + (1 << shift)]
        run(SETTLE, repeated[k], rows, borders[k], borders[k + 1])

    pool.run(settle, range(len(buckets)))
    count = int(repeated.sum())
    if count and iso and once and once():
        run(DROP, places[0], indptr[1:], 0, length)
        minors.resize(length - count, refcheck=False)
        count = 0
    return indptr, minors, values if iso else result, count


def transposed(a: MatrixStore) -> MatrixStore | None:
    """The transpose of a large CSR matrix, else None."""
    if len(a.indices) < LONG or a.nrows > INT32_LIMIT:
        return None
    try:
        values = np.broadcast_to(a.values, len(a.indices)) if a.iso else a.values
        rows = np.repeat(np.arange(a.nrows, dtype=np.int32), np.diff(a.indptr))
        indptr, indices, values, _ = grouped(a.indices, rows, values, a.ncols)
    except Declined:
        return None
    return MatrixStore(a.ncols, a.nrows, indptr, indices, compress(values))


def build_matrix(
    self: Any, nrows: int, ncols: int, rows: Array, cols: Array, values: Array, dup_op: TypedOperator | None
) -> MatrixStore:
    """As the definition does: entries from positions in any order."""
    if len(rows) < LARGE or max(nrows, ncols) > min(INT32_LIMIT, 8 * len(rows)):
        return Definitions.build_matrix(self, nrows, ncols, rows, cols, values, dup_op)

    def once() -> bool:
        return is_iso(self._combined(values[:2], np.zeros(1, np.int64), dup_op))

    try:
        rows, cols = map(np.ascontiguousarray, (rows, cols))
        indptr, indices, found, repeated = grouped(rows, cols, values, nrows, ncols, once)
    except Declined:
        return Definitions.build_matrix(self, nrows, ncols, rows, cols, values, dup_op)
    if repeated:
        first = np.ones(len(indices), bool)
        np.not_equal(indices[1:], indices[:-1], out=first[1:])
        first[indptr[:-1][indptr[:-1] < len(indices)]] = True
        chosen = np.flatnonzero(first)
        found = self._combined(found, chosen, dup_op)
        indptr, indices = np.searchsorted(chosen, indptr), indices[chosen]
    return MatrixStore(nrows, ncols, indptr, indices, compress(found))
