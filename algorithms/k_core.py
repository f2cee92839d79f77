"""Cores: the largest part of the graph in which every vertex has at least k neighbours.

``core_number`` returns an INT64 Vector, the largest k whose core has the vertex; ``k_core`` a BOOL Vector of members.
Method: peeling. Vertices of degree at most k leave, which lowers the degrees of their neighbours, until none is left.
Invariant: ``degree`` counts the remaining neighbours of each remaining vertex. Cost: O(n + m), and O(n) for every k.
References: S. Seidman, Network structure and minimum degree, Social Networks 1983; V. Batagelj, M. Zaversnik, An O(m)
algorithm for cores decomposition of networks, 2003.
"""

from __future__ import annotations

from .. import INT32, INT64, Matrix, Scalar, Vector, agg, binary, dtypes, loop, monoid, program, select, semiring, unary
from .checks import graph_algorithm
from .preparing import with_zeros

GONE = {INT32: 2**30, INT64: 2**62}  # the degree of a removed vertex: larger than any other degree


@graph_algorithm
def core_number(A: Matrix) -> Vector:
    """The core number of every vertex; directions of edges do not matter, nor do loops.

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
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import core_number
    >>> core_number(generators.star(4)).to_dict()
    {0: 1, 1: 1, 2: 1, 3: 1}
    """
    edges = A.pattern(loops=False, undirected=True)
    # degree_i = number of neighbours; vertices without neighbours have core number 0 and are removed
    kind = degree_type(A)
    degree = Vector.from_scalar(GONE[kind], A.nrows, kind)
    degree(binary.min) << edges.reduce_rowwise(agg.count)
    # cores += the core numbers of vertices with neighbours
    return with_zeros(_core_numbers(edges, degree), A.nrows, int)


def degree_type(A: Matrix) -> dtypes.DataType:
    """The smallest type for numbers of neighbours: every k reads all of them."""
    return INT32 if A.nrows < GONE[INT32] else INT64


@program
def _core_numbers(edges: Matrix, degree: Vector) -> Vector:
    cores, leaving, fewer = (Vector(degree.dtype, edges.nrows) for _ in range(3))
    k = degree.reduce(monoid.min).new()
    for _ in loop(k < GONE[degree.dtype]):
        # leaving = the vertices of the lowest degree
        leaving << select.valuele(degree, k)
        peel(edges, degree, cores, leaving, fewer, k)
        # k = the lowest remaining degree
        k << degree.reduce(monoid.min)
    return cores


def peel(edges: Matrix, degree: Vector, cores: Vector, leaving: Vector, fewer: Vector, k: Scalar | int) -> None:
    """Remove ``leaving``, then all vertices with at most k remaining neighbours; ``cores`` gets k for these."""
    for _ in loop(leaving):
        # degree<leaving> = GONE; cores<leaving> = leaving
        degree(leaving.S) << GONE[degree.dtype]
        cores(leaving.S) << leaving
        # fewer<!cores> = leaving plus.pair edges
        fewer(~cores.S, replace=True) << semiring.plus_pair[degree.dtype](leaving @ edges)
        # degree<fewer> -= fewer
        degree(fewer.S, binary.minus) << fewer
        # leaving<fewer> = k, where max(degree, k) = k
        leaving(fewer.S, replace=True) << binary.max(degree, k)
        leaving << select.valuele(leaving, k)


@graph_algorithm
def k_core(A: Matrix, k: int) -> Vector:
    """The vertices of the k-core.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    k : int
        Every vertex that stays has k neighbours or more.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import k_core
    >>> k_core(Matrix.from_coo([0, 1, 2, 2], [1, 2, 0, 3], True, nrows=4, ncols=4), 2).to_dict()
    {0: True, 1: True, 2: True}
    """
    edges = A.pattern(loops=False, undirected=True)
    # degree_i = number of neighbours, 0 where there are none
    kind = degree_type(A)
    degree = with_zeros(edges.reduce_rowwise(agg.count), A.nrows, kind)
    gone, fewer = Vector(kind, A.nrows), Vector(kind, A.nrows)
    # leaving = degree < k
    peel(edges, degree, gone, select.valuelt(degree, k).new(), fewer, k - 1)
    # members = the remaining vertices
    return unary.one(select.valuelt(degree, GONE[kind]).new()).new(bool)
