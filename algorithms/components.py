"""Connected components: which vertices can reach each other.

Returns an INT64 Vector: for every vertex the lowest number in its component.
Connected components: a search from a vertex with many neighbours finds the largest component of most graphs, if that
takes few steps. The rest by FastSV: every vertex points to a parent of its component; trees are hooked onto the lowest
grandparent among the neighbours' and shortened. Invariant: parents are never higher than their children.
Strongly connected components by colouring: the colour of a vertex is the lowest vertex that reaches it; what reaches
that vertex back within its colour is a component. Vertices without an edge in or out are components of their own.
Invariant: no cycle joins what is left to what was found.
Cost: FastSV O(n + m) per step, about log n steps; colouring O(m) per step, as many as the longest of the paths.
References: Y. Zhang, A. Azad, Z. Hu, FastSV: a distributed-memory connected component algorithm with fast convergence,
SIAM PP 2020; S. Orzan, On distributed verification and verified distribution, thesis, Amsterdam 2004.
"""

from __future__ import annotations

import numpy as np

from .. import Matrix, Vector, agg, binary, indexunary, io, loop, monoid, select, semiring
from .checks import with_labels
from .labels import vertex_by_label
from .preparing import pattern, undirected

NEAR = 32  # steps of a search that is not worth more
FEW = 1024  # vertices among which numbers are soon passed on


@with_labels(vertex_by_label)
def connected_components(A: Matrix) -> Vector:
    """The component of every vertex: the lowest vertex in it. Directions of edges do not matter.

    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import connected_components
    >>> connected_components(Matrix.from_coo([3, 4], [1, 2], True, nrows=5, ncols=5)).to_dense().tolist()
    [0, 1, 2, 1, 2]
    """
    # edges = A or A'; loops do not matter
    edges = A.pattern() if A.pattern().is_symmetric() else undirected(A)
    components = numbers(A.nrows)
    # degree_i = number of neighbours; the others are components of their own
    degree = edges.reduce_rowwise(agg.count).new()
    if degree.nvals == 0:
        return components
    # frontier = a vertex with the most neighbours
    hub = select.valueeq(degree, degree.reduce(monoid.max).new()).new().to_coo()[0][:1]
    reached, frontier = Vector(bool, A.nrows), Vector.from_coo(hub, [True], size=A.nrows)
    for _ in loop(frontier, NEAR):
        # reached<frontier> = true
        reached(frontier.S) << True
        # frontier<!reached> = frontier edges
        frontier(~reached.S, replace=True) << semiring.any_pair[bool](frontier @ edges)
    if frontier.nvals:
        return fast_sv(edges)
    # components<reached> = the lowest of them
    components(reached.S) << components.dup(mask=reached.S).reduce(monoid.min).new()
    rest = degree.dup(mask=~reached.S).to_coo(values=False)[0]
    if len(rest):
        find = spread_lowest if len(rest) <= FEW else fast_sv
        lowest = find(edges[rest, rest].new())
        # components[rest] = rest[lowest]
        components[rest] << Vector.from_dense(rest[lowest.to_dense()].astype(int))
    return components


def spread_lowest(edges: Matrix) -> Vector:
    """The components of a symmetric graph, by passing on the lowest number: for few vertices, as far as they reach.

    >>> spread_lowest(Matrix.from_coo([1, 2], [2, 1], True, nrows=4, ncols=4)).to_dense().tolist()
    [0, 1, 1, 3]
    """
    lowest = numbers(edges.nrows)
    frontier = lowest.dup()
    for _ in loop(frontier):
        # lower = frontier min.first edges
        lower = semiring.min_first(frontier @ edges).new()
        # better = lower < lowest
        better = binary.lt(lower & lowest).new()
        # frontier<better> = lower
        frontier(better.V, replace=True) << lower
        # lowest<frontier> = frontier
        lowest(frontier.S) << frontier
    return lowest


