"""A graph with its vertices renumbered by falling in-degree."""

from __future__ import annotations

import cupy
import numpy as np

from ...storage import INDEX, MatrixStore, column_type
from .gathering import gathered
from .transpose import transpose


def by_degree(pattern: MatrixStore) -> tuple[MatrixStore, MatrixStore]:
    """The renumbered graph, and the matrix that selects its vertices; those that no edge leads to are left out."""
    degrees = np.diff(pattern.transposed().indptr)
    count = int(np.count_nonzero(degrees))  # synchronizes
    vertices = cupy.argsort(-degrees, kind="stable")[:count].astype(INDEX)
    column = column_type(count)
    numbers = cupy.empty(pattern.nrows, column)
    numbers[vertices] = cupy.arange(count, dtype=column)
    rows = gathered(pattern, None, vertices, None, count)
    # Every column of an entry has a number: an edge leads to it. A transpose puts the rows in order, whatever order the
    # columns are in; one that is symmetric is the graph itself.
    turned = transpose(MatrixStore(count, count, rows.indptr, numbers[rows.indices], rows.values))
    symmetric = pattern.transposed() is pattern
    graph = turned if symmetric else transpose(turned)
    graph._transpose = turned
    turned._transpose = graph
    selected = vertices.astype(column_type(pattern.nrows))
    ones = cupy.ones(min(count, 1), bool)
    return graph, MatrixStore(count, pattern.nrows, cupy.arange(count + 1, dtype=INDEX), selected, ones)
