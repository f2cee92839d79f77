"""Graph statistics: structure, degrees, and vertices ordered by degree."""

from __future__ import annotations

import math

import numpy as np

from ..protocol import DegreeStatistics
from ..stores.counting import how_many
from ..stores.entries import matrix_from_keys, ranges, repeat
from ..stores.storage import INDEX, MatrixStore, column_type, same_arrays
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
        degrees = np.diff(columns.indptr if columns.rows is None else columns.starts).astype(float)
        squares = int((degrees * degrees).sum())  # CuPy would compile mean() and std() for seconds
        return DegreeStatistics(entries / n, columns.max_degree, math.sqrt(max(0, n * squares - entries**2)) / n)

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
