"""Bounds of a maximum matching: at least and at most how many edges without a common end a graph has.

Returns two numbers, which differ at most by the number of odd cycles that the method finds; for a bipartite graph they
are equal. Method: the double cover has two copies of every vertex, and an edge from the first copy of i to the second
of j for every edge {i, j}. Half of a maximum matching of it is the largest fractional matching, which no matching
exceeds, in any component. Its edges, as steps from i to j, are paths and cycles; each contains a matching of half of
its vertices. Invariant: lower <= maximum <= upper. Cost: that of a maximum bipartite matching of twice the size.
References: M. Balinski, Integer programming: methods, uses, computation, Management Science 1965; J. Edmonds, Paths,
trees, and flowers, 1965.
"""

from __future__ import annotations

from typing import NamedTuple

from .. import Matrix, Vector, binary, io, select
from .bipartite_matching import maximum_bipartite_matching
from .checks import graph_algorithm
from .components import connected_components, numbers, pointers
from .preparing import total


class Bounds(NamedTuple):
    """A lower and an upper bound."""

    lower: int
    upper: int


@graph_algorithm
def maximum_matching_bounds(A: Matrix) -> Bounds:
    """Bounds of the number of edges of a maximum matching. Directions of edges do not matter, nor do loops.

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
    >>> from grblas_gpu.algorithms import maximum_matching_bounds
    >>> maximum_matching_bounds(generators.complete(5))
    Bounds(lower=2, upper=2)
    """
    n, edges = A.nrows, A.pattern(loops=False, undirected=True)
    if not edges.nvals:
        return Bounds(0, 0)
    # cover = [[0, edges], [0, 0]]
    rows, columns, there = io.to_vectors(edges)
    cover = io.from_vectors(rows, binary.plus(columns, n).new(), there, nrows=2 * n, ncols=2 * n)
    partner = maximum_bipartite_matching(cover)
    # step_i = partner_i - n, for the first copy of i
    step = binary.minus(partner[:n].new(), n).new()
    # ends = the other end of each step, or the vertex itself
    ends = numbers(n)
    ends(step.S) << step
    pieces = connected_components(pointers(ends))
    return Bounds(halves(numbers(n), pieces), halves(step, connected_components(edges)))


def halves(entries: Vector, groups: Vector) -> int:
    """The sum of floor(number of entries / 2) over all groups.

    >>> halves(Vector.from_coo([0, 1, 2], [7, 7, 7], size=4), Vector.from_dense([0, 0, 0, 3]))
    1
    """
    counts = Vector.from_scalar(0, groups.size)
    # counts_g = the number of entries in group g
    counts(binary.plus)[groups] << binary.second(entries, 1).new()
    return int(total(binary.floordiv(select.valuegt(counts, 1).new(), 2).new()))
