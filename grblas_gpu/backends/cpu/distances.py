"""Shortest distances, in buckets: the edges of a bucket's vertices are followed first in, first out, until none lowers.

Vertices beyond the bucket wait in a list, which is looked through once for every bucket. Where more wait than a bucket
had, the next ones are twice as wide: so the lists cost no more than the edges, whatever the lengths are.
Reference: A. Davidson et al., Work-efficient parallel GPU methods for single-source shortest paths, IPDPS 2014.
"""

from __future__ import annotations

import numpy as np

from ...plan.search_rules import has_hubs
from ..stores.entries import entries, expand
from ..stores.matrix_storage import HYPERSPARSE
from ..stores.storage import INDEX, Array, MatrixStore, VectorStore
from . import pool
from .tier import KernelTable

ROUNDS = 10  # passes over all entries that this takes without the kernel, at least
FEWEST = 500  # entries that cost as much as the operations of a pass
SAMPLE = 1024  # lengths that are looked at for the width of the first bucket
LARGE, MANY = 2**22, 4  # entries of a graph with hubs, whose rounds more threads than MANY share
SLICE = 2**24  # edges until Python may be interrupted

FAR = 2  # the state of a vertex that waits for a later bucket; 1 in this bucket, else 0

SOURCE = """\
@kernel
def kernel(indptr, indices, lengths, distances, before, states, near, far, waiting, width, target, most):
    first = last = followed = 0
    while waiting[0] > 0 and followed < most:
        lowest = distances[target]
        for k in range(waiting[0]):
            if states[far[k]] == 2:
                lowest = min(lowest, distances[far[k]])
        limit, left, done = lowest + width[0], 0, 0
        for k in range(waiting[0]):
            i = far[k]
            if states[i] == 2 and distances[i] <= limit:
                states[i], near[last] = 1, i
                last = last + 1 if last + 1 < len(near) else 0
            elif states[i] == 2:
                far[left] = i
                left += 1
        while first != last:
            i = near[first]
            first = first + 1 if first + 1 < len(near) else 0
            states[i] = 0
            if distances[i] > distances[target]:
                continue
            done += 1
            followed += indptr[i + 1] - indptr[i]
            for p in range(indptr[i], indptr[i + 1]):
                j, length = indices[p], distances[i] + lengths[p]
                if length < distances[j]:
                    distances[j], before[j] = length, i
                    if length <= limit and states[j] != 1:
                        states[j], near[last] = 1, j
                        last = last + 1 if last + 1 < len(near) else 0
                    elif length > limit and states[j] == 0:
                        states[j], far[left] = 2, j
                        left += 1
                elif length == distances[j] and i < before[j]:
                    before[j] = i
        if done < left and width[0] < distances[-1] / 4:
            width[0] *= 2
        waiting[0] = 0 if distances[target] <= limit else left
"""

_table = KernelTable()


def shortest_distances(
    a: MatrixStore, start: VectorStore, target: int | None
) -> tuple[VectorStore, VectorStore] | None:
    """Distances and predecessors of the vertices that are no farther than the target, from those at the start."""
    n, dtype = a.nrows, start.dtype
    if a.form == HYPERSPARSE or a.nvals == 0:
        return None
    if a.nvals > LARGE and pool.threads() > MANY and has_hubs(a.nvals / n, a.max_degree):
        return None
    kernel = _table.find((a.indices.dtype.char, dtype.char), ROUNDS * (a.nvals + FEWEST), lambda: (SOURCE, {}))
    farthest = dtype.type(2**62 if dtype.kind == "i" else np.inf)
    lengths: Array = np.ascontiguousarray(expand(a.values, a.nvals), dtype)
    at, values = entries(start)
    distances, before, states = np.full(n + 1, farthest), np.arange(n + 1), np.zeros(n + 1, np.uint8)
    near, far, waiting = np.empty(n + 1, INDEX), np.empty(n, INDEX), np.array([len(at)])
    distances[at], far[: len(at)], states[at] = values, at, FAR
    sample = lengths[:: -(-a.nvals // SAMPLE)]
    width = np.array([(np.median(sample) or sample.max()) * n / a.nvals])
    width = np.maximum(np.minimum(width, 2**61), dtype.kind == "i").astype(dtype)
    goal = n if target is None else target
    while waiting[0]:
        kernel(a.indptr, a.indices, lengths, distances, before, states, near, far, waiting, width, goal, SLICE)
    found = ((distances <= distances[goal]) & (distances < farthest))[:n]
    present = None if found.all() else found
    return VectorStore(n, distances[:n], present=present), VectorStore(n, before[:n], present=present)
