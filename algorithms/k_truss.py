"""Trusses: the largest part of the graph in which every edge is in at least k - 2 triangles.

Returns a symmetric INT64 Matrix: the edges of the truss, each with its number of triangles there.
Method: count the triangles of all edges by a masked product, drop the edges with too few, take away the triangles that
they were part of, repeat; on the (k - 1)-core, which has the truss in it.
Invariant: no edge of the truss is ever dropped. Cost: that of triangles.py, and for every round that of its triangles.
References: J. Cohen, Trusses: cohesive subgraphs for social network analysis, 2008; T. Davis, Graph algorithms via
SuiteSparse:GraphBLAS: triangle counting and k-truss, HPEC 2018.
"""

from __future__ import annotations

from .. import Matrix, binary, select, semiring
from .checks import graph_algorithm
from .k_core import k_core

common = semiring.plus_pair["INT64"]
FEW = 3  # times as many edges as are removed make it worth to count the triangles that go, not those that stay


@graph_algorithm
def k_truss(A: Matrix, k: int) -> Matrix:
    """The k-truss; directions of edges do not matter, nor do loops.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, whatever its value. With a Graph,
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
    edges = A.pattern(loops=False, undirected=True)
    # members have at least k - 1 neighbours among themselves
    members = k_core(edges, k - 1)
    if members.nvals < A.nrows:
        edges = binary.first(binary.second(members & edges).new() & members).new()
    edges, P = edges.by_degree()
    support = triangles_of_edges(select.tril(edges, -1).new())
    while True:
        # removed = edges with too few, in both directions
        removed = both_directions(select.valuelt(support, k - 2).new())
        if not removed.nvals:
            # truss = P' support P: back to the numbers of A
            truss = semiring.any_second(P.T @ both_directions(support)).new()
            return semiring.any_first(truss @ P).new()
        support << select.valuege(support, k - 2)
        left = both_directions(support).pattern()
        if FEW * removed.nvals < left.nvals:
            # support -= triangles with a removed edge: removed (removed + left) + left removed
            support(support.S, binary.minus) << common(removed @ edges)
            support(support.S, binary.minus) << common(left @ removed)
        else:
            support = triangles_of_edges(support.pattern())
        edges = left


def triangles_of_edges(L: Matrix) -> Matrix:
    """The number of triangles of every edge below the diagonal; vertices are by falling degree, so rows are short."""
    counts = binary.second(L, 0).new(int)
    # counts_ij = sum_k L_ik L_jk + L_ik L_kj + L_ki L_kj: the third vertex comes first, between, or last
    counts(counts.S, binary.plus) << common(L @ L.T)
    counts(counts.S, binary.plus) << common(L @ L)
    counts(counts.S, binary.plus) << common(L.T @ L)
    return counts


def both_directions(half: Matrix) -> Matrix:
    """A symmetric Matrix from its part below the diagonal."""
    return binary.plus(half | half.T).new()
