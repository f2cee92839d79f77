"""Independent verifiers: they work differently from the code they check."""

from __future__ import annotations

from collections import deque

import numpy as np


def serial_bfs(rows: np.ndarray, cols: np.ndarray, n: int, source: int) -> dict[int, int]:
    """Levels by a queue over adjacency lists."""
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for i, j in zip(rows.tolist(), cols.tolist(), strict=True):
        neighbours[i].append(j)
    levels = {source: 0}
    queue = deque([source])
    while queue:
        vertex = queue.popleft()
        for other in neighbours[vertex]:
            if other not in levels:
                levels[other] = levels[vertex] + 1
                queue.append(other)
    return levels


def check_levels(levels: dict[int, int], rows: np.ndarray, cols: np.ndarray, source: int) -> None:
    """Levels are right without knowing them: the source is 0, an edge skips no level, every level has a cause."""
    assert levels[source] == 0
    caused = {source}
    for i, j in zip(rows.tolist(), cols.tolist(), strict=True):
        if i in levels:
            assert j in levels
            assert levels[j] <= levels[i] + 1
            if levels[j] == levels[i] + 1:
                caused.add(j)
    assert caused == set(levels)
