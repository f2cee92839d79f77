"""Entries grouped by row: it builds large matrices from edges, and transposes matrices.

Entries move to buckets of rows that fit the cache. There they are sorted by the digits of their columns, without a
comparison, and then by row; all steps keep the order of equal ones. One core moves the entries of a transpose to their
rows at once.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np

from ...foundation.types import TypedOperator
from ...plan.storage_rules import MANY_ROWS
from ..engine import Declined
from ..reference import Definitions
from ..stores.entries import compress, is_iso, take
from ..stores.storage import INDEX, INT32_LIMIT, Array, MatrixStore, column_type
from . import buffers, pool
from .parallel import even_chunks
from .tier import KernelTable

SHORT_LINES = 64  # entries of a line that are sorted by comparing all pairs
LARGE = 2**17  # entries: a build of fewer sorts them
LONG = 2**19  # ... of a transpose that several threads make
FEW = 64  # rows or columns without entries that cost nothing
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


_TRANSPOSE = """\
@kernel
def kernel(indptr, indices{given}, out_indptr, rows{moved}):
    for p in range(U(len(indices))):
        out_indptr[U(indices[p])] += 1
    place = 0
    for j in range(U(len(out_indptr))):
        count = out_indptr[j]
        out_indptr[j] = place
        place += count
    for i in range(U(len(indptr) - 1)):
        for p in range(U(indptr[i]), U(indptr[i + U(1)])):
            j = U(indices[p])
            place = U(out_indptr[j])
            out_indptr[j] = place + U(1)
            rows[place] = i
{move}
    for j in range(len(out_indptr) - 1, 0, -1):
        out_indptr[j] = out_indptr[j - 1]
    out_indptr[0] = 0
"""


def transposed(a: MatrixStore) -> MatrixStore | None:
    """The transpose of a CSR matrix by a kernel, else None."""
    try:
        if len(a.indices) >= (LONG if pool.threads() > 1 else 8 * LONG) and a.nrows <= INT32_LIMIT:
            values = np.broadcast_to(a.values, len(a.indices)) if a.iso else a.values
            rows = np.repeat(np.arange(a.nrows, dtype=np.int32), np.diff(a.indptr))
            indptr, indices, values, _ = grouped(a.indices, rows, values, a.ncols)
            values = compress(values)
        else:
            indptr, indices, values = _one_by_one(a)
    except Declined:
        return None
    return MatrixStore(a.ncols, a.nrows, indptr, indices, values)


def _one_by_one(a: MatrixStore) -> tuple[Array, Array, Array]:
    values, width = a.values, 0 if a.iso else a.values.dtype.itemsize
    if width not in (0, 1, 2, 4, 8):
        raise Declined
    names = (", values", ", out_values", "            out_values[place] = values[p]") if width else ("", "", "")
    text = _TRANSPOSE.format(given=names[0], moved=names[1], move=names[2])
    kernel = _table.find(("transpose", width, a.indices.dtype.char), a.nvals, lambda: (text, {}))
    indptr: Array = np.zeros(a.ncols + 1, INDEX)
    rows: Array = np.empty(a.nvals, column_type(a.nrows))
    if width == 0:
        kernel(a.indptr, a.indices, indptr, rows)
        return indptr, rows, values.copy()
    moved = np.empty(a.nvals, f"u{width}")  # values move as unsigned numbers
    kernel(a.indptr, a.indices, values.view(moved.dtype), indptr, rows, moved)
    return indptr, rows, moved.view(values.dtype)


_ASCENDING = """\
@kernel
def kernel(rows, cols, indptr, indices):
    row = last = np.int64(-1)
    for p in range(U(len(rows))):
        i, j = np.int64(rows[p]), np.int64(cols[p])
        if i > row:
            for k in range(row + 1, i + 1):
                indptr[k] = p
            row = i
        elif i < row or j <= last:
            return False
        last = j
        indices[p] = j
    for k in range(row + 1, len(indptr)):
        indptr[k] = len(rows)
    return True
"""


def _in_order(nrows: int, ncols: int, rows: Array, cols: Array, values: Array) -> MatrixStore | None:
    """A matrix from positions that ascend, row by row; else None."""
    if nrows > max(MANY_ROWS, len(rows)) or len(rows) == 0:
        return None
    kernel = _table.find(("ascending", rows.dtype.char, cols.dtype.char), len(rows), lambda: (_ASCENDING, {}))
    indptr, indices = np.empty(nrows + 1, INDEX), buffers.empty(len(rows), column_type(ncols))
    if not kernel(rows, cols, indptr, indices):
        return None
    return MatrixStore(nrows, ncols, indptr, indices, values[:1].copy() if is_iso(values) else buffers.copy(values))


_BY_COUNTING = """\
@numba.njit
def grouped(lines, given, begins, order):
    \"""The given entries in the order of their lines.\"""
    for p in given:
        begins[lines[p]] += 1
    place = 0
    for i in range(U(len(begins))):
        count = begins[i]
        begins[i] = place
        place += count
    for p in given:
        i = lines[p]
        order[begins[i]] = p
        begins[i] += 1

@kernel
def kernel(rows, cols, columns, indptr, first, order, indices, starts):
    grouped(cols, range(len(rows)), columns, first)
    grouped(rows, first, indptr, order)
    n = t = 0
    for i in range(U(len(indptr) - 1)):
        begin, last, stop = n, np.int64(-1), indptr[i]
        indptr[i] = begin
        while t < stop:
            j = cols[order[t]]
            if j != last:
                indices[n] = last = j
                starts[n] = t
                n += 1
            t += 1
    indptr[len(indptr) - 1] = n
    return n
"""


