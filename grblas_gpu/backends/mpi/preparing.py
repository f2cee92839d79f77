"""What searches like to know of a graph (``Matrix.pattern``, ``degree_statistics``, ``by_degree``, ``value_range``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...api.matrix_preparation import DegreeOrder, DegreeStatistics
from ...api.matrix_values import ValueRange, find_value_range
from ...dtypes import BOOL
from ..storage import MatrixStore
from .parts import Parts


class Preparing(Parts):
    """Prepared once, and kept with the store."""

    def prepare(self, matrix: Any, name: str) -> Any:
        """``name`` is one of the methods of Matrix that prepare something."""
        kept = matrix._store.kept
        if name not in kept:
            kept[name] = getattr(self, f"_prepare_{name}")(matrix)
        return kept[name]

    def _prepare_pattern(self, matrix: Any) -> Any:
        store = matrix._store
        part = store.part
        true = self.local.array([True] * min(part.nvals, 1), bool)
        structure = MatrixStore(part.nrows, part.ncols, part.indptr, part.indices, true)
        pattern = type(matrix)._from_store(self, BOOL, self.matrix(store.nrows, store.ncols, structure))
        if store._transpose is store:
            pattern._store._transpose = pattern._store
        if "degrees" in store.kept:
            pattern._store.kept["degrees"] = store.kept["degrees"]
        return pattern

    def _prepare_degree_statistics(self, matrix: Any) -> DegreeStatistics:
        store = matrix._store
        degrees = self.degrees(store.transposed())
        if store.ncols == 0:
            return DegreeStatistics(0.0, 0, 0.0)
        mean = degrees.total / store.ncols
        return DegreeStatistics(
            mean, degrees.largest, float(np.sqrt(max(0.0, degrees.squares / store.ncols - mean**2)))
        )

    def _prepare_value_range(self, matrix: Any) -> ValueRange:
        return find_value_range(matrix)

    def _prepare_by_degree(self, matrix: Any) -> DegreeOrder:
        """Renumbered on one rank's engine, from the whole graph: for graphs that fit one."""
        self.check_gatherable(matrix._store, "by_degree")
        whole = type(matrix)._from_store(self.local, matrix.dtype, self.local.adopt(self.export(matrix._store)))
        graph, selection = whole.by_degree()
        cut = [self.cut(self.local.export(x._store)) for x in (graph, selection)]
        return DegreeOrder(*(type(matrix)._from_store(self, BOOL, store) for store in cut))
