"""A square matrix by groups of positions: the rows of each group are added up in an array of all groups.

Entries that match values of their row and column are counted, then written.
"""

from __future__ import annotations

import numpy as np

from ...foundation.types import TypedMonoid, TypedOperator
from ..engine import Declined
from ..programs.reading import EACH, ISO
from ..reference.contracting import numbered
from ..reference.graphs import group_numbers
from ..stores.entries import cast, expand
from ..stores.matrix_storage import transpose_csr
from ..stores.storage import INDEX, MatrixStore, VectorStore, column_type
from . import pool
from .compile import Source
from .inline import Inliner, uses
from .operands import prologue, reading
from .parallel import PARALLEL_WORK, edge_chunks
from .tier import KernelTable

SOURCE = """\
@kernel
def kernel(indptr, indices, values, parts, starts, members, sums, row_of_sum, out_indices, out_values, counts, lo, hi):
    place = U(0)
    for g in range(lo, hi):
        first = place
        for m in range(U(starts[U(g)]), U(starts[U(g) + U(1)])):
            i = U(members[m])
            for p in range(U(indptr[i]), U(indptr[i + U(1)])):
                other = U(parts[U(indices[p])])
                {skip}
                if row_of_sum[other] != g:
                    row_of_sum[other] = g
                    sums[other] = values[{place}]
                    out_indices[place] = other
                    place += U(1)
                else:
                    sums[other] += values[{place}]
        for t in range(first, place):
            out_values[t] = sums[U(out_indices[t])]
        counts[U(g)] = place - first
    return place
"""

#: Writes both sides of a symmetric matrix, whose rows up to the diagonal are given and begin its own.
BOTH_SIDES = """\
@kernel
def kernel(indptr, indices, values, own, ends, out_indices, out_values):
    for i in range(U(len(ends))):
        q = U(own[i])
        for p in range(U(indptr[i]), U(indptr[i + U(1)])):
            j = U(indices[p])
            out_indices[q], out_values[q] = j, values[p]
            q += U(1)
            if j != i:
                end = U(ends[j])
                out_indices[end], out_values[end] = i, values[p]
                ends[j] += 1
"""

#: Counts the entries of rows that match, or writes them.
MATCHING = """\
@kernel
def kernel(indptr, indices, values, near, far, here, there, fill, counts, out_indices, out_values, lo, hi):
{prologue}
    for i in range(U(lo), U(hi)):
        n, x = U(counts[i]) if fill else U(0), {x}
        if {here}:
            for p in range(U(indptr[i]), U(indptr[i + U(1)])):
                j = U(indices[p])
{load}
                if {result} == far[j]{there}:
                    if fill:
                        out_indices[n] = indices[p]
                        {copy}
                    n += U(1)
        if not fill:
            counts[i + U(1)] = n
"""

_table = KernelTable()


def _matching_source(a: MatrixStore, left: VectorStore, op: TypedOperator, right: VectorStore, mode: int) -> Source:
    inliner, stored, wanted = Inliner(), a.values.dtype, op.type2.np_type
    fields = {
        "prologue": prologue(inliner, "values", mode, stored, wanted, "y"),
        "x": inliner.load("near[i]", left.values.dtype, op.type.np_type),
        "here": "True" if left.present is None else "here[i]",
        "load": f"{' ' * 16}y = {inliner.load('values[p]', stored, wanted)}" if mode == EACH else "",
        "result": inliner.load(inliner.call(op, x="x", y="y"), op.return_type.np_type, right.values.dtype),
        "there": "" if right.present is None else " and there[j]",
        "copy": "pass" if a.iso else "out_values[n] = values[p]",
    }
    return inliner.header() + MATCHING.format(**fields), inliner.functions


