"""Element-wise operations on two stores, and apply.

Sorted structures (matrices, and sparse vectors as matrices of one row) are merged row by row. For several threads, an
earlier pass counts shared positions, and depends on no operator. Dense vectors are one loop over the positions.
"""

from __future__ import annotations

from collections.abc import Hashable
from textwrap import indent

import numpy as np

from ...foundation.types import Accum, Function, TypedOperator, Value
from ..machine.memory_limits import check_positions
from ..reference import Definitions
from ..stores.entries import Store, cast
from ..stores.storage import INDEX, Array, MaskView, MatrixStore, VectorStore
from ..stores.vector_storage import shortened
from . import buffers, pool
from .compile import Source
from .inline import uses, where
from .operands import Operands, Text, operands_of
from .parallel import LIGHT_WORK, PARALLEL_WORK, Chunks, edge_chunks, even_chunks
from .tier import KernelTable

NUMPY_CHUNK = 65_536  # values per call of a NumPy definition: they stay in a core's cache

FEW = 4096  # numbers that are compared as bytes
TRUE = np.ones(1, bool)  # the flags of a structural mask

_HOST = Definitions()
_table = KernelTable()


# --- sorted structures ----------------------------------------------------------------------------------------------


def _merge_source(operands: Operands) -> Source:
    text = operands.text("p", "q", "out_values[n]")
    both, tail = text.both + "out_indices[n] = i\nn += U(1)\n", ""
    if operands.union:
        only_x = text.only_x + "out_indices[n] = i\nn += U(1)\np += U(1)\n"
        only_y = text.only_y + "out_indices[n] = j\nn += U(1)\nq += U(1)\n"
        step = where("i == j", both + "p += U(1)\nq += U(1)\n", where("i < j", only_x, only_y))
        tail = "while p < x_end:\n    i = x_indices[p]\n" + indent(only_x, "    ")
        tail += "while q < y_end:\n    j = y_indices[q]\n" + indent(only_y, "    ")
    else:  # positions are rarely shared, and which operand is behind is unpredictable
        step = where("i == j", both) + "p += U(i <= j)\nq += U(j <= i)\n"
    body = "while p < x_end and q < y_end:\n    i, j = x_indices[p], y_indices[q]\n" + indent(step, "    ") + tail
    return _row_by_row(operands, text, body)


def _masked_source(operands: Operands, replace: bool) -> Source:
    """``x<mask, replace> (op)= y``: the output step of a matrix."""
    text = operands.text("p", "q", "out_values[n]")
    keep = "out_indices[n] = k\nn += U(1)\n"
    only_x, entry = "elif here_x:\n" + indent(text.only_x + keep, "    "), where("here_x", text.both, text.only_y)
    step = "if opened:\n" + indent(where("here_y", entry + keep) + ("" if operands.op is None else only_x), "    ")
    body = (
        "m, m_end = U(mask_indptr[row]), U(mask_indptr[row + U(1)])\n"
        "while p < x_end or q < y_end:\n"
        "    here_x = p < x_end and (q == y_end or x_indices[p] <= y_indices[q])\n"
        "    here_y = q < y_end and (p == x_end or y_indices[q] <= x_indices[p])\n"
        "    k = x_indices[p] if here_x else y_indices[q]\n"
        "    while m < m_end and mask_indices[m] < k:\n        m += U(1)\n"
        "    opened = (m < m_end and mask_indices[m] == k and true[U(0) if one else m]) != complement\n"
        + indent(step + ("" if replace else only_x), "    ")
        + "    p += U(here_x)\n    q += U(here_y)\n"
    )
    given = ", mask_indptr, mask_indices, true, complement"
    return _row_by_row(operands, text, body, given, "    one = len(true) == 1\n")


def _row_by_row(operands: Operands, text: Text, body: str, given: str = "", first: str = "") -> Source:
    """The entries of a row of each operand are from ``p`` and ``q`` on."""
    values = "" if operands.constant is not None else ", out_values"
    return text.finish(
        f"def kernel(x_indptr, x_indices, y_indptr, y_indices{operands.names()}{given}, out_indptr, "
        f"out_indices{values}, lo, hi):\n    n = U(0)\n{first}{text.prologue}"
        "    for row in range(U(lo), U(hi)):\n"
        "        p, x_end = U(x_indptr[row]), U(x_indptr[row + U(1)])\n"
        "        q, y_end = U(y_indptr[row]), U(y_indptr[row + U(1)])\n"
        + indent(body, " " * 8)
        + "        out_indptr[row + U(1)] = n\n    return np.int64(n)\n"
    )


