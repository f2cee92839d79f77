"""Leiden communities: as good as Louvain's, and every one of them connected.

Returns Communities: the lowest vertex of its community for every vertex, and the modularity. Method: vertices move as
in Louvain's. Then every community is refined from single vertices: a vertex joins a group of its community only along
an edge, and only if that increases the modularity. These groups are connected, and become the vertices of the smaller
graph. At the end disconnected communities are split, which does not reduce the modularity.
Invariant: a group is connected, and lies within a community. Cost: O(m) per round, some ten rounds at each level.
Reference: V. Traag, L. Waltman, N. van Eck, From Louvain to Leiden: guaranteeing well-connected communities, 2019.
"""

from __future__ import annotations

import numpy as np

from .. import UINT64, Matrix, Scalar, Vector, binary, loop, program, select
from .checks import with_labels
from .components import connected_components, numbers
from .modularity import (
    MANY,
    WHOLE,
    Communities,
    Level,
    best_of_tries,
    check_resolution,
    communities_by_label,
    lowest_members,
    move,
    quality,
    symmetric_weights,
)
from .preparing import with_zeros
from .randomness import random_order

JOINING = 8  # the number of rounds in which single vertices join groups
LEVELS = 50


@with_labels(communities_by_label)
def leiden(
    A: Matrix, *, resolution: float = 1.0, weighted: bool = True, directed: bool | None = None, seed: int = 1
) -> Communities[Vector]:
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
    directed : bool, optional
        False if the entries at (i, j) and (j, i) are one edge, so that A must be symmetric. By default every entry
        is an edge, unless A is an undirected Graph.
    seed : int
        The seed of the random choices: the same seed gives the same result on every backend.

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
    >>> from grblas_gpu.algorithms import leiden
    >>> found = leiden(generators.path(4))
    >>> found.labels.to_dense().tolist(), round(found.modularity, 4)
    ([0, 0, 2, 2], 0.1667)
    """
    check_resolution(resolution, "leiden")
    W = symmetric_weights(A, weighted, directed, "leiden")
    return best_of_tries(W, seed, lambda start: levels_of_groups(Level.of(W, resolution, random_order(W.nrows, start))))


def levels_of_groups(finest: Level) -> Communities[Vector]:
    """The communities of a graph: move vertices, refine communities to groups, repeat on the graph of groups."""
    level, W = finest, finest.graph
    communities = place = numbers(W.nrows)  # place: the number of every vertex in the graph of this level
    for _ in range(LEVELS):
        communities = move(level, communities)
        coarse, groups = level.contracted(refine(level, communities))
        count = coarse.graph.nrows
        if MANY * (communities.size - count) <= communities.size:
            break
        level = coarse
        # the community of a group is that of its members; its number is that of its lowest group
        of_group = Vector(int, count)
        of_group(binary.min)[groups] << communities
        communities = lowest_members(of_group, communities)
        # place_i = groups[place_i]
        place = groups[place].new()
    # labels_i = communities[place_i]; then vertices move again
    labels = connected_components(W.within(move(finest, communities[place].new())))
    return Communities(labels, quality(W, labels, finest.resolution))


def refine(level: Level, communities: Vector) -> Vector:
    """Groups within communities, put together from single vertices."""
    # a penalty above every gain keeps vertices from joining a group that itself is joining another one
    never = Scalar.from_value(2.0 * WHOLE * (1.0 + 1.0 / level.resolution))
    return joined(level.graph.within(communities), level.share, level.own, level.degree, level.coins, never)


@program
def joined(W: Matrix, share: Vector, own: Vector, degree: Vector, coins: Vector, never: Scalar) -> Vector:
    """The groups after some rounds in which single vertices join one; ``never`` is the penalty."""
    n = coins.size
    share, own = with_zeros(share, n), with_zeros(own, n)
    own(binary.plus) << binary.times(share, never)
    groups, bits, single = numbers(n), coins.dup(), Vector.from_scalar(True, n)
    costs, members, one = Vector.from_scalar(0.0, n), Vector.from_scalar(0, n), Vector.from_scalar(1, n)
    for _ in loop(single, JOINING):
        # joining = a random half of the single vertices
        half = select.valueeq(binary.band(bits, np.uint64(1)).new(), np.uint64(0)).new()
        joining = single.dup(mask=half.S)
        bits << binary.bshift[UINT64](bits, np.int8(-1))
        # costs_c = sum of the degrees in c, plus the penalty if c is a single vertex that is joining
        costs << 0.0
        costs(binary.plus)[groups] << degree
        costs(joining.S, binary.plus) << never
        # groups_i = the best group within the community, for joining i
        groups(binary.second) << W.heaviest_groups(groups, costs, rows=joining, factors=share, diagonal=own)
        # members_c = number of vertices in c; single = vertices of groups with one member
        members << 0
        members(binary.plus)[groups] << one
        alone = select.valueeq(members[groups].new(), 1).new()
        single(alone.S, replace=True) << single
    return groups
