"""Reductions: all entries to a scalar, or each row of a matrix."""

from __future__ import annotations

import numpy as np

from ...foundation.types import TypedMonoid, Value
from ..programs.reading import ISO
from ..stores.entries import Store, cast
from ..stores.storage import INDEX, Array, MatrixStore, VectorStore
from . import pool
from .compile import Source
from .inline import Inliner, literal, static_cast
from .operands import prologue, reading
from .parallel import PARALLEL_WORK, edge_chunks
from .tier import KernelTable

BLOCK = 1024  # entries of a bitmap that are added up one after another
CHUNK = 131_072  # entries reduced on their own; fixed, so that results do not depend on the number of threads
MOST_EMPTY, MOST_COLUMNS = 16, 2**16  # columns for each entry, and in any case, of which each has a number

_table = KernelTable()


def reduce_scalar(x: Store, monoid: TypedMonoid) -> Value | None:
    """A NumPy scalar, or None for the definition to decide."""
    if not _table.enabled or x.nvals == 0:
        return None
    values: Array = x.values
    dtype = monoid.type.np_type
    if len(values) == 1:
        one = cast(values, dtype)
        # Combining equal values leaves the value (min, lor ...); otherwise the definition has to count them.
        return one[0] if x.nvals == 1 or monoid.binaryop.numpy(one, one)[0] == one[0] else None
    if type(x) is VectorStore and x.present is not None:
        return _reduce_bitmap(x.present, values, monoid)
    if len(values) < PARALLEL_WORK:
        return None
    # NumPy's own loops are as fast as memory here; chunks only put them on all cores.
    parts = [values[lo : lo + CHUNK] for lo in range(0, len(values), CHUNK)]
    partial = pool.run(lambda part: monoid.reduce(cast(part, dtype)), parts)
    return monoid.reduce(np.asarray(partial, dtype))


def _bitmap_source(monoid: TypedMonoid, stored: np.dtype) -> Source:
    inliner = Inliner()
    dtype = monoid.type.np_type
    enough = "any_found" if monoid.any_value else _is_terminal(monoid, dtype, "total")
    one_is_enough = f"{' ' * 16}break\n" if monoid.any_value else ""  # other blocks are read as a whole
    text = (
        "def kernel(present, values, partial, found, chunk, lo, hi):\n"
        f"    total = {static_cast(dtype, '0')}\n    any_found = False\n"
        # Sums of sums: floats that are added one by one to a large number lose their last digits.
        f"    for block in range(lo, hi, {BLOCK}):\n"
        f"        start = U(block)\n        stop = U(min(block + {BLOCK}, hi))\n"
        "        while start < stop and not present[start]:\n            start += U(1)\n"
        "        if start < stop:\n            i = start\n"
        f"            acc = {inliner.load('values[i]', stored, dtype)}\n"
        # Absent values are computed, too: a branch on unpredictable flags costs more.
        "            for i in range(start + U(1), stop):\n"
        f"{one_is_enough}"
        f"                z = {inliner.load('values[i]', stored, dtype)}\n"
        f"                combined = {inliner.call(monoid.binaryop, x='acc', y='z')}\n"
        "                acc = combined if present[i] else acc\n"
        "            if any_found:\n"
        f"                total = {inliner.call(monoid.binaryop, x='total', y='acc')}\n"
        "            else:\n                total = acc\n            any_found = True\n"
        + (f"            if {enough}:\n                break\n" if enough else "")
        + "    partial[chunk] = total\n    found[chunk] = any_found\n"
    )
    return inliner.header() + "@kernel\n" + text, inliner.functions


def _exit(monoid: TypedMonoid, dtype: np.dtype, space: str) -> str:
    if monoid.any_value:
        return f"{space}break\n"
    ends = _is_terminal(monoid, dtype, "acc")
    return f"{space}if {ends}:\n{space}    break\n" if ends else ""


def _is_terminal(monoid: TypedMonoid, dtype: np.dtype, name: str) -> str:
    """The test for the terminal value, or an empty text without one."""
    return "" if monoid.terminal is None else f"{name} == {literal(monoid.terminal, dtype)}"


def _reduce_bitmap(present: Array, values: Array, monoid: TypedMonoid) -> Value | None:
    size, dtype = len(present), monoid.type.np_type
    key = ("bitmap", monoid.key, values.dtype.char)
    kernel = _table.find(key, size, lambda: _bitmap_source(monoid, values.dtype))
    parts = [(number, lo, min(lo + CHUNK, size)) for number, lo in enumerate(range(0, size, CHUNK))]
    partial, found = np.empty(len(parts), dtype), np.empty(len(parts), bool)
    if monoid.any_value or monoid.terminal is not None:  # the first part may be enough
        kernel(present, values, partial, found, *parts[0])
        if found[0] and (monoid.any_value or partial[0] == monoid.terminal):
            return partial[0]
    pool.launch(kernel, parts, present, values, partial, found)
    return partial[0] if len(parts) == 1 else monoid.reduce(partial[found])


