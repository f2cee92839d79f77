"""Triangles: their number at every vertex and in the graph, and their share of the possible ones.

Returns INT64 counts and FP64 coefficients. Method: the product of the adjacency matrix with itself, computed at its own
entries only, counts the common neighbours of every edge. Loops do not count, nor does the diagonal of the product.
Cost: O(sum over all edges of the smaller degree). Weights are used by ``clustering(weighted=True)`` only.
References: A. Azad, A. Buluc, J. Gilbert, Parallel triangle counting and enumeration using matrix algebra, GABB 2015;
T. Davis, Graph algorithms via SuiteSparse:GraphBLAS: triangle counting and k-truss, HPEC 2018; G. Fagiolo, Clustering
in complex directed networks, Physical Review E 2007.
"""

from __future__ import annotations

from .. import Matrix, Vector, agg, binary, monoid, select, semiring, unary
from ..exceptions import InvalidValue
from .changed_triangles import triangles_gained
from .checks import graph_algorithm
from .preparing import check_weights, largest, total, with_zeros

count = semiring.plus_pair["INT64"]


@graph_algorithm
def triangles(A: Matrix) -> Vector:
    """The number of triangles that each vertex is part of; directions of edges do not matter.

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
    >>> from grblas_gpu.algorithms import triangles
    >>> triangles(generators.complete(4)).to_dict()
    {0: 3, 1: 3, 2: 3, 3: 3}
    """
    L, numbers = by_falling_degree(A)
    # counts += (triangles of L)(numbers): back to the numbers of A
    return with_zeros(L.triangles_of_vertices()[numbers], A.nrows, int)


def by_falling_degree(A: Matrix) -> tuple[Matrix, Vector]:
    """The edges below the diagonal of S' A S, in an order of the vertices that makes all rows short, and this order."""
    edges = A.pattern(undirected=True)
    ordered, _, numbers = edges.by_degree()
    # L = the edges from a vertex to those of higher degree
    return select.tril(ordered, -1).new(), numbers


@graph_algorithm
def triangle_count(A: Matrix, *, start: int | None = None, changed: Matrix | None = None) -> int:
    """The number of triangles of the graph; directions of edges do not matter.

    With ``start`` and ``changed``, only triangles with a changed edge are counted.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    start : int, optional
        The number of triangles before a change.
    changed : Matrix, optional
        The change, ``A`` minus the Matrix before: positive values of inserted edges, negative ones of removed edges.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import triangle_count
    >>> triangle_count(generators.complete(5))
    10
    """
    if start is not None or changed is not None:
        return int(start) + triangles_gained(A, changed)
    L, _ = by_falling_degree(A)
    # found<L> = L plus.pair L': i > k > j, so every triangle once
    return int(total(count(L @ L.T).new(mask=L.S)))


@graph_algorithm
def clustering(A: Matrix, *, weighted: bool = False, either: bool = False) -> Vector:
    """The share of the possible triangles at each vertex that exist; 0 where none is possible.

    Directed graphs use the definition of Fagiolo, which for symmetric ones is the usual coefficient. With ``weighted``
    a triangle counts the geometric mean of its weights, as shares of the largest weight. With ``either`` the neighbours
    of a vertex are those by edges in either direction, and the result is the share of the ordered pairs of neighbours
    that an edge joins, as in LDBC Graphalytics.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight if ``weighted``.
        With a Graph, vertices are labels.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.
    either : bool
        Whether edges in either direction make neighbours; not with ``weighted``.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        A weight is NaN, infinite or negative, or both options are given.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import clustering
    >>> rows, cols = [0, 0, 1, 1, 1, 2, 2, 3], [1, 2, 0, 2, 3, 0, 1, 1]
    >>> clustering(Matrix.from_coo(rows, cols, True)).to_dense().round(3).tolist()
    [1.0, 0.333, 1.0, 0.0]
    """
    if weighted and either:
        raise InvalidValue("clustering: either=True counts edges; it has no weighted form")
    if not weighted and A.pattern().is_symmetric():
        return share_of_pairs(A)
    if either:
        return share_of_ordered_pairs(A)
    edges = A.pattern(loops=False)
    W = edges.dup(float)
    if weighted:
        check_weights(A, "clustering")
        # W = cube root of A / max A, off the diagonal
        W << select.offdiag(A)
        W << binary.truediv(W, float(largest(W)) or 1.0)
        W << unary.cbrt(W)
    # both = W + W'
    both = binary.plus(W | W.T).new()
    # walks_ij = both_ij (both both)_ij, so that a row adds up to (both^3)_ii
    walks = semiring.plus_times(both @ both).new(mask=both.S)
    walks << binary.times(walks & both)
    closed = walks.reduce_rowwise(monoid.plus).new()
    # degree = in + out; mutual = edges of both directions
    degree = edges.reduce_rowwise(agg.count).new(float)
    degree(binary.plus) << edges.reduce_columnwise(agg.count)
    mutual = binary.pair(edges & edges.T).new().reduce_rowwise(agg.count).new(float)
    # possible = 2 (degree (degree - 1) - 2 mutual)
    possible = binary.times(degree & binary.minus(degree, 1.0).new()).new()
    possible(binary.minus) << binary.times(mutual, 2.0)
    possible << binary.times(possible, 2.0)
    # coefficients += closed / possible
    return with_zeros(binary.truediv(closed & possible), A.nrows)


def share_of_pairs(A: Matrix) -> Vector:
    """The coefficients of a symmetric graph: the share of the pairs of neighbours that are joined."""
    # degree_i = number of neighbours
    degree = A.pattern(loops=False).reduce_rowwise(agg.count).new(float)
    # pairs = degree (degree - 1) / 2, where that is not 0
    pairs = binary.times(degree & binary.minus(degree, 1.0).new()).new()
    pairs << select.valuegt(binary.truediv(pairs, 2.0).new(), 0.0)
    # coefficients += triangles / pairs
    return with_zeros(binary.truediv(triangles(A) & pairs), A.nrows)


def share_of_ordered_pairs(A: Matrix) -> Vector:
    """The share of the ordered pairs of neighbours that an edge joins; edges in either direction make neighbours."""
    edges, near = A.pattern(loops=False), A.pattern(loops=False, undirected=True)
    # joined_ij = number of edges from neighbours of i to j, at the neighbours j of i
    joined = count(near @ edges).new(mask=near.S).reduce_rowwise(monoid.plus).new(float)
    # pairs = degree (degree - 1)
    degree = near.reduce_rowwise(agg.count).new(float)
    pairs = binary.times(degree & binary.minus(degree, 1.0).new()).new()
    # coefficients += joined / pairs, where an edge joins a pair
    return with_zeros(binary.truediv(joined & pairs), A.nrows)


@graph_algorithm
def transitivity(A: Matrix) -> float:
    """The share of paths of two edges that a third edge closes; directions do not matter. 0 if there are no such paths.

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
    >>> from grblas_gpu.algorithms import transitivity
    >>> transitivity(generators.complete(4)), transitivity(generators.star(5))
    (1.0, 0.0)
    """
    # degree_i = number of neighbours
    degree = A.pattern(loops=False, undirected=True).reduce_rowwise(agg.count).new()
    # paths = sum_i degree_i (degree_i - 1)
    paths = total(binary.times(degree & binary.minus(degree, 1).new()).new())
    return 6 * triangle_count(A) / int(paths) if paths else 0.0
