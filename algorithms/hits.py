"""Hubs and authorities: good hubs point to good authorities, good authorities are pointed to by good hubs.

Returns two FP64 Vectors. Method: the power iteration for the largest singular value of A.
Invariant: the scores of either kind add up to 1, unless there are no edges.
Cost: O(n + m) per step; the number of steps depends on how much larger the largest singular value is than the next.
Reference: J. Kleinberg, Authoritative sources in a hyperlinked environment, J. ACM 1999.
"""

from __future__ import annotations

from .. import Matrix, Vector, binary, semiring
from .checks import graph_algorithm
from .preparing import NotConverged, change, check_weights, total


@graph_algorithm
def hits(A: Matrix, *, weighted: bool = True, tol: float = 1e-8, max_iterations: int = 1000) -> tuple[Vector, Vector]:
    """Hub and authority scores; ``A[i, j]`` is the weight of the edge from i to j, zero or more.

    All scores are 0 if there are no edges. Done when the sum of all changes of the hubs is below ``tol``; NotConverged
    after ``max_iterations``.

    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import hits
    >>> hubs, authorities = hits(Matrix.from_coo([0, 1], [2, 2], 1.0, nrows=3, ncols=3))
    >>> hubs.to_dense().tolist(), authorities.to_dense().tolist()
    ([0.5, 0.5, 0.0], [0.0, 0.0, 1.0])
    """
    n = A.nrows
    if weighted:
        check_weights(A, "hits")
    forward, backward = (
        (semiring.plus_times, semiring.plus_times) if weighted else (semiring.plus_first, semiring.plus_second)
    )
    hubs = Vector.from_scalar(1 / max(n, 1), n)
    for _ in range(max_iterations):
        before = hubs
        # authorities = hubs A
        authorities = of_sum_one(forward(before @ A).new(float), n)
        # hubs = A authorities
        hubs = of_sum_one(backward(A @ authorities).new(float), n)
        if change(hubs, before) < tol or not total(hubs):
            return hubs, authorities
    raise NotConverged(f"hits: still changing after {max_iterations} iterations; allow more, or a larger tol")


def of_sum_one(x: Vector, n: int) -> Vector:
    """All n scores, divided by their sum (unless that is 0)."""
    full = Vector.from_scalar(0.0, n)
    # full += x / sum of x
    full(binary.plus) << binary.truediv(x, float(total(x)) or 1.0)
    return full
