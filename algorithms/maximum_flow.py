"""Maximum flow and minimum cut: the largest flow from one vertex to another along edges with capacities.

Returns a MaximumFlow: the value, the flow along every edge with a nonzero flow, and the vertices on the source's side
of a minimum cut.
Method: where the engine has a kernel, blocking flows along shortest paths. Otherwise push-relabel on a list of arcs,
one for each direction of an edge; ``residual`` is the remaining capacity of an arc. First all arcs out of the source
are saturated. Heights are distances to the sink. In each round every vertex with excess rises to one above its lowest
neighbour, and pushes to neighbours one below it: along its widest arc, and along as many arcs after it as the excess
fills. After as many rounds as there were levels, heights are recomputed. When no vertex with excess reaches the sink,
the value is known, and the remaining excess returns to the source likewise.
Invariant: no arc with remaining capacity leads down by more than one.
Cost: O(n + arcs at its vertices) for each round or level; there are about as many as a few searches have levels.
References: E. Dinic, Algorithm for solution of a problem of maximum flow in networks with power estimation, 1970;
A. Goldberg, R. Tarjan, A new approach to the maximum-flow problem, J. ACM 1988; B. Cherkassky, A. Goldberg,
On implementing the push-relabel method for the maximum flow problem, Algorithmica 1997 (recomputed heights).
"""

from __future__ import annotations

from typing import NamedTuple, SupportsIndex

from .. import Matrix, Scalar, Vector, binary, io, loop, select, semiring, unary, when
from ..exceptions import InvalidValue
from .checks import check_source, graph_algorithm
from .components import numbers
from .labels import shown
from .preparing import check_weights, sum_type


class MaximumFlow(NamedTuple):
    """The value of the flow, the flow along each edge, and the vertices on the source's side of a minimum cut.

    With ``along_edges=False`` the flow is None.
    """

    value: float
    flow: Matrix | None
    source_side: Vector


@graph_algorithm
def maximum_flow(A: Matrix, source: SupportsIndex, target: SupportsIndex, *, along_edges: bool = True) -> MaximumFlow:
    """The largest flow from source to target; ``A[i, j]`` is the capacity of the edge from i to j, zero or more.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its capacity. With a Graph,
        vertices are labels.
    source : int
        The vertex where the flow starts.
    target : int
        The vertex where the flow ends; not the source.
    along_edges : bool
        Whether to return the flow along each edge, too: this takes longer than the value and the cut alone.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import maximum_flow
    >>> A = Matrix.from_coo([0, 0, 1, 1, 2], [1, 2, 2, 3, 3], [5, 4, 1, 3, 9], nrows=4, ncols=4)
    >>> value, flow, source_side = maximum_flow(A, 0, 3)
    >>> value, flow.to_dicts(), source_side.to_dict()
    (8, {0: {1: 4, 2: 4}, 1: {2: 1, 3: 3}, 2: {3: 5}}, {0: True, 1: True})
    """
    source, sink = check_source(A, source), check_source(A, target, "target")
    if source == sink:
        raise InvalidValue(f"maximum_flow: source and target must be two vertices; both are {shown(source)}")
    check_weights(A, "maximum_flow")
    dtype = sum_type(A, A.nrows)
    capacities = A if A.dtype == dtype else A.dup(dtype)
    found = capacities.largest_flow(source, sink)
    if found is None:
        return pushed_and_relabelled(capacities, source, sink, along_edges)
    value, flow, side = found
    return MaximumFlow(value, select.valuegt(flow, 0).new() if along_edges else None, side)


def pushed_and_relabelled(A: Matrix, source: int, sink: int, along_edges: bool) -> MaximumFlow:
    """The result of :func:`maximum_flow` by operations.

    >>> A = Matrix.from_coo([0, 1], [1, 2], [4, 3], nrows=3, ncols=3)
    >>> value, flow, side = pushed_and_relabelled(A, 0, 2, along_edges=True)
    >>> value, flow.to_dicts(), side.to_dict()
    (3, {0: {1: 3}, 1: {2: 3}}, {0: True, 1: True})
    """
    n = A.nrows
    # capacity = A + 0 A' off the diagonal: every arc has a reverse
    forward = select.offdiag(A).new()
    capacity = binary.plus(forward | binary.times(forward, 0).new().T).new()
    tails, heads, residual = io.to_vectors(capacity)
    network = network_of(tails, heads, n)
    # saturate each arc e out of the source: residual_e = 0; residual[reverse_e], excess[heads_e] = its capacity
    excess = Vector.from_scalar(0, n, A.dtype)
    gone = residual.dup(mask=select.valueeq(tails, source).new().S)
    residual(gone.S) << 0
    residual(binary.plus)[network.reverse.dup(mask=gone.S)] << gone
    excess(binary.plus)[heads.dup(mask=gone.S)] << gone
    heights = send(network, residual, excess, sink, source)
    # source_side = the vertices that do not reach the sink any more
    side = Vector(bool, n)
    side(~heights.S) << True
    value, flow = excess[sink].new().value, None
    if along_edges:
        send(network, residual, excess, source, sink)
        # flow_e = capacity_e - residual_e, where it is positive
        sent = select.valuegt(binary.minus(io.to_vectors(capacity)[2] & residual).new(), 0).new()
        flow = io.from_vectors(tails.dup(mask=sent.S), heads.dup(mask=sent.S), sent, nrows=n, ncols=n)
    return MaximumFlow(value, flow, side)


