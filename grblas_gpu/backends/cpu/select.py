"""Select: keep the entries for which an index-unary operator is true, or that match values of their row and column."""

from __future__ import annotations

from functools import partial
from textwrap import indent

import numpy as np

from ...foundation.types import TypedOperator, Value
from ..engine import Declined
from ..programs.reading import EACH
from ..stores.entries import Store, cast, expand
from ..stores.storage import INDEX, Array, MatrixStore, VectorStore
from . import pool
from .compile import Source
from .filtering import Test, counted, written
from .inline import Inliner, kept_end, uses
from .operands import prologue, reading
from .parallel import PARALLEL_WORK, edge_chunks, even_chunks
from .tier import KernelTable

LONG_ROW = 32  # entries: a scan of shorter rows is faster than a search

_table = KernelTable()


class _Predicate:
    """The predicate as text, and how it reads the values of the store."""

    def __init__(self, op: TypedOperator, values: Array, at: str) -> None:
        self.inliner = inliner = Inliner()
        self.mode = reading(values, uses(op, "x"))
        self.prologue = prologue(inliner, "values", self.mode, values.dtype, op.type.np_type, "x")
        self.prologue += "    y = thunk[0]\n"
        load = f"x = {inliner.load(f'values[{at}]', values.dtype, op.type.np_type)}\n" if self.mode == EACH else ""
        self.text = load + f"keep = bool({inliner.call(op, x='x', i='i', j='j', y='y')})\n"

    def finish(self, text: str) -> Source:
        return self.inliner.header() + "@kernel\n" + text, self.inliner.functions


def select(x: Store, op: TypedOperator, thunk: Value) -> Store | None:
    if not _table.enabled or x.nvals == 0 or op.positional is not None:
        return None
    if thunk is None:
        thunk = 0
    fixed = cast(np.asarray(thunk).reshape(1), op.type2.np_type)
    if type(x) is MatrixStore:
        return _select_matrix(x, op, fixed)
    return _select_sparse(x, op, fixed) if x.indices is not None else _select_dense(x, op, fixed)


def _matrix_test(op: TypedOperator, values: Array) -> Test:
    predicate, end, is_iso = _Predicate(op, values, "p"), kept_end(op.source), len(values) == 1
    lines = f"i, j = np.int64(row), np.int64(indices[p])\n{predicate.text}"
    made = Test(
        lines,
        given=", values, thunk",
        value="" if is_iso else "values[p]",
        prologue=predicate.prologue,
        inliner=predicate.inliner,
    )
    return made if end is None else made._replace(counting=_count_run(lines, end), writing=_copy_run(end, not is_iso))


def _count_run(test: str, end: str) -> str:
    """The kept entries are at one end of the row: in a long row bisection finds the last of them."""
    return (
        f"if last - first <= U({LONG_ROW}):\n    n = U(0)\n    for p in range(first, last):\n"
        + indent(test + "n += U(keep)\n", " " * 8)
        + "else:\n    low, high = first, last\n    while low < high:\n"
        + "        p = (low + high) >> U(1)\n"
        + indent(test, " " * 8)
        + f"        if {'keep' if end == 'first' else 'not keep'}:\n            low = p + U(1)\n"
        + "        else:\n            high = p\n"
        + f"    n = {'low - first' if end == 'first' else 'last - low'}\n"
    )


def _copy_run(end: str, with_values: bool) -> str:
    start = "" if end == "first" else "first = last - (stop - n)\n"
    loop = "for p in range(stop - n):\n    out_{0}[n + p] = {0}[first + p]\n"
    return start + loop.format("indices") + (loop.format("values") if with_values else "")


def _select_matrix(x: MatrixStore, op: TypedOperator, thunk: Array) -> MatrixStore | None:
    values = x.values
    key = (op.key, values.dtype.char, len(values) == 1, x.indices.dtype.char)
    parts = [(0, x.nrows)] if len(x.indices) < PARALLEL_WORK else edge_chunks(x.indptr)
    arguments = x.indptr, x.indices, values, thunk
    kernel, starts, total = counted(_table, key, len(x.indices), lambda: _matrix_test(op, values), parts, arguments)
    if total == len(x.indices):
        return _unchanged(x)
    entries = written(kernel, starts, total, parts, arguments, x.indices.dtype, values)
    return MatrixStore(x.nrows, x.ncols, starts, *entries)


def _unchanged(x: MatrixStore) -> MatrixStore:
    """A copy of a store that keeps every entry, with its symmetry."""
    same = x.copy()
    if x._transpose is x:
        same._transpose = same
    return same


