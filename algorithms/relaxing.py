"""The relaxation of distances by the (min, +) semiring, for all searches along edges with lengths."""

from __future__ import annotations

from .. import Matrix, Scalar, Vector, binary, loop, monoid, program, select, semiring
from .preparing import Values


def relax(distances: Values, frontier: Values, A: Matrix, **options: str) -> None:
    """One step from the frontier, which becomes the smaller distances. Vectors, or matrices with a row per source.

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
def settle_in_buckets(
    A: Matrix,
    distances: Vector,
    waiting: Vector,
    width: Scalar,
    most: int | None,
    goal: Vector | None = None,
    best: Scalar | None = None,
) -> None:
    """Settle the waiting vertices bucket by bucket, in at most ``most`` buckets.

    With a ``goal``, a Vector with one entry, only as far as they are nearer; ``best`` gets its distance.
    """
    bucket = distances.dup(clear=True)
    lowest, limit = Scalar(distances.dtype), Scalar(distances.dtype)
    lowest << waiting.reduce(monoid.min)
    for _ in loop(waiting, most):
        # bucket = the waiting vertices within width of the nearest one
        limit << binary.plus(lowest & width)
        bucket << select.valuele(waiting, limit)
        for _ in loop(bucket):
            # distances = min(distances, bucket min.+ A); bucket = smaller distances within the bucket
            relax(distances, bucket, A, any_order=True)  # within a bucket the order of relaxations is arbitrary
            bucket << select.valuele(bucket, limit)
        # waiting = distances beyond the bucket; lowest = the nearest of them
        waiting << select.valuegt(distances, limit)
        if goal is not None:
            # best = the distance of the goal; waiting = those below it
            best(binary.min) << binary.first(distances & goal).new().reduce(monoid.min)
            waiting << select.valuelt(waiting, best)
        lowest << waiting.reduce(monoid.min)
