"""PageRank: the share of time that a random walker spends at every vertex.

Returns FP64 ranks that add up to 1. Method: the power iteration. The walker follows an edge with probability
``damping``, in proportion to its weight, and otherwise jumps; from a vertex without outgoing edges it always jumps.
Invariant: the ranks add up to 1 after every step. Cost: O(n + m) per step, about log(tol) / log(damping) steps.
Reference: L. Page, S. Brin, R. Motwani, T. Winograd, The PageRank citation ranking, Stanford 1999.
"""

from __future__ import annotations

from .. import Matrix, Scalar, Vector, binary, loop, monoid, select, semiring, unary
from ..exceptions import DimensionMismatch, InvalidValue
from .checks import graph_algorithm
from .preparing import NotConverged, check_weights, smallest, total


@graph_algorithm
def pagerank(
    A: Matrix,
    damping: float = 0.85,
    *,
    personalization: Vector | None = None,
    dangling: Vector | None = None,
    start: Vector | None = None,
    weighted: bool = True,
    tol: float = 1e-6,
    max_iterations: int = 100,
) -> Vector:
    """The rank of every vertex; ``A[i, j]`` is the weight of the edge from i to j, zero or more.

    ``personalization`` says where jumps lead (everywhere alike by default) and ``dangling`` where those from vertices
    without outgoing edges do (like other jumps); both are weights that need not add up to 1. Done when the sum of all
    changes is below ``n * tol``, as in networkx; NotConverged after ``max_iterations``.

    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import pagerank
    >>> pagerank(Matrix.from_coo([0, 1, 2], [1, 2, 1], 1.0, nrows=3, ncols=3)).to_dense().round(3).tolist()
    [0.05, 0.486, 0.464]
    """
    n = A.nrows
    if n == 0:
        return Vector(float, 0)
    if not 0 <= damping <= 1:
        raise InvalidValue(f"pagerank: damping must be from 0 to 1, not {damping}")
    jump = distribution(personalization, n, "personalization")
    lost = jump if dangling is None else distribution(dangling, n, "dangling")
    ranks = distribution(start, n, "start") if start is not None else Vector.from_scalar(1 / n, n)
    if weighted:
        check_weights(A, "pagerank")
    # out_i = sum_j A_ij, where that is not 0
    out = (A.dup(float) if weighted else binary.pair(A, 1.0).new(float)).reduce_rowwise(monoid.plus).new()
    out << select.valuene(out, 0.0)
    spread = semiring.plus_times if weighted else semiring.plus_first
    before, share = ranks.dup(), out.dup()
    error, stuck = Scalar.from_value(float("inf")), Scalar.from_value(0.0)
    for _ in loop(error >= n * tol, max_iterations):
        # before = ranks
        before << ranks
        # share = damping * before / out
        share << binary.truediv(before & out)
        share << binary.times(share, damping)
        # stuck = sum of before where there is no out
        stuck << before.dup(mask=~out.S).reduce(monoid.plus, allow_empty=False)
        stuck << binary.times(stuck & damping)
        # ranks = (1 - damping) jump + damping stuck lost
        ranks << binary.times(jump, 1 - damping)
        ranks(binary.plus) << binary.times(lost, stuck)
        # ranks += share A
        ranks(binary.plus) << spread(share @ A)
        # error = sum of |ranks - before|
        before << binary.minus(ranks & before)
        error << unary.abs(before).new().reduce(monoid.plus)
    if error.value < n * tol:
        return ranks
    raise NotConverged(f"pagerank: still changing after {max_iterations} iterations; allow more, or a larger tol")


def distribution(given: Vector | None, n: int, what: str) -> Vector:
    """Weights of all vertices that add up to 1; equal ones unless they are given."""
    if given is None:
        return Vector.from_scalar(1 / n, n)
    if given.size != n:
        raise DimensionMismatch(f"pagerank: {what} has size {given.size}, the graph {n} vertices")
    weight = total(given)
    if not 0 < weight < float("inf") or smallest(given) < 0:
        raise InvalidValue(f"pagerank: {what} must be weights of which none is negative and some are not zero")
    full = Vector.from_scalar(0.0, n)
    # full += given / sum of given
    full(binary.plus) << binary.truediv(given, float(weight))
    return full
