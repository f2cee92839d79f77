"""Shortest paths from one vertex: Bellman-Ford, delta-stepping, and ``sssp``, which chooses.

Returns the distance of every vertex that can be reached, INT64 for integer weights and FP64 otherwise.
Method: distances are relaxed with the (min, +) semiring, Bellman-Ford's from all vertices that became nearer, those of
delta-stepping in buckets of width delta, light edges first. Invariant: a distance is the length of some path, never
less than the shortest; and edges that could make one smaller start at the vertices still waiting.
Cost: O(m) per step, at most n steps of Bellman-Ford; delta-stepping O(n + m) expected for random lengths.
References: R. Bellman, On a routing problem, 1958; U. Meyer, P. Sanders, Delta-stepping, J. Algorithms 2003;
U. Sridhar et al., Delta-stepping SSSP: from vertices and edges to GraphBLAS implementations, GABB 2019.
"""

from __future__ import annotations

from typing import Any

from .. import Matrix, Vector, binary, loop, select, semiring
from ..exceptions import InvalidValue
from .checks import check_source, graph_algorithm
from .preparing import check_weights, smallest, total

BUCKET = 4.0  # default width of a bucket in mean lengths: an engine that works in bulk likes large ones
SPREAD, DEGREE = 1e4, 8  # lengths that differ by more, on graphs of no higher degree: measured on grids, random graphs


def distance_type(A: Matrix) -> type:
    """Sums of integers stay integers."""
    return float if A.dtype.np_type.kind == "f" else int


def relax(distances: Any, frontier: Any, A: Matrix) -> None:
    """One step from the frontier; it becomes what got nearer. Vectors, or matrices with a row per source."""
    # nearer = frontier min.+ A
    nearer = semiring.min_plus[distances.dtype](frontier @ A).new()
    # known = distances <= nearer, where both are
    known = binary.le(distances & nearer).new()
    # frontier<!known> = nearer
    frontier(~known.V, replace=True) << nearer
    # distances<frontier> = frontier
    distances(frontier.S) << frontier


@graph_algorithm
def bellman_ford(A: Matrix, source: int) -> Vector:
    """Distances from a vertex; ``A[i, j]`` is the length of the edge from i to j and may be negative.

    A cycle of negative length that the source can reach is an InvalidValue.

    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import bellman_ford
    >>> A = Matrix.from_coo([0, 0, 1], [1, 2, 2], [4, 3, -2], nrows=4, ncols=4)
    >>> bellman_ford(A, 0).to_dict()
    {0: 0, 1: 4, 2: 2}
    """
    check_weights(A, "bellman_ford", negative=True)
    distances = Vector.from_coo([check_source(A, source)], [0], distance_type(A), size=A.nrows)
    frontier = distances.dup()
    for _ in loop(frontier, A.nrows):
        # distances = min(distances, frontier min.+ A)
        relax(distances, frontier, A)
    if frontier.nvals:
        raise InvalidValue(f"bellman_ford: vertex {source} reaches a cycle of negative length")
    return distances


@graph_algorithm
def delta_stepping(A: Matrix, source: int, delta: float | None = None) -> Vector:
    """Distances from a vertex; ``A[i, j]`` is the length of the edge from i to j, zero or more.

    Vertices within ``delta`` of each other are settled together; by default four times the mean length.

    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import delta_stepping
    >>> A = Matrix.from_coo([0, 0, 2], [1, 2, 1], [4.0, 1.5, 2.0], nrows=4, ncols=4)
    >>> delta_stepping(A, 0, delta=2).to_dict()
    {0: 0.0, 1: 3.5, 2: 1.5}
    """
    check_weights(A, "delta_stepping")
    delta = default_delta(A) if delta is None else delta
    if not 0 < delta < float("inf"):
        raise InvalidValue(f"delta_stepping: delta must be a positive number, not {delta}")
    # light = A where A <= delta, heavy = A where A > delta
    light, heavy = select.valuele(A, delta).new(), select.valuegt(A, delta).new()
    distances = Vector.from_coo([check_source(A, source)], [0], distance_type(A), size=A.nrows)
    waiting = distances.dup()
    while waiting.nvals:
        # bucket = the waiting within delta of the nearest
        limit = smallest(waiting) + delta
        bucket = select.valuele(waiting, limit).new()
        settled = Vector(bool, A.nrows)
        for _ in loop(bucket):
            # settled<bucket> = true
            settled(bucket.S) << True
            # distances = min(distances, bucket min.+ light)
            relax(distances, bucket, light)
            # bucket = what got nearer and still belongs in it
            bucket << select.valuele(bucket, limit)
        # frontier<settled> = distances
        frontier = distances.dup(mask=settled.S)
        # distances = min(distances, frontier min.+ heavy)
        relax(distances, frontier, heavy)
        # waiting = distances beyond the bucket
        waiting << select.valuegt(distances, limit)
        # waiting<frontier> = frontier, in case that rounding brought one of them down to the limit
        waiting(frontier.S) << frontier
    return distances


def default_delta(A: Matrix) -> float:
    """Four times the mean length, and at least 1 for integers."""
    # total = sum_ij A_ij, in floats
    width = BUCKET * float(total(A.dup(float))) / max(A.nvals, 1)
    return max(1, int(width)) if distance_type(A) is int else (width or 1.0)


@graph_algorithm
def sssp(A: Matrix, source: int) -> Vector:
    """Distances from a vertex, by the algorithm that suits the lengths ``A[i, j]``.

    Bellman-Ford, unless no length is negative, they differ widely, and the degrees are small: then many distances would
    be corrected many times, and delta-stepping wins.

    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import sssp
    >>> sssp(Matrix.from_coo([0, 0, 2], [1, 2, 1], [4, 1, 2]), 0).to_dict()
    {0: 0, 1: 3, 2: 1}
    """
    few = 0 < A.nvals <= DEGREE * A.nrows
    low, high, _ = A.value_range() if few else (0, 0, True)
    delta_pays = few and low >= 0 and high > SPREAD * low
    return delta_stepping(A, source) if delta_pays else bellman_ford(A, source)
