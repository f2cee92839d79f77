"""Connected components: which vertices can reach each other.

Returns an INT64 Vector: for every vertex the lowest number in its component.
Method: a search from a vertex with many neighbours finds the largest component of most graphs, if that takes few steps.
Hooking finds the others: every vertex points to the root of a tree in its component; each root is hooked onto the
lowest root among the neighbours of its tree, and trees are shortened until all vertices point to roots again. Grids and
paths, whose numbers follow edges, take one such step. Invariant: parents are never higher than their children.
Cost: O(n + m) per step, about log n steps, and O(n) for each of the log n shortenings of a step.
References: Y. Shiloach, U. Vishkin, An O(log n) parallel connectivity algorithm, J. Algorithms 1982; Y. Zhang, A. Azad,
Z. Hu, FastSV: a distributed-memory connected component algorithm with fast convergence, SIAM PP 2020.
"""

from __future__ import annotations

import numpy as np

from .. import Matrix, Scalar, Vector, agg, binary, indexunary, io, loop, monoid, program, select, semiring, when
from ..plan.search_rules import NEAR
from .changes import old_values, with_shorter_paths
from .checks import with_labels
from .labels import communities, vertex_by_label
from .preparing import Start


@with_labels(vertex_by_label, start=communities)
def connected_components(A: Matrix, *, start: Start = None, changed: Matrix | None = None) -> Vector:
    """The component of every vertex: the lowest vertex in it. Directions of edges do not matter.

    With ``start``, the components before edges were inserted, only those that edges join are computed. Then with
    ``changed`` only inserted edges are read.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: an entry in row i and column j is an edge from i to j, of any value. With a Graph,
        vertices are labels.
    start : Vector or dict, optional
        The components before edges were inserted.
    changed : Matrix, optional
        The inserted edges: ``A`` minus the Matrix before.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square, or ``changed`` or ``start`` has another size.
    InvalidValue
        ``changed`` has a removed edge.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import connected_components
    >>> A = Matrix.from_coo([3, 4], [1, 2], True, nrows=5, ncols=5)
    >>> connected_components(A).to_dense().tolist()
    [0, 1, 2, 1, 2]
    """
    if start is not None or changed is not None:
        return joined(A, old_values(start, A), changed)
    # edges = A or A'; loops do not matter
    edges = A.pattern(undirected=True)
    if edges.nvals == 0:
        return numbers(A.nrows)
    # degree_i = number of neighbours; vertices without neighbours are components of their own
    return _largest_first(edges, edges.reduce_rowwise(agg.count).new())


def joined(A: Matrix, start: Vector, changed: Matrix | None) -> Vector:
    """The components of A, by hooking the old ones onto each other.

    Theorem: the trees of old components with their lowest vertices as roots are a state that hooking reaches, because
    their edges are still there. An edge within a component hooks nothing, so inserted edges suffice.

    >>> A = Matrix.from_coo([3, 4], [1, 2], True, nrows=5, ncols=5)
    >>> joined(A, Vector.from_dense([0, 1, 2, 1, 4]), None).to_dense().tolist()
    [0, 1, 2, 1, 2]
    """
    if changed is not None:
        with_shorter_paths(A, changed, weighted=False)
        A = changed.to(A.backend)
    components, lowest = numbers(A.nrows), Vector.from_scalar(A.nrows, A.nrows, int)
    # lowest[start_i] = min i; components = lowest[start]
    lowest(binary.min)[start] << components
    components(binary.min) << lowest[start]
    return hooked(A.pattern(undirected=True), components)


@program
def _largest_first(edges: Matrix, degree: Vector) -> Vector:
    """A search from a vertex with the most neighbours, and hooking for the vertices that it does not reach."""
    n, lowest, more = edges.nrows, Scalar(int), Scalar(int)
    components = numbers(n)
    hub = busiest(components, degree)
    reached, frontier = Vector(bool, n), Vector(bool, n)
    # frontier<components = hub> = true
    frontier(select.valueeq(components, hub).new().S) << True
    for _ in loop(frontier, NEAR):
        # reached<frontier> = true
        reached(frontier.S) << True
        # frontier<!reached> = frontier edges
        frontier(~reached.S, replace=True) << semiring.any_pair[bool](frontier @ edges)
    # rest = the vertices that have neighbours and are not reached; all, if the search is not done
    rest = components.dup(mask=degree.S)
    more << frontier.reduce(monoid.lor, allow_empty=False)
    for _ in when(more < 1):
        rest(~reached.S, replace=True) << rest
        # components<reached> = the lowest of them
        lowest << components.dup(mask=reached.S).reduce(monoid.min)
        components(reached.S) << lowest
    for _ in when(rest):
        # components<rest> = the roots of their trees
        components(rest.S) << hooked(edges, rest)
    return components


def busiest(vertices: Vector, degree: Vector) -> Scalar:
    """The lowest of the vertices with the highest degree; an empty Scalar if no vertex has a degree.

    >>> busiest(numbers(3), Vector.from_dense([1, 4, 4])).value
    1
    """
    most, hub = Scalar(int), Scalar(int)
    # most = max degree_i; hub = min of those i with degree_i = most
    most << degree.reduce(monoid.max)
    hub << vertices.dup(mask=select.valueeq(degree, most).new().S).reduce(monoid.min)
    return hub


def hooked(edges: Matrix, vertices: Vector) -> Vector:
    """The components of a symmetric graph, by hooking and shortening trees; ``vertices`` has the vertex numbers.

    The vertices are those of whole components.

    >>> edges = Matrix.from_coo([1, 2], [2, 1], True, nrows=4, ncols=4)
    >>> hooked(edges, numbers(4)).to_dense().tolist()
    [0, 1, 1, 3]
    """
    parents, again, deep = vertices.dup(), Scalar.from_value(True), Scalar(bool)
    for _ in loop(again):
        # lowest = parents min.first edges
        lowest = semiring.min_first(parents @ edges).new()
        # again = whether any of them is lower
        again << binary.lt(lowest & parents).new().reduce(monoid.lor, allow_empty=False)
        # hook trees: parents[parents_i] = min(parents[parents_i], lowest_i)
        parents(binary.min)[parents] << lowest
        # shorten: parents_i = parents[parents_i], until all are roots
        deep << again
        for _ in loop(deep):
            before = parents.dup()
            parents << parents[parents]
            deep << binary.ne(parents & before).new().reduce(monoid.lor)
    return parents


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
