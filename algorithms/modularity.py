"""Modularity: the excess of edges within communities over a random graph; and the parts of Louvain and Leiden.

Method of a pass: the gain of a move of vertex i to community c is the weight of its edges to c, less its own share of
the degrees in c. So the best community is the heaviest group of columns in row i, with these degrees as handicaps. If
all vertices moved at once, neighbours would swap communities forever. So in each round one random part of the vertices
moves after another, and only vertices that have moved or have a neighbour that has.
References: M. Newman, M. Girvan, Finding and evaluating community structure in networks, Physical Review E 2004;
V. Blondel, J. Guillaume, R. Lambiotte, E. Lefebvre, Fast unfolding of communities in large networks, 2008.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple

import numpy as np

from .. import FP64, UINT64, Graph, Matrix, Scalar, Vector, binary, io, loop, monoid, program, select, semiring, unary
from ..exceptions import InvalidValue
from ..foundation.progress import elapsed
from ..io import NodeValues
from .checks import graph_algorithm
from .components import numbers
from .labels import Values, called, vertex_by_label
from .preparing import VertexValues, as_floats, check_weights, every_label, largest, smallest, total, with_zeros

ROUNDS = 25  # the largest number of rounds
PARTS = 4  # the number of parts of the vertices, which move one after another; a power of two
MANY = 20  # the rounds end when at most one vertex in so many moves
WHOLE = 2.0**52  # the sum of all degrees, in parts: sums of whole parts are exact, as FP64, too
TIE = 1e-12  # a move must gain more than this share of all weights
TRIES, SMALL = 3, 10_000  # the number of tries on graphs of at most SMALL entries


class Communities(NamedTuple, Generic[Values]):
    """The community of every vertex, named by its lowest vertex, and the modularity."""

    labels: Values
    modularity: float


def communities_by_label(graph: Graph, found: Communities[Vector]) -> Communities[NodeValues]:
    return Communities(vertex_by_label(graph, found.labels), found.modularity)


@graph_algorithm
def modularity(
    A: Matrix, labels: VertexValues, *, resolution: float = 1.0, weighted: bool = True, directed: bool | None = None
) -> float:
    """The modularity of communities: ``labels`` has the number of the community of every vertex.

    Directions of edges do not matter: A and its transpose are added. 0 if there are no edges. A loop counts once in
    the weight of all edges and twice in the degree of its vertex, as in NetworkX: an undirected Graph gives the result
    of ``networkx.Graph``, a Matrix or a directed Graph that of a ``networkx.MultiGraph`` with an edge for every entry.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.
    labels : Vector, array or dict
        The community of every vertex; a dictionary goes by number, with a Graph by label, as `louvain` returns it.
    resolution : float
        Above 1 for smaller communities, below for larger ones.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.
    directed : bool, optional
        False if the entries at (i, j) and (j, i) are one edge, so that A must be symmetric. By default every entry
        is an edge, unless A is an undirected Graph.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        A weight is NaN, infinite or negative, or ``directed`` is False and A is not symmetric.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import modularity
    >>> modularity(generators.path(3), [5, 5, 2])
    -0.125
    """
    labels = every_label(labels, A, "modularity")
    if labels.dtype.np_type.kind not in "iu" or smallest(labels) < 0 or largest(labels) >= A.nrows > 0:
        labels = numbered(labels)
    return quality(symmetric_weights(A, weighted, directed, "modularity"), labels, resolution)


def symmetric_weights(A: Matrix, weighted: bool, directed: bool | None, what: str) -> Matrix:
    """Weights of an undirected graph, up to a common factor; a loop counts twice. Rows add up to degrees.

    If A has an entry for every edge (``directed``), weights are A + A'. Otherwise A has two entries for an edge and one
    for a loop. The result may be A itself: do not change it.

    >>> A = Matrix.from_coo([0, 0, 1], [0, 1, 0], [1.0, 1.0, 1.0])
    >>> for directed in (True, False):
    ...     symmetric_weights(A, True, directed, "").to_dense(0).tolist()
    [[1.0, 1.0], [1.0, 0.0]]
    [[2.0, 1.0], [1.0, 0.0]]
    """
    check_weights(A, what, weighted=weighted)
    W = as_floats(A) if weighted else binary.pair(A, 1.0).new(FP64)
    symmetric = (A if weighted else A.pattern()).is_symmetric()  # the symmetry of both is cached
    if directed is not False:
        # W = W + W', or half of it
        return W if symmetric else binary.plus(W | W.T).new()
    if not symmetric:
        raise InvalidValue(f"{called(what)}directed=False needs a symmetric A; pass binary.max(A | A.T).new()")
    # W = W + loops
    return W if A.pattern(loops=False).nvals == A.nvals else binary.plus(W | select.diag(W).new()).new()


def check_resolution(resolution: float, what: str) -> None:
    if not 0 < resolution < float("inf"):
        raise InvalidValue(f"{what}: resolution must be a positive number; got {resolution}")


def best_of_tries(W: Matrix, seed: int, find: Callable[[int], Communities]) -> Communities:
    """The best result of ``find``: of a few tries on small graphs, where they cost little."""
    if not W.nvals or not total(W):
        return Communities(numbers(W.nrows), 0.0)
    with elapsed("communities"):
        tries = [find(seed + 7919 * number) for number in range(TRIES if W.nvals <= SMALL else 1)]
    best = max(tries, key=lambda found: found.modularity)
    return Communities(lowest_members(best.labels), best.modularity)


def quality(W: Matrix, labels: Vector, resolution: float) -> float:
    """The modularity of communities that are named by vertex numbers."""
    # degree_i = sum_j W_ij
    degree = W.reduce_rowwise(monoid.plus).new()
    within = W.within(labels).reduce_scalar(monoid.plus, allow_empty=False).new()
    return excess(within, *concentration(degree, labels), resolution)


def excess(within: Scalar, every: Scalar, squares: Scalar, resolution: float) -> float:
    """The modularity, by the weight within communities and the concentration of all weights."""
    # modularity = within / all weights - resolution sum_c shares_c^2
    return within.value / every.value - resolution * squares.value if every.value else 0.0


def in_parts(degree: Vector) -> tuple[Vector, Scalar]:
    """Degrees in whole parts of the sum of all, which is WHOLE parts; and that sum.

    Sums of whole numbers are the same in any order, and those of all degrees are exact as FP64, too.
    """
    every = degree.reduce(monoid.plus, allow_empty=False).new()
    # parts_i = WHOLE degree_i / sum of degrees
    parts = binary.times(binary.truediv(degree, every).new(), WHOLE).new()
    return unary.round(parts).new(int), every


@program
def concentration(degree: Vector, labels: Vector) -> tuple[Scalar, Scalar]:
    """The sum of all degrees, and of the squares of the communities' shares of it."""
    parts, every = in_parts(degree)
    return every, squared_shares(sizes(parts, labels))


