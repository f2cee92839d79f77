"""XBFS: breadth-first search with four ways to generate its frontier, and two levels per asynchronous bottom-up pass.

Returns the same levels as bfs.py.
Method: the share of all edges that the frontier would have to check (policy "edge-check", 0.1, with a lookahead by its
growth) selects one of four ways to the next frontier. Few edges: expand and collect on first touch (scan-free). The
step before many edges: mark, then collect by one scan (single-scan). Many edges: list the unvisited vertices in order
(double-scan), distribute them at run time, and pull. After that: use the vertices marked by the pull (none generated).
The pull may be asynchronous: a vertex with a neighbour of the last level is settled at once, and others see its level.
Invariant: before step d all levels are correct, and the frontier contains those neighbours of unvisited vertices that
are at distance d, or at distance d + 1 with a level. So (lemma 2) an unvisited vertex with neighbours at distance d is
at distance d + 1; with none at d, but one at d + 1, it is at d + 2. Cost: O(n + m) and fewer edge checks.
Reference: A. Gaihre, Z. Wu, F. Yao, H. Liu, XBFS: eXploring runtime optimizations for breadth-first search on GPUs,
HPDC 2019.
"""

from __future__ import annotations

from .. import Matrix, Vector, loop, program, semiring
from .bfs import levels_from
from .checks import check_source, graph_algorithm, level_type

POLICY = "edge-check"  # the share of edges selects the direction and the output of a push
BOTTOM_UP = {"pull_strategy": "pull.compact", "reuse_mask": "auto"}  # lists and distributes unvisited vertices


@graph_algorithm
def xbfs(A: Matrix, source: int, *, asynchronous: bool = False) -> Vector:
    """Levels of a breadth-first search; ``A[i, j]`` is the edge from i to j.

    With ``asynchronous`` a bottom-up pass settles two levels at once.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
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
        The graph has no such vertex.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import xbfs
    >>> A = Matrix.from_coo([0, 1, 1], [1, 2, 3], True, nrows=5, ncols=5)
    >>> xbfs(A, 0).to_dict(), xbfs(A, 0, asynchronous=True).to_dict()
    ({0: 0, 1: 1, 2: 2, 3: 2}, {0: 0, 1: 1, 2: 2, 3: 2})
    """
    start, n = check_source(A, source), A.nrows
    if asynchronous:  # adding an entry of the pattern to a level adds 1
        return two_levels_at_once(A.pattern(), Vector.from_coo([start], [0], level_type(A), size=n))
    return levels_from(A, Vector.from_coo([start], [True], size=n), None, policy=POLICY, **BOTTOM_UP)


@program
def two_levels_at_once(A: Matrix, frontier: Vector) -> Vector:
    """The search whose bottom-up passes are asynchronous; A has a 1 at every edge, and the frontier has its levels."""
    levels = Vector(level_type(A), A.nrows)
    for depth in loop(frontier):
        # levels<frontier> = frontier
        levels(frontier.S) << frontier
        # frontier<!levels> = frontier A, over (min, +); in a pull, vertices that reach depth + 1 are visible at once
        frontier(~levels.S, replace=True, policy=POLICY, settles_at=depth + 1) << semiring.min_plus(frontier @ A)
    return levels
