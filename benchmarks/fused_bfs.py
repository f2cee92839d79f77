"""The ceiling for a breadth-first search on the CPU: one compiled loop over all levels, written for nothing else.

It changes direction as Beamer's does, keeps a byte for each vertex that was visited, and runs its pulls on all threads.
Nothing of the library is used: what the API costs is the difference.
"""

import numba
import numpy as np
from numba import njit, prange

ALPHA, BETA = 14, 24  # pull above 1/ALPHA of the open edges; push again below n/BETA vertices
CHUNKS = 64


@njit
def _push(indptr, indices, visited, levels, queue, count: int, depth: int) -> int:
    """The frontier is the last ``count`` entries of ``queue[0]``; found vertices are written to ``queue[1]``."""
    found = 0
    for t in range(count):
        k = queue[0, t]
        for p in range(indptr[k], indptr[k + 1]):
            i = indices[p]
            if not visited[i]:
                visited[i] = 1
                levels[i] = depth
                queue[1, found] = i
                found += 1
    return found


@njit(parallel=True)
def _pull(indptr, indices, visited, after, levels, depth: int) -> tuple[int, int]:
    """Find vertices with a visited neighbour; ``after`` receives the new visited flags."""
    n = len(visited)
    found = edges = 0
    for chunk in prange(CHUNKS):
        for i in range(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS):
            mark = visited[i]
            if not mark:
                for p in range(indptr[i], indptr[i + 1]):
                    if visited[indices[p]]:
                        mark = np.uint8(1)
                        levels[i] = depth
                        found += 1
                        edges += indptr[i + 1] - indptr[i]
                        break
            after[i] = mark
    return found, edges


@njit
def _search(indptr, indices, source: int):
    n = len(indptr) - 1
    levels = np.full(n, -1, np.int32)
    visited, after = np.zeros(n, np.uint8), np.empty(n, np.uint8)
    queue = np.empty((2, n), np.int32)
    levels[source], visited[source], queue[0, 0] = 0, 1, source
    count, depth, open_edges = 1, 1, indptr[n]
    edges = indptr[source + 1] - indptr[source]
    while count:
        if edges * ALPHA > open_edges or count * BETA > n:
            open_edges -= edges
            count, edges = _pull(indptr, indices, visited, after, levels, depth)
            visited, after = after, visited
            if count * BETA <= n and edges * ALPHA <= open_edges:  # a push needs a list
                listed = 0
                for i in range(n):
                    if levels[i] == depth:
                        queue[0, listed] = i
                        listed += 1
        else:
            open_edges -= edges
            count = _push(indptr, indices, visited, levels, queue, count, depth)
            edges = 0
            for t in range(count):
                k = queue[0, t] = queue[1, t]
                edges += indptr[k + 1] - indptr[k]
        depth += 1
    return levels


def fused_bfs(indptr: np.ndarray, indices: np.ndarray, source: int, threads: int) -> np.ndarray:
    """Levels of a search on a symmetric graph, -1 without a path."""
    numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))  # type: ignore[attr-defined]
    return _search(indptr, indices, source)