def _rowwise_source(monoid: TypedMonoid, mode: int, stored: np.dtype) -> Source:
    inliner = Inliner()
    dtype = monoid.type.np_type
    first = prologue(inliner, "values", mode, stored, dtype, "z")
    load = "" if mode == ISO else inliner.load("values[p]", stored, dtype)
    text = (
        f"def kernel(indptr, values, out_present, out_values, lo, hi):\n    count = 0\n{first}"
        "    for row in range(U(lo), U(hi)):\n"
        "        p = U(indptr[row])\n        stop = U(indptr[row + U(1)])\n        found = p < stop\n"
        "        out_present[row] = found\n        if found:\n            count += 1\n"
        f"            acc = {load or 'z'}\n"
        "            for p in range(p + U(1), stop):\n"
        f"{_exit(monoid, dtype, ' ' * 16)}" + (f"                z = {load}\n" if load else "")
    )
    if not monoid.any_value:
        text += f"                acc = {inliner.call(monoid.binaryop, x='acc', y='z')}\n"
    text += "            out_values[row] = acc\n    return count\n"
    return inliner.header() + "@summing_kernel\n" + text, inliner.functions


def _columnwise_source(monoid: TypedMonoid, mode: int, stored: np.dtype) -> Source:
    inliner = Inliner()
    dtype = monoid.type.np_type
    first = prologue(inliner, "values", mode, stored, dtype, "z")
    load = "" if mode == ISO else f"        z = {inliner.load('values[p]', stored, dtype)}\n"
    combined = "acc" if monoid.any_value else inliner.call(monoid.binaryop, x="acc", y="z")
    text = (
        f"def kernel(indices, values, present, sums):\n    count = 0\n{first}"
        f"    for p in range(U(len(indices))):\n        j = U(indices[p])\n{load}"
        f"        if present[j]:\n            acc = sums[j]\n            sums[j] = {combined}\n"
        "        else:\n            sums[j] = z\n            present[j] = True\n            count += 1\n"
        "    return count\n"
    )
    return inliner.header() + "@kernel\n" + text, inliner.functions


def _dense_in_columns(a: MatrixStore) -> bool:
    """Whether a number for every column, with or without entries, costs less than a sort of the entries by columns."""
    return a.ncols <= MOST_EMPTY * a.nvals + MOST_COLUMNS


def reduce_columnwise(a: MatrixStore, monoid: TypedMonoid) -> VectorStore | None:
    """Add entries to their columns in the order of rows: the first sums take a tenth of the time of a transpose."""
    if not _table.enabled or a.nvals == 0 or a._transpose is not None or a.copies > 1 or not _dense_in_columns(a):
        return None
    mode = reading(a.values)
    key = ("columnwise", monoid.key, a.values.dtype.char, mode, a.indices.dtype.char)
    kernel = _table.find(key, len(a.indices), lambda: _columnwise_source(monoid, mode, a.values.dtype))
    present, sums = np.zeros(a.ncols, bool), np.zeros(a.ncols, monoid.return_type.np_type)
    count = kernel(a.indices, a.values, present, sums)
    return VectorStore(a.ncols, sums, present=None if count == a.ncols else present, nvals=count)


def count_columnwise(a: MatrixStore) -> VectorStore | None:
    if a._transpose is not None or a.copies > 1:
        return None
    if not _dense_in_columns(a):
        columns, counts = np.unique(a.indices, return_counts=True)
        return VectorStore(a.ncols, counts, indices=columns.astype(INDEX))
    counts = np.bincount(a.indices, minlength=a.ncols)
    return VectorStore(a.ncols, counts, present=counts > 0)


def reduce_rowwise(a: MatrixStore, monoid: TypedMonoid) -> VectorStore | None:
    if not _table.enabled or len(a.indices) == 0:
        return None
    mode = reading(a.values)
    key = ("rowwise", monoid.key, a.values.dtype.char, mode)
    kernel = _table.find(key, len(a.indices), lambda: _rowwise_source(monoid, mode, a.values.dtype))
    present = np.empty(a.nrows, bool)
    values = np.zeros(a.nrows, monoid.return_type.np_type)
    parts = [(0, a.nrows)] if len(a.indices) < PARALLEL_WORK else edge_chunks(a.indptr)
    count = sum(pool.launch(kernel, parts, a.indptr, a.values, present, values))
    if count == a.nrows:
        return VectorStore(a.nrows, values)
    return VectorStore(a.nrows, values, present=present, nvals=count)
