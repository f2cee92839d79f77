"""How many edges bottom-up passes look at, with and without settling two levels at once: counted, not timed.

Rows are taken in the order of their numbers, one after the other. Several at once see fewer of each other's levels, so
a device saves a little less.
"""

from __future__ import annotations

import numba
import numpy as np


@numba.njit
def count_checks(
    indptr: np.ndarray, indices: np.ndarray, levels: np.ndarray, first: int, last: int, asynchronous: bool
) -> int:
    """Entries read by the passes for levels ``first`` to ``last``; ``levels`` are right, -1 where unreached.

    A row ends at a neighbour of the level before. In an asynchronous pass a row that has none, but has one of this
    level, is settled at the level after, and the next pass leaves it out.
    """
    now = np.where((levels >= 0) & (levels < first), levels, -1)
    checks = 0
    for depth in range(first, last + 1):
        for row in range(len(now)):
            if now[row] >= 0:
                continue
            found = later = False
            for entry in range(indptr[row], indptr[row + 1]):
                checks += 1
                level = now[indices[entry]]
                if level == depth - 1:
                    found = True
                    break
                later = later or level == depth
            if asynchronous:
                if found:
                    now[row] = depth
                elif later:
                    now[row] = depth + 1
        if not asynchronous:
            for row in range(len(now)):
                if levels[row] == depth:
                    now[row] = depth
    return checks
