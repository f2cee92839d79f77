"""Closeness centrality: how near all other vertices are.

Returns an FP64 Vector. Method: distances to a batch of vertices at a time, by breadth-first search (or Bellman-Ford) on
the reversed graph, one row for each; then row sums.
Invariant: the result is final for the vertices of all batches so far.
Cost: O(n m) in all without weights; memory for a batch of rows.
References: L. Freeman, Centrality in social networks: conceptual clarification, Social Networks 1979; S. Wasserman,
K. Faust, Social Network Analysis, 1994 (the factor for graphs in several parts).
"""

from __future__ import annotations

from .. import Matrix, Vector, agg, binary, monoid, select
from ..progress import progress
from .apsp import distances_from
from .batches import vertices_in_batches
from .checks import graph_algorithm
from .preparing import check_weights


@graph_algorithm
def closeness(A: Matrix, *, weighted: bool = False, improved: bool = True, batch: int | None = None) -> Vector:
    """The closeness of every vertex: the inverse of the mean distance *to* it, over the vertices that reach it.

    ``A[i, j]`` is the edge from i to j, and its length, zero or more, if ``weighted``. ``improved`` multiplies by the
    share of the vertices that reach it. Both are networkx's definitions; ``closeness(A.T.new())`` is about distances
    *from* the vertices.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight if ``weighted``.
        With a Graph, vertices are labels.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.
    improved : bool
        Whether to scale by the share of vertices that are reached.
    batch : int, optional
        How many sources at a time; more take more memory.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square.
    InvalidValue
        A weight is NaN, infinite or negative.
    DomainMismatch
        Weights are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import generators
    >>> from grblas_gpu.algorithms import closeness
    >>> closeness(generators.star(4)).to_dense().tolist()
    [1.0, 0.6, 0.6, 0.6]
    """
    n = A.nrows
    if weighted:
        check_weights(A, "closeness")
    result = Vector.from_scalar(0.0, n)
    reverse = A.T.new()
    for some in progress(vertices_in_batches(n, batch), "closeness"):
        distances = distances_from(reverse, some, weighted=weighted)
        # others = entries of a row but for the vertex itself; far = their sum, where that is not 0
        others = binary.minus(distances.reduce_rowwise(agg.count).new(float), 1.0).new()
        far = distances.reduce_rowwise(monoid.plus).new(float)
        far << select.valuegt(far, 0.0)
        # close = others / far
        close = binary.truediv(others & far).new()
        if improved:
            # close *= others / (n - 1)
            close << binary.times(close & binary.truediv(others, max(n - 1, 1)).new())
        # result[some]<close> = close
        result[some](close.S) << close
    return result
