"""PageRank of a graph that changed: the old ranks are repaired by pushing what the change adds and takes away.

Theorem: if x = g p + d x P before the change, with jumps p and one number g, then the z with z = g p + d z P' after it,
divided by its sum, are the ranks of the new graph. Proof: walkers from vertices without outgoing edges jump by p, so
they change g alone, and z is proportional to g. The residual r = g p + d z P' - z of z = x is d x (P' - P), which is 0
except at the old and new neighbours of changed vertices. Adding r_i to z_i replaces r_i by d r_i times row i of P': z
stays a solution up to r, and the sum of all |r_i| falls by (1 - d) |r_i| or more.
A residual is pushed if it is above ``n * tol / m`` times the number of edges of its vertex. At the end the sum of all
|r_i| is at most ``n * tol``, as for the power iteration; what earlier repairs left adds up.
Cost: O(n) per step, and over all steps at most m R / (n tol (1 - d)) edges, with R the sum of all |r_i| at the start.
Reference: F. McSherry, A uniform approach to accelerated PageRank computation, WWW 2005; R. Andersen, F. Chung,
K. Lang, Local graph partitioning using PageRank vectors, FOCS 2006.
"""

from __future__ import annotations

from .. import FP64, Matrix, Scalar, Vector, agg, binary, loop, monoid, program, select, semiring, unary
from ..exceptions import InvalidValue
from ..foundation.types import DTypeLike
from ..operators.call_types import SemiringCall
from .changes import changed_rows, old_values
from .preparing import NotConverged, Start, check_weights, total, with_zeros


def repaired_ranks(
    A: Matrix,
    start: Start,
    changed: Matrix,
    damping: float,
    dtype: DTypeLike,
    tol: float,
    limit: int,
    weighted: bool,
    dangling: object,
) -> Vector:
    """The ranks of A; ``start`` are those before the change.

    >>> A = Matrix.from_coo([0, 1, 2], [1, 2, 0], 1.0)
    >>> added = Matrix.from_coo([0], [2], 1.0, nrows=3, ncols=3)
    >>> A.update([0], [2], 1.0)
    >>> repaired_ranks(A, [1 / 3] * 3, added, 0.85, FP64, 1e-9, 99, True, None).to_dense().round(3).tolist()
    [0.388, 0.215, 0.397]
    """
    if not (dangling is None or (isinstance(dangling, str) and dangling == "drop")):
        raise InvalidValue('pagerank: changed= supports dangling=None and "drop" only; compute without changed')
    ranks = Vector.from_scalar(0.0, A.nrows, dtype)
    ranks(binary.plus) << old_values(start, A)
    vertices, *rows = changed_rows(A, changed)
    spread = (semiring.plus_times if weighted else semiring.plus_first)[FP64]
    residual, x = Vector(dtype, A.nrows), ranks[vertices].new()
    for edges, sign in zip(rows, (damping, -damping), strict=True):
        check_weights(edges, "pagerank")
        # residual = d x (P' - P), where both have changed
        share = binary.times(binary.truediv(x & out_sums(edges, weighted)).new(), sign).new()
        residual(binary.plus) << spread(share @ edges)
    # rate = damping / sum_j A_ij, where that is not 0
    rate = with_zeros(binary.truediv(damping, out_sums(A, weighted)), A.nrows, dtype)
    # least = n tol / m times the number of edges of each vertex
    degree, close = A.reduce_rowwise(agg.count).new(float), A.nrows * tol / max(A.nvals, 1)
    least = with_zeros(binary.times(degree, close), A.nrows, dtype)
    left = _pushed(A, ranks, residual, rate, least, spread, limit)
    # ranks = ranks / their sum
    if dangling is None:
        ranks << binary.truediv(ranks, float(total(ranks)))
    if left.value:
        raise NotConverged(f"pagerank: not converged after {limit} pushes; raise max_iterations or tol", ranks)
    return ranks


def out_sums(A: Matrix, weighted: bool) -> Vector:
    """The weight of all outgoing edges of each vertex, where that is not 0."""
    edges = A if weighted else A.pattern()
    return select.valuene(edges.reduce_rowwise(monoid.plus[FP64]).new(), 0.0).new()


@program
def _pushed(
    A: Matrix, ranks: Vector, residual: Vector, rate: Vector, least: Vector, spread: SemiringCall, limit: int
) -> Scalar:
    """Push residuals above ``least`` until there are none; returns whether some are left."""
    pushed, share, left = residual.dup(), residual.dup(), Scalar.from_value(False)
    pushed(binary.gt(unary.abs(residual).new() & least).new().V, replace=True) << residual
    for _ in loop(pushed, limit):
        # ranks += pushed; residual -= pushed
        ranks(binary.plus) << pushed
        residual(~pushed.S, replace=True) << residual
        # residual += (pushed rate) A
        share << binary.times(pushed & rate)
        residual(binary.plus) << spread(share @ A)
        # pushed = the residuals above least
        pushed(binary.gt(unary.abs(residual).new() & least).new().V, replace=True) << residual
    left << unary.one(pushed).new().reduce(monoid.lor, allow_empty=False)
    # what is left of the residuals belongs to the ranks, too
    ranks(binary.plus) << residual
    return left
