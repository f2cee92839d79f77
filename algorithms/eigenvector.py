"""Eigenvector centrality: a vertex is important if important vertices point to it.

Returns an FP64 Vector of length 1. Method: the power iteration for the largest eigenvalue of A', shifted by 1 so that
bipartite graphs, whose eigenvalues come in pairs of either sign, converge too.
Invariant: x has length 1 and no negative part. Cost: O(n + m) per step; the number of steps depends on how much larger
the largest eigenvalue is than the next.
References: P. Bonacich, Power and centrality: a family of measures, American J. Sociology 1987; R. von Mises,
H. Pollaczek-Geiringer, Praktische Verfahren der Gleichungsaufloesung, ZAMM 1929.
"""

from __future__ import annotations

from .. import FP64, Matrix, Scalar, Vector, binary, loop, monoid, program, semiring, unary
from ..operators.call_types import SemiringCall
from .checks import graph_algorithm
from .preparing import NotConverged, Start, check_weights, vertex_weights


@graph_algorithm
def eigenvector_centrality(
    A: Matrix, *, weighted: bool = False, start: Start = None, tol: float = 1e-6, max_iterations: int = 100
) -> Vector:
    """The eigenvector centrality of every vertex; ``A[i, j]`` is the edge from i to j, and its weight if ``weighted``.

    The iteration begins with ``start`` (a Vector, an array or a dictionary; equal values by default). It ends when the
    sum of all changes is below ``n * tol``, as in networkx; it raises NotConverged after ``max_iterations``.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight if ``weighted``.
        With a Graph, vertices are labels.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.
    start : Vector or dict, optional
        Values to begin with.
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
        The result still changes after ``max_iterations`` steps.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import eigenvector_centrality
    >>> eigenvector_centrality(generators.star(4)).to_dense().round(4).tolist()
    [0.7071, 0.4082, 0.4082, 0.4082]
    """
    n = A.nrows
    check_weights(A, "eigenvector_centrality", negative=True, weighted=weighted)
    x = vertex_weights(start, n, "eigenvector_centrality: start", FP64)
    walk = semiring.plus_times[FP64] if weighted else semiring.plus_first[FP64]
    error = _iterated(A, x, Scalar.from_value(n * tol, dtype=FP64), walk, max_iterations if n else 0).value
    if n and not error < n * tol:
        raise NotConverged(
            f"eigenvector_centrality: not converged after {max_iterations} iterations; raise max_iterations or tol"
        )
    return x


@program
def _iterated(A: Matrix, x: Vector, least: Scalar, walk: SemiringCall, limit: int) -> Scalar:
    """Iterate on x until the sum of its changes is below ``least``; returns the last sum."""
    before, length, error = x.dup(), Scalar.from_value(1.0), Scalar.from_value(float("inf"))
    for _ in loop(error >= least, limit):
        # before = x
        before << x
        # x = before + before A
        x(binary.plus) << walk(before @ A)
        # length = sqrt(sum of x^2)
        length << binary.times(x & x).new().reduce(monoid.plus)
        length << binary.pow(length & 0.5)
        # x = x / length
        x << binary.truediv(x, length)
        # error = sum of |x - before|
        before << binary.minus(x & before)
        error << unary.abs(before).new().reduce(monoid.plus)
    return error
