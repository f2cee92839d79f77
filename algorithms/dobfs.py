"""Direction-optimising breadth-first search: one formula, and the library chooses push or pull at every level.

Method: as in bfs.py, on the structure of the graph alone (``any_pair``): a vertex is in the next frontier if any of its
neighbours is in this one, so a pull may stop at the first one it finds.
Invariant: that of bfs.py. Cost: O(n + m), and far fewer edges on graphs of small diameter.
References: S. Beamer, K. Asanovic, D. Patterson, Direction-optimizing breadth-first search, SC 2012; C. Yang, A. Buluc,
J. Owens, Implementing push-pull efficiently in GraphBLAS, ICPP 2018.
"""

from __future__ import annotations

from .. import Matrix, Vector, semiring


def dobfs(A: Matrix, source: int, *, direction: str = "auto", policy: str = "cost") -> Vector:
    """Levels of a breadth-first search; ``A[i, j]`` is the edge from i to j.

    ``direction`` ("auto", "push", "pull") and ``policy`` are handed to the planner as they are.
    Returns a Vector with 0 at the source, the distance at every vertex that can be reached, and no entry elsewhere.

    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import dobfs
    >>> A = Matrix.from_coo([0, 1, 1], [1, 2, 3], True, nrows=5, ncols=5)
    >>> dobfs(A, 0).to_dict()
    {0: 0, 1: 1, 2: 2, 3: 2}
    """
    levels = Vector(int, A.nrows)
    frontier = Vector.from_coo([source], [True], size=A.nrows)
    depth = 0
    while frontier.nvals:
        # levels<frontier> = depth
        levels(frontier.S) << depth
        # frontier<!levels> = frontier A
        frontier(~levels.S, replace=True, direction=direction, policy=policy) << semiring.any_pair(frontier @ A)
        depth += 1
    return levels
