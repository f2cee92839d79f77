"""A square matrix by groups of positions: the rows of each group are added up in an array of all groups."""

from __future__ import annotations

import numpy as np

from ...foundation.types import TypedMonoid
from ..engine import Declined
from ..programs.reading import ISO
from ..reference.contracting import numbered
from ..reference.graphs import group_numbers
from ..stores.entries import cast
from ..stores.matrix_storage import transpose_csr
from ..stores.storage import INDEX, MatrixStore, VectorStore, column_type
from . import pool
from .operands import reading
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

_table = KernelTable()


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
