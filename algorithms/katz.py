"""Katz centrality: the number of walks that end at a vertex; longer walks count less.

Returns an FP64 Vector. Method: the fixed point of x = alpha x A + beta, by iteration from 0. Converges if alpha is
below the inverse of the largest eigenvalue of A.
Invariant: after k steps x counts the walks of fewer than k edges. Cost: O(n + m) per step.
Reference: L. Katz, A new status index derived from sociometric analysis, Psychometrika 1953.
"""

from __future__ import annotations

import math

from .. import FP64, Matrix, Scalar, Vector, agg, binary, loop, monoid, program, semiring, unary
from ..operators.call_types import SemiringCall
from .checks import graph_algorithm
from .preparing import NotConverged, check_weights, largest

ROUNDS = 30  # of the bound of the largest eigenvalue


@graph_algorithm
def katz(
    A: Matrix,
    alpha: float | None = None,
    beta: float = 1.0,
    *,
    weighted: bool = False,
    normalized: bool = True,
    tol: float = 1e-6,
    max_iterations: int = 1000,
) -> Vector:
    """The Katz centrality of every vertex; ``A[i, j]`` is the edge from i to j, and its weight if ``weighted``.

    ``normalized`` scales the result to length 1. The iteration ends when the sum of all changes is below ``n * tol``,
    as in networkx. It raises NotConverged after ``max_iterations``, or if values overflow.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight if ``weighted``.
        With a Graph, vertices are labels.
    alpha : float, optional
        The factor of a walk for each of its edges. By default 0.1, or less if the iteration could diverge: at most 0.9
        divided by a bound of the largest eigenvalue.
    beta : float or Vector
        The constant that every step adds at each vertex.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.
    normalized : bool
        Whether results are scaled as in networkx.
    tol : float
        The iteration ends when the changes are below this bound.
    max_iterations : int
        The largest number of iterations; without convergence by then, NotConverged is raised.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        A weight is NaN or infinite.
    DomainMismatch
        Weights are complex numbers or records.
    NotConverged
        The result still changes after ``max_iterations`` steps, or ``alpha`` is too large for the graph.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import katz
    >>> katz(generators.star(4)).to_dense().round(4).tolist()
    [0.5636, 0.4769, 0.4769, 0.4769]
    """
    n = A.nrows
    check_weights(A, "katz", negative=True, weighted=weighted)
    walk = (semiring.plus_times if weighted else semiring.plus_first)[FP64]
    if alpha is None:
        alpha = min(0.1, 0.9 / max(largest_eigenvalue(A, walk), 1.0))
    x = Vector.from_scalar(0.0, n)
    given = (Scalar.from_value(value, dtype=FP64) for value in (alpha, beta, n * tol))
    error = _iterated(A, x, *given, walk, max_iterations).value if n else 0.0
    if not math.isfinite(error):
        raise NotConverged(f"katz: values overflow: alpha = {alpha} must be below 1 / (largest eigenvalue of A)")
    if n and not error < n * tol:
        raise NotConverged(f"katz: not converged after {max_iterations} iterations; raise them or lower alpha")
    # length = sqrt(sum_i x_i^2)
    length = x.reduce(agg.hypot).new().get(0.0) if normalized else 1.0
    if length:
        # x = x / length
        x << binary.truediv(x, length)
    return x


def largest_eigenvalue(A: Matrix, walk: SemiringCall) -> float:
    """An upper bound of the absolute values of all eigenvalues, close to the largest one in most graphs.

    For any x above 0 it is the largest of all (x |A|)_i / x_i (L. Collatz, 1942; H. Wielandt, 1950).

    >>> from grblas_gpu import generators
    >>> round(largest_eigenvalue(generators.complete(5), semiring.plus_first[FP64]), 6)
    4.0
    """
    x, bound = Vector.from_scalar(1.0, A.nrows), 0.0
    size = abs(A).new()
    for _ in range(ROUNDS):
        # step = x |A| + x; bound = max step_i / x_i - 1: the added x keeps all values above 0
        step = x.dup()
        step(binary.plus) << walk(x @ size)
        bound = largest(binary.truediv(step & x).new()) - 1.0
        # x = step / max step
        x << binary.truediv(step, largest(step))
    return bound


@program
def _iterated(
    A: Matrix, x: Vector, alpha: Scalar, beta: Scalar, least: Scalar, walk: SemiringCall, limit: int
) -> Scalar:
    """Iterate on x until the sum of its changes is below ``least``; returns the last sum."""
    before, step, error = x.dup(), x.dup(), Scalar.from_value(float("inf"))
    for _ in loop(error >= least, limit):
        # before = x
        before << x
        # x = beta + alpha before A
        step << walk(before @ A)
        step << binary.times(step, alpha)
        x << binary.second(x, beta)
        x(binary.plus) << step
        # error = sum of |x - before|
        before << binary.minus(x & before)
        error << unary.abs(before).new().reduce(monoid.plus)
    return error
