"""A graph with its vertices renumbered by falling in-degree, and when that pays for searches."""

from __future__ import annotations

import cupy
import numpy as np

from ....foundation.memory import free_on_device as free_bytes
from ...stores.counting import how_many
from ...stores.matrix_storage import SPARSE
from ...stores.storage import INDEX, MatrixStore, column_type
from ..runtime.host_memory import is_on_host
from .gathering import gathered
from .transpose import transpose

LEAST_VERTICES = 2**23  # of fewer all is in a cache, and taking levels back costs as much as is gained
HUB = 64  # times as many edges as in the mean: then most reads are of few vertices
BYTES_TO_ORDER = 24  # for each entry: another copy of it, and what it is sorted by


def may_order_searches(a: MatrixStore) -> bool:
    return a.nrows >= LEAST_VERTICES and a.form == SPARSE and a.copies == 1


def orders_searches(a: MatrixStore) -> bool:
    """Whether an undirected graph has hubs, and the device memory for another copy."""
    has_room = not is_on_host(a.indices) and BYTES_TO_ORDER * a.nvals <= free_bytes()
    return bool(has_room and a.max_degree * a.nrows >= HUB * a.nvals)


def by_degree(pattern: MatrixStore) -> tuple[MatrixStore, MatrixStore]:
    """The renumbered graph, and the matrix that selects its vertices; those that no edge leads to are left out."""
    degrees = np.diff(pattern.transposed().indptr)
    count = how_many(degrees > 0)  # synchronizes
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
