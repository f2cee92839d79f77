"""Cliques of k vertices: how many sets of k vertices are neighbours of each other.

Returns a number. Method: a table of cliques grows by one vertex at a time; row r of C has the common neighbours of
clique r that come later in an order by falling degree, which makes rows short. The last C is only counted.
Invariant: every clique is found once, in this order. Cost: O(cliques of k - 2 vertices * row); the cliques of one part
of the vertices are in memory at a time.
References: N. Chiba, T. Nishizeki, Arboricity and subgraph listing algorithms, SIAM J. Comput. 1985; M. Danisch,
O. Balalau, M. Sozio, Listing k-cliques in sparse real-world graphs, WWW 2018.
"""

from __future__ import annotations

from .. import Matrix, Vector, binary, io, monoid, semiring
from ..exceptions import InvalidValue
from ..foundation.types import Array
from ..plan.search_rules import rows_at_a_time
from .batches import row_batches
from .checks import graph_algorithm
from .modularity import membership
from .triangles import by_falling_degree


@graph_algorithm
def clique_count(A: Matrix, k: int) -> int:
    """The number of cliques of ``k`` vertices. Directions of edges do not matter, nor do loops.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    k : int
        The number of vertices of a clique, at least 1.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        ``k`` is not above zero.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import clique_count
    >>> [clique_count(generators.complete(6), k) for k in range(1, 7)]
    [6, 15, 20, 15, 6, 1]
    """
    if k < 1:
        raise InvalidValue(f"clique_count: k must be at least 1; got {k}")
    if k == 1 or not A.nrows:
        return A.nrows
    L, _ = by_falling_degree(A)
    return larger(L, L, k - 2)


def larger(L: Matrix, C: Matrix, more: int) -> int:
    """The number of cliques with ``more`` vertices beyond a candidate; C has a row of candidates for each clique."""
    if not more or not C.nvals:
        return C.nvals
    most = rows_at_a_time(C.nrows, C.nvals)
    parts = (C[start : min(start + most, C.nrows), :].new() for start in range(0, C.nrows, most))
    return sum(larger(L, with_one_more(L, part)[2], more - 1) for part in parts)


def with_one_more(L: Matrix, C: Matrix) -> tuple[Vector, Vector, Matrix]:
    """For each entry of C, a clique and a candidate: their numbers, and the candidates of the larger clique."""
    row, vertex, _ = io.to_vectors(C)
    if not row.size:
        return row, vertex, Matrix(bool, 1, L.ncols)
    # before = S C: the candidates of the clique; joined<before> = S' L: those that are joined to the new vertex
    before = semiring.any_second(membership(row, C.nrows) @ C).new()
    return row, vertex, semiring.any_pair[bool](membership(vertex, L.nrows) @ L).new(mask=before.S)


def cliques_of_4(E: Matrix) -> Array:
    """The number of cliques of 4 vertices at every vertex."""
    L, order = by_falling_degree(E)
    found = Vector.from_scalar(0, L.nrows)
    for some in row_batches(L, L):
        first, second, C = with_one_more(L, L[some.start : some.stop, :].new())
        for lower, R in ((False, L), (True, L.T)):
            # Q<C>_ek = cliques of edge e, its common neighbour k, and a later or an earlier one
            Q = semiring.plus_pair["INT64"](C @ R).new(mask=C.S)
            found(binary.plus) << Q.reduce_columnwise(monoid.plus)
            for ends in () if lower else (binary.plus(first, some.start).new(), second):
                found(binary.plus)[ends] << Q.reduce_rowwise(monoid.plus).new()
    return io.to_array(found[order].new(), 0)