def matching(a: MatrixStore, left: VectorStore, op: TypedOperator, right: VectorStore) -> MatrixStore:
    if a.dtype.kind not in "biuf":
        raise Declined
    mode = reading(a.values, uses(op, "y"))
    flagged = left.present is not None, right.present is not None
    types = tuple(x.dtype.char for x in (left.values, right.values, a.values, a.indices, a.indptr))
    key = ("matching", op.key, mode, a.iso, *flagged, *types)
    kernel = _table.find(key, len(a.indices), lambda: _matching_source(a, left, op, right, mode))
    beside = expand(left.values, a.nrows), expand(right.values, a.ncols)
    flags = (x.present if x.present is not None else np.ones(1, bool) for x in (left, right))
    given = a.indptr, a.indices, a.values, *beside, *flags
    indptr = np.zeros(a.nrows + 1, a.indptr.dtype)
    chunks = edge_chunks(a.indptr) if len(a.indices) > PARALLEL_WORK else [(0, a.nrows)]
    found = a.indices[:0], a.values[:0]
    pool.launch(kernel, chunks, *given, False, indptr, *found)
    np.cumsum(indptr, out=indptr)
    kept = int(indptr[-1])
    found = np.empty(kept, a.indices.dtype), a.values[: min(1, kept)] if a.iso else np.empty(kept, a.dtype)
    pool.launch(kernel, chunks, *given, True, indptr, *found)
    return MatrixStore(a.nrows, a.ncols, indptr, *found)


def contracted(
    a: MatrixStore, groups: VectorStore, monoid: TypedMonoid, symmetric: bool
) -> tuple[MatrixStore, VectorStore]:
    if a.dtype.kind not in "iuf":
        raise Declined
    mode, dtype, symmetric = reading(a.values), monoid.return_type.np_type, symmetric and a.nvals > 0
    place = "U(0)" if mode == ISO else "p"
    skip = "if other < U(g):\n                    continue" if symmetric else ""
    key = (mode, a.values.dtype.char, a.indices.dtype.char, symmetric)
    kernel = _table.find(key, len(a.indices), lambda: (SOURCE.format(place=place, skip=skip), {}))
    parts, count = numbered(group_numbers(groups, "contracted"))
    members = np.argsort(parts.astype(np.uint16) if count < 2**16 else parts, kind="stable")
    starts, counts = np.zeros(count + 1, INDEX), np.empty(count, INDEX)
    np.cumsum(np.bincount(parts, minlength=count), out=starts[1:])
    before = np.zeros(a.nrows + 1, INDEX)  # entries of the members so far
    np.cumsum(np.diff(a.indptr)[members], out=before[1:])
    column, values = column_type(count), cast(a.values, dtype)

    def make(part: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        most = before[starts[part[1]]] - before[starts[part[0]]]
        found = np.empty(most, column), np.empty(most, dtype)
        scratch = np.empty(count, dtype), np.full(count, -1, INDEX)
        entries = kernel(a.indptr, a.indices, values, parts, starts, members, *scratch, *found, counts, *part)
        return found[0][:entries], found[1][:entries]

    work = before[starts]  # of the groups before
    chunks = edge_chunks(work) if len(a.indices) > PARALLEL_WORK else [(0, count)]
    lines = list(pool.run(make, chunks))
    indptr = np.zeros(count + 1, a.indptr.dtype)
    np.cumsum(counts, out=indptr[1:])
    unordered = MatrixStore(count, count, indptr, *(np.concatenate(each) for each in zip(*lines, strict=True)))
    # a transpose has its rows in order
    ordered = transpose_csr(unordered)
    found = both_sides(ordered) if symmetric else transpose_csr(ordered)
    return found, VectorStore(a.nrows, parts)


def both_sides(lower: MatrixStore) -> MatrixStore:
    """The symmetric matrix that has these rows up to the diagonal."""
    n, last = lower.nrows, np.maximum(lower.indptr[1:] - 1, 0)
    kernel = _table.also(("both", lower.dtype.char, lower.indices.dtype.char), lower.nvals, lambda: (BOTH_SIDES, {}))
    own = np.diff(lower.indptr)
    diagonal = (lower.indices[last] == np.arange(n)) & (own > 0)
    indptr = np.zeros(n + 1, lower.indptr.dtype)
    np.cumsum(own + np.bincount(lower.indices, minlength=n) - diagonal, out=indptr[1:])
    found = np.empty(int(indptr[-1]), lower.indices.dtype), np.empty(int(indptr[-1]), lower.dtype)
    kernel(lower.indptr, lower.indices, lower.values, indptr[:-1], indptr[:-1] + own, *found)
    whole = MatrixStore(n, n, indptr, *found)
    whole._transpose = whole
    return whole
