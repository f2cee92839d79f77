"""How a breadth-first search of a long graph goes on: level by level, or by relaxing many levels in any order."""

from __future__ import annotations

LONG = 64  # levels: a graph with more has a large diameter
SHORT = 16 * LONG  # vertices of a short frontier after LONG levels: of a planar grid, not of a three-dimensional one
TOGETHER = 1024  # levels that are relaxed in any order


def relaxes(found: int) -> bool:
    """Whether a search with so many vertices in its frontier after LONG levels goes on in any order: a level of a short
    frontier costs less than the barrier after it.

    >>> relaxes(200), relaxes(40_000)
    (True, False)
    """
    return 0 < found <= SHORT
