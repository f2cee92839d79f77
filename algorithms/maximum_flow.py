"""Maximum flow, and with it a minimum cut: how much can go from one vertex to another along edges with capacities.

Returns a MaximumFlow: the value, the flow along every edge that has some, and the vertices on the source's side of a
minimum cut. Method: push and relabel on a list of arcs, one for each direction of an edge; ``residual`` is what can
still go along an arc. All that leaves the source is let go; in each phase heights are distances to the sink (or, where
it cannot be reached any more, to the source, above all others), and what a vertex has in excess goes down by one arc at
a time until nothing moves; the next phase measures distances anew, until no vertex has any excess.
Invariant: no arc with something left leads down by more than one. Cost: O(m) for every step of a search or a push, of
which there are hundreds; on one core the serial algorithm of ``scipy.sparse.csgraph`` is much faster.
References: A. Goldberg, R. Tarjan, A new approach to the maximum-flow problem, J. ACM 1988; B. Cherkassky, A. Goldberg,
On implementing the push-relabel method for the maximum flow problem, Algorithmica 1997 (distances measured anew).
"""

from __future__ import annotations

from typing import Any, NamedTuple, SupportsIndex

from .. import Matrix, Scalar, Vector, binary, io, loop, monoid, select, unary
from ..exceptions import InvalidValue
from .checks import check_source, graph_algorithm
from .components import numbers
from .preparing import check_weights, sum_type


class MaximumFlow(NamedTuple):
    """What goes from source to target, along which edges, and the vertices on the source's side of a minimum cut."""

    value: Any
    flow: Matrix
    source_side: Vector


@graph_algorithm
def maximum_flow(A: Matrix, source: SupportsIndex, target: SupportsIndex) -> MaximumFlow:
    """The most that can go from source to target; ``A[i, j]`` is the capacity of the edge from i to j, zero or more.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its capacity. With a Graph,
        vertices are labels.
    source : int
        Where it comes from.
    target : int
        Where it goes, another vertex.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import maximum_flow
    >>> A = Matrix.from_coo([0, 0, 1, 1, 2], [1, 2, 2, 3, 3], [5, 4, 1, 3, 9], nrows=4, ncols=4)
    >>> value, flow, source_side = maximum_flow(A, 0, 3)
    >>> value, flow.to_dicts(), source_side.to_dict()
    (8, {0: {1: 4, 2: 4}, 1: {2: 1, 3: 3}, 2: {3: 5}}, {0: True, 1: True})
    """
    source, sink = check_source(A, source), check_source(A, target)
    if source == sink:
        raise InvalidValue(f"maximum_flow: source and target must be two vertices; both are {source}")
    check_weights(A, "maximum_flow")
    n, dtype = A.nrows, sum_type(A, A.nrows)
    # capacity = A + 0 A' off the diagonal: with every arc its reverse
    forward = select.offdiag(A).new(dtype)
    capacity = binary.plus(forward | binary.times(forward, 0).new().T).new()
    tails, heads, residual = io.to_vectors(capacity)
    # reverse_e = the arc from heads_e to tails_e: numbers of the arcs, by column
    arcs = numbers(capacity.nvals)
    *_, reverse = io.to_vectors(io.from_vectors(tails, heads, arcs, nrows=n, ncols=n).T.new())
    excess = Vector.from_scalar(0, n, dtype)
    # let go what leaves the source: residual_e = 0, residual[reverse_e] += it, excess[heads_e] += it
    gone = residual.dup(mask=select.valueeq(tails, source).new().S)
    residual(gone.S) << 0
    residual(binary.plus)[reverse.dup(mask=gone.S)] << gone
    excess(binary.plus)[heads.dup(mask=gone.S)] << gone
    between = Vector.from_scalar(True, n)
    del between[source], between[sink]
    # far_i = 0 at the sink, n at the source, and more elsewhere
    far = Vector.from_scalar(2 * n, n)
    far[sink], far[source] = 0, n
    inner = select.valuene(tails, source).new()  # arcs by which heights are found: the source has its own
    active, heights, moved = excess.dup(clear=True), Vector(int, n), Scalar.from_value(1)
    # active<between> = excess > 0
    active(between.S, replace=True) << select.valuegt(excess, 0)
    for _ in loop(active):
        distances(heights, far, residual, tails, heads, inner)
        moved << 1
        for _ in loop(moved > 0):
            # admissible_e: residual_e > 0 and heights[tails_e] = heights[heads_e] + 1, from an active vertex
            level = binary.plus(heights[heads].new(), 1).new()
            down = binary.eq(level & heights[tails].new()).new()
            down(active[tails].new().S, replace=True) << down
            down(select.valuegt(residual, 0).new().S, replace=True) << down
            # choice_i = the first of them that leaves i
            choice = Vector(int, n)
            choice(binary.min)[tails] << arcs.dup(mask=down.V)
            # amount_i = min(excess_i, residual[choice_i])
            amount = binary.min(active & residual[choice].new()).new()
            # residual[choice] -= amount; residual[reverse[choice]] += amount
            less = unary.ainv(amount).new()
            residual(binary.plus)[choice] << less
            residual(binary.plus)[reverse[choice].new()] << amount
            # excess -= amount; excess[heads[choice]] += amount
            excess(binary.plus) << less
            excess(binary.plus)[heads[choice].new()] << amount
            # active<between> = excess > 0
            active(between.S, replace=True) << select.valuegt(excess, 0)
            moved << unary.one(amount).new(int).reduce(monoid.plus, allow_empty=False)
    distances(heights, far, residual, tails, heads, inner)
    # flow_e = capacity_e - residual_e, where that is more than 0
    sent = select.valuegt(binary.minus(io.to_vectors(capacity)[2] & residual).new(), 0).new()
    flow = io.from_vectors(tails.dup(mask=sent.S), heads.dup(mask=sent.S), sent, nrows=n, ncols=n)
    # source_side = what reaches the sink no more
    side = unary.one(select.valuege(heights, n).new()).new(bool)
    return MaximumFlow(excess[sink].new().value, flow, side)


def distances(heights: Vector, far: Vector, residual: Vector, tails: Vector, heads: Vector, inner: Vector) -> None:
    """Heights: the number of arcs to the sink, or n and the number of arcs to the source; 2 n without either."""
    again = Scalar(bool)
    # start<usable> = tails: of the arcs with something left
    usable = select.valuegt(residual, 0).new()
    usable(inner.S, replace=True) << usable
    start = tails.dup(mask=usable.S)
    heights << far
    again << True
    for _ in loop(again):
        # heights[tails_e] = min(heights[tails_e], heights[heads_e] + 1)
        before = heights.dup()
        above = binary.plus(before[heads].new(), 1).new()
        heights(binary.min)[start] << above.dup(mask=start.S)
        # again = whether any of them has changed
        again << binary.ne(heights & before).new().reduce(monoid.lor)
