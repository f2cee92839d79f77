"""Graphs on which a pull that lets every new level be seen at once gets levels wrong."""

from __future__ import annotations

from graphs import from_edges

# Rows are looked at in order of their numbers. From 0: 1 is at distance 1; 2 comes after it and sees it at once; 3 sees
# 2 if it may, and is then taken for one step further than it is, because 4, its short cut, comes later.
TRAPS = {
    "a short cut that comes late": from_edges(5, {(0, 1), (1, 2), (2, 3), (0, 4), (4, 3)}, directed=False),
    "two short cuts": from_edges(8, {(0, 1), (1, 2), (2, 3), (3, 4), (0, 7), (7, 6), (6, 4), (7, 3)}, directed=False),
    "a ladder": from_edges(12, {(i, i + 1) for i in range(8)} | {(0, 11), (11, 10), (10, 9), (9, 8)}, directed=False),
    "directed": from_edges(7, {(0, 1), (1, 2), (2, 3), (0, 6), (6, 3), (3, 4), (6, 5), (5, 4)}),
}
