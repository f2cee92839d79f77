"""Ensemble clustering: communities on which many weak clusterings of the graph agree.

Returns Communities: the lowest vertex of its community for every vertex, and the modularity. Method: the first level of
Louvain finds communities in several orders of the moves. The new weight of an edge is the share of these in which its
ends are together; it is the least weight if an end is outside of the 2-core. Louvain on the new weights has the result.
Invariant: weights are from ``least`` to 1. Cost: that of the first level of Louvain for every member of the ensemble.
Reference: V. Poulin, F. Theberge, Ensemble clustering for graphs, Complex Networks 2018.
"""

from __future__ import annotations

from .. import FP64, Matrix, Vector, binary, semiring
from .checks import with_labels
from .components import numbers
from .k_core import k_core
from .louvain import multilevel
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


@with_labels(communities_by_label)
def ecg(
    A: Matrix,
    ensemble: int = 16,
    *,
    least: float = 0.05,
    resolution: float = 1.0,
    weighted: bool = True,
    directed: bool | None = None,
    seed: int = 1,
) -> Communities[Vector]:
    """Communities on which an ``ensemble`` of clusterings agrees, and their modularity in the graph itself.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.
    ensemble : int
        The number of clusterings.
    least : float
        The weight of an edge whose ends are never together, above 0 and at most 1.
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
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import ecg
    >>> rows, cols = [0, 0, 1, 3, 3, 4, 2], [1, 2, 2, 4, 5, 5, 3]
    >>> ecg(Matrix.from_coo(rows, cols, True, nrows=6, ncols=6)).labels.to_dense().tolist()
    [0, 0, 0, 3, 3, 3]
    """
    check_resolution(resolution, "ecg")
    if ensemble < 1 or not 0 < least <= 1:
        raise ValueError(f"ecg: ensemble must be positive and least in (0, 1]; got {ensemble} and {least}")
    W, n = symmetric_weights(A, weighted, directed, "ecg"), A.nrows
    level = Level.of(W, resolution, random_order(n, seed))
    together = binary.second(W, 0.0).new(FP64)
    for number in range(ensemble):
        labels = move(level._replace(coins=random_order(n, seed + number)), numbers(n))
        # together_ij += whether label_i = label_j
        together(binary.plus) << binary.pair(W.within(labels), 1.0)
    # core_ij = 1 - least, where both ends are in the 2-core
    members = k_core(A, 2)
    core = binary.second(semiring.any_second(members.diag() @ W).new() & members).new()
    # weights = least + core together / ensemble
    weights = binary.second(W, least).new(FP64)
    share = binary.times(together.dup(mask=core.S), (1 - least) / ensemble).new()
    weights(binary.plus) << share
    found = best_of_tries(
        weights, seed, lambda start: multilevel(Level.of(weights, resolution, random_order(n, start)))
    )
    return Communities(found.labels, quality(W, found.labels, resolution))
