"""PageRank: the share of time that a random walker spends at every vertex.

Returns ranks that add up to 1, FP64 or FP32. Method: the power iteration. The walker follows an edge with probability
``damping``, in proportion to its weight, and otherwise jumps; from a vertex without outgoing edges it always jumps.
Invariant: the ranks add up to 1 after every step.
Theorem: a step leaves at most ``damping`` of the distance to the ranks, whatever it begins with, so that the ranks of
the graph before a change need fewer steps. Cost: O(n + m) per step, about log(tol) / log(damping) steps.
Reference: L. Page, S. Brin, R. Motwani, T. Winograd, The PageRank citation ranking, Stanford 1999.
"""

from __future__ import annotations

import numpy as np

from .. import FP32, FP64, Matrix, Scalar, Vector, binary, dtypes, loop, monoid, program, select, semiring, unary
from ..exceptions import InvalidValue
from ..foundation.types import DTypeLike
from ..operators.call_types import SemiringCall
from .changes import check_changed, old_values
from .checks import graph_algorithm
from .preparing import NotConverged, Start, check_weights, largest, smallest, vertex_weights, with_zeros

ROUNDING = 64  # times the precision: the change of a step by rounding, some 2 / (1 - damping) rounding errors
FITTING = 1e-20, 1e20  # the range of sums of weights by which FP32 ranks may be divided


@graph_algorithm
def pagerank(
    A: Matrix,
    damping: float = 0.85,
    *,
    personalization: Start = None,
    dangling: Start | str = None,
    start: Start = None,
    changed: Matrix | None = None,
    weighted: bool = True,
    tol: float = 1e-6,
    max_iterations: int = 100,
    iterations: int | None = None,
    dtype: DTypeLike = FP64,
) -> Vector:
    """The rank of every vertex; ``A[i, j]`` is the weight of the edge from i to j, zero or more.

    ``personalization`` is the distribution of jumps (uniform by default), ``dangling`` that of jumps from vertices
    without outgoing edges (like other jumps), ``start`` the initial ranks. Each is a Vector, an array or a dictionary
    by vertex; its weights need not add up to 1. The iteration ends when the sum of all changes is below ``n * tol``, as
    in networkx. It raises NotConverged after ``max_iterations``, unless only rounding errors remain. With
    ``iterations`` it takes exactly this number of steps, as LDBC Graphalytics requires. With ``dangling="drop"`` the
    walkers at vertices without outgoing edges disappear, as in the GAP benchmark: ranks then add up to less than 1.

    With ``dtype=FP32`` ranks have 32 bits, which halves the random reads of a step. Sums are still FP64, so that
    vertices with many edges lose no precision. Ranks have a relative difference of about 1e-6 to those in FP64. The sum
    of all changes may then stay around 1e-7: a smaller ``n * tol`` takes all iterations.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.
    damping : float
        The probability that the walker follows an edge.
    personalization : Vector or dict, optional
        The distribution of jumps.
    dangling : Vector, dict or "drop", optional
        The distribution of jumps from vertices without outgoing edges.
    start : Vector or dict, optional
        Values to begin with.
    changed : Matrix, optional
        What changed since ``start`` was computed, ``A`` minus the Matrix before, as for other algorithms that repair a
        result. Which edges these are does not matter here; ``start`` is not scaled.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.
    tol : float
        The iteration ends when the changes are below this bound.
    max_iterations : int
        The largest number of iterations; without convergence by then, NotConverged is raised.
    iterations : int, optional
        The exact number of iterations, in place of a test for convergence.
    dtype : dtype
        The type of the result: FP64 or FP32.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        A weight is NaN, infinite or negative, or ``iterations`` is.
    DomainMismatch
        Weights are complex numbers or records.
    NotConverged
        The result still changes after ``max_iterations`` steps.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import pagerank
    >>> A = Matrix.from_coo([0, 1, 2], [1, 2, 1], 1.0, nrows=3, ncols=3)
    >>> pagerank(A).to_dense().round(3).tolist()
    [0.05, 0.486, 0.464]
    """
    n, kind = A.nrows, rank_type(dtype)
    if n == 0:
        return Vector(kind, 0)
    if not 0 <= damping <= 1:
        raise InvalidValue(f"pagerank: damping must be from 0 to 1; got {damping}")
    if iterations is not None and iterations < 0:
        raise InvalidValue(f"pagerank: iterations must not be negative; got {iterations}")
    jump = vertex_weights(personalization, n, "pagerank: personalization", kind)
    if isinstance(dangling, str) and dangling == "drop":
        lost = Vector.from_scalar(0.0, n, kind)
    else:
        lost = None if dangling is None else vertex_weights(dangling, n, "pagerank: dangling", kind)
    if changed is None:
        ranks = vertex_weights(start, n, "pagerank: start", kind)
    else:
        check_changed(A, changed)
        ranks = with_zeros(old_values(start, A), n, kind)
    check_weights(A, "pagerank", weighted=weighted)
    # out_i = sum_j A_ij, where that is not 0
    out = (A.dup(float) if weighted else binary.pair(A, 1.0).new(float)).reduce_rowwise(monoid.plus).new()
    out << select.valuene(out, 0.0)
    if weighted and kind is FP32 and A.dtype.np_type.kind == "f" and out.nvals:
        check_range(smallest(out), largest(out))
    # all sums are FP64
    spread = (semiring.plus_times if weighted else semiring.plus_first)[FP64]
    # the sum of changes is never below -1
    least = Scalar.from_value(n * tol if iterations is None else -1.0, dtype=FP64)
    limit, damp = max_iterations if iterations is None else iterations, Scalar.from_value(damping, dtype=FP64)
    error = _iterated(A, ranks, out.dup(kind), jump, lost, least, damp, spread, limit).value
    if iterations is not None or error < max(n * tol, ROUNDING * np.finfo(kind.np_type).eps):
        return ranks
    said = f"pagerank: not converged after {max_iterations} iterations; raise max_iterations or tol"
    raise NotConverged(said, ranks)


