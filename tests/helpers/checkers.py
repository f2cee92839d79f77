"""Independent verifiers: they work differently from the code they check."""

from collections import deque
from collections.abc import Iterable
from fractions import Fraction

import numpy as np


def adjacency_lists(rows: np.ndarray, cols: np.ndarray, n: int) -> list[list[int]]:
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for i, j in zip(rows.tolist(), cols.tolist(), strict=True):
        neighbours[i].append(j)
    return neighbours


Counts = dict[int, int]


def counted_paths(neighbours: list[list[int]], source: int) -> tuple[Counts, Counts]:
    """Levels, in the order of a queue, and the number of shortest paths to each vertex; without overflow."""
    levels, sigma, queue = {source: 0}, {source: 1}, deque([source])
    while queue:
        vertex = queue.popleft()
        for other in neighbours[vertex]:
            if other not in levels:
                levels[other], sigma[other] = levels[vertex] + 1, 0
                queue.append(other)
            if levels[other] == levels[vertex] + 1:
                sigma[other] += sigma[vertex]
    return levels, sigma


def serial_bfs(rows: np.ndarray, cols: np.ndarray, n: int, source: int) -> Counts:
    """Levels by a queue over adjacency lists."""
    return counted_paths(adjacency_lists(rows, cols, n), source)[0]


def serial_paths(rows: np.ndarray, cols: np.ndarray, n: int, source: int) -> Counts:
    """The number of shortest paths to each vertex."""
    return counted_paths(adjacency_lists(rows, cols, n), source)[1]


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


def serial_dependencies(rows: np.ndarray, cols: np.ndarray, n: int, sources: Iterable[int]) -> list[float]:
    """Brandes' algorithm by queue and stack, with exact fractions: the sum of the sources' dependencies."""
    neighbours = adjacency_lists(rows, cols, n)
    total = [Fraction(0)] * n
    for source in sources:
        levels, sigma = counted_paths(neighbours, source)
        dependency = [Fraction(0)] * n
        for vertex in reversed(levels):  # the queue becomes the stack
            for other in neighbours[vertex]:
                if levels[other] == levels[vertex] + 1:
                    dependency[vertex] += Fraction(sigma[vertex], sigma[other]) * (1 + dependency[other])
            if vertex != source:
                total[vertex] += dependency[vertex]
    return [float(value) for value in total]