class Network(NamedTuple):
    """Arcs by number; row i of ``out`` has the arcs that leave vertex i, row i of ``into`` the arcs that enter it."""

    arcs: Vector
    tails: Vector
    heads: Vector
    reverse: Vector
    out: Matrix
    into: Matrix


def network_of(tails: Vector, heads: Vector, n: int) -> Network:
    """The arcs from tails to heads, in the order of their tails; every arc has a reverse."""
    arcs = numbers(tails.size)
    # reverse_e = the arc from heads_e to tails_e: numbers of the arcs, by column
    ends, _, reverse = io.to_vectors(io.from_vectors(tails, heads, arcs, nrows=n, ncols=n).T.new())
    there = Vector.from_scalar(True, arcs.size)
    out = io.from_vectors(tails, arcs, there, nrows=n, ncols=arcs.size)
    into = io.from_vectors(ends, reverse, there, nrows=n, ncols=arcs.size)
    return Network(arcs, tails, heads, reverse, out, into)


def send(network: Network, residual: Vector, excess: Vector, goal: int, other: int) -> Vector:
    """Push all excess that can reach the goal to it; returns the distances to it along arcs with remaining capacity.

    No flow passes the ``other`` end.
    """
    arcs, tails, heads, reverse, out, into = network
    n, one = excess.size, Scalar.from_value(1)
    between, start = Vector.from_scalar(True, n), Vector(int, n)
    del between[goal], between[other]
    start[goal] = 0
    heights, frontier, active, waiting, rounds = start.dup(), start.dup(), excess.dup(), excess.dup(), Scalar(int)
    for _ in loop(waiting):
        # heights = distances to the goal
        heights << start
        frontier << start
        for depth in loop(frontier):
            # usable = arcs to the frontier with residual > 0
            usable = residual.dup(mask=semiring.any_pair[bool](frontier @ into).new().S)
            usable << select.valuegt(usable, 0)
            # frontier<!heights, between> = their tails
            frontier(~heights.S, replace=True) << semiring.any_pair[int](usable @ out.T)
            frontier(between.S, replace=True) << frontier
            heights(frontier.S) << depth + 1
            rounds << depth + 1
        # waiting<between, heights> = excess > 0
        waiting(between.S, replace=True) << select.valuegt(excess, 0)
        waiting(heights.S, replace=True) << waiting
        active << waiting
        for _ in loop(active):
            # room_e = residual_e > 0, of the arcs that leave active vertices
            room = residual.dup(mask=semiring.any_pair[bool](active @ out).new().S)
            room << select.valuegt(room, 0)
            ahead, behind = heads.dup(mask=room.S), tails.dup(mask=room.S)
            # relabel: heights_i = 1 + min heights[heads_e]; no entry where no head has a height
            lowest = Vector(int, n)
            lowest(binary.min)[behind] << heights[ahead].new()
            heights(active.S) << binary.plus(lowest, 1)
            # room_e = where heights[tails_e] = heights[heads_e] + 1
            drop = binary.minus(heights[behind].new() & heights[ahead].new()).new()
            room(select.valueeq(drop, 1).new().S, replace=True) << room
            # largest_i = max room_e; first_i = the first arc with it
            largest, first = active.dup(clear=True), Vector(int, n)
            largest(binary.max)[behind] << room
            widest = binary.eq(room & largest[behind].new()).new()
            first(binary.min)[behind] << arcs.dup(mask=widest.V)
            # count_i = number of arcs from there on that the excess can fill
            count = binary.max(binary.floordiv(active & largest).new(), 1).new()
            # place_e = e - first_i, from 0 to count_i - 1
            place = binary.minus(arcs.dup(mask=room.S) & first[behind].new()).new()
            place << select.valuege(place, 0)
            chosen = binary.lt(place & count[behind].new()).new()
            # amount_e = min(excess_i, room_e)
            amount = binary.min(room & active[behind].new()).new(mask=chosen.V)
            # residual -= amount; residual[reverse] += amount
            less = unary.ainv(amount).new()
            residual(binary.plus) << less
            residual(binary.plus)[reverse.dup(mask=amount.S)] << amount
            # excess[tails] -= amount; excess[heads] += amount
            excess(binary.plus)[behind] << less
            excess(binary.plus)[ahead] << amount
            # active<between, heights> = excess > 0, until the heights are recomputed
            active(between.S, replace=True) << select.valuegt(excess, 0)
            active(heights.S, replace=True) << active
            rounds << binary.minus(rounds & one)
            for _ in when(rounds < 1):
                active.clear()
    return heights
