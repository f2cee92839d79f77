"""A graph with its vertices renumbered by falling in-degree, and when that pays for searches."""

from __future__ import annotations

import cupy
import numpy as np

from ....foundation.memory import free_on_device as free_bytes
from ...stores.matrix_storage import SPARSE
from ...stores.storage import INDEX, MatrixStore, column_type
from ..runtime import workspace as scratch_arrays
from ..runtime.compile import specialized
from ..runtime.host_memory import is_on_host
from ..runtime.launch import launch
from .gathering import gathered
from .transpose import transpose

LEAST_VERTICES = 2**23  # of fewer all is in a cache, and taking levels back costs as much as is gained
HUB = 64  # times as many edges as in the mean: then most reads are of few vertices
_KERNELS = ("lengths_kernel", "number_kernel", "renumber_kernel")
BYTES_TO_ORDER = 24  # for each entry: another copy of it, and what it is sorted by


def may_order_searches(a: MatrixStore) -> bool:
    return a.nrows >= LEAST_VERTICES and a.form == SPARSE and a.copies == 1


def orders_searches(a: MatrixStore) -> bool:
    """Whether an undirected graph has hubs, and the device memory for another copy."""
    has_room = not is_on_host(a.indices) and BYTES_TO_ORDER * a.nvals <= free_bytes()
    return bool(has_room and a.max_degree * a.nrows >= HUB * a.nvals)


def by_degree(pattern: MatrixStore) -> tuple[MatrixStore, MatrixStore]:
    """The renumbered graph, and the matrix that selects its vertices; those that no edge leads to are left out."""
    indptr, column = pattern.transposed().indptr, pattern.indices.dtype
    lengths, *_ = _kernels(indptr.dtype, column, column)
    falling = cupy.empty(pattern.nrows, indptr.dtype)
    slots = scratch_arrays.current().slots()
    launch(lengths, pattern.nrows, (indptr, pattern.nrows, falling, slots.address))
    vertices = cupy.argsort(falling, kind="stable")  # compiled by CuPy's makers, unlike operations by element
    count = slots.counter().read()  # synchronizes
    vertices = vertices[:count]
    number = np.dtype(column_type(count))
    _, number_them, renumber = _kernels(indptr.dtype, column, number)
    numbers = cupy.empty(pattern.nrows, number)
    selected, offsets = cupy.empty(count, column), cupy.empty(count + 1, INDEX)
    launch(number_them, count, (vertices, count, numbers, selected, offsets))
    rows = gathered(pattern, None, vertices, None, count)
    columns = cupy.empty(rows.nvals, number)
    launch(renumber, rows.nvals, (rows.indices, rows.nvals, numbers, columns))
    # Every column of an entry has a number: an edge leads to it. A transpose puts the rows in order, whatever order the
    # columns are in; one that is symmetric is the graph itself.
    turned = transpose(MatrixStore(count, count, rows.indptr, columns, rows.values))
    symmetric = pattern.transposed() is pattern
    graph = turned if symmetric else transpose(turned)
    graph._transpose = turned
    turned._transpose = graph
    true = cupy.asarray(np.ones(min(count, 1), bool))
    return graph, MatrixStore(count, pattern.nrows, offsets, selected, true)


def _kernels(offset: np.dtype, column: np.dtype, number: np.dtype) -> tuple:
    return specialized("degree_order.cu", _KERNELS, {"Offset": offset, "Column": column, "Number": number})