@program
def _iterated(
    A: Matrix,
    ranks: Vector,
    out: Vector,
    jump: Vector,
    lost: Vector | None,
    least: Scalar,
    damping: Scalar,
    spread: SemiringCall,
    limit: int,
) -> Scalar:
    """Iterate on ranks until the sum of their changes is below ``least``; returns the last sum."""
    n, kind, plus = A.nrows, ranks.dtype, monoid.plus[FP64]
    # rate = damping / out, and 0 where out has no entry: full vectors are read fastest
    rate = with_zeros(binary.truediv(damping, out), n, kind)
    # rest = 1 - damping
    rest = Scalar(FP64)
    rest << binary.rminus(damping & 1.0)
    before, share = ranks.dup(), rate.dup()
    error, stuck = Scalar.from_value(float("inf")), Scalar.from_value(0.0)
    for _ in loop(error >= least, limit):
        # before = ranks
        before << ranks
        # share = before * rate
        share << binary.times(before & rate)
        # stuck = damping times the sum of before where out has no entry
        stuck << before.dup(mask=~out.S).reduce(plus, allow_empty=False)
        stuck << binary.times(stuck & damping)
        # ranks = (1 - damping) jump + stuck lost
        ranks << binary.times(jump, rest)
        ranks(binary.plus) << binary.times(jump if lost is None else lost, stuck)
        # ranks += share A
        ranks(binary.plus) << spread(share @ A)
        # error = sum of |ranks - before|
        before << binary.minus(ranks & before)
        error << unary.abs(before).new().reduce(plus)
    return error


def rank_type(dtype: DTypeLike) -> dtypes.DataType:
    """FP64 or FP32, by any of its names.

    >>> rank_type("float32"), rank_type(float)
    (FP32, FP64)
    """
    try:
        kind = dtypes.lookup_dtype(dtype)
    except (TypeError, ValueError):
        kind = dtypes.BOOL  # any type that the check below rejects
    if kind is not FP32 and kind is not FP64:
        raise InvalidValue(f"pagerank: dtype must be FP64 or FP32; got {dtype!r}")
    return kind


def check_range(low: float, high: float) -> None:
    """Shares of ranks can be kept in FP32 for sums of weights from ``low`` to ``high``."""
    if not FITTING[0] <= low <= high <= FITTING[1]:
        raise InvalidValue(
            f"pagerank: the sums of weights per vertex range from {low:.3g} to {high:.3g}, beyond FP32 ranks "
            f"({FITTING[0]:g} to {FITTING[1]:g}); scale the weights, or pass dtype=FP64"
        )
