"""The group of columns with the largest sum in every row: all sums, in order of rows and from the largest on."""

from __future__ import annotations

import numpy as np

from ...exceptions import IndexOutOfBound
from ..stores.entries import expand, present_flags, runs
from ..stores.storage import Array, MatrixStore, VectorStore


def group_numbers(groups: VectorStore) -> Array:
    """The group of every column, checked."""
    values = groups.values
    if len(values) and not 0 <= int(values.min()) <= int(values.max()) < groups.size:
        raise IndexOutOfBound(f"heaviest_groups: the groups of {groups.size} columns have numbers below that")
    return expand(values, groups.size)


def heaviest_groups(
    a: MatrixStore,
    groups: VectorStore,
    handicap: VectorStore | None,
    rows: VectorStore | None,
    factors: VectorStore | None,
    diagonal: VectorStore | None,
) -> VectorStore:
    lines, columns, values = a.row_ids, a.indices, expand(a.values, a.nvals)
    if diagonal is not None:
        rest, every = lines != columns, np.arange(a.nrows)
        lines, columns = np.append(lines[rest], every), np.append(columns[rest], every)
        values = np.append(values[rest], expand(diagonal.values, a.nrows))
    if rows is not None:
        wanted = present_flags(rows)[lines]
        lines, columns, values = lines[wanted], columns[wanted], values[wanted]
    pairs, place = np.unique(lines * a.ncols + group_numbers(groups)[columns], return_inverse=True)
    row, group = np.divmod(pairs, max(1, a.ncols))
    sums = np.bincount(place, values, len(pairs))
    if handicap is not None:
        costs = expand(handicap.values, handicap.size)[group]
        sums = sums - (costs if factors is None else costs * expand(factors.values, a.nrows)[row])
    order = np.lexsort((group, -sums, row))
    first = order[runs(row[order])]
    return VectorStore(a.nrows, group[first], indices=row[first])