def _sparse_source(op: TypedOperator, values: Array) -> Source:
    test = _Predicate(op, values, "t")
    copy = "\n    out_values[n] = values[t]" if len(values) > 1 else ""
    return test.finish(
        "def kernel(indices, values, thunk, out_indices, out_values):\n    n = U(0)\n    j = np.int64(0)\n"
        f"{test.prologue}"
        "    for t in range(U(len(indices))):\n        i = indices[t]\n"
        + indent(test.text + f"if keep:\n    out_indices[n] = i{copy}\n    n += U(1)\n", " " * 8)
        + "    return np.int64(n)\n"
    )


def _select_sparse(x: VectorStore, op: TypedOperator, thunk: Array) -> VectorStore | None:
    values = x.values
    key = ("sparse", op.key, values.dtype.char, len(values) == 1)
    kernel = _table.find(key, x.nvals, lambda: _sparse_source(op, values))
    indices = np.empty(x.nvals, INDEX)
    out = values.copy() if len(values) == 1 else np.empty(x.nvals, values.dtype)
    count = kernel(x.indices, values, thunk, indices, out)
    if len(values) > 1 or count == 0:
        out = out[:count]
    return VectorStore(x.size, out, indices=indices[:count], ordered=x.ordered)


def _dense_source(op: TypedOperator, values: Array, full: bool) -> Source:
    test = _Predicate(op, values, "at")
    if full:
        body = test.text
    elif op.source is None:  # user-defined functions are called for entries only
        body = "keep = False\nif present[at]:\n" + indent(test.text, "    ")
    else:  # results at missing entries are ignored, and a branch would be unpredictable
        body = test.text + "keep &= present[at]\n"
    return test.finish(
        f"def kernel({'' if full else 'present, '}values, thunk, out_present, lo, hi):\n"
        f"    count = 0\n    j = np.int64(0)\n{test.prologue}"
        "    for at in range(U(lo), U(hi)):\n        i = np.int64(at)\n"
        + indent(body + "out_present[at] = keep\ncount += keep\n", " " * 8)
        + "    return count\n"
    )


def _select_dense(x: VectorStore, op: TypedOperator, thunk: Array) -> VectorStore | None:
    values, full = x.values, x.present is None
    key = ("dense", op.key, values.dtype.char, len(values) == 1, full)
    kernel = _table.find(key, x.size, lambda: _dense_source(op, values, full))
    present = np.empty(x.size, bool)
    given = () if full else (x.present,)
    parts = [(0, x.size)] if x.size < PARALLEL_WORK else even_chunks(x.size)
    count = sum(pool.launch(kernel, parts, *given, values, thunk, present))
    return VectorStore(x.size, values.copy(), present=present, nvals=count)


def _matching_test(a: MatrixStore, left: VectorStore, op: TypedOperator, right: VectorStore, mode: int) -> Test:
    """Whether an operator on the row's value and the entry's gives that of the column, where both have one."""
    inliner, stored, wanted = Inliner(), a.values.dtype, op.type2.np_type
    lines = f"j, x = U(indices[p]), {inliner.load('near[row]', left.values.dtype, op.type.np_type)}\n"
    if mode == EACH:
        lines += f"y = {inliner.load('values[p]', stored, wanted)}\n"
    result = inliner.load(inliner.call(op, x="x", y="y"), op.return_type.np_type, right.values.dtype)
    flags = (left.present, " and here[row]"), (right.present, " and there[j]")
    lines += f"keep = {result} == far[j]{''.join(text for present, text in flags if present is not None)}\n"
    return Test(
        lines,
        ", values, near, far, here, there",
        value="" if a.iso else "values[p]",
        prologue=prologue(inliner, "values", mode, stored, wanted, "y"),
        inliner=inliner,
    )


def matching(a: MatrixStore, left: VectorStore, op: TypedOperator, right: VectorStore) -> MatrixStore:
    if a.dtype.kind not in "biuf":
        raise Declined
    mode = reading(a.values, uses(op, "y"))
    types = tuple(x.dtype.char for x in (left.values, right.values, a.values, a.indices))
    key = ("matching", op.key, mode, a.iso, left.present is None, right.present is None, *types)
    parts = edge_chunks(a.indptr) if len(a.indices) > PARALLEL_WORK else [(0, a.nrows)]
    ends = expand(left.values, a.nrows), expand(right.values, a.ncols)
    flags = (np.ones(1, bool) if x.present is None else x.present for x in (left, right))
    arguments = a.indptr, a.indices, a.values, *ends, *flags
    test = partial(_matching_test, a, left, op, right, mode)
    kernel, starts, total = counted(_table, key, len(a.indices), test, parts, arguments)
    entries = written(kernel, starts, total, parts, arguments, a.indices.dtype, a.values)
    return MatrixStore(a.nrows, a.ncols, starts, *entries)
