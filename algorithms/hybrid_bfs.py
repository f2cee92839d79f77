"""Hybrid breadth-first search: top-down and bottom-up steps, chosen by counting edges, on a prepared graph.

Returns the levels that bfs.py does.
Method: vertices are renumbered by falling in-degree, and those that no edge leads to are dropped (``Matrix.by_degree``,
kept with the matrix), so that a vertex looking for a visited neighbour asks hubs first. A step goes
bottom-up when the frontier's edges exceed those of unvisited vertices over alpha = 48, and top-down again when fewer
than n / beta vertices, beta = 20, are left in the frontier (policy "edges"). Bottom-up steps look for neighbours in the
set of all visited vertices; with ``list_unvisited`` they list the unvisited ones first, as the paper does. The source
is taken to the new numbering and the levels back by products with a selection P, in the same program as the search.
Invariant: that of bfs.py, in the numbering of the prepared graph. Cost: O(n + m), and a sort of the edges once.
Reference: T. Hiragushi, D. Takahashi, Efficient hybrid breadth-first search on GPUs, ICA3PP 2013.
"""

from __future__ import annotations

from .. import Matrix, Vector, loop, program, semiring
from .checks import check_source, graph_algorithm, level_type

POLICY = "edges"  # alpha and beta
LISTING = "pull.compact"


@graph_algorithm
def hybrid_bfs(A: Matrix, source: int, *, list_unvisited: bool = False) -> Vector:
    """Levels of a breadth-first search; ``A[i, j]`` is the edge from i to j.

    The first search on a graph prepares it; the others reuse that. ``list_unvisited`` asks for the paper's own kernel
    in bottom-up steps.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, whatever its value. With a Graph,
        vertices are labels.
    source : int
        The vertex to start from; the label with a Graph.
    list_unvisited : bool
        Whether unvisited vertices are listed, as in the paper.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    IndexOutOfBound
        A vertex is not one of the graph.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import hybrid_bfs
    >>> A = Matrix.from_coo([0, 1, 1], [1, 2, 3], True, nrows=5, ncols=5)
    >>> hybrid_bfs(A, 0).to_dict()
    {0: 0, 1: 1, 2: 2, 3: 2}
    """
    start = Vector.from_coo([check_source(A, source)], [True], size=A.nrows)
    return levels_from(A, *A.by_degree(), start, LISTING if list_unvisited else None)


@program
def levels_from(A: Matrix, graph: Matrix, P: Matrix, start: Vector, bottom_up: str | None) -> Vector:
    """The search itself: recorded once, for any graph of this size and type, and any source."""
    step = semiring.any_pair[bool]
    levels, frontier = Vector(level_type(A), graph.nrows), Vector(bool, graph.nrows)
    # levels<start P'> = 0: nothing, if no edge leads to the source
    levels(step(start @ P.T).new().S) << 0
    # frontier<!levels> = start A P'
    frontier(~levels.S) << step(step(start @ A).new() @ P.T)
    by = {"policy": POLICY, "pull_strategy": bottom_up, "reuse_mask": "auto"}
    for depth in loop(frontier):
        # levels<frontier> = depth + 1
        levels(frontier.S) << depth + 1
        # frontier<!levels> = frontier (P A P'), or in a pull levels (P A P')
        frontier(~levels.S, replace=True, **by) << step(frontier @ graph)
    result = Vector(level_type(A), A.nrows)
    # result = levels P
    result << semiring.any_first(levels @ P)
    # result<start> = 0
    result(start.S) << 0
    return result
