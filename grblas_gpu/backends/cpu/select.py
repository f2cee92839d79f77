"""Select: keep the entries for which an index-unary operator is true."""

from __future__ import annotations

from textwrap import indent
from typing import Any

import numpy as np

from ..entries import Store, cast
from ..storage import INDEX, Array, MatrixStore, VectorStore
from . import pool
from .inline import Inliner, uses
from .parallel import PARALLEL_WORK, edge_chunks, even_chunks
from .tier import KernelTable
from .values import ARRAY, UNUSED, prologue, reading

Source = tuple[str, dict[str, Any]]

_table = KernelTable()


class _Test:
    """The predicate as text, and how it reads the values of the store."""

    def __init__(self, op: Any, values: Array, at: str) -> None:
        self.inliner = inliner = Inliner()
        self.mode = reading(values, uses(op, "x"))
        self.prologue = prologue(inliner, "values", self.mode, values.dtype, op.type.np_type, "x")
        self.prologue += "    y = thunk[0]\n"
        load = f"x = {inliner.load(f'values[{at}]', values.dtype, op.type.np_type)}\n" if self.mode == ARRAY else ""
        self.text = load + f"keep = bool({inliner.call(op, x='x', i='i', j='j', y='y')})\n"

    def finish(self, text: str) -> Source:
        return self.inliner.header() + "@kernel\n" + text, self.inliner.functions


def select(x: Store, op: Any, thunk: Any) -> Store | None:
    if not _table.enabled or x.nvals == 0 or op.positional is not None:
        return None
    if thunk is None:
        thunk = 0
    fixed = cast(np.asarray(thunk).reshape(1), op.type2.np_type)
    if type(x) is MatrixStore:
        return _select_matrix(x, op, fixed)
    return _select_sparse(x, op, fixed) if x.indices is not None else _select_dense(x, op, fixed)


def _matrix_source(op: Any, values: Array, fill: bool) -> Source:
    test = _Test(op, values, "p")
    if fill:
        # Written whether it is kept or not, and then overwritten: nobody can predict which.
        copy = "out_values[n] = values[p]\n" if len(values) > 1 else ""
        keep = f"out_indices[n] = indices[p]\n{copy}n += U(keep)\nif n == end:\n    break\n"
        outputs, stop = "out_indptr, out_indices, out_values", ""
        start = (
            "n = U(out_indptr[row])\n        end = U(out_indptr[row + U(1)])\n"
            "        if n == end:\n            continue\n"
        )
        if test.mode == UNUSED:
            start += _whole_run(test.text, bool(copy))
    else:
        keep = "n += keep\n"
        outputs, start, stop = "counts", "n = 0", "        counts[row] = n\n"
    return test.finish(
        f"def kernel(indptr, indices, values, thunk, {outputs}, lo, hi):\n{test.prologue}"
        f"    for row in range(U(lo), U(hi)):\n        i = np.int64(row)\n        {start}\n"
        "        for p in range(U(indptr[row]), U(indptr[row + U(1)])):\n            j = np.int64(indices[p])\n"
        + indent(test.text + keep, " " * 12)
        + stop
    )


def _whole_run(test: str, with_values: bool) -> str:
    """Where only the position matters, what is kept of a row is often its beginning or its end: if all of as many
    entries there are kept as were counted, they are copied as they are."""
    copy = "out_values[n + t] = values[first + t]\n" if with_values else ""
    return (
        "        whole = False\n        for first in (U(indptr[row]), U(indptr[row + U(1)]) - (end - n)):\n"
        "            kept = U(0)\n            for p in range(first, first + (end - n)):\n"
        "                j = np.int64(indices[p])\n"
        + indent(test + "kept += U(keep)\n", " " * 16)
        + "            if kept == end - n:\n                whole = True\n"
        "                for t in range(end - n):\n"
        + indent("out_indices[n + t] = indices[first + t]\n" + copy, " " * 20)
        + "                break\n        if whole:\n            continue\n"
    )


