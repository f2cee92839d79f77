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
    a: MatrixStore, groups: VectorStore, handicap: VectorStore | None, rows: VectorStore | None
) -> VectorStore:
    keys, values = a.row_ids * a.ncols + group_numbers(groups)[a.indices], expand(a.values, a.nvals)
    if rows is not None:
        wanted = present_flags(rows)[a.row_ids]
        keys, values = keys[wanted], values[wanted]
    pairs, place = np.unique(keys, return_inverse=True)
    row, group = np.divmod(pairs, max(1, a.ncols))
    sums = np.bincount(place, values, len(pairs))
    if handicap is not None:
        sums = sums - expand(handicap.values, handicap.size)[group]
    order = np.lexsort((group, -sums, row))
    first = order[runs(row[order])]
    return VectorStore(a.nrows, group[first], indices=row[first])