def _by_counting(
    self: Definitions, nrows: int, ncols: int, rows: Array, cols: Array, values: Array, dup_op: TypedOperator | None
) -> MatrixStore:
    """A matrix from a few positions in any order: entries are grouped by column, and then by row."""
    length = len(rows)
    if max(nrows, ncols) > 8 * length + FEW:
        raise Declined
    key = "counting", rows.dtype.char, cols.dtype.char
    kernel = _table.find(key, length, lambda: (_BY_COUNTING, {}))
    columns, indptr = np.zeros(ncols + 1, INDEX), np.zeros(nrows + 1, INDEX)
    first, order, starts = np.empty((3, length), INDEX)
    indices: Array = np.empty(length, column_type(ncols))
    count = kernel(rows, cols, columns, indptr, first, order, indices, starts)
    found = take(values, order)
    if count < length:
        found, indices = self._combined(found, starts[:count], dup_op), indices[:count].copy()
    return MatrixStore(nrows, ncols, indptr, indices, compress(found))


def build_matrix(
    self: Definitions, nrows: int, ncols: int, rows: Array, cols: Array, values: Array, dup_op: TypedOperator | None
) -> MatrixStore:
    """As the definition does: entries from positions in any order."""

    def once() -> bool:
        return is_iso(self._combined(values[:2], np.zeros(1, np.int64), dup_op))

    with suppress(Declined):
        if (ready := _in_order(nrows, ncols, rows, cols, values)) is not None:
            return ready
    try:
        rows, cols = map(np.ascontiguousarray, (rows, cols))
        if len(rows) < LARGE:
            return _by_counting(self, nrows, ncols, rows, cols, values, dup_op)
        if max(nrows, ncols) > min(INT32_LIMIT, 8 * len(rows)):
            raise Declined
        indptr, indices, found, repeated = grouped(rows, cols, values, nrows, ncols, once)
    except Declined:
        return Definitions.build_matrix(self, nrows, ncols, rows, cols, values, dup_op)
    if repeated:
        first = np.ones(len(indices), bool)
        np.not_equal(indices[1:], indices[:-1], out=first[1:])
        first[indptr[:-1][indptr[:-1] < len(indices)]] = True
        chosen = np.flatnonzero(first)
        found = self._combined(found, chosen, dup_op)
        # repetitions are usually few: a search among them is faster than one among the others
        indptr, indices = indptr - np.searchsorted(np.flatnonzero(~first), indptr), indices[chosen]
    return MatrixStore(nrows, ncols, indptr, indices, compress(found))


_LINES = """\
@kernel
def kernel(pointers, index, size, out):
    longest = start = np.int64(0)
    if pointers[0] != 0:
        return np.int64(-1)
    for i in range(U(1), U(len(pointers))):
        stop, last = np.int64(pointers[i]), np.int64(-1)
        if stop < start or stop > len(index):
            return np.int64(-1)
        for p in range(U(start), U(stop)):
            j = np.int64(index[p])
            if j <= last or j >= size:
                return np.int64(-1)
            last = j
            out[p] = j
        longest = max(longest, stop - start)
        start = stop
    return longest if start == len(index) else np.int64(-1)
"""


def ascending_lines(pointers: Array, index: Array, size: int) -> tuple[Array, int] | None:
    """A copy of the indices of a compressed format, and the length of the longest line; None if a check fails."""
    kernel = _table.find(("lines", pointers.dtype.char, index.dtype.char), len(index), lambda: (_LINES, {}))
    out = buffers.empty(len(index), column_type(size))
    longest = kernel(pointers, index, size, out)
    return None if longest < 0 else (out, longest)


_RANKED = """\
@kernel
def kernel(starts, keys, order, lo, hi):
    for line in range(U(lo), U(hi)):
        start, stop = starts[line], starts[line + 1]
        for p in range(start, stop):
            key, place = keys[p], start
            for q in range(start, p):
                place += keys[q] <= key
            for q in range(p, stop):
                place += keys[q] < key
            order[place] = p
"""


def line_order(starts: Array, keys: Array) -> Array | None:
    """A stable order of the keys in every line, by comparing all pairs; None for long lines."""
    if len(starts) < 2 or int(np.diff(starts).max()) > SHORT_LINES:
        return None
    kernel, order = _table.find("ranked", len(keys) * 4, lambda: (_RANKED, {})), buffers.empty(len(keys), INDEX)
    parts = even_chunks(len(starts) - 1) if len(keys) > LARGE else [(0, len(starts) - 1)]
    pool.launch(kernel, parts, starts, keys, order)
    return order
