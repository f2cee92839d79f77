"""Biconnected components: edges that lie on a common cycle; bridges and articulation points, which hold parts together.

``biconnected_components`` and ``bridges`` return a symmetric Matrix, ``articulation_points`` a BOOL Vector.
Method: a forest of breadth-first searches. The vertices at and below v have the numbers from number_v to
number_v + size_v - 1. The lower end of an edge of the forest stands for it. Any other edge joins its two ends. A vertex
w joins its parent v if an edge leads from w, or from below w, to a vertex that is neither v nor below v.
Invariant: the edges of joined vertices lie on common cycles. Cost: O(n + m), and O(n) per level.
Reference: R. Tarjan, U. Vishkin, An efficient parallel biconnectivity algorithm, SIAM J. Comput. 1985.
"""

from __future__ import annotations

from collections.abc import Iterator

from .. import Matrix, Vector, binary, loop, monoid, select, semiring
from .checks import graph_algorithm
from .components import connected_components, numbers
from .preparing import largest, vertices_at


@graph_algorithm
def biconnected_components(A: Matrix) -> Matrix:
    """The component of every edge, named after one of its vertices: edges on a common cycle have the same component.

    An edge on no cycle is a component of its own. Directions of edges do not matter, nor do loops.

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
    >>> from grblas_gpu.algorithms import biconnected_components
    >>> A = Matrix.from_coo([0, 1, 2, 2], [1, 2, 0, 3], True, nrows=4, ncols=4)
    >>> biconnected_components(A).to_dicts()
    {0: {1: 1, 2: 1}, 1: {0: 1, 2: 1}, 2: {0: 1, 1: 1, 3: 3}, 3: {2: 3}}
    """
    return _of_edges(*_joined(A))


@graph_algorithm
def bridges(A: Matrix) -> Matrix:
    """True at every edge without which its ends would not be connected. Directions do not matter, nor do loops.

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
    >>> from grblas_gpu.algorithms import bridges
    >>> bridges(Matrix.from_coo([0, 1, 2, 2], [1, 2, 0, 3], True, nrows=4, ncols=4)).to_dicts()
    {2: {3: True}, 3: {2: True}}
    """
    components, tree, _ = _joined(A)
    # size_c = number of forest edges of component c; alone: the components of one edge
    size = Vector(int, A.nrows)
    size(binary.plus)[components] << Vector.from_scalar(1, A.nrows)
    alone = select.valueeq(size, 1).new()
    # bridges = (forest edges alone) and their reverse
    found = binary.first(tree & alone[components].new()).new(bool)
    return binary.lor(found | found.T).new()


@graph_algorithm
def articulation_points(A: Matrix) -> Vector:
    """True at every vertex without which its component would fall apart. Directions of edges do not matter.

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
    >>> from grblas_gpu.algorithms import articulation_points
    >>> A = Matrix.from_coo([0, 1, 2, 2], [1, 2, 0, 3], True, nrows=4, ncols=4)
    >>> articulation_points(A).to_dict()
    {2: True}
    """
    components = biconnected_components(A)
    # found_i = (min_j components_ij differs from max_j components_ij): edges of two components meet in i
    low, high = components.reduce_rowwise(monoid.min).new(), components.reduce_rowwise(monoid.max).new()
    differs = binary.ne(low & high).new()
    return differs.dup(mask=differs.V)


def _of_edges(components: Vector, tree: Matrix, edges: Matrix) -> Matrix:
    """The components of all edges, from those of the lower ends of forest edges."""
    # found_ij = components_j if i is the parent of j, otherwise components_i
    found = binary.first(components & edges).new()
    found(tree.S) << binary.second(tree & components)
    return found


