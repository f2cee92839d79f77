"""Louvain communities: groups of vertices with more edges among themselves than a random graph has.

Returns Communities: the lowest vertex of its community for every vertex, and the modularity. Method: vertices move to
the neighbouring community that gains most modularity, until none gains; then communities become the vertices of a
smaller graph, and the method repeats there. On the way back, single vertices may move once more at every level.
Invariant: the modularity never falls from one level to the next. Cost: O(m) per round, some ten rounds at each level.
References: V. Blondel, J. Guillaume, R. Lambiotte, E. Lefebvre, Fast unfolding of communities in large networks,
J. Statistical Mechanics 2008; R. Rotta, A. Noack, Multilevel local search algorithms for modularity clustering, 2011.
"""

from __future__ import annotations

from .. import Matrix, Vector
from .checks import with_labels
from .components import numbers
from .modularity import (
    Communities,
    Level,
    best_of_tries,
    check_resolution,
    communities_by_label,
    move,
    quality,
    symmetric_weights,
)
from .randomness import random_order

GAIN = 1e-7  # the smallest gain of modularity that justifies another level


@with_labels(communities_by_label)
def louvain(
    A: Matrix, *, resolution: float = 1.0, weighted: bool = True, directed: bool | None = None, seed: int = 1
) -> Communities[Vector]:
    """Communities of high modularity; a higher ``resolution`` makes smaller ones.

    ``A[i, j]`` is the weight of an edge, zero or more. Directions do not matter: A and its transpose are added. The
    same seed gives the same communities, up to ties that rounding decides.

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
    >>> from grblas_gpu.algorithms import louvain
    >>> found = louvain(generators.path(4))
    >>> found.labels.to_dense().tolist(), round(found.modularity, 4)
    ([0, 0, 2, 2], 0.1667)
    """
    check_resolution(resolution, "louvain")
    W = symmetric_weights(A, weighted, directed, "louvain")
    return best_of_tries(W, seed, lambda start: multilevel(Level.of(W, resolution, random_order(W.nrows, start))))


def multilevel(level: Level) -> Communities[Vector]:
    """The communities of a graph: move vertices, find communities of the graph of communities, move vertices again."""
    alone = numbers(level.graph.nrows)
    coarse, parts = level.contracted(move(level, alone))
    if not coarse.quality > level.quality + GAIN:
        return Communities(alone, level.quality)
    found = multilevel(coarse)
    # labels_i = the community of its community
    labels = found.labels[parts].new()
    moved = move(level, labels)
    score = quality(level.graph, moved, level.resolution)
    return Communities(moved, score) if score > found.modularity else Communities(labels, found.modularity)
