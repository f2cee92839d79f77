"""XBFS: breadth-first search that changes how it makes its frontier, and settles two levels in one bottom-up pass.

Returns the levels that bfs.py does.
Method: the share of all edges that the frontier would have to check (policy "edge-check", 0.1, with a lookahead by its
growth) picks one of four ways to the next frontier. Few edges: expand and collect on first touch (scan-free). The step
before many edges: mark, then collect by one scan (single-scan). Many edges: list the unvisited vertices in order
(double-scan), hand them out at run time, and pull. After that: read the frontier off the levels (none generated).
The pull may be asynchronous: who finds a neighbour of the last level is settled at once, for vertices after it.
Invariant (lemma 2): at step d every vertex at distance < d has its level. A vertex without neighbours at distance d - 1
is not at distance d; if one of its neighbours is, then it is at distance d + 1. So ``levels`` is never wrong, and after
the step every vertex at distance d has its level, some at distance d + 1 too. Cost: O(n + m) and fewer edge checks.
Reference: A. Gaihre, Z. Wu, F. Yao, H. Liu, XBFS: eXploring runtime optimizations for breadth-first search on GPUs,
HPDC 2019.
"""

from __future__ import annotations

from .. import BOOL, FP64, INT64, Matrix, Scalar, Vector, agg, binary, loop, monoid, program, select, semiring, when
from .checks import check_source, graph_algorithm, level_type

EDGE_RATIO = 0.1  # of all edges that are to be checked: bottom-up from there on
POLICY = "edge-check"  # few edges or many: the direction, and how a push collects what it finds
BOTTOM_UP = {"pull_strategy": "pull.compact", "reuse_mask": "auto"}  # unvisited vertices are listed, and handed out


@graph_algorithm
def xbfs(A: Matrix, source: int, *, asynchronous: bool = False) -> Vector:
    """Levels of a breadth-first search; ``A[i, j]`` is the edge from i to j.

    With ``asynchronous`` a bottom-up pass settles two levels at once.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, whatever its value. With a Graph,
        vertices are labels.
    source : int
        The vertex to start from; the label with a Graph.
    asynchronous : bool
        Whether levels may be settled two at a time.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    IndexOutOfBound
        A vertex is not one of the graph.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import xbfs
    >>> A = Matrix.from_coo([0, 1, 1], [1, 2, 3], True, nrows=5, ncols=5)
    >>> xbfs(A, 0).to_dict(), xbfs(A, 0, asynchronous=True).to_dict()
    ({0: 0, 1: 1, 2: 2, 3: 2}, {0: 0, 1: 1, 2: 2, 3: 2})
    """
    frontier = Vector.from_coo([check_source(A, source)], [True], size=A.nrows)
    if asynchronous:
        A = A.pattern()  # adding an entry of it to a level adds 1
        return two_levels_at_once(A, Scalar.from_value(A.nvals * EDGE_RATIO, FP64), frontier)
    return levels_from(A, frontier)


@program
def levels_from(A: Matrix, frontier: Vector) -> Vector:
    """The search itself: recorded once, for any graph of this size and type, and any source."""
    levels = Vector(level_type(A), A.nrows)
    for depth in loop(frontier):
        # levels<frontier> = depth
        levels(frontier.S) << depth
        # frontier<!levels> = frontier A, or in a pull levels A
        frontier(~levels.S, replace=True, policy=POLICY, **BOTTOM_UP) << semiring.any_pair[bool](frontier @ A)
    return levels


@program
def two_levels_at_once(A: Matrix, limit: Scalar, frontier: Vector) -> Vector:
    """The search whose bottom-up passes are asynchronous; A has a 1 at every edge, and ``limit`` is when they begin."""
    levels = Vector(level_type(A), A.nrows)
    edges, many, few, again, before = Scalar(INT64), Scalar(BOOL), Scalar(BOOL), Scalar(BOOL), Scalar.from_value(False)
    # degrees = A 1, and 0 where there is no edge
    degrees = A.reduce_rowwise(agg.count).new()
    degrees(~degrees.S) << 0
    # levels<frontier> = 0
    levels(frontier.S) << 0
    for depth in loop(frontier):
        # edges = sum of the degrees of the frontier
        edges << binary.first(degrees & frontier).new().reduce(monoid.plus)
        many << binary.ge(edges & limit)
        few << binary.lt(edges & limit)
        for _ in when(many):
            # levels<!levels> = levels A, over (min, +), in place: who reaches depth + 1 is seen at once
            levels(~levels.S, settles_at=depth + 1) << semiring.min_plus(levels @ A)
        for _ in when(few):
            # frontier<!levels> = frontier A
            frontier(~levels.S, replace=True, policy=POLICY) << semiring.any_pair[bool](frontier @ A)
            # levels<frontier> = depth + 1
            levels(frontier.S) << depth + 1
        again << binary.lor(many & before)
        before << many
        for _ in when(again):
            # frontier = (levels == depth + 1): this pass has settled it, or the one before a part of it
            frontier << select.valueeq(levels, depth + 1)
    return levels
