"""Distances that get smaller step by step, by the (min, +) semiring: what searches along edges with lengths share."""

from __future__ import annotations

from typing import Any

from .. import Matrix, Scalar, Vector, binary, loop, monoid, program, select, semiring


def relax(distances: Any, frontier: Any, A: Matrix, **options: Any) -> None:
    """One step from the frontier; it becomes what got nearer. Vectors, or matrices with a row per source.

    >>> A = Matrix.from_coo([0, 0, 1], [1, 2, 2], [4, 9, 3], nrows=3, ncols=3)
    >>> distances = Vector.from_coo([0], [0], size=3)
    >>> frontier = distances.dup()
    >>> relax(distances, frontier, A)
    >>> frontier.to_dict(), distances.to_dict()
    ({1: 4, 2: 9}, {0: 0, 1: 4, 2: 9})
    """
    # nearer = frontier min.+ A
    nearer = semiring.min_plus[distances.dtype](frontier @ A).new(**options)
    # known = distances <= nearer, where both are
    known = binary.le(distances & nearer).new()
    # frontier<!known> = nearer
    frontier(~known.V, replace=True) << nearer
    # distances<frontier> = frontier
    distances(frontier.S) << frontier


@program
def settle_in_buckets(A: Matrix, distances: Vector, waiting: Vector, width: Scalar, most: int | None) -> None:
    """Settle the vertices that are waiting: bucket by bucket, up to a number of buckets."""
    bucket = distances.dup(clear=True)
    lowest, limit = Scalar(distances.dtype), Scalar(distances.dtype)
    lowest << waiting.reduce(monoid.min)
    for _ in loop(waiting, most):
        # bucket = the waiting within width of the nearest
        limit << binary.plus(lowest & width)
        bucket << select.valuele(waiting, limit)
        for _ in loop(bucket):
            # distances = min(distances, bucket min.+ A); bucket = what got nearer and still belongs in it
            relax(distances, bucket, A, any_order=True)  # paths of a bucket are no matter of steps
            bucket << select.valuele(bucket, limit)
        # waiting = distances beyond the bucket; lowest = the nearest of them
        waiting << select.valuegt(distances, limit)
        lowest << waiting.reduce(monoid.min)