def _select_matrix(x: MatrixStore, op: Any, thunk: Array) -> MatrixStore | None:
    values = x.values
    key = (op.key, values.dtype.char, len(values) == 1, x.indices.dtype.char)
    count = _table.find(("count", key), len(x.indices), lambda: _matrix_source(op, values, False))
    if count is None:
        return None
    fill = _table.find(("fill", key), 10**9, lambda: _matrix_source(op, values, True))
    parts = [(0, x.nrows)] if len(x.indices) < PARALLEL_WORK else edge_chunks(x.indptr)
    counts = np.empty(x.nrows, INDEX)
    pool.run(lambda part: count(x.indptr, x.indices, values, thunk, counts, *part), parts)
    indptr = np.zeros(x.nrows + 1, INDEX)
    np.cumsum(counts, out=indptr[1:])
    total = int(indptr[-1])
    if total == len(x.indices):
        return _unchanged(x)
    indices = np.empty(total, x.indices.dtype)
    out = values[: min(1, total)].copy() if len(values) == 1 else np.empty(total, values.dtype)
    pool.run(lambda part: fill(x.indptr, x.indices, values, thunk, indptr, indices, out, *part), parts)
    return MatrixStore(x.nrows, x.ncols, indptr, indices, out)


def _unchanged(x: MatrixStore) -> MatrixStore:
    """A copy of what every entry was kept of; it is as symmetric as it was."""
    same = x.copy()
    if x._transpose is x:
        same._transpose = same
    return same


def _sparse_source(op: Any, values: Array) -> Source:
    test = _Test(op, values, "t")
    copy = "\n    out_values[n] = values[t]" if len(values) > 1 else ""
    return test.finish(
        "def kernel(indices, values, thunk, out_indices, out_values):\n    n = U(0)\n    j = np.int64(0)\n"
        f"{test.prologue}"
        "    for t in range(U(len(indices))):\n        i = indices[t]\n"
        + indent(test.text + f"if keep:\n    out_indices[n] = i{copy}\n    n += U(1)\n", " " * 8)
        + "    return np.int64(n)\n"
    )


def _select_sparse(x: VectorStore, op: Any, thunk: Array) -> VectorStore | None:
    values = x.values
    key = ("sparse", op.key, values.dtype.char, len(values) == 1)
    kernel = _table.find(key, x.nvals, lambda: _sparse_source(op, values))
    if kernel is None:
        return None
    indices = np.empty(x.nvals, INDEX)
    out = values.copy() if len(values) == 1 else np.empty(x.nvals, values.dtype)
    count = kernel(x.indices, values, thunk, indices, out)
    if len(values) > 1 or count == 0:
        out = out[:count]
    return VectorStore(x.size, out, indices=indices[:count], ordered=x.ordered)


def _dense_source(op: Any, values: Array, full: bool) -> Source:
    test = _Test(op, values, "i")
    body = test.text + "out_present[i] = keep\ncount += keep\n"
    if not full:
        body = "if present[i]:\n" + indent(body, "    ") + "else:\n    out_present[i] = False\n"
    return test.finish(
        f"def kernel({'' if full else 'present, '}values, thunk, out_present, lo, hi):\n"
        f"    count = 0\n    j = np.int64(0)\n{test.prologue}"
        "    for i in range(lo, hi):\n" + indent(body, " " * 8) + "    return count\n"
    )


def _select_dense(x: VectorStore, op: Any, thunk: Array) -> VectorStore | None:
    values, full = x.values, x.present is None
    key = ("dense", op.key, values.dtype.char, len(values) == 1, full)
    kernel = _table.find(key, x.size, lambda: _dense_source(op, values, full))
    if kernel is None:
        return None
    present = np.empty(x.size, bool)
    given = () if full else (x.present,)
    parts = [(0, x.size)] if x.size < PARALLEL_WORK else even_chunks(x.size)
    count = sum(pool.run(lambda part: kernel(*given, values, thunk, present, *part), parts))
    return VectorStore(x.size, values.copy(), present=present, nvals=count)