def fast_sv(edges: Matrix) -> Vector:
    """The components of a symmetric graph, by hooking and shortening trees.

    >>> fast_sv(Matrix.from_coo([1, 2], [2, 1], True, nrows=4, ncols=4)).to_dense().tolist()
    [0, 1, 1, 3]
    """
    parents = numbers(edges.nrows)
    grandparents, points = parents.dup(), pointers(parents)
    while True:
        # lowest = edges min.second grandparents
        lowest = semiring.min_second(edges @ grandparents).new()
        # hook trees: parents[parents_i] = min(parents[parents_i], lowest_i)
        parents(binary.min) << semiring.min_first(lowest @ points)
        # hook vertices: parents = min(parents, lowest, grandparents)
        parents(binary.min) << lowest
        parents(binary.min) << grandparents
        # shorten: grandparents_i = parents[parents_i]
        points = pointers(parents)
        after = semiring.min_second(points @ parents).new()
        if after.isequal(grandparents):
            return parents
        grandparents = after


def numbers(n: int) -> Vector:
    """Every vertex its own number."""
    # x_i = i
    return indexunary.index(Vector.from_scalar(0, n)).new()


def pointers(parents: Vector) -> Matrix:
    """The matrix with one entry per row: from every vertex to its parent.

    >>> from grblas_gpu import Vector
    >>> pointers(Vector.from_dense([0, 0, 1])).to_dicts()
    {0: {0: True}, 1: {0: True}, 2: {1: True}}
    """
    n, target = parents.size, io.to_array(parents)
    return Matrix.from_csr(np.arange(n + 1, like=target), target, True, ncols=n, dtype=bool)


@with_labels(vertex_by_label)
def strongly_connected_components(A: Matrix) -> Vector:
    """The strong component of every vertex: the lowest vertex that it reaches and that reaches it.

    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import strongly_connected_components
    >>> A = Matrix.from_coo([0, 1, 2, 2], [1, 2, 1, 3], True, nrows=4, ncols=4)
    >>> strongly_connected_components(A).to_dense().tolist()
    [0, 1, 1, 3]
    """
    edges = pattern(A)
    components = numbers(A.nrows)
    left = trim(edges, components)
    while left.nvals:
        colours = spread_colours(edges, left)
        # frontier = the vertices that kept their own colour
        frontier = colours.dup(mask=binary.eq(colours & indexunary.index(colours).new()).new().V)
        found = frontier.dup()
        while frontier.nvals:
            # back<colours> = edges max.second frontier: a successor's colour is never higher than one's own
            back = semiring.max_second(edges @ frontier).new(mask=colours.S)
            # frontier<!found> = back where it is the vertex's own colour
            same = binary.eq(back & colours).new()
            frontier(~found.S, replace=True) << back.dup(mask=same.V)
            # found<frontier> = frontier
            found(frontier.S) << frontier
        # components<found> = found
        components(found.S) << found
        # left<!found> = left
        left(~found.S, replace=True) << left
        left = trim(edges, left)
    return components


def spread_colours(edges: Matrix, left: Vector) -> Vector:
    """For every vertex that is left the lowest such vertex that reaches it."""
    colours, frontier = left.dup(), left.dup()
    while frontier.nvals:
        # lower<left> = frontier min.first edges
        lower = semiring.min_first(frontier @ edges).new(mask=left.S)
        # frontier = lower where it is less than the colour
        frontier = lower.dup(mask=binary.lt(lower & colours).new().V)
        # colours<frontier> = frontier
        colours(frontier.S) << frontier
    return colours


def trim(edges: Matrix, vertices: Vector) -> Vector:
    """The vertices without those that lack an edge in or out among the others: no cycle goes through them."""
    left = vertices.dup()
    while True:
        # entered<left> = left any.pair edges; exited<left> = edges any.pair left
        entered = semiring.any_pair(left @ edges).new(mask=left.S)
        exited = semiring.any_pair(edges @ left).new(mask=left.S)
        # left<entered and exited> = left
        kept = left.dup(mask=binary.pair(entered & exited).new().S)
        if kept.nvals == left.nvals:
            return kept
        left = kept
