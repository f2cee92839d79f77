"""Strongly connected components: which vertices lie on a common cycle.

Returns an INT64 Vector: for every vertex the lowest number in its component.
Method: vertices without outgoing or incoming edges among the rest are components of their own (trimming). A vertex with
one such edge points along it, and pointers are shortened, so that a long chain takes few steps. The component of a hub,
by a forward and a backward search of few steps, is the largest of most graphs. Colouring finds the others: the colour
of a vertex is the lowest vertex that reaches it. The vertices of a colour that reach its vertex are a component.
Invariant: no cycle joins a remaining vertex to a found component.
Cost: O(m) per step; colouring takes as many as the longest shortest path among the remaining vertices.
References: W. McLendon, B. Hendrickson, S. Plimpton, L. Rauchwerger, Finding strongly connected components in
distributed graphs, JPDC 2005; S. Orzan, On distributed verification and verified distribution, thesis, Amsterdam 2004.
"""

from __future__ import annotations

from .. import Matrix, Scalar, Vector, agg, binary, loop, monoid, program, select, semiring, when
from ..plan.search_rules import NEAR
from .checks import with_labels
from .components import busiest, connected_components, numbers
from .labels import vertex_by_label


@with_labels(vertex_by_label)
def strongly_connected_components(A: Matrix) -> Vector:
    """The strong component of every vertex: the lowest vertex that it reaches and that reaches it.

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
    >>> from grblas_gpu.algorithms import strongly_connected_components
    >>> A = Matrix.from_coo([0, 1, 2, 2], [1, 2, 1, 3], True, nrows=4, ncols=4)
    >>> strongly_connected_components(A).to_dense().tolist()
    [0, 1, 1, 3]
    """
    if A.pattern().is_symmetric():  # every edge is part of a cycle
        return connected_components(A)
    edges = A.pattern(loops=False)
    # degree_i = number of edges out of i
    return _trimmed_first(edges, edges.reduce_rowwise(agg.count).new())


@program
def _trimmed_first(edges: Matrix, degree: Vector) -> Vector:
    components, whole = numbers(edges.nrows), Scalar.from_value(True)
    left, trimmed = components.dup(), Vector(int, edges.nrows)
    for _ in loop(left):
        # left = vertices after trimming, and after removing the component of a hub, which is searched once
        trimmed << left
        for _ in loop(trimmed):
            trimmed << left
            trim(left, edges)
            trim(left, edges.T)
            for _ in when(whole):
                whole << False
                for _ in when(left):
                    largest(edges, degree, left, components)
            trimmed(~left.S, replace=True) << trimmed
        same_colour(edges, left, components)
    return components


def trim(left: Vector, edges: Matrix) -> None:
    """Remove the vertices from which all paths end, as far as single edges and dead ends show them."""
    n, again = left.size, Scalar(bool)
    # exits<left> = edges plus.pair left
    exits = semiring.plus_pair["INT64"](edges @ left).new(mask=left.S)
    # ahead<exits = 1> = edges any.second left: the only vertex that follows
    single = select.valueeq(exits, 1).new()
    ahead = semiring.any_second(edges @ left).new(mask=single.S)
    following = numbers(n)
    following(ahead.S) << ahead
    # shorten: following_i = following[following_i]; on a cycle without exits that would never end
    again << True
    for _ in loop(again, n.bit_length()):
        before = following.dup()
        following << following[following]
        again << binary.ne(following & before).new().reduce(monoid.lor)
    # left<exits[following]> = left
    left(exits[following].new().S, replace=True) << left


def largest(edges: Matrix, degree: Vector, left: Vector, components: Vector) -> None:
    """The component of a hub: the vertices that it reaches and that reach it, if that takes few steps."""
    n, lowest, more = edges.nrows, Scalar(int), Scalar.from_value(0)
    # degree<left> = degree
    degree(left.S, replace=True) << degree
    hub, found = busiest(left, degree), left.dup()
    for side in (edges, edges.T):
        reached, frontier = Vector(bool, n), Vector(bool, n)
        # frontier<left = hub> = true
        frontier(select.valueeq(left, hub).new().S) << True
        for _ in loop(frontier, NEAR):
            # reached<frontier> = true
            reached(frontier.S) << True
            # frontier<!reached> = frontier edges
            frontier(~reached.S, replace=True) << semiring.any_pair[bool](frontier @ side)
        # found<reached> = found
        found(reached.S, replace=True) << found
        more(binary.max) << frontier.reduce(monoid.lor, allow_empty=False)
    for _ in when(more < 1):
        # components<found> = the lowest of them; left<!found> = left
        lowest << found.reduce(monoid.min)
        components(found.S) << lowest
        left(~found.S, replace=True) << left


def same_colour(edges: Matrix, left: Vector, components: Vector) -> None:
    """Some components of the remaining vertices: for every colour, the component of the vertex of that number."""
    # colours_i = the lowest remaining vertex that reaches i
    colours, frontier = left.dup(), left.dup()
    for _ in loop(frontier):
        # lower<left> = frontier min.first edges
        lower = semiring.min_first(frontier @ edges).new(mask=left.S)
        # frontier = lower where it is less than the colour
        better = binary.lt(lower & colours).new()
        frontier(better.V, replace=True) << lower
        # colours<frontier> = frontier
        colours(frontier.S) << frontier
    # frontier = the vertices that kept their own colour
    own = binary.eq(colours & left).new()
    frontier(own.V, replace=True) << colours
    found = frontier.dup()
    for _ in loop(frontier):
        # back<colours> = edges max.second frontier: the colour of a successor is at most that of the vertex
        back = semiring.max_second(edges @ frontier).new(mask=colours.S)
        # frontier<!found> = back where it is the vertex's own colour
        same = binary.eq(back & colours).new()
        back(same.V, replace=True) << back
        frontier(~found.S, replace=True) << back
        # found<frontier> = frontier
        found(frontier.S) << frontier
    # components<found> = found; left<!found> = left
    components(found.S) << found
    left(~found.S, replace=True) << left