def squared_shares(parts: Vector) -> Scalar:
    # shares_c = parts_c / WHOLE; the sum of their squares
    shares = binary.times(parts, 1 / WHOLE).new(FP64)
    return binary.times(shares & shares).new().reduce(monoid.plus, allow_empty=False).new()


@program
def lowest_members(labels: Vector, named: Vector | None = None) -> Vector:
    """The lowest member of the group of every member; labels are positions in ``named``, by default among the members.

    >>> lowest_members(Vector.from_dense([2, 2, 0])).to_dense().tolist()
    [0, 0, 2]
    """
    lowest = Vector(int, labels.size if named is None else named.size)
    # lowest_c = min over the members i of c
    lowest(binary.min)[labels] << numbers(labels.size)
    # x_i = lowest of its group
    return lowest[labels].new()


def numbered(labels: Vector) -> Vector:
    """Any labels, numbered from 0 in their order.

    >>> numbered(Vector.from_dense([7.5, 3.0, 7.5])).to_dense().tolist()
    [1, 0, 1]
    """
    _, number = np.unique(io.to_array(labels), return_inverse=True)
    return Vector.from_dense(number.astype(np.int64))


def membership(labels: Vector, count: int) -> Matrix:
    """The matrix with one entry per row: from every vertex to its community."""
    target = io.to_array(labels)
    return Matrix.from_csr(np.arange(labels.size + 1, like=target), target, True, ncols=count, dtype=bool)


