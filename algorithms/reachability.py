"""Reachability: the vertices that a vertex reaches, and the transitive closure: the same for all pairs.

Returns a BOOL Vector or Matrix.
Method: breadth-first search for one vertex; for all pairs the matrix of paths is multiplied with itself, which doubles
the length of its paths, until it gets no new entry. Invariant: every entry is a path.
Cost: O(n + m); for the closure at most log2(n) + 1 products of n x n matrices, which fill up: for small graphs.
Reference: J. Kepner, J. Gilbert (eds.), Graph Algorithms in the Language of Linear Algebra, SIAM 2011.
"""

from __future__ import annotations

from .. import Matrix, Vector, monoid, semiring
from .checks import graph_algorithm
from .dobfs import dobfs


@graph_algorithm
def reachability(A: Matrix, source: int) -> Vector:
    """True at every vertex that the source reaches, itself included; ``A[i, j]`` is the edge from i to j.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    source : int
        The vertex to start from; the label with a Graph.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    IndexOutOfBound
        The graph has no such vertex.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import reachability
    >>> reachability(Matrix.from_coo([0, 1], [1, 2], True, nrows=4, ncols=4), 1).to_dict()
    {1: True, 2: True}
    """
    reached = Vector(bool, A.nrows)
    # reached<levels> = true
    reached(dobfs(A, source).S) << True
    return reached


@graph_algorithm
def transitive_closure(A: Matrix, *, reflexive: bool = False) -> Matrix:
    """True at (i, j) if a path of one edge or more leads from i to j; with ``reflexive`` also at every (i, i).

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    reflexive : bool
        Whether every vertex reaches itself.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import transitive_closure
    >>> transitive_closure(Matrix.from_coo([0, 1], [1, 2], True, nrows=3, ncols=3)).to_dicts()
    {0: {1: True, 2: True}, 1: {2: True}}
    """
    paths = Matrix(bool, A.nrows, A.ncols)
    # paths<A> = true
    paths(A.S) << True
    known = -1
    while known < paths.nvals:
        known = paths.nvals
        # paths |= paths any.pair paths
        paths(monoid.lor) << semiring.any_pair["BOOL"](paths @ paths)
    if reflexive:
        # paths_ii = true
        paths.setdiag(True)
    return paths
