"""PageRank of a graph that changed: the old ranks are repaired by pushing what the change adds and takes away.

Theorem: the z with z = g p + d z P, for the matrix P of the graph now, jumps p and any number g, is proportional to the
ranks: walkers from vertices without outgoing edges jump by p, so they change g alone. The residual of any x is
r = g p + d x P - x. With g such that all r_i add up to 0, r of the old ranks is 0 except at the old and new neighbours
of changed vertices. Adding a q to x subtracts w = q - d q P from r: z stays a solution up to r.
Method: q is r where it is not small, minus a part of the last q, and is added some number of times; both numbers make
the sum of r_i^2 / out_i least (Orthomin). On undirected graphs, q - d q P is symmetric in this product, and it is the
method of conjugate residuals. A residual is small below a quarter of ``n * tol / m`` times the edges of its vertex.
At the end the sum of all |r_i| is below ``n * tol``, as for the power iteration, whatever ``start`` was.
Cost: one product of all edges; then O(n) and the edges of vertices with residuals, per step.
Reference: F. McSherry, A uniform approach to accelerated PageRank computation, WWW 2005; R. Andersen, F. Chung,
K. Lang, Local graph partitioning using PageRank vectors, FOCS 2006; P. Vinsome, Orthomin, SPE 1976.
"""

from __future__ import annotations

from .. import FP64, Matrix, Scalar, Vector, agg, binary, loop, monoid, program, select, semiring, unary
from ..exceptions import InvalidValue
from ..operators.call_types import SemiringCall
from .changes import check_changed, old_values
from .preparing import NotConverged, Start, check_weights, total, with_zeros

ENOUGH = 0.95  # of the sum of residuals may be left by a step; a push leaves the damping
SMALL = 0.25  # part of the bound of the residuals that is left where it is


def repaired_ranks(
    A: Matrix,
    start: Start,
    changed: Matrix,
    jump: Vector,
    damping: float,
    tol: float,
    limit: int,
    weighted: bool,
    dangling: object,
) -> Vector:
    """The ranks of A; ``start`` are those before the change.

    >>> A = Matrix.from_coo([0, 1, 2], [1, 2, 0], 1.0)
    >>> added = Matrix.from_coo([0], [2], 1.0, nrows=3, ncols=3)
    >>> A.update([0], [2], 1.0)
    >>> jump = Vector.from_scalar(1 / 3, 3, float)
    >>> repaired_ranks(A, jump, added, jump, 0.85, 1e-9, 99, True, None).to_dense().round(3).tolist()
    [0.388, 0.215, 0.397]
    """
    if not (dangling is None or (isinstance(dangling, str) and dangling == "drop")):
        raise InvalidValue('pagerank: changed= supports dangling=None and "drop" only; compute without changed')
    check_changed(A, changed)
    check_weights(A, "pagerank", weighted=weighted)
    n, kind = A.nrows, jump.dtype
    spread = (semiring.plus_times if weighted else semiring.plus_first)[FP64]
    zero, weight = Vector.from_scalar(0.0, n, kind), Vector.from_scalar(1.0, n, kind)
    ranks, out = with_zeros(old_values(start, A), n, kind), out_sums(A, weighted)
    # weight = 1 / out and rate = damping / out, where that is not 0
    weight(out.S) << unary.minv(out)
    rate = with_zeros(binary.truediv(damping, out), n, kind)
    # least = n tol / m times the number of edges of each vertex
    bound, degrees = n * tol, A.reduce_rowwise(agg.count).new(float)
    least = with_zeros(binary.times(degrees, SMALL * bound / max(A.nvals, 1)), n, kind)
    # residual = g jump + damping ranks P - ranks
    g = 1 - damping if dangling else float(total(ranks)) - damping * float(total(ranks.dup(mask=out.S)))
    residual = binary.times(jump, g).new()
    residual(binary.plus) << spread(binary.times(ranks & rate).new() @ A)
    residual(binary.minus) << ranks
    error = float(_pushed(A, ranks, residual, zero, rate, weight, least, spread, Scalar.from_value(bound), limit).value)
    # ranks = ranks / their sum
    if dangling is None:
        ranks << binary.truediv(ranks, float(total(ranks)))
    if not error < bound:
        raise NotConverged(f"pagerank: not converged after {limit} pushes; raise max_iterations or tol", ranks)
    return ranks


def out_sums(A: Matrix, weighted: bool) -> Vector:
    """The weight of all outgoing edges of each vertex, where that is not 0."""
    edges = A if weighted else A.pattern()
    return select.valuene(edges.reduce_rowwise(monoid.plus[FP64]).new(), 0.0).new()


@program
def _pushed(
    A: Matrix,
    ranks: Vector,
    residual: Vector,
    zero: Vector,
    rate: Vector,
    weight: Vector,
    least: Vector,
    spread: SemiringCall,
    bound: Scalar,
    limit: int,
) -> Scalar:
    """Push residuals until their sum is below the bound; returns the sum."""
    plus = monoid.plus[FP64]
    pushed, share, image, step, last = residual.dup(), residual.dup(), zero.dup(), zero.dup(), zero.dup()
    error, part, goal = Scalar.from_value(0.0), Scalar.from_value(0.0), Scalar.from_value(0.0)
    norm, helped = Scalar.from_value(1.0), Scalar.from_value(1.0)
    one, minus, enough = Scalar.from_value(1.0), Scalar.from_value(-1.0), Scalar.from_value(ENOUGH)
    error << unary.abs(residual).new().reduce(plus)
    for _ in loop(error >= bound, limit):
        # pushed = the residuals above least; image = pushed - damping pushed P
        pushed(binary.gt(unary.abs(residual).new() & least).new().V, replace=True) << residual
        share << binary.times(pushed & rate)
        image << zero
        image(binary.plus) << pushed
        image(binary.minus) << spread(share @ A)
        # step = pushed - (image, last) / (last, last) step; the same for its image
        part << binary.times(binary.times(image & last).new() & weight).new().reduce(plus)
        part << binary.truediv(part & norm)
        part << binary.times(binary.times(part & helped).new() & minus)
        step << binary.times(step, part)
        step(binary.plus) << pushed
        last << binary.times(last, part)
        last(binary.plus) << image
        # ranks += (residual, last) / (last, last) step
        norm << binary.times(binary.times(last & last).new() & weight).new().reduce(plus)
        part << binary.times(binary.times(residual & last).new() & weight).new().reduce(plus)
        part << binary.truediv(part & norm)
        # or once, as they are, if the last step has helped little
        part << binary.times(binary.minus(part & one).new() & helped)
        part << binary.plus(part & one)
        ranks(binary.plus) << binary.times(step, part)
        residual(binary.minus) << binary.times(last, part)
        goal << binary.times(error & enough)
        error << unary.abs(residual).new().reduce(plus)
        helped << binary.lt(error & goal)
    # what is left of the residuals belongs to the ranks, too
    ranks(binary.plus) << residual
    return error
