"""The group of columns with the largest sum in every row: added up in an array of all groups, row by row.

A row reads its entries three times instead of testing whether a group is new: that branch would be unpredictable.
"""

from __future__ import annotations

from textwrap import indent

import numpy as np

from ..programs.reading import ISO
from ..reference.graphs import group_numbers
from ..stores.entries import expand, present_flags
from ..stores.storage import MatrixStore, VectorStore
from . import pool
from .operands import reading
from .parallel import PARALLEL_WORK, edge_chunks
from .tier import KernelTable

#: The heaviest group of row i, or the next row; places in braces depend on how operands are stored.
ROW = """\
start = U({offsets}[i])
k = U(0)
for p in range(start, U({offsets}[i + U(1)])):
    j = U({columns}[p])
    group = {group_of_j}
    {check}near[k] = group
    sums[U(group)] = -{cost}
    k += U(1)
entries = k
if {has_diagonal}:
    j = i
    group = {group_of_j}
    {check}near[k] = group
    sums[U(group)] = {diagonal} - {cost}
    k += U(1)
if k == U(0):
    continue
for t in range(entries):
    if not {has_diagonal} or U({columns}[start + t]) != i:
        sums[U(near[t])] += {value}
first = near[U(0)]
most = sums[U(first)]
for t in range(U(1), k):
    group = near[t]
    sum = sums[U(group)]
    if sum > most or (sum == most and group < first):
        most, first = sum, group
"""

SOURCE = """\
@kernel
def kernel(indptr, indices, values, groups, rows, handicap, factors, diagonal, sums, near, found, best, lo, hi):
    count = 0
    for i in range(U(lo), U(hi)):
        found[i] = False
        if not rows[i]:
            continue
{row}        found[i] = True
        best[i] = first
        count += 1
    return count
"""


_table = KernelTable()


def heaviest_groups(
    a: MatrixStore,
    groups: VectorStore,
    handicap: VectorStore | None,
    rows: VectorStore | None,
    factors: VectorStore | None,
    diagonal: VectorStore | None,
) -> VectorStore:
    numbers, wanted = group_numbers(groups), np.ones(a.nrows, bool) if rows is None else present_flags(rows)
    mode, given = reading(a.values), [x is not None for x in (handicap, factors, diagonal)]
    cost = "0.0" if handicap is None else "handicap[U(group)]" + " * factors[i]" * given[1]
    value = f"values[{'U(0)' if mode == ISO else 'start + t'}]"
    read = {"offsets": "indptr", "columns": "indices", "group_of_j": "groups[j]", "diagonal": "diagonal[i]"}
    row = ROW.format(**read, value=value, cost=cost, check="", has_diagonal=given[2])
    key = (mode, a.values.dtype.char, a.indices.dtype.char, *given)
    kernel = _table.find(key, len(a.indices), lambda: (SOURCE.format(row=indent(row, " " * 8)), {}))
    found, best = np.empty(a.nrows, bool), np.zeros(a.nrows, np.int64)
    beside = [np.zeros(1) if x is None else expand(x.values, x.size) for x in (handicap, factors, diagonal)]

    def make(part: tuple[int, int]) -> bool:
        scratch = np.empty(a.ncols, np.float64), np.empty(a.max_degree + 1, np.int64)
        return kernel(a.indptr, a.indices, a.values, numbers, wanted, *beside, *scratch, found, best, *part)

    parts = edge_chunks(a.indptr) if len(a.indices) > PARALLEL_WORK else [(0, a.nrows)]
    count = sum(pool.run(make, parts))
    return VectorStore(a.nrows, best, present=None if count == a.nrows else found, nvals=count)
