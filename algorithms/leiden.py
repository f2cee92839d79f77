"""Leiden communities: as good as Louvain's, and every one of them connected.

Returns Communities: the lowest vertex of its community for every vertex, and the modularity. Method: vertices move as
in Louvain's. Then every community is taken apart and put together again from single vertices, each of which joins a
group within it only along an edge, and only if that gains; these groups, which are connected, are the vertices of the
smaller graph. What is not connected in the end is divided, by which the modularity does not fall.
Invariant: a group is connected, and lies within a community. Cost: O(m) per round, some ten rounds at each level.
Reference: V. Traag, L. Waltman, N. van Eck, From Louvain to Leiden: guaranteeing well-connected communities, 2019.
"""

from __future__ import annotations

import numpy as np

from .. import Matrix, Vector, binary, monoid, select, semiring
from .checks import with_labels
from .components import connected_components, numbers, pointers
from .modularity import (
    Communities,
    aggregate,
    best_moves,
    best_of_tries,
    check_resolution,
    communities_by_label,
    compact,
    membership,
    move,
    symmetric_weights,
)
from .preparing import total
from .randomness import random_order

JOINING = 8  # rounds in which single vertices join groups
LEVELS = 50


@with_labels(communities_by_label)
def leiden(A: Matrix, *, resolution: float = 1.0, weighted: bool = True, seed: int = 1) -> Communities:
    """Connected communities of high modularity; a higher ``resolution`` makes smaller ones.

    ``A[i, j]`` is the weight of an edge, zero or more. Directions do not matter: A and its transpose are added.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.
    resolution : float
        Above 1 for smaller communities, below for larger ones.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.
    seed : int
        Of the random choices: the same seed gives the same result on every backend.

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
    >>> from grblas_gpu.algorithms import leiden
    >>> found = leiden(generators.path(4))
    >>> found.labels.to_dense().tolist(), round(found.modularity, 4)
    ([0, 0, 2, 2], 0.1667)
    """
    check_resolution(resolution, "leiden")
    W = symmetric_weights(A, weighted, "leiden")
    return best_of_tries(W, resolution, seed, lambda start: levels_of_groups(W, resolution, start))


def levels_of_groups(W: Matrix, resolution: float, seed: int) -> Vector:
    """The communities of a graph: moves, groups within them, and the same for the graph of groups."""
    level, communities = W, numbers(W.nrows)
    place = numbers(W.nrows)  # of every vertex in the graph of this level
    for step in range(LEVELS):
        communities = move(level, communities, resolution, seed + step)[0]
        groups, count = compact(refine(level, communities, resolution, seed + step))
        if count == level.nrows:
            break
        S = membership(groups, count)
        # level = S' level S; the community of a group is that of its members
        level = aggregate(level, groups, count)
        communities, _ = compact(semiring.any_first(communities @ S).new())
        # place_i = the group of its place
        place = semiring.any_second(membership(place, groups.size) @ groups).new()
    # labels_i = the community of its place
    labels = semiring.any_second(membership(place, communities.size) @ communities).new()
    labels = move(W, compact(labels)[0], resolution, seed)[0]
    return connected_components(inside(W, labels))


def inside(W: Matrix, communities: Vector) -> Matrix:
    """The edges within communities."""
    own, other = binary.first(communities & W).new(), binary.second(W & communities).new()
    # W where communities_i = communities_j
    return W.dup(mask=binary.eq(own & other).new().V)


def refine(W: Matrix, communities: Vector, resolution: float, seed: int) -> Vector:
    """Groups within communities, put together from single vertices."""
    n = W.nrows
    edges, weight = select.offdiag(inside(W, communities)).new(), total(W)
    degree = W.reduce_rowwise(monoid.plus).new()
    groups = numbers(n)
    single = Vector.from_scalar(True, n)
    for step in range(JOINING):
        # joining = single vertices of a random half
        coin = binary.band(random_order(n, seed + 1000 + step), np.uint64(1)).new()
        joining = single.dup(mask=select.valueeq(coin, np.uint64(step % 2)).new().S)
        # target = the best group of those that do not join one themselves
        staying = binary.second(edges & groups.dup(mask=~joining.S)).new()
        target = best_moves(edges.dup(mask=staying.S), degree, groups, joining, resolution / weight)
        # groups<target> = target
        groups(target.S) << target
        # single = groups of one vertex
        sizes = semiring.plus_pair["INT64"](Vector.from_scalar(1, n) @ pointers(groups)).new()
        alone = select.valueeq(semiring.any_second(pointers(groups) @ sizes).new(), 1).new()
        single = single.dup(mask=alone.S)
        if not single.nvals:
            break
    return groups
