"""How graph algorithms go on, by sizes that cost nothing to know: orders of search, batches, and variants of a step.

Every variant gives the same result. Algorithms ask these functions, and have no numbers of their own.
"""

from __future__ import annotations

# ---- breadth-first searches ----------------------------------------------------------------------------------

LONG = 64  # levels: a graph with more has a large diameter
SHORT = 16 * LONG  # vertices of a short frontier after LONG levels: of a planar grid, not of a three-dimensional one
TOGETHER = 1024  # levels that are relaxed in any order
MANY = 2**14  # vertices of a graph in which a level of one search has enough work
NEAR = 32  # levels in which a search from a hub reaches most of a graph with short paths
HUBS = 8  # a vertex of more than HUBS times the mean degree is a hub: then paths are short


def relaxes(found: int) -> bool:
    """Whether a search with so many vertices in its frontier after LONG levels goes on in any order: a level of a short
    frontier costs less than the barrier after it.

    >>> relaxes(200), relaxes(40_000)
    (True, False)
    """
    return 0 < found <= SHORT


def may_search_alone(vertices: int) -> bool:
    """Whether several searches run one by one if they are long: then a level of one search may have enough work."""
    return vertices >= MANY


def is_long(levels: int) -> bool:
    """Whether a search has so many levels that each has few vertices."""
    return levels >= LONG


def has_hubs(mean: float, most: float) -> bool:
    """Whether degrees with this mean and maximum have hubs.

    >>> has_hubs(16.0, 4000), has_hubs(2.7, 9)
    (True, False)
    """
    return most > HUBS * mean


# ---- the vertices of each level ------------------------------------------------------------------------------

SHALLOW, DEEP = 32, 128  # levels: up to SHALLOW, and never above DEEP, a level is selected by value
POSITIONS = 2**22  # between the two, selected by value if this visits at most POSITIONS


def levels_by_value(vertices: int) -> int:
    """The number of levels up to which selecting the vertices of each by value is faster than listing them once.

    >>> levels_by_value(1000), levels_by_value(2**24)
    (128, 32)
    """
    return min(DEEP, max(SHALLOW, POSITIONS // max(1, vertices)))


# ---- spanning forests ----------------------------------------------------------------------------------------

FEW_EDGES = 2**17  # they are looked at together, whatever their weights


def worth_sampling(vertices: int, edges: int) -> bool:
    """Whether a forest begins with the lightest edges: most others are then dropped at once.

    >>> worth_sampling(1000, 10_000), worth_sampling(10_000, 1_000_000)
    (False, True)
    """
    return edges > max(2 * vertices, FEW_EDGES)


# ---- shortest paths in buckets -------------------------------------------------------------------------------

NEAREST = 0.24  # the width of the first buckets, in lengths of the shortest edge of a vertex
LAST = 16  # the largest width in mean lengths
FIRST_ONES = LATER_ONES = 8  # the numbers of buckets


def bucket_widths(mean: float, vertices: int, edges: int) -> list[tuple[float, int | None]]:
    """Widths of buckets for edges of this mean length, and the number of buckets of each width.

    Measured on Kronecker graphs of scale 20 to 25. The wider the first buckets, the more distances of hubs are
    corrected: three shortest edges take twice the time for lengths that are real numbers.

    >>> bucket_widths(10.0, 100, 1000)
    [(0.24, 8), (10.0, 8), (160.0, None)]
    """
    # shortest = mean / degree, the expectation for random lengths
    shortest = mean * vertices / max(edges, 1)
    narrow, later, wide = (width or 1.0 for width in (min(NEAREST * shortest, mean), mean, LAST * mean))
    return [(narrow, FIRST_ONES), (later, LATER_ONES), (wide, None)]


# ---- all pairs of vertices -----------------------------------------------------------------------------------

TILE = 64  # vertices whose distances are found by squaring
DENSE = 192  # products of a dense matrix that cost as much as one of a sparse one with all its corrections
SMALLEST, LARGEST = 32, 4096  # vertices


def is_small(vertices: int, edges: int) -> bool:
    """Whether the distances of all pairs are found by dense products: these take n^3 steps, others n m per round.

    >>> is_small(600, 4800), is_small(4000, 16_000), is_small(100_000, 10**9)
    (True, False, False)
    """
    return SMALLEST <= vertices <= LARGEST and vertices * vertices <= DENSE * edges


# ---- how much at a time --------------------------------------------------------------------------------------

ENTRIES = 2**22  # of a result in memory at a time
MOST_ENTRIES = 2**28  # of a result, also if fewer rows do not suffice for bits of a word
WORK = 2**19  # vertices and edges that searches with lengths visit at a time
WORD = 64  # searches in one word, a bit each: they cost little more than one search


def searches_at_a_time(vertices: int) -> int:
    """The number of searches from vertices whose distances fit in memory.

    >>> searches_at_a_time(1000), searches_at_a_time(2**20), searches_at_a_time(2**27)
    (4194, 64, 2)
    """
    n = max(vertices, 1)
    return max(1, min(WORD, MOST_ENTRIES // n), ENTRIES // n)


def searches_by_work(vertices: int, edges: int) -> int:
    """The number of searches with lengths that run side by side."""
    return max(1, WORK // (vertices + edges + 1))


def rows_at_a_time(rows: int, entries: int) -> int:
    """The number of rows whose products, about ``entries / rows`` for each, fit in memory."""
    return max(1, ENTRIES * rows // max(1, entries))


WALK_ROUNDS = 16  # of random walks, whose random numbers are drawn at once
SINGLE_READS = 32  # elements of a vector, which cost less than a copy of all


def copies_tree(vertices: int) -> bool:
    """Whether the rest of a path, which has so many vertices yet, is read from a copy of the whole tree."""
    return vertices == SINGLE_READS


READ = 2**20  # entries: up to here, rows are read once for every pair


def reads_each_pair(entries: int, stored: int) -> bool:
    """Whether the rows of all pairs are read pair by pair; otherwise vertices with long rows are in many pairs."""
    return entries <= max(stored, READ)


# ---- trusses and forests -------------------------------------------------------------------------------------

FEW = 4  # below one removed edge with triangles in FEW, the remaining ones lose these; above, they are counted again
SOME = 16  # above one edge in SOME at vertices that leave, these vertices are removed first
SAMPLE = 256  # rows in a sample of weights


def counts_again(missed: int, left: int) -> bool:
    """Whether the triangles of the remaining edges are counted again after edges with triangles were removed."""
    return FEW * missed >= left


def worth_removing(leaving: int, edges: int) -> bool:
    """Whether vertices with so many edges are removed before triangles are counted."""
    return SOME * leaving > edges