def _joined(A: Matrix) -> tuple[Vector, Matrix, Matrix]:
    """The component of every vertex that stands for an edge, the edges from parents to children, and all edges."""
    edges = A.pattern(loops=False, undirected=True)
    parents, levels = forest(edges)
    # tree = the edges with i = parents_j; other = the edges in neither direction of it
    tree = edges.matching(numbers(edges.nrows), binary.first, parents)
    other = edges.dup(mask=~monoid.lor(tree | tree.T).new().S)
    size, number = numbered(tree, parents, levels)
    # low_i, high_i = the lowest and the highest number that an other edge reaches from i or from below i
    low, high = number.dup(), number.dup()
    low(binary.min) << semiring.min_second(other @ number)
    high(binary.max) << semiring.max_second(other @ number)
    for above, here in upwards(parents, levels):
        low(binary.min)[above] << low.dup(mask=here.S)
        high(binary.max)[above] << high.dup(mask=here.S)
    # leaves_w = (low_w < number_v) or (high_w >= number_v + size_v), with v = parents_w
    first = number[parents].new()
    last = binary.plus(first & size[parents].new()).new()
    leaves = binary.lor(binary.lt(low & first).new() & binary.ge(high & last).new()).new()
    # joined = other and the forest edges from v to w with leaves_w; no such edge begins at a root
    joined = binary.second(tree & leaves.dup(mask=leaves.V)).new()
    return connected_components(monoid.lor(other | joined).new()), tree, edges


def numbered(tree: Matrix, parents: Vector, levels: Vector) -> tuple[Vector, Vector]:
    """The number of vertices at and below each vertex; and numbers in which these follow the vertex.

    >>> parents, levels = Vector.from_dense([0, 0, 0, 1]), Vector.from_dense([0, 1, 1, 2])
    >>> tree = Matrix.from_coo([0, 0, 1], [1, 2, 3], True, nrows=4, ncols=4)
    >>> [x.to_dense().tolist() for x in numbered(tree, parents, levels)]
    [[4, 2, 1, 1], [0, 1, 3, 2]]
    """
    size, number = Vector.from_scalar(1, parents.size), Vector.from_scalar(0, parents.size)
    for above, here in upwards(parents, levels):
        # size_v += the sum of size_w over the children w of v
        size(binary.plus)[above] << size.dup(mask=here.S)
    # before_w = 1 + the sum of size over the children of the same parent that come before w
    sizes = binary.second(tree & size).new()
    before = binary.minus(sizes.ss.scan(monoid.plus) & sizes).new().reduce_columnwise(monoid.plus).new()
    before << binary.plus(before, 1)
    for above, here in reversed(list(upwards(parents, levels))):
        # number_w = number_v + before_w
        number(here.S) << binary.plus(number[above].new() & before)
    return size, number


def upwards(parents: Vector, levels: Vector) -> Iterator[tuple[Vector, Vector]]:
    """For each level, from the deepest to that below the roots: the parents of its vertices, and the vertices."""
    deepest = largest(levels)
    at = vertices_at(levels, deepest)
    for depth in range(deepest, 0, -1):
        here = at(depth).new()
        yield parents.dup(mask=here.S), here


def forest(edges: Matrix) -> tuple[Vector, Vector]:
    """The parent of every vertex in a search from the lowest vertex of each component, and its level.

    >>> parents, levels = forest(Matrix.from_coo([0, 1, 1, 2], [1, 0, 2, 1], True, nrows=4, ncols=4))
    >>> parents.to_dense().tolist(), levels.to_dense().tolist()
    ([0, 0, 1, 3], [0, 1, 2, 0])
    """
    everyone = numbers(edges.nrows)
    # frontier_i = i where components_i = i
    lowest = binary.eq(connected_components(edges) & everyone).new()
    frontier = everyone.dup(mask=lowest.V)
    parents, levels = Vector(int, edges.nrows), Vector(int, edges.nrows)
    for depth in loop(frontier):
        # parents<frontier> = frontier; levels<frontier> = depth
        parents(frontier.S) << frontier
        levels(frontier.S) << depth
        # frontier<!parents> = frontier min.row edges: the vertex that the edge leaves
        frontier(~parents.S, replace=True) << semiring.min_secondi(frontier @ edges)
    return parents, levels