def _merge(
    x: tuple[Array, Array, Array],
    y: tuple[Array, Array, Array],
    operands: Operands,
    index_type: np.dtype | type,
    mask: MaskView | None = None,
    replace: bool = False,
) -> tuple[Array, Array, Array]:
    """Two CSR structures (indptr, indices, values) into one; with a mask, the second written into the first."""
    x_indptr, x_indices, x_values = x
    y_indptr, y_indices, y_values = y
    work, rows = len(x_indices) + len(y_indices), len(x_indptr) - 1
    key: tuple[Hashable, ...] = ("merge", operands.key, operands.union, x_indices.dtype.char, y_indices.dtype.char)
    given: tuple[object, ...] = (x_indptr, x_indices, y_indptr, y_indices, *operands.arguments(x_values, y_values))
    if mask is None:
        kernel = _table.find(key, work, lambda: _merge_source(operands))
    else:
        m = mask.store
        assert type(m) is MatrixStore
        key += m.indices.dtype.char, replace, operands.op is None
        kernel = _table.find(key, work + m.nvals, lambda: _masked_source(operands, replace))
        given += m.indptr, m.indices, true_entries(mask), mask.complement
    indptr = np.zeros(rows + 1, INDEX)

    def merged(lo: int, hi: int, x_length: int, y_length: int) -> tuple[Array, Array]:
        most = x_length + y_length if operands.union else min(x_length, y_length)
        indices = buffers.empty(most, index_type)
        values, out = operands.output(most)
        n = kernel(*given, indptr, indices, *out, lo, hi)
        return shortened(indices, n), shortened(values, n) if out or n == 0 else values

    if work <= PARALLEL_WORK or rows == 1:
        return indptr, *merged(0, rows, len(x_indices), len(y_indices))
    parts = edge_chunks(x_indptr if len(x_indices) >= len(y_indices) else y_indptr)
    sizes = [[int(pointers[hi] - pointers[lo]) for pointers in (x_indptr, y_indptr)] for lo, hi in parts]
    pieces = pool.run(lambda k: merged(*parts[k], *sizes[k]), range(len(parts)))
    for lo, hi in parts[1:]:
        indptr[lo + 1 : hi + 1] += indptr[lo]
    indices, values = (buffers.joined(column) for column in zip(*pieces, strict=True))
    return indptr, indices, values if operands.constant is None else values[:1].copy()


# --- dense vectors --------------------------------------------------------------------------------------------------


def _dense_source(operands: Operands, x_full: bool, y_full: bool) -> Source:
    text = operands.text("i", "i", "out_values[i]")
    present = ("" if x_full else ", x_present") + ("" if y_full else ", y_present")
    out_full = (x_full or y_full) if operands.union else (x_full and y_full)
    outputs = ("" if out_full else ", out_present") + ("" if operands.constant is not None else ", out_values")
    here_x, here_y = ("True" if x_full else "x_present[i]"), ("True" if y_full else "y_present[i]")
    zero = text.inliner.load("np.int8(0)", np.dtype(np.int8), operands.dtype)
    nothing = "" if operands.constant is not None else f"out_values[i] = {zero}\n"  # absent entries have a value too
    op = operands.op
    if nothing and op is not None and _is_arithmetic(op) and not (x_full and y_full):  # costs no branch
        body = f"here_x, here_y = {here_x}, {here_y}\n{text.operands}"
        if operands.defaults:
            body += "left = left if here_x else left_default[0]\nright = right if here_y else right_default[0]\n"
        body += f"z = {text.call}\n"
        if operands.union and not operands.defaults:
            body += f"x_alone, y_alone = {text.x_alone}, {text.y_alone}\n"
            body += "z = z if here_x & here_y else x_alone if here_x else y_alone\n"
        if not out_full:
            body += f"found = here_x {'|' if operands.union else '&'} here_y\nout_present[i] = found\ncount += found\n"
            body += f"z = z if found else {zero}\n"
        body += "out_values[i] = z\n"
    else:
        found, lines = text.combined(here_x, here_y, operands.union)
        mark = "" if out_full else "out_present[i] = True\ncount += 1\n"
        body = where(found, lines + mark, "out_present[i] = False\n" + nothing)
    return text.finish(
        f"def kernel(unused{present}{operands.names()}{outputs}, lo, hi):\n    count = 0\n{text.prologue}"
        "    for i in range(U(lo), U(hi)):\n" + indent(body, " " * 8) + "    return count\n"
    )


def _is_arithmetic(op: Accum) -> bool:
    """Whether an operator takes less time than reading its operands."""
    return op is None or (op.source is not None and "(" not in op.source)


