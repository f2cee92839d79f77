"""A largest flow by blocking flows: of all arcs in use, each leads one step nearer to the sink.

An arc and its reverse share an edge, so opposite flows cancel. ``room`` is the remaining capacity of every arc.
Reference: E. Dinic, Algorithm for solution of a problem of maximum flow in networks with power estimation, 1970.
"""

from __future__ import annotations

import numpy as np

from ..stores.entries import expand
from ..stores.matrix_storage import HYPERSPARSE
from ..stores.storage import INDEX, Array, MatrixStore, VectorStore, column_type
from .tier import KernelTable

ROUNDS = 100  # passes over all entries that a flow takes without this kernel, at least
FEWEST = 500  # entries that cost as much as the operations of a pass

# The arcs of a vertex: the union of its row and its column.
ARCS = """\
@kernel
def kernel(indptr, indices, columns, rows, starts, heads, places, reverse):
    n = len(indptr) - 1
    for p in range(len(indices)):
        columns[indices[p] + 1] += 1
    for j in range(n):
        columns[j + 1] += columns[j]
    for i in range(n):
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            rows[columns[j]] = i
            columns[j] += 1  # in the end, where column j ends
    q = arcs = 0
    for i in range(n):
        p = indptr[i]
        while p < indptr[i + 1] or q < columns[i]:
            j = indices[p] if p < indptr[i + 1] else n
            k = rows[q] if q < columns[i] else n
            heads[arcs] = min(j, k)
            if j <= k:
                places[p] = arcs
                p += 1
            if k <= j:
                q += 1
            arcs += 1
        starts[i + 1] = arcs
    columns[:] = starts
    for i in range(n):
        for e in range(starts[i], starts[i + 1]):
            reverse[e] = columns[heads[e]]
            columns[heads[e]] += 1
    return arcs
"""
# One blocking flow; returns 0 if the source does not reach the sink: then all vertices that do have a height.
BLOCKING_FLOW = """\
@kernel
def kernel(starts, heads, reverse, room, heights, arcs, queue, path, source, sink):
    heights[sink], arcs[sink], queue[0] = 0, starts[sink], sink
    first, found, sent = 0, 1, room[0] - room[0]
    while first < found and heights[source] < 0:
        i = queue[first]
        first += 1
        for e in range(starts[i], starts[i + 1]):
            j = heads[e]
            if heights[j] < 0 and room[reverse[e]] > 0:
                heights[j], arcs[j], queue[found] = heights[i] + 1, starts[j], j
                found += 1
    if heights[source] < 0:
        return sent
    i, length = source, 0
    while True:
        if i == sink:
            least = room[path[0]]
            for k in range(1, length):
                least = min(least, room[path[k]])
            for k in range(length - 1, -1, -1):
                room[path[k]] -= least
                room[reverse[path[k]]] += least
                if room[path[k]] == 0:
                    length = k  # go on where the first full arc starts
            sent += least
            i = heads[reverse[path[length]]]
        e = arcs[i]
        while e < starts[i + 1] and (heights[heads[e]] != heights[i] - 1 or room[e] <= 0):
            e += 1
        arcs[i] = e
        if e < starts[i + 1]:
            path[length], i = e, heads[e]
            length += 1
        elif length > 0:
            length -= 1
            i = heads[reverse[path[length]]]
            arcs[i] += 1
        else:
            break
    for k in range(found):
        heights[queue[k]] = -1
    return sent
"""

_table = KernelTable()


def largest_flow(a: MatrixStore, source: int, sink: int) -> tuple[int | float, Array, VectorStore] | None:
    """The value, the flow along every entry, and the vertices that do not reach the sink any more."""
    if a.form == HYPERSPARSE:
        return None
    n, most = a.nrows, 2 * a.nvals
    columns, starts = np.zeros(n + 1, INDEX), np.zeros(n + 1, INDEX)
    heads: Array = np.empty(most, a.indices.dtype)
    reverse: Array = np.empty(most, column_type(most))
    places, rows = np.empty(a.nvals, INDEX), np.empty(a.nvals, a.indices.dtype)
    work, types = ROUNDS * (a.nvals + FEWEST), (a.indices.dtype.char, reverse.dtype.char)
    find_arcs = _table.find((types, None), work, lambda: (ARCS, {}))
    block = _table.also((types, a.dtype.char), work, lambda: (BLOCKING_FLOW, {}))
    room = np.zeros(find_arcs(a.indptr, a.indices, columns, rows, starts, heads, places, reverse) + 1, a.dtype)
    capacities = expand(a.values, a.nvals)
    room[places] = capacities
    heights, queue = np.full(n, -1, a.indices.dtype), np.empty(n, a.indices.dtype)
    arcs, path, value = np.empty(n, INDEX), np.empty(n, INDEX), a.dtype.type(0).item()
    while sent := block(starts, heads, reverse, room, heights, arcs, queue, path, source, sink):
        value += sent
    side = VectorStore(n, np.ones(1, bool), present=heights < 0)
    return value, np.maximum(capacities - room[places], 0), side
