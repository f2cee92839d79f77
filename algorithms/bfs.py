"""Breadth-first search: the level of every vertex that can be reached from a source.

Method: the frontier times the adjacency matrix gives the neighbours; the mask keeps those not seen before.
Invariant: before step d, ``levels`` holds the distance of every vertex at distance < d, and ``frontier`` is the set of
vertices at distance d. Cost: every edge is looked at once, O(n + m).
Reference: J. Kepner, J. Gilbert (eds.), Graph Algorithms in the Language of Linear Algebra, SIAM 2011.
"""

from __future__ import annotations

from .. import Matrix, Vector, semiring


def bfs(A: Matrix, source: int) -> Vector:
    """Levels of a breadth-first search; ``A[i, j]`` is the edge from i to j.

    Returns a Vector with 0 at the source, the distance at every vertex that can be reached, and no entry elsewhere.

    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import bfs
    >>> A = Matrix.from_coo([0, 1, 1], [1, 2, 3], True, nrows=5, ncols=5)
    >>> bfs(A, 0).to_dict()
    {0: 0, 1: 1, 2: 2, 3: 2}
    """
    levels = Vector(int, A.nrows)
    frontier = Vector.from_coo([source], [True], size=A.nrows)
    depth = 0
    while frontier.nvals:
        # levels<frontier> = depth
        levels(frontier.S) << depth
        # frontier<!levels> = frontier A
        frontier(~levels.S, replace=True) << semiring.lor_land(frontier @ A)
        depth += 1
    return levels