def dense_chunks(size: int, op: Accum) -> Chunks:
    """Ranges of positions that threads combine."""
    if size <= PARALLEL_WORK or (size <= LIGHT_WORK and _is_arithmetic(op)):
        return [(0, size)]
    return even_chunks(size)


def _dense(x: VectorStore, y: VectorStore, operands: Operands) -> VectorStore:
    size, x_full, y_full = x.size, x.present is None, y.present is None
    out_full = (x_full or y_full) if operands.union else (x_full and y_full)
    values, out = operands.output(size)
    if out_full and not out:
        return VectorStore(size, values)
    key = ("dense", operands.key, operands.union, x_full, y_full)
    kernel = _table.find(key, size, lambda: _dense_source(operands, x_full, y_full))
    present = None if out_full else buffers.empty(size, bool)
    given = tuple(array for array in (x.present, y.present) if array is not None)
    marks = () if present is None else (present,)
    arguments = (0, *given, *operands.arguments(x.values, y.values), *marks, *out)
    count = sum(pool.launch(kernel, dense_chunks(size, operands.op), *arguments))
    return VectorStore(size, values, present=present, nvals=size if out_full else count)


# --- a sparse vector and a dense one --------------------------------------------------------------------------------


def _probe_source(operands: Operands, sparse_left: bool, full: bool) -> Source:
    text = operands.text("t" if sparse_left else "i", "i" if sparse_left else "t", "out_values[n]")
    present = "" if full else ", present"
    values = "" if operands.constant is not None else ", out_values"
    body = "out_indices[n] = i\n" + text.both + "n += U(1)\n"
    if not full:
        body = "if present[i]:\n" + indent(body, "    ")
    return text.finish(
        f"def kernel(indices{present}{operands.names()}, out_indices{values}):\n    n = U(0)\n{text.prologue}"
        "    for t in range(U(len(indices))):\n        i = U(indices[t])\n"
        + indent(body, " " * 8)
        + "    return np.int64(n)\n"
    )


def _probe(x: VectorStore, y: VectorStore, operands: Operands) -> VectorStore:
    """Intersect a sparse vector with a dense one, at the cost of the sparse one."""
    sparse_left = x.indices is not None
    sparse, dense = (x, y) if sparse_left else (y, x)
    full = dense.present is None
    key = ("probe", operands.key, sparse_left, full)
    kernel = _table.find(key, sparse.nvals, lambda: _probe_source(operands, sparse_left, full))
    indices = np.empty(sparse.nvals, INDEX)
    values, out = operands.output(sparse.nvals)
    marks = () if full else (dense.present,)
    count = kernel(sparse.indices, *marks, *operands.arguments(x.values, y.values), indices, *out)
    if out or count == 0:
        values = values[:count]
    return VectorStore(x.size, values, indices=indices[:count], ordered=sparse.ordered)


# --- the operations -------------------------------------------------------------------------------------------------


def ewise_mult(x: Store, y: Store, op: TypedOperator) -> Store | None:
    if op.positional is not None or x.nvals == 0 or y.nvals == 0:
        return None
    return _combine(x, y, operands_of(x.values, y.values, op, False))


def union(
    x: Store, y: Store, op: Accum, defaults: tuple[Value, Value] | None = None, dtype: np.dtype | None = None
) -> Store | None:
    """Without an operator ``y``, and ``x`` where ``y`` has no entry."""
    if (op is not None and op.positional is not None) or x.nvals == 0 or y.nvals == 0:
        return None
    return _combine(x, y, operands_of(x.values, y.values, op, True, defaults, dtype))


def true_entries(mask: MaskView) -> Array:
    """Whether each entry of a mask is true; one flag for all of a structural mask."""
    return TRUE if mask.structure else cast(mask.store.values, np.dtype(bool))


def write_masked(
    c: MatrixStore, t: MatrixStore, mask: MaskView, accum: Accum, replace: bool, masked: bool
) -> MatrixStore | None:
    """The output step of a matrix: its new store, with values of any type, or None for the definition to decide."""
    if accum is not None and accum.positional is not None:
        return None
    if c.nvals == 0 or (replace and accum is None):
        return t if masked else opened(t, mask)
    operands = operands_of(c.values, t.values, accum, True, None, c.dtype)
    x, y = (c.indptr, c.indices, c.values), (t.indptr, t.indices, t.values)
    return MatrixStore(c.nrows, c.ncols, *_merge(x, y, operands, c.indices.dtype, mask, replace))


