"""Trusses: the largest part of the graph in which every edge is in at least k - 2 triangles.

``k_truss`` returns a symmetric INT64 Matrix: the edges of the truss, each with its number of triangles there;
``truss_number`` the same for all edges, each with the largest k.
Method: count the triangles of all edges, drop the edges with too few, subtract their triangles by masked products,
repeat. Vertices with fewer than k - 1 neighbours are dropped first if they have many of the edges. Graphs with hubs are
renumbered by degree meanwhile: rows of hubs become adjacent and short.
Invariant: no edge of the truss is ever dropped. Cost: that of triangles.py, and for every round that of its triangles.
References: J. Cohen, Trusses: cohesive subgraphs for social network analysis, 2008; T. Davis, Graph algorithms via
SuiteSparse:GraphBLAS: triangle counting and k-truss, HPEC 2018.
"""

from __future__ import annotations

from collections.abc import Callable

from .. import Matrix, agg, binary, select, semiring
from ..plan.search_rules import counts_again, has_hubs, worth_removing
from .checks import graph_algorithm
from .preparing import smallest, total

common = semiring.plus_pair["INT64"]


@graph_algorithm
def k_truss(A: Matrix, k: int) -> Matrix:
    """The k-truss; directions of edges do not matter, nor do loops.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    k : int
        Every edge that stays lies in k - 2 triangles or more.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import k_truss
    >>> k_truss(Matrix.from_coo([0, 1, 2, 2], [1, 2, 0, 3], True, nrows=4, ncols=4), 3).to_dicts()
    {0: {1: 1, 2: 1}, 1: {0: 1, 2: 1}, 2: {0: 1, 1: 1}}
    """
    return with_hubs_first(A, lambda edges: supports_in_truss(edges, k))


@graph_algorithm
def truss_number(A: Matrix) -> Matrix:
    """The largest k for every edge whose k-truss has it; directions of edges do not matter, nor do loops.

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
    >>> from grblas_gpu.algorithms import truss_number
    >>> truss_number(Matrix.from_coo([0, 1, 2, 2], [1, 2, 0, 3], True, nrows=4, ncols=4)).to_dicts()
    {0: {1: 3, 2: 3}, 1: {0: 3, 2: 3}, 2: {0: 3, 1: 3, 3: 2}, 3: {2: 2}}
    """
    return with_hubs_first(A, numbers_of_edges)


def with_hubs_first(A: Matrix, values_of_edges: Callable[[Matrix], Matrix]) -> Matrix:
    """Values of the edges of a graph, computed on the graph in the order of degrees if it has hubs."""
    edges = A.pattern(loops=False, undirected=True)
    mean, most, _ = edges.degree_statistics()
    if not has_hubs(mean, most):
        return values_of_edges(edges)
    # ordered = S' edges S: vertices by falling degree, so that rows of edges to lower numbers are short
    ordered, S, _ = edges.by_degree()
    values = values_of_edges(ordered)
    # S values S' = S (S values)', as values are symmetric: back to the numbers of A
    rows = semiring.any_second(S @ values).new()
    return semiring.any_second(S @ rows.T).new()


def numbers_of_edges(edges: Matrix) -> Matrix:
    """The truss numbers of a symmetric graph, one truss after the other."""
    found, support = Matrix(int, *edges.shape), supports(edges)
    while support.nvals:
        # every edge is in as many triangles as the least one, or more: k is the number of these edges, or higher
        k = smallest(support) + 2
        # found<support> = k
        found(support.S) << k
        support = peeled(support.pattern(), support, k + 1)
    return found


def supports_in_truss(edges: Matrix, k: int) -> Matrix:
    """The k-truss of a symmetric graph."""
    degree = edges.reduce_rowwise(agg.count).new()
    # leaving = degree < k - 1: no such vertex is in the truss; if they have many edges, these are removed first
    while worth_removing(total(select.valuelt(degree, k - 1).new()), edges.nvals):
        members = select.valuege(degree, k - 1).new()
        edges = binary.first(binary.second(members & edges).new() & members).new()
        degree = edges.reduce_rowwise(agg.count).new()
    return peeled(edges, supports(edges), k)


def peeled(edges: Matrix, support: Matrix, k: int) -> Matrix:
    """The edges of the k-truss with their triangles there, from those of all edges."""
    while True:
        # removed = edges with too few triangles
        removed = select.valuelt(support, k - 2).new()
        if not removed.nvals:
            return support
        support << select.valuege(support, k - 2)
        # missed = the removed edges that were in triangles; the others change no support
        missed = select.valuegt(removed, 0).new()
        if not missed.nvals or not support.nvals:
            return support
        left = support.pattern()
        if counts_again(missed.nvals, left.nvals):
            support = supports(left)
        else:
            # lost = missed edges, inside of left; gone = lost + lost' - missed missed: triangles that an edge loses
            lost = common(missed @ edges).new(mask=left.S)
            gone = both_directions(lost)
            gone(binary.minus) << common(missed @ missed).new(mask=left.S)
            # support -= gone
            support(binary.minus) << gone
        edges = left


def supports(edges: Matrix) -> Matrix:
    """The number of triangles of every edge of a symmetric graph, in which hubs come first if there are any."""
    # L = edges to lower numbers: each once
    L = select.tril(edges, -1).new()
    return both_directions(L.triangles_of_edges())


def both_directions(half: Matrix) -> Matrix:
    """A symmetric Matrix from one with every edge once."""
    # half + half'
    return binary.plus(half | half.T).new()
