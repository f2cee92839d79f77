"""Properties and renumberings of a graph, for searches."""

from __future__ import annotations

import numpy as np

from ..protocol import DegreeStatistics
from .products import Products
from .routing import route
from .stores import DistMatrixStore


class Graphs(Products):
    def pattern(self, a: DistMatrixStore) -> DistMatrixStore:
        pattern = self.matrix(a.nrows, a.ncols, self.local.pattern(a.part))
        if a._transpose is a:
            pattern._transpose = pattern
        if "degrees" in a.kept:
            pattern.kept["degrees"] = a.kept["degrees"]
        return pattern

    def degree_statistics(self, a: DistMatrixStore) -> DegreeStatistics:
        degrees = self.degrees(a.transposed())
        if a.ncols == 0:
            return DegreeStatistics(0.0, 0, 0.0)
        mean = degrees.total / a.ncols
        return DegreeStatistics(mean, degrees.largest, float(np.sqrt(max(0.0, degrees.squares / a.ncols - mean**2))))

    def by_degree(self, pattern: DistMatrixStore) -> tuple[DistMatrixStore, DistMatrixStore]:
        """The graph renumbered by falling in-degree: every rank numbers its vertices and sends its entries."""
        degrees = self._column_counts(pattern)
        numbers, _ = self._falling(degrees)
        some = degrees > 0
        count = self.grid.everyone.gather_small(np.array([np.count_nonzero(some)], np.int64)).sum()
        return self._renumbered(pattern, np.where(some, numbers, -1), int(count))

    def dealt_out(self, pattern: DistMatrixStore) -> tuple[DistMatrixStore, DistMatrixStore]:
        """The graph renumbered to balance entries: vertices go to the ranks in turn, by falling degree."""
        degrees = self._column_counts(pattern)
        if pattern._transpose is not pattern:
            degrees = degrees + self._column_counts(pattern.transposed())
        numbers, count = self._falling(degrees)
        return self._renumbered(pattern, self.grid.line(count).dealt(numbers), count)

    def _renumbered(
        self, pattern: DistMatrixStore, numbers: np.ndarray, count: int
    ) -> tuple[DistMatrixStore, DistMatrixStore]:
        """The graph with new numbers for this rank's vertices (-1: dropped), and the matrix that selects them."""
        rows, cols, _ = self.local.tuples(pattern.part)
        new_rows = self.grid.row.gather_arrays(numbers, self.row_lengths(pattern.nrows))[rows]
        new_cols = self.grid.column.gather_arrays(numbers, self.column_lengths(pattern.ncols))[cols]
        kept = new_rows >= 0  # columns with an entry always have a number
        graph = self._of_entries(count, count, new_rows[kept], new_cols[kept])
        if pattern._transpose is pattern:
            graph._transpose = graph
        vertices = np.flatnonzero(numbers >= 0)
        low, _ = self.chunk(pattern.nrows)
        return graph, self._of_entries(count, pattern.nrows, numbers[vertices], vertices + low)

    def _column_counts(self, a: DistMatrixStore) -> np.ndarray:
        """The number of entries in each column of this rank's chunk of a vector."""
        pieces = self.column_lengths(a.ncols)
        here = np.bincount(self.local.tuples(a.part)[1], minlength=sum(pieces)).astype(np.int64)
        return self.grid.column.add_up_parts(here, pieces)

    def _falling(self, degrees: np.ndarray) -> tuple[np.ndarray, int]:
        """The place of each vertex in the order of falling degree, and the number of vertices.

        A table has the number of vertices per rank and degree. Its sums are the places of this rank's first vertices.
        """
        everyone = self.grid.everyone
        most = int(everyone.gather_small(np.array([degrees.max(initial=0)], np.int64)).max())
        table = everyone.gather_small(np.bincount(degrees, minlength=most + 1).astype(np.int64))
        higher = table.sum() - np.cumsum(table.sum(axis=0))
        first = higher + table[: self.grid.rank].sum(axis=0)  # the place of this rank's first vertex of each degree
        order = np.argsort(-degrees, kind="stable")
        falling = degrees[order]
        starts = np.searchsorted(-falling, -falling)  # where the vertices of the same degree begin
        numbers = np.empty(len(degrees), np.int64)
        numbers[order] = first[falling] + np.arange(len(falling)) - starts
        return numbers, int(table.sum())

    def _of_entries(self, nrows: int, ncols: int, rows: np.ndarray, cols: np.ndarray) -> DistMatrixStore:
        """A pattern of the entries of all ranks; each rank may have entries anywhere."""
        rows, cols = route(self.grid.everyone, self.owner_of(nrows, ncols, rows, cols), rows, cols)
        true = np.broadcast_to(np.array([True]), rows.shape)
        return self.block(nrows, ncols, rows, cols, true, None)