def opened(t: MatrixStore, mask: MaskView) -> MatrixStore:
    """The entries where a mask is open: written into a matrix without entries."""
    operands = operands_of(t.values, t.values, None, True, None, t.dtype)
    nothing = np.zeros(t.nrows + 1, INDEX), t.indices[:0], t.values
    merged = _merge(nothing, (t.indptr, t.indices, t.values), operands, t.indices.dtype, mask, True)
    return MatrixStore(t.nrows, t.ncols, *merged)


def _combine(x: Store, y: Store, operands: Operands) -> Store | None:
    if type(x) is MatrixStore:
        if same_structure(x, y):
            whole = _dense(VectorStore(x.nvals, x.values), VectorStore(x.nvals, y.values), operands)
            return MatrixStore(x.nrows, x.ncols, x.indptr, x.indices, whole.values)
        merged = _merge((x.indptr, x.indices, x.values), (y.indptr, y.indices, y.values), operands, x.indices.dtype)
        return MatrixStore(x.nrows, x.ncols, *merged)
    x_sparse, y_sparse = x.indices is not None, y.indices is not None
    if len(x.values) == len(y.values) == 1 and x.kind == y.kind == "full":
        return None  # one value stands for all
    if x_sparse and y_sparse:
        return _sparse(x, y, operands)
    if x_sparse != y_sparse:
        if not operands.union:
            return _probe(x, y, operands)
        check_positions(x.size, 1, operands.dtype.itemsize + 1)
        x, y = (as_dense(x), y) if x_sparse else (x, as_dense(y))
    return _dense(x, y, operands)


def same_structure(x: MatrixStore, y: MatrixStore) -> bool:
    """Whether both have their entries at the same positions; the test is cheap if they differ."""
    if x.indices is y.indices and x.indptr is y.indptr:
        return True
    if len(x.indices) != len(y.indices) or x.indices[-1] != y.indices[-1]:
        return False
    if len(x.indptr) + len(x.indices) <= FEW:  # NumPy's call would take most of the time
        return x.indptr.tobytes() == y.indptr.tobytes() and x.indices.tobytes() == y.indices.tobytes()
    return np.array_equal(x.indptr, y.indptr) and np.array_equal(x.indices, y.indices)


def _sparse(x: VectorStore, y: VectorStore, operands: Operands) -> VectorStore:
    x, y = in_order(x), in_order(y)
    x_indptr, y_indptr = np.array([0, x.nvals], INDEX), np.array([0, y.nvals], INDEX)
    _, indices, values = _merge((x_indptr, x.indices, x.values), (y_indptr, y.indices, y.values), operands, INDEX)
    return VectorStore(x.size, values, indices=indices)


def in_order(x: VectorStore) -> VectorStore:
    """The same sparse vector with ascending indices."""
    if x.ordered or x.indices is None:
        return x
    order = np.argsort(x.indices)
    return VectorStore(x.size, x.values if len(x.values) == 1 else x.values[order], indices=x.indices[order])


def as_dense(x: VectorStore) -> VectorStore:
    return _HOST.with_kind(x, "bitmap")


# --- apply ----------------------------------------------------------------------------------------------------------


def apply(x: Store, op: TypedOperator) -> Store | None:
    if op.positional is not None or len(x.values) < PARALLEL_WORK or not _table.enabled:
        return None
    return _map(x, lambda values: op.numpy(cast(values, op.type.np_type)), op, "x")


def apply_bind(x: Store, op: TypedOperator, scalar: Value, side: str) -> Store | None:
    if op.positional is not None or len(x.values) < PARALLEL_WORK or not _table.enabled:
        return None
    if side == "left":
        fixed = cast(np.asarray(scalar).reshape(1), op.type.np_type)
        return _map(x, lambda values: op.numpy(fixed, cast(values, op.type2.np_type)), op, "y")
    fixed = cast(np.asarray(scalar).reshape(1), op.type2.np_type)
    return _map(x, lambda values: op.numpy(cast(values, op.type.np_type), fixed), op, "x")


def _map(x: Store, function: Function, op: TypedOperator, entry: str) -> Store:
    """NumPy's loops are fastest on values that fit a core's cache, and release the lock for other threads."""
    from ..reference.elementwise import with_values

    if not uses(op, entry):  # one value for all
        return with_values(x, function(x.values[:1]), fresh=True)
    out = buffers.empty(len(x.values), op.return_type.np_type)

    def run(part: tuple[int, int]) -> None:
        lo, hi = part
        out[lo:hi] = function(x.values[lo:hi])

    count = len(out)
    pool.run(run, [(lo, min(lo + NUMPY_CHUNK, count)) for lo in range(0, count, NUMPY_CHUNK)])
    return with_values(x, out)