class Level(NamedTuple):
    """A graph prepared for moves: random numbers, degrees in parts, the share of every vertex in them, and its own
    weight in the community where it is.

    The quality is the modularity if every vertex is a community; for an aggregated graph, that of these communities.
    """

    graph: Matrix
    resolution: float
    coins: Vector
    degree: Vector
    share: Vector
    own: Vector
    quality: float

    @classmethod
    def of(cls, W: Matrix, resolution: float, coins: Vector) -> Level:
        degree, share, own, *concentrated = of_degrees(W.reduce_rowwise(monoid.plus).new(), resolution)
        within = W.diag().reduce(monoid.plus, allow_empty=False).new()
        return cls(W, resolution, coins, degree, share, own, excess(within, *concentrated, resolution))

    def contracted(self, labels: Vector) -> tuple[Level, Vector]:
        """The level whose vertices are the communities, and the vertex of every vertex there."""
        graph, parts = self.graph.contracted(labels)
        return Level.of(graph, self.resolution, self.coins[: graph.nrows].new()), parts


@program
def of_degrees(sums: Vector, resolution: float) -> tuple[Vector, Vector, Vector, Scalar, Scalar]:
    """Parts of a level, from the sums of its rows."""
    # degree_i = sums_i, where it is not 0
    weight = select.valuegt(sums, 0.0).new()
    degree, every = in_parts(weight)
    # share_i = resolution weight_i / WHOLE
    share, own = Vector.from_scalar(1.0, sums.size), Vector.from_scalar(TIE * WHOLE, sums.size)
    share(binary.second) << binary.times(weight, resolution / WHOLE)
    # own_i = share_i degree_i, which excludes i from the degrees in its own community, and a little more than that
    own(binary.plus) << degree
    own << binary.times(share & own)
    return degree, share, own, every, squared_shares(degree)


def move(level: Level, labels: Vector) -> Vector:
    """Move vertices to the community of largest gain, until few vertices move."""
    return moves(level.graph, level.share, level.own, level.degree, level.coins, labels)


@program
def moves(W: Matrix, share: Vector, own: Vector, degree: Vector, coins: Vector, labels: Vector) -> Vector:
    """The labels after some rounds of moves."""
    n = labels.size
    labels, active, bits = labels.dup(), degree.dup(), coins.dup()
    share, own, weight = with_zeros(share, n), with_zeros(own, n), Vector.from_scalar(0, n)
    # many = the number of vertices with edges; moved = more than that, so that there is a first round
    many = unary.one(degree).new(int).reduce(monoid.plus, allow_empty=False).new()
    moved = Vector.from_scalar(MANY, n).reduce(monoid.plus, allow_empty=False).new()
    for _ in loop(moved > many, ROUNDS):
        # part_i = the next two bits of coins_i, of active vertices
        part, before = binary.band(bits, np.uint64(PARTS - 1)).new(mask=active.S), labels.dup()
        bits << binary.bshift[UINT64](bits, np.int8(-2))
        for number in loop(part, PARTS):
            awake = select.valueeq(part, number).new()
            # weight_c = sum of degree_i over i in c
            weight << 0
            weight(binary.plus)[labels] << degree
            # labels_i = the c with the largest (sum of W_ij over j in c - share_i weight_c), for awake i; W_ii is own_i
            labels(binary.second) << W.heaviest_groups(labels, weight, rows=awake, factors=share, diagonal=own)
        # moving_i = MANY where the label is new
        moving = select.valuegt(binary.times(binary.ne(labels & before).new(int), MANY).new(), 0).new()
        moved << moving.reduce(monoid.plus, allow_empty=False)
        # active = vertices that have moved, and their neighbours
        active << semiring.any_pair[bool](W @ moving)
        active(moving.S) << True
    return labels


@program
def sizes(degree: Vector, labels: Vector) -> Vector:
    """The sum of the degrees in every community."""
    found = Vector.from_scalar(0, labels.size)
    # found_c = sum of degree_i over i in c
    found(binary.plus)[labels] << degree
    return found
