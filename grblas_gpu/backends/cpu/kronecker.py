"""``kron(A, B)``: rows of the result are rows of A, each entry of which is a row of B. They need no sorting."""

from __future__ import annotations

from contextlib import suppress
from textwrap import indent

import numpy as np

from ...foundation.types import TypedOperator
from ...plan.storage_rules import matrix_form
from ..engine import Declined
from ..machine.memory_limits import check_entries
from ..reference import Definitions
from ..stores.matrix_storage import HYPERSPARSE, SPARSE
from ..stores.storage import INDEX, MatrixStore, VectorStore, column_type
from . import buffers, pool
from .compile import Source
from .operands import Operands
from .parallel import PARALLEL_WORK, edge_chunks, lengths
from .tier import KernelTable

MANY = 4096  # entries of an outer product for which a column and a row are made

_table = KernelTable()


def kronecker(a: MatrixStore, b: MatrixStore, op: TypedOperator) -> MatrixStore | None:
    """``t[i * b.nrows + k, j * b.ncols + l] = op(a[i, j], b[k, l])``, or None for the definitions."""
    nrows, ncols, entries = a.nrows * b.nrows, a.ncols * b.ncols, a.nvals * b.nvals
    if not _table.enabled or op.positional is not None or not entries:
        return None
    if HYPERSPARSE in (a.form, b.form, matrix_form(entries, nrows, ncols, SPARSE)):
        return None
    operands = Operands(a.values, b.values, op, False)
    key = (operands.key, a.indices.dtype.char, b.indices.dtype.char)
    kernel = _table.find(key, entries, lambda: _source(operands))
    column = np.dtype(column_type(ncols))
    check_entries(entries, column.itemsize + (operands.dtype.itemsize if operands.constant is None else 0))
    indptr = a.indptr * b.nvals
    if b.nrows > 1:
        indptr = np.zeros(nrows + 1, INDEX)
        np.cumsum(np.multiply.outer(lengths(a.indptr), lengths(b.indptr)), out=indptr[1:])
    indices = buffers.empty(entries, column)
    values, out = operands.output(entries)
    given = (a.indptr, a.indices, b.indptr, b.indices, *operands.arguments(a.values, b.values), b.ncols)
    parts = edge_chunks(a.indptr) if entries > PARALLEL_WORK else [(0, a.nrows)]
    pool.launch(kernel, parts, *given, indptr, indices, *out)
    return MatrixStore(nrows, ncols, indptr, indices, values)


def outer(self: Definitions, u: VectorStore, v: VectorStore, op: TypedOperator) -> MatrixStore:
    """``t[i, j] = op(u[i], v[j])``: the Kronecker product of a column and a row."""
    if u.nvals * v.nvals >= MANY:
        with suppress(Declined):
            binary = op.binaryop if op.opclass == "Monoid" else op
            found = kronecker(Definitions.as_matrix(self, u, False), Definitions.as_matrix(self, v, True), binary)
            if found is not None:
                return found
    return Definitions.outer(self, u, v, op)


def _source(operands: Operands) -> Source:
    text = operands.text("p", "q", "out_values[n]")
    values = "" if operands.constant is not None else ", out_values"
    return text.finish(
        f"def kernel(a_indptr, a_indices, b_indptr, b_indices{operands.names()}, width, indptr, out_indices{values}, "
        f"lo, hi):\n{text.prologue}"
        "    height = U(len(b_indptr) - 1)\n"
        "    for i in range(U(lo), U(hi)):\n"
        "        start, stop = U(a_indptr[i]), U(a_indptr[i + U(1)])\n"
        "        if start == stop:\n            continue\n"
        "        for k in range(height):\n"
        "            n, first, last = U(indptr[i * height + k]), U(b_indptr[k]), U(b_indptr[k + U(1)])\n"
        "            for p in range(start, stop):\n"
        "                left_column = np.int64(a_indices[p]) * width\n"
        "                for q in range(first, last):\n"
        "                    out_indices[n] = left_column + b_indices[q]\n"
        + indent(text.both + "n += U(1)\n", " " * 20)
    )
