"""What searches like to know of a graph."""

from __future__ import annotations

import numpy as np

from ..protocol import DegreeStatistics
from .parts import Parts
from .stores import DistMatrixStore


class Graphs(Parts):
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
        """Renumbered on one rank's engine, from the whole graph: for graphs that fit one."""
        self.check_gatherable(pattern, "by_degree")
        graph, selection = self.local.by_degree(self.local.adopt(self.export(pattern)))
        return self.cut(self.local.export(graph)), self.cut(self.local.export(selection))
