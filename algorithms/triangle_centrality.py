"""Triangle centrality: vertices in the middle of many triangles, their own or those of their neighbours.

Returns an FP64 Vector. Method: T has the triangles of every edge, and t those of every vertex twice. A neighbour counts
fully with its triangles, one that shares a triangle with the vertex for a third, as does the vertex itself.
Cost: that of the triangles of all edges. Reference: P. Burkhardt, Triangle centrality, arXiv 2105.00110, 2021.
"""

from __future__ import annotations

from .. import FP64, Matrix, Vector, binary, monoid, semiring
from .checks import graph_algorithm
from .k_truss import k_truss
from .preparing import total


@graph_algorithm
def triangle_centrality(A: Matrix) -> Vector:
    """The share of all triangles at each vertex and around it, from 0 to 1. Directions do not matter, nor do loops.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import triangle_centrality
    >>> A = Matrix.from_coo([0, 1, 2, 2], [1, 2, 0, 3], True, nrows=4, ncols=4)
    >>> triangle_centrality(A).to_dense().tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    result = Vector.from_scalar(0.0, A.nrows)
    # T_ij = triangles of an edge that has some; t_i = sum_j T_ij
    T = k_truss(A, 3)
    t = T.reduce_rowwise(monoid.plus).new(FP64)
    if not T.nvals:
        return result
    # result = (3 edges t - 2 pattern(T) t + t) / sum of t
    around = semiring.plus_second[FP64]
    result(binary.plus) << binary.times(around(A.pattern(loops=False, undirected=True) @ t).new(), 3.0)
    result(binary.minus) << binary.times(around(T @ t).new(), 2.0)
    result(binary.plus) << t
    result << binary.truediv(result, float(total(t)))
    return result
