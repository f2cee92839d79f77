"""Minimum cut: the least weight of edges without which the graph falls into two parts.

Returns the weight, and the vertices on one side. Method: the best cut so far is that around a single vertex. No better
cut separates the ends of an edge if that edge, and the paths of two edges beside it, have together the weight of the
best cut: these vertices become one. If there are no such edges, a maximum flow between two neighbours gives the least
cut that separates them, and they become one as well. So the result is exact.
Invariant: every cut that is better than the best one is a cut of the graph of merged vertices.
Cost: a masked product for every round; at most n - 1 flows, none in many graphs with vertices of small degree.
References: M. Padberg, G. Rinaldi, An efficient algorithm for the minimum capacity cut problem, Mathematical
Programming 1990; R. Gomory, T. Hu, Multi-terminal network flows, J. SIAM 1961.
"""

from __future__ import annotations

from typing import NamedTuple

from .. import FP64, Matrix, Vector, binary, monoid, select, semiring
from .checks import graph_algorithm
from .components import connected_components, numbers
from .maximum_flow import maximum_flow
from .preparing import check_weights, largest, smallest, with_zeros


class Cut(NamedTuple):
    """The weight of the edges of a cut, and the vertices on one side of it."""

    value: float
    side: Vector


@graph_algorithm
def minimum_cut(A: Matrix, *, weighted: bool = True) -> Cut:
    """A cut of least weight. Directions do not matter: of two entries of an edge, the larger one is its weight.

    It is 0 for a graph of several components, and for a single vertex, where a side is empty.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its weight. With a Graph,
        vertices are labels.
    weighted : bool
        Whether values are weights; otherwise every edge counts 1.

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
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import minimum_cut
    >>> rows, cols = [0, 1, 2, 2, 3, 4], [1, 2, 0, 3, 4, 5]
    >>> A = Matrix.from_coo(rows, cols, [5, 5, 5, 2, 5, 5], nrows=6, ncols=6)
    >>> value, side = minimum_cut(A)
    >>> value, side.to_dict()
    (2.0, {0: True, 1: True, 2: True})
    """
    check_weights(A, "minimum_cut", weighted=weighted)
    # W = max(A, A'), off the diagonal and above 0
    W = select.offdiag(A).new(FP64) if weighted else A.pattern(loops=False).dup(FP64)
    W = select.valuegt(binary.max(W | W.T).new(), 0.0).new()
    best, side, parts = float("inf"), Vector(bool, A.nrows), numbers(A.nrows)
    while W.nrows > 1:
        # degree_i = sum_j W_ij
        degree = with_zeros(W.reduce_rowwise(monoid.plus), W.nrows)
        lowest = vertex_with(degree, smallest(degree))
        if degree.get(lowest) < best:
            best, side = degree.get(lowest), at_members(parts, Vector.from_coo([lowest], True, size=W.nrows))
        if not best:
            break
        # together_ij = W_ij + sum_k min(W_ik, W_kj)
        together = semiring.plus_min(W @ W).new(mask=W.S)
        together << binary.plus(W | together)
        joined = select.valuege(together, best).new()
        if not joined.nvals:
            # the heaviest edge of a vertex of the highest degree
            source = vertex_with(degree, largest(degree))
            target = vertex_with(W[source, :].new(), largest(W[source, :].new()))
            joined = Matrix.from_coo([source], [target], True, nrows=W.nrows, ncols=W.nrows)
            value, _, near = maximum_flow(W, source, target, along_edges=False)
            if value < best:
                best, side = value, at_members(parts, near)
        # W = the graph of the components, without loops
        W, number = W.contracted(connected_components(joined))
        W, parts = select.offdiag(W).new(), number[parts].new()
    return Cut(float(best) if A.nrows > 1 else 0.0, side)


def at_members(parts: Vector, members: Vector) -> Vector:
    """The vertices whose part is a member.

    >>> at_members(Vector.from_dense([1, 0, 1]), Vector.from_coo([1], [True], size=2)).to_dict()
    {0: True, 2: True}
    """
    flags = Vector.from_scalar(False, members.size)
    flags(members.S) << True
    return select.valueeq(flags[parts].new(), True).new()


def vertex_with(x: Vector, value: float) -> int:
    """The lowest vertex with this value.

    >>> vertex_with(Vector.from_dense([3, 5, 5]), 5)
    1
    """
    return int(smallest(numbers(x.size).dup(mask=select.valueeq(x, value).new().S)))
