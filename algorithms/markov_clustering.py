"""Markov clustering: flow stays inside of clusters when it is spread and sharpened in turns.

Returns an INT64 Vector: for every vertex the lowest vertex of its cluster.
Method: the columns of M are probabilities of random steps. Expansion takes two steps, inflation raises probabilities to
a power and drops the smallest ones, until M does not change. Then vertices with a common row belong together.
Invariant: the columns of M add up to 1. Cost: a product of sparse matrices per round, whose entries inflation limits.
Reference: S. van Dongen, Graph clustering by flow simulation, thesis, Utrecht 2000.
"""

from __future__ import annotations

from .. import FP64, Matrix, Vector, binary, monoid, select, semiring
from .checks import with_labels
from .components import connected_components
from .labels import vertex_by_label
from .preparing import NotConverged, as_floats, check_weights


@with_labels(vertex_by_label)
def markov_clustering(
    A: Matrix,
    inflation: float = 2.0,
    *,
    weighted: bool = False,
    tol: float = 1e-6,
    least: float = 1e-5,
    max_iterations: int = 100,
) -> Vector:
    """The cluster of every vertex; a higher ``inflation`` gives smaller clusters. Directions of edges do not matter.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight if ``weighted``.
        With a Graph, vertices are labels.
    inflation : float
        The power of probabilities, above 1.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.
    tol : float
        The iteration ends when the changes are below this bound.
    least : float
        Smaller probabilities are dropped.
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
    >>> from grblas_gpu.algorithms import markov_clustering
    >>> rows, cols = [0, 0, 1, 3, 3, 4, 2], [1, 2, 2, 4, 5, 5, 3]
    >>> markov_clustering(Matrix.from_coo(rows, cols, True, nrows=6, ncols=6)).to_dense().tolist()
    [0, 0, 0, 3, 3, 3]
    """
    if inflation <= 1:
        raise ValueError(f"markov_clustering: inflation must be above 1; got {inflation}")
    check_weights(A, "markov_clustering", weighted=weighted)
    edges = as_floats(A) if weighted else A.pattern().dup(FP64)
    # M = edges + edges' + I, with columns of sum 1; loops keep the flow from oscillating
    M = binary.max(edges | edges.T).new()
    M.setdiag(1.0)
    M = stochastic(M)
    for _ in range(max_iterations):
        before = M
        # M = (M M)^inflation, entry by entry, without small entries
        M = stochastic(binary.pow(semiring.plus_times(M @ M).new(), inflation).new())
        M = stochastic(select.valuege(M, least).new())
        # change = max |M - before|
        change = binary.minus(M | before, left_default=0.0, right_default=0.0).new()
        if abs(change).new().reduce_scalar(monoid.max).new().get(0.0) < tol:
            return connected_components(select.valuege(M, least).new())
    raise NotConverged(f"markov_clustering: not converged after {max_iterations} iterations; raise them or tol")


def stochastic(M: Matrix) -> Matrix:
    """The matrix with its columns scaled to sum 1.

    >>> stochastic(Matrix.from_coo([0, 1], [0, 0], [1.0, 3.0], nrows=2, ncols=2)).to_dicts()
    {0: {0: 0.25}, 1: {0: 0.75}}
    """
    # M_ij / sum_i M_ij
    return binary.truediv(M & M.reduce_columnwise(monoid.plus).new()).new()
