"""Independent verifiers: they work differently from the code they check."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from fractions import Fraction

import numpy as np


def adjacency_lists(rows: np.ndarray, cols: np.ndarray, n: int) -> list[list[int]]:
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for i, j in zip(rows.tolist(), cols.tolist(), strict=True):
        neighbours[i].append(j)
    return neighbours


def serial_bfs(rows: np.ndarray, cols: np.ndarray, n: int, source: int) -> dict[int, int]:
    """Levels by a queue over adjacency lists."""
    neighbours = adjacency_lists(rows, cols, n)
    levels = {source: 0}
    queue = deque([source])
    while queue:
        vertex = queue.popleft()
        for other in neighbours[vertex]:
            if other not in levels:
                levels[other] = levels[vertex] + 1
                queue.append(other)
    return levels


def check_parents(parents: dict[int, int], levels: dict[int, int], rows: np.ndarray, cols: np.ndarray) -> None:
    """Check a search tree: every reached vertex has an edge from its parent, one level above; the source is its own."""
    edges = set(zip(rows.tolist(), cols.tolist(), strict=True))
    assert parents.keys() == levels.keys()
    for vertex, parent in parents.items():
        if levels[vertex] == 0:
            assert parent == vertex
        else:
            assert (parent, vertex) in edges
            assert levels[parent] == levels[vertex] - 1


def serial_paths(rows: np.ndarray, cols: np.ndarray, n: int, source: int) -> dict[int, int]:
    """The number of shortest paths to each vertex, in Python's integers: no overflow."""
    neighbours = adjacency_lists(rows, cols, n)
    levels, sigma = {source: 0}, {source: 1}
    queue = deque([source])
    while queue:
        vertex = queue.popleft()
        for other in neighbours[vertex]:
            if other not in levels:
                levels[other], sigma[other] = levels[vertex] + 1, 0
                queue.append(other)
            if levels[other] == levels[vertex] + 1:
                sigma[other] += sigma[vertex]
    return sigma


def serial_dependencies(rows: np.ndarray, cols: np.ndarray, n: int, sources: Iterable[int]) -> list[float]:
    """Brandes' algorithm by queue and stack, with exact fractions: the sum of the sources' dependencies."""
    neighbours = adjacency_lists(rows, cols, n)
    total = [Fraction(0)] * n
    for source in sources:
        levels, sigma = {source: 0}, {source: 1}
        order = [source]
        for vertex in order:  # the loop appends to it: a queue that becomes the stack
            for other in neighbours[vertex]:
                if other not in levels:
                    levels[other], sigma[other] = levels[vertex] + 1, 0
                    order.append(other)
                if levels[other] == levels[vertex] + 1:
                    sigma[other] += sigma[vertex]
        dependency = [Fraction(0)] * n
        for vertex in reversed(order):
            for other in neighbours[vertex]:
                if levels[other] == levels[vertex] + 1:
                    dependency[vertex] += Fraction(sigma[vertex], sigma[other]) * (1 + dependency[other])
            if vertex != source:
                total[vertex] += dependency[vertex]
    return [float(value) for value in total]


def array_dependencies(rows: np.ndarray, cols: np.ndarray, levels: np.ndarray, source: int) -> np.ndarray:
    """The same for one source of a larger graph: per level, over the list of all edges; ``levels`` -1 where unreached.

    Path counts are unsigned 64-bit integers, checked against floats to detect an overflow.
    """
    down = (levels[rows] >= 0) & (levels[cols] == levels[rows] + 1)
    rows, cols = rows[down], cols[down]
    order = np.argsort(levels[rows], kind="stable")
    rows, cols = rows[order], cols[order]
    cuts = np.searchsorted(levels[rows], np.arange(levels.max() + 2))
    sigma, rounded = np.zeros(len(levels), np.uint64), np.zeros(len(levels))
    sigma[source] = rounded[source] = 1
    for lo, hi in zip(cuts[:-1], cuts[1:], strict=True):
        np.add.at(sigma, cols[lo:hi], sigma[rows[lo:hi]])
        np.add.at(rounded, cols[lo:hi], rounded[rows[lo:hi]])
    np.testing.assert_allclose(sigma.astype(float), rounded, rtol=1e-9)
    dependency = np.zeros(len(levels))
    for lo, hi in zip(cuts[-2::-1], cuts[:0:-1], strict=True):
        v, w = rows[lo:hi], cols[lo:hi]
        np.add.at(dependency, v, sigma[v] / sigma[w] * (1 + dependency[w]))
    dependency[source] = 0
    return dependency
