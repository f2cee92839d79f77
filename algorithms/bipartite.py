"""Two colours for a graph: whether it is bipartite, and its two sides.

Returns a BOOL, or an INT64 Vector with the side of every vertex, 0 or 1. Method: one breadth-first search from a vertex
of each component. Even levels are one side, odd levels the other. Every edge must join the two sides.
Invariant: the sides of reached vertices are the only ones possible, up to a swap in each component. Cost: O(n + m).
Reference: D. Koenig, Ueber Graphen und ihre Anwendung auf Determinantentheorie und Mengenlehre, 1916.
"""

from __future__ import annotations

from .. import Matrix, Vector, binary, indexunary, loop, monoid, semiring
from ..exceptions import InvalidValue
from .checks import graph_algorithm
from .components import connected_components


@graph_algorithm
def is_bipartite(A: Matrix) -> bool:
    """Whether the vertices fall into two sides with all edges between them; directions do not matter.

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
    >>> from grblas_gpu.algorithms import is_bipartite
    >>> is_bipartite(generators.path(5)), is_bipartite(generators.complete(3))
    (True, False)
    """
    return sides(A)[1]


@graph_algorithm
def bipartite_sides(A: Matrix) -> Vector:
    """The side of every vertex, 0 or 1; the lowest vertex of every component is on side 0.

    A cycle with an odd number of edges, or an edge from a vertex to itself, raises InvalidValue.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        The graph has a cycle of odd length.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import bipartite_sides
    >>> bipartite_sides(generators.star(4)).to_dense().tolist()
    [0, 1, 1, 1]
    """
    colours, proper = sides(A)
    if not proper:
        raise InvalidValue("bipartite_sides: the graph is not bipartite: it has a cycle of odd length")
    return colours


def sides(A: Matrix) -> tuple[Vector, bool]:
    """The colour of each vertex by its level, and whether every edge joins different colours."""
    edges = A.pattern(loops=False, undirected=True)
    components = connected_components(edges)
    colours = Vector(int, A.nrows)
    # frontier = the vertices that are the lowest of their component
    first = binary.eq(components & indexunary.index(components).new()).new()
    frontier = first.dup(mask=first.V)
    for depth in loop(frontier):
        # colours<frontier> = depth
        colours(frontier.S) << depth
        # frontier<!colours> = frontier edges
        frontier(~colours.S, replace=True) << semiring.any_pair[bool](frontier @ edges)
    # colours = depth mod 2
    colours << binary.band(colours, 1)
    # low_i, high_i = the least and the largest colour among the neighbours of i
    low = semiring.min_second(edges @ colours).new()
    high = semiring.max_second(edges @ colours).new()
    # proper: neighbours of colour 0 have only colour 1, and vice versa
    proper = binary.ne(low & colours).new().reduce(monoid.land).new().get(True)
    proper = proper and binary.ne(high & colours).new().reduce(monoid.land).new().get(True)
    loops = A.diag().nvals if A.nrows else 0
    return colours, bool(proper) and not loops
