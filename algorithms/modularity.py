"""Modularity: how many more edges lie within communities than would by chance; and the parts of Louvain and Leiden.

Method of a pass: the weights between vertices and communities are a product of the graph with the membership matrix.
From them follows the gain of every possible move, and each vertex knows its best one. If all moved at once, neighbours
would swap places forever, so in each round a random half of them moves.
References: M. Newman, M. Girvan, Finding and evaluating community structure in networks, Physical Review E 2004;
V. Blondel, J. Guillaume, R. Lambiotte, E. Lefebvre, Fast unfolding of communities in large networks, 2008.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .. import FP64, Graph, Matrix, Vector, binary, indexunary, io, monoid, select, semiring
from ..exceptions import DimensionMismatch, InvalidValue
from ..progress import elapsed
from .checks import graph_algorithm
from .components import numbers, pointers
from .labels import vertex_by_label
from .preparing import check_weights, total
from .randomness import random_order

ROUNDS = 25  # in which every vertex may move, at most
PARTS = 4  # of the vertices, which move one after another; a power of two
GAIN = 1e-7  # of modularity in a round that is worth another
PATIENCE = 2  # rounds without
TRIES, SMALL = 3, 10_000  # times that graphs of no more entries are tried


class Communities(NamedTuple):
    """The community of every vertex, which is the lowest vertex in it, and the modularity of all."""

    labels: Vector
    modularity: float


def communities_by_label(graph: Graph, found: Communities) -> Communities:
    return Communities(vertex_by_label(graph, found.labels), found.modularity)  # type: ignore[arg-type]


@graph_algorithm
def modularity(A: Matrix, labels: Any, *, resolution: float = 1.0, weighted: bool = True) -> float:
    """The modularity of communities: ``labels`` has the community of every vertex, by a number.

    Directions of edges do not matter: A and its transpose are added. 0 if there are no edges.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.
    labels : Vector or array
        The community of every vertex; with a Graph also a dictionary by label, as `louvain` returns it.
    resolution : float
        Above 1 for smaller communities, below for larger ones.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        A weight is NaN, infinite or negative.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import modularity
    >>> modularity(generators.path(3), [5, 5, 2])
    -0.125
    """
    labels = labels if isinstance(labels, Vector) else Vector.from_dense(labels)
    if labels.size != A.nrows or labels.nvals != A.nrows:
        raise DimensionMismatch(f"modularity: {labels.nvals} labels for {A.nrows} vertices")
    return quality(symmetric_weights(A, weighted, "modularity"), compact(labels)[0], resolution)


def symmetric_weights(A: Matrix, weighted: bool, what: str) -> Matrix:
    """Weights of an undirected graph, loops twice: rows add up to degrees, and all entries to twice all weights."""
    if weighted:
        check_weights(A, what)
    W = A.dup(FP64) if weighted else binary.pair(A, 1.0).new(FP64)
    # W = W + W', and loops as they are, twice by that
    loops = select.diag(W).new()
    if not W.is_symmetric():
        return binary.plus(W | W.T).new()
    return binary.plus(W | loops).new()


def check_resolution(resolution: float, what: str) -> None:
    if not 0 < resolution < float("inf"):
        raise InvalidValue(f"{what}: the resolution must be a positive number; got {resolution}")


def best_of_tries(W: Matrix, resolution: float, seed: int, find: Callable[[int], Vector]) -> Communities:
    """The best of what ``find`` finds: a few tries where they cost little, and where luck matters."""
    if not W.nvals:
        return Communities(numbers(W.nrows), 0.0)
    with elapsed("communities"):
        tries = [find(seed + 7919 * number) for number in range(TRIES if W.nvals <= SMALL else 1)]
    scores = [quality(W, labels, resolution) for labels in tries]
    highest = max(scores)
    return Communities(lowest_members(tries[scores.index(highest)]), highest)


def quality(W: Matrix, labels: Vector, resolution: float) -> float:
    """The modularity of communities that are numbered."""
    weight = total(W)
    if not weight:
        return 0.0
    S = pointers(labels)
    # degree_i = sum_j W_ij
    degree = W.reduce_rowwise(monoid.plus).new()
    # shares_c = sum of the degrees in c / all weights
    shares = binary.truediv(semiring.plus_first(degree @ S).new(), weight).new()
    # inside = sum of W_ij with i and j in the same community
    inside = total(semiring.plus_first[FP64](W @ S).new(mask=S.S))
    # modularity = inside / all weights - resolution sum_c shares_c^2
    return inside / weight - resolution * total(binary.times(shares & shares).new())


def compact(labels: Vector) -> tuple[Vector, int]:
    """The communities numbered from 0, in the order of their labels, and how many there are.

    >>> found, count = compact(Vector.from_dense([7, 3, 7]))
    >>> found.to_dense().tolist(), count
    ([1, 0, 1], 2)
    """
    distinct, number = np.unique(io.to_array(labels), return_inverse=True)
    return Vector.from_dense(number.astype(np.int64)), len(distinct)


def lowest_members(labels: Vector) -> Vector:
    """For every vertex the lowest one of its community.

    >>> lowest_members(Vector.from_dense([2, 2, 0])).to_dense().tolist()
    [0, 0, 2]
    """
    S = pointers(labels)
    # lowest_c = min over the members i of c
    lowest = semiring.min_first(numbers(labels.size) @ S).new()
    # x_i = lowest of its community
    return semiring.any_second(S @ lowest).new()


def membership(labels: Vector, count: int) -> Matrix:
    """The matrix with one entry per row: from every vertex to its community."""
    target = io.to_array(labels)
    return Matrix.from_csr(np.arange(labels.size + 1, like=target), target, True, ncols=count, dtype=bool)


def aggregate(W: Matrix, labels: Vector, count: int) -> Matrix:
    """The graph whose vertices are the communities."""
    S = membership(labels, count)
    # W = S' W S
    right = semiring.plus_first[FP64](W @ S).new()
    return semiring.plus_second[FP64](S.T @ right).new()


def move(W: Matrix, labels: Vector, resolution: float, seed: int) -> tuple[Vector, float]:
    """Vertices move to the community that gains most, until the modularity does not grow; with the best one found."""
    best, highest, patience = labels, quality(W, labels, resolution), PATIENCE
    edges, weight = select.offdiag(W).new(), total(W)
    degree = W.reduce_rowwise(monoid.plus).new()
    active = Vector.from_scalar(True, W.nrows)
    for parts in random_parts(W.nrows, seed):
        for part in parts:
            # awake = active vertices of a random part
            awake = active.dup(mask=part.S)
            target = best_moves(edges, degree, labels, awake, resolution / weight)
            # labels<target> = target
            labels = labels.dup()
            labels(target.S) << target
            # active = what is asleep, and the neighbours of what moved
            active = active.dup(mask=~awake.S)
            active(binary.lor) << semiring.any_pair[bool](target @ edges)
        now = quality(W, labels, resolution)
        patience = PATIENCE if now > highest + GAIN else patience - 1
        if now > highest:
            best, highest = labels, now
        if not patience or not active.nvals:
            break
    return best, highest


def random_parts(n: int, seed: int) -> Iterator[list[Vector]]:
    """The n vertices in random parts, again and again others."""
    for step in range(ROUNDS):
        # number_i = random number from 0 to PARTS - 1
        number = binary.band(random_order(n, seed + step), np.uint64(PARTS - 1)).new()
        yield [select.valueeq(number, np.uint64(part)).new() for part in range(PARTS)]


def best_moves(edges: Matrix, degree: Vector, labels: Vector, movers: Vector, scale: float) -> Vector:
    """For those of the movers that gain by moving, the community to move to: the lowest of the best."""
    S = pointers(labels)
    # sizes_c = sum of the degrees in c
    sizes = semiring.plus_first(degree @ S).new()
    # own_i = the place of i in its community
    own = binary.second(movers & S).new()
    # weights_ic = sum of edges_ij over j in c, for the movers i; 0 for their own community if there are none
    weights = semiring.plus_first[FP64](binary.second(movers & edges).new() @ S).new()
    weights(binary.plus) << binary.second(own, 0.0).new(FP64)
    # others_ic = degrees in c without i
    others = binary.second(weights & sizes).new()
    others(binary.minus) << binary.first(degree & own).new()
    # gains_ic = weights_ic - scale degree_i others_ic
    expected = binary.times(binary.times(degree, scale).new() & others).new()
    gains = binary.minus(weights & expected).new()
    # most_i = max_c gains_ic, where it is more than for staying
    most = gains.reduce_rowwise(monoid.max).new()
    staying = gains.dup(mask=own.S).reduce_rowwise(monoid.plus).new()
    better = binary.gt(most & binary.plus(staying, 1e-12).new()).new()
    most = most.dup(mask=better.V)
    # target_i = lowest c with gains_ic = most_i
    winners = select.valueeq(binary.eq(most & gains).new(), True).new()
    return indexunary.colindex(winners).new().reduce_rowwise(monoid.min).new(int)
