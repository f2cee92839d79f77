"""Graph statistics: structure, degrees, vertices ordered by degree; the heaviest group of columns in every row; entries
that match values of their row and column."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...exceptions import IndexOutOfBound
from ...foundation.types import TypedOperator
from ..protocol import DegreeStatistics
from ..stores.counting import how_many
from ..stores.entries import expand, matrix_from_keys, present_flags, ranges, repeat, runs
from ..stores.index_types import order_of_keys
from ..stores.storage import INDEX, Array, MatrixStore, VectorStore, column_type, same_arrays
from .elementwise import with_values
from .operating import Operating


class Graphs(Operating):
    def pattern(self, a: MatrixStore) -> MatrixStore:
        """True where the matrix has an entry, as one stored value."""
        pattern = self._structure(a)
        other = a._transpose
        if other is not None:  # cached properties of the matrix hold for its structure
            mirrored = self._structure(other)
            symmetric = other is a or same_arrays(pattern, mirrored)
            pattern._transpose, mirrored._transpose = (pattern if symmetric else mirrored), pattern
        return pattern

    def _structure(self, a: MatrixStore) -> MatrixStore:
        value = self.array([True] * min(a.nvals, 1), bool)
        return with_values(a, value)

    def degree_statistics(self, a: MatrixStore) -> DegreeStatistics:
        """Of the numbers of entries in the columns."""
        columns = a.transposed()
        n, entries = columns.nrows, columns.nvals
        if n == 0:
            return DegreeStatistics(0.0, 0, 0.0)
        variance = max(0, n * columns.squared_lengths() - entries**2)
        return DegreeStatistics(entries / n, columns.max_degree, math.sqrt(variance) / n)

    def by_degree(self, pattern: MatrixStore) -> tuple[MatrixStore, MatrixStore]:
        """The graph with its vertices renumbered by descending in-degree, and the matrix that selects them."""
        degrees = np.diff(pattern.transposed().indptr)
        count = how_many(degrees > 0)
        vertices = np.argsort(-degrees, kind="stable")[:count].astype(INDEX)
        numbers = np.zeros(pattern.nrows, INDEX, like=degrees)
        numbers[vertices] = np.arange(count, dtype=INDEX, like=degrees)
        starts = pattern.indptr[vertices]
        lengths = pattern.indptr[vertices + 1] - starts
        rows = repeat(np.arange(count, dtype=INDEX, like=degrees), lengths)
        # Every column of an entry has a number: an edge leads to it.
        keys = np.sort(rows * count + numbers[pattern.indices[ranges(starts, lengths)]])
        true = np.broadcast_to(self.array([True], bool), (len(keys),))
        graph = matrix_from_keys(count, count, keys, true)
        selection = MatrixStore(
            count,
            pattern.nrows,
            np.arange(count + 1, dtype=INDEX, like=degrees),
            vertices.astype(column_type(pattern.nrows)),
            self.array([True] * min(count, 1), bool),
        )
        return graph, selection


def group_numbers(groups: VectorStore, what: str = "heaviest_groups") -> Array:
    """The group of every column, checked."""
    values = groups.values
    if len(values) and not 0 <= int(values.min()) <= int(values.max()) < groups.size:
        raise IndexOutOfBound(f"{what}: the groups of {groups.size} columns have numbers below that")
    return expand(values, groups.size)


def heaviest_groups(
    a: MatrixStore,
    groups: VectorStore,
    handicap: VectorStore | None,
    rows: VectorStore | None,
    factors: VectorStore | None,
    diagonal: VectorStore | None,
) -> VectorStore:
    every = np.arange(a.nrows) if rows is None else np.flatnonzero(present_flags(rows))
    starts = a.indptr[every]
    lengths = a.indptr[every + 1] - starts
    places = ranges(starts, lengths)
    lines, columns, values = repeat(every, lengths), a.indices[places], expand(a.values, a.nvals)[places]
    if diagonal is not None:
        values = np.append(np.where(lines == columns, 0, values), expand(diagonal.values, a.nrows)[every])
        lines, columns = np.append(lines, every), np.append(columns, every)
    keys = lines * a.ncols + group_numbers(groups)[columns]
    order = order_of_keys(keys, a.nrows * a.ncols)
    keys = keys[order]
    pairs = runs(keys)
    row, group = np.divmod(keys[pairs], max(1, a.ncols))
    sums = np.add.reduceat(values[order].astype(np.float64), pairs)
    if handicap is not None:
        costs = expand(handicap.values, handicap.size)[group]
        sums = sums - (costs if factors is None else costs * expand(factors.values, a.nrows)[row])
    starts = runs(row)
    most = repeat(np.fmax.reduceat(sums, starts), np.diff(starts, append=len(row)))
    best = np.flatnonzero((sums == most) | np.isnan(most))
    first = best[runs(row[best])]
    return VectorStore(a.nrows, group[first], indices=row[first])


def matching(engine: Any, a: MatrixStore, left: VectorStore, op: TypedOperator, right: VectorStore) -> MatrixStore:
    near, far = expand(left.values, a.nrows)[a.row_ids], expand(right.values, a.ncols)[a.indices]
    kept = engine.combine(op, (near, None, None), (a.values, None, None)) == far
    for vector, places in ((left, a.row_ids), (right, a.indices)):
        if vector.present is not None:
            kept &= vector.present[places]
    indptr = np.append(0, np.cumsum(kept))[a.indptr].astype(a.indptr.dtype)
    indices = a.indices[kept]
    values = a.values[: min(1, len(indices))] if a.iso else a.values[kept]
    return MatrixStore(a.nrows, a.ncols, indptr, indices, values)
