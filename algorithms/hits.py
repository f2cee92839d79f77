"""Hubs and authorities: good hubs point to good authorities, good authorities are pointed to by good hubs.

Returns two FP64 Vectors. Method: the power iteration for the largest singular value of A.
Invariant: the scores of either kind add up to 1, unless there are no edges.
Cost: O(n + m) per step; the number of steps depends on how much larger the largest singular value is than the next.
Reference: J. Kleinberg, Authoritative sources in a hyperlinked environment, J. ACM 1999.
"""

from __future__ import annotations

from typing import Generic, NamedTuple

from .. import FP64, Graph, Matrix, Scalar, Vector, binary, loop, monoid, program, semiring, unary
from ..io import NodeValues
from ..operators.call_types import SemiringCall
from .checks import with_labels
from .labels import Values
from .preparing import NotConverged, check_weights


class HubsAndAuthorities(NamedTuple, Generic[Values]):
    """The two scores of every vertex; those of either kind add up to 1."""

    hubs: Values
    authorities: Values


def scores_by_label(graph: Graph, found: HubsAndAuthorities[Vector]) -> HubsAndAuthorities[NodeValues]:
    return HubsAndAuthorities(graph.to_dict(found.hubs), graph.to_dict(found.authorities))


@with_labels(scores_by_label)
def hits(
    A: Matrix, *, weighted: bool = True, tol: float = 1e-8, max_iterations: int = 1000
) -> HubsAndAuthorities[Vector]:
    """Hub and authority scores; ``A[i, j]`` is the weight of the edge from i to j, zero or more.

    All scores are 0 if there are no edges. The iteration ends when the sum of all changes of the hubs is below ``tol``;
    it raises NotConverged after ``max_iterations``.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.
    tol : float
        The iteration ends when the changes are below this bound.
    max_iterations : int
        The largest number of iterations; without convergence by then, NotConverged is raised.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        A weight is NaN, infinite or negative.
    DomainMismatch
        Weights are complex numbers or records.
    NotConverged
        The result still changes after ``max_iterations`` steps.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import hits
    >>> hubs, authorities = hits(Matrix.from_coo([0, 1], [2, 2], 1.0, nrows=3, ncols=3))
    >>> hubs.to_dense().tolist(), authorities.to_dense().tolist()
    ([0.5, 0.5, 0.0], [0.0, 0.0, 1.0])
    """
    n = A.nrows
    check_weights(A, "hits", weighted=weighted)
    hubs, authorities = Vector.from_scalar(1 / max(n, 1), n), Vector.from_scalar(0.0, n)
    if not (A.nvals and (not weighted or A.value_range().max > 0)):
        return HubsAndAuthorities(authorities, authorities.dup())
    forward = (semiring.plus_times if weighted else semiring.plus_first)[FP64]
    backward = (semiring.plus_times if weighted else semiring.plus_second)[FP64]
    error = _iterated(A, hubs, authorities, Scalar.from_value(tol, dtype=FP64), forward, backward, max_iterations)
    if not error.value < tol:
        raise NotConverged(f"hits: not converged after {max_iterations} iterations; raise max_iterations or tol")
    return HubsAndAuthorities(hubs, authorities)


@program
def _iterated(
    A: Matrix, hubs: Vector, authorities: Vector, tol: Scalar, forward: SemiringCall, backward: SemiringCall, limit: int
) -> Scalar:
    """Iterate on both scores; returns the sum of the last changes of the hubs."""
    n = A.nrows
    received, given, moved, total = Vector(FP64, n), Vector(FP64, n), Vector(FP64, n), Scalar(FP64)
    raised, error = Vector.from_scalar(0.0, n), Scalar.from_value(float("inf"))
    for _ in loop(error >= tol, limit):
        # authorities = 0 + hubs A
        received << forward(hubs @ A)
        authorities << binary.times(authorities, 0.0)
        authorities(binary.plus) << received
        # raised = 0 + A authorities
        given << backward(A @ authorities)
        raised << binary.times(raised, 0.0)
        raised(binary.plus) << given
        # raised = raised / sum of raised
        total << raised.reduce(monoid.plus)
        raised << binary.truediv(raised, total)
        # moved = |raised - hubs|; hubs = raised
        moved << binary.minus(raised & hubs)
        moved << unary.abs(moved)
        hubs << raised
        # error = sum of moved
        error << moved.reduce(monoid.plus)
    # authorities = authorities / sum of authorities
    total << authorities.reduce(monoid.plus)
    authorities << binary.truediv(authorities, total)
    return error
