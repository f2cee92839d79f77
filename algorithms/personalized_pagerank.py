"""Personalised PageRank from many vertices at once: the positions of walkers that return to their sources.

Returns an FP64 Matrix with a row for each source, whose ranks add up to 1. Method: the power iteration on all rows
together. A walker follows an edge with probability ``damping``; the rest of the probability goes back to the source.
Invariant: every row adds up to 1 after every step. Cost: O(k (n + m)) per step for k sources, as one product.
Reference: G. Jeh, J. Widom, Scaling personalized web search, WWW 2003.
"""

from __future__ import annotations

from .. import FP64, Matrix, Scalar, binary, loop, monoid, select, semiring, unary
from ..exceptions import InvalidValue
from .checks import Sources, check_sources, with_labels
from .labels import rows_by_label
from .preparing import NotConverged, check_weights


@with_labels(rows_by_label)
def personalized_pagerank(
    A: Matrix,
    sources: Sources,
    damping: float = 0.85,
    *,
    weighted: bool = True,
    tol: float = 1e-6,
    max_iterations: int = 100,
) -> Matrix:
    """Row k is ``pagerank(A, personalization={sources[k]: 1})``; ``A[i, j]`` is the weight of the edge from i to j.

    The iteration ends when the changes of every row add up to less than ``n * tol``, or raises NotConverged.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.
    sources : int, list, array or Vector
        Vertices; labels with a Graph.
    damping : float
        The probability that the walker follows an edge.
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
    IndexOutOfBound
        The graph has no such vertex.
    InvalidValue
        A weight is NaN, infinite or negative.
    DomainMismatch
        Weights are complex numbers or records.
    NotConverged
        The result still changes after ``max_iterations`` steps.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import personalized_pagerank
    >>> personalized_pagerank(generators.path(3), [0, 1]).to_dense().round(2).tolist()
    [[0.35, 0.46, 0.2], [0.23, 0.54, 0.23]]
    """
    sources, n = check_sources(A, sources), A.nrows
    if not 0 <= damping <= 1:
        raise InvalidValue(f"personalized_pagerank: damping must be from 0 to 1; got {damping}")
    check_weights(A, "personalized_pagerank", weighted=weighted)
    # home has a 1 at every source
    home = Matrix.from_coo(range(len(sources)), sources, 1.0, FP64, nrows=len(sources), ncols=n)
    # follow = damping A / out, where out_i = sum_j A_ij is not 0
    edges = A.dup(FP64) if weighted else binary.second(A, 1.0).new(FP64)
    out = select.valuene(edges.reduce_rowwise(monoid.plus).new(), 0.0).new()
    follow = semiring.plus_times(binary.truediv(damping, out).new().diag() @ edges).new()
    # full matrices are read fastest
    nothing = Matrix.from_scalar(0.0, len(sources), n, dtype=FP64)
    ranks = nothing.dup()
    ranks(binary.plus) << home
    error, enough = Scalar.from_value(float("inf")), max(1, n) * tol
    for _ in loop(error >= enough, max_iterations):
        # before = ranks
        before = ranks.dup()
        # ranks = before follow
        ranks << nothing
        ranks(binary.plus) << semiring.plus_times(before @ follow)
        # ranks += diag(1 - sum_j ranks_j) home
        back = binary.minus(1.0, ranks.reduce_rowwise(monoid.plus).new()).new()
        ranks(binary.plus) << binary.times(back & home)
        # error = max_k sum_j |ranks_kj - before_kj|
        change = unary.abs(binary.minus(ranks & before).new()).new()
        error << change.reduce_rowwise(monoid.plus).new().reduce(monoid.max)
    if error.get(0.0) < enough:
        return ranks
    raise NotConverged(
        f"personalized_pagerank: not converged after {max_iterations} iterations; raise max_iterations or tol"
    )
