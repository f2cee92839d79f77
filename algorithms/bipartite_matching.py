"""A maximum matching of a bipartite graph: as many edges without a common end as there can be.

Returns an INT64 Vector: for every matched vertex the other end of its edge.
Method: start with a maximal matching. Each phase searches from all unmatched vertices of one side at once, along
unmatched edges to the other side and along matched edges back. Trees of the search are disjoint, so the paths of all
trees that reach an unmatched vertex are exchanged together: matched edges leave the matching, the others enter it.
Invariant: ``partner`` is a matching; if no tree reaches an unmatched vertex, it is a maximum one (C. Berge, 1957).
Cost: O(m) per phase.
References: J. Hopcroft, R. Karp, An n^(5/2) algorithm for maximum matchings in bipartite graphs, SIAM J. Comput. 1973;
A. Azad, A. Buluc, Distributed-memory algorithms for maximum cardinality matching in bipartite graphs, IPDPS 2016.
"""

from __future__ import annotations

from .. import Matrix, Vector, binary, loop, program, select, semiring
from .bipartite import bipartite_sides
from .checks import with_labels
from .components import numbers
from .labels import vertex_by_label
from .matching import maximal_matching


@with_labels(vertex_by_label)
def maximum_bipartite_matching(A: Matrix) -> Vector:
    """The partner of every matched vertex, in a matching with the most edges. Directions of edges do not matter.

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
    >>> from grblas_gpu.algorithms import maximum_bipartite_matching
    >>> maximum_bipartite_matching(generators.path(4)).to_dict()
    {0: 1, 1: 0, 2: 3, 3: 2}
    """
    sides = bipartite_sides(A)
    edges = A.pattern(undirected=True)
    left = numbers(A.nrows).dup(mask=select.valueeq(sides, 0).new().S)
    partner = maximal_matching(edges)
    while _exchanged(edges, left, partner).nvals:
        pass
    return partner


@program
def _exchanged(edges: Matrix, left: Vector, partner: Vector) -> Vector:
    """One phase, which changes ``partner``; returns the roots of the exchanged paths."""
    n = edges.nrows
    everyone, parents, roots, ends = numbers(n), Vector(int, n), Vector(int, n), Vector(int, n)
    # frontier<!partner> = left: every unmatched vertex on the left is the root of a tree
    frontier = left.dup(mask=~partner.S)
    for _ in loop(frontier):
        # roots<frontier> = frontier
        roots(frontier.S) << frontier
        # found<!parents> = frontier min.row edges: vertices on the right, each with one parent
        found = semiring.min_secondi(frontier @ edges).new(mask=~parents.S)
        parents(found.S) << found
        # root_j = roots[found_j]
        root = roots[found].new()
        # ends[root_j] = the lowest j without a partner
        ending = root.dup(mask=~partner.S)
        ends(binary.min)[ending] << everyone.dup(mask=ending.S)
        # frontier[partner_j] = root_j, for trees that have not reached an end
        back = partner.dup(mask=root.S)
        frontier << Vector(int, n)
        frontier(binary.min)[back] << root.dup(mask=back.S)
        frontier(~ends[frontier].new().S, replace=True) << frontier
    here = ends.dup()
    for _ in loop(here):
        # before_r = parents[here_r]; after_r = partner[before_r]: the next vertex on the path of root r
        before = parents[here].new()
        after = partner[before].new()
        # partner[before_r] = here_r; partner[here_r] = before_r
        partner(binary.second)[before] << here
        partner(binary.second)[here] << before
        here << after
    return ends
