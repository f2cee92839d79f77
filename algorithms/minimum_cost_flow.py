"""Minimum-cost flow: of all flows of a given value from one vertex to another, the cheapest one.

Returns a MinimumCostFlow: the value, its cost, and the flow along every edge with a nonzero flow.
Method: successive shortest paths. The residual graph has the remaining capacity of every edge, and the way back, at
minus the cost, of its flow. Every step sends as much as fits along a cheapest path of it. Potentials, the distances of
all steps together, keep the reduced costs from becoming negative, so that every search after the first one is one by
buckets. Invariant: no cycle of the residual graph has a negative cost. Cost: a search for every path, of which there
are at most as many as the value, for whole capacities. An edge and its opposite may both have a cost.
Reference: R. Ahuja, T. Magnanti, J. Orlin, Network Flows, 1993, section 9.7.
"""

from __future__ import annotations

from typing import NamedTuple, SupportsIndex

from .. import Matrix, Vector, binary, select, unary
from ..exceptions import DimensionMismatch, InvalidValue
from .checks import check_source, graph_algorithm
from .labels import shown
from .paths import distances_up_to
from .preparing import check_weights, smallest, sum_type, total
from .sssp import shortest_path_tree, sssp


class MinimumCostFlow(NamedTuple):
    """The value of the flow, its cost, and the flow along each edge."""

    value: float
    cost: float
    flow: Matrix


@graph_algorithm
def minimum_cost_flow(
    A: Matrix, source: SupportsIndex, target: SupportsIndex, costs: Matrix, *, value: float | None = None
) -> MinimumCostFlow:
    """The cheapest flow of the given value, or of the largest value; ``A[i, j]`` is the capacity from i to j.

    ``costs[i, j]`` is the cost of every unit along that edge, 0 without an entry; it may be negative.

    Parameters
    ----------
    A : Matrix or Graph
        The graph: the entry in row i and column j is the edge from i to j, and its capacity. With a Graph,
        vertices are labels.
    source : int
        The vertex where the flow starts.
    target : int
        The vertex where the flow ends; not the source.
    costs : Matrix or Graph
        The cost of each edge; with a Graph, a Graph of the same labels.
    value : float, optional
        The value of the flow; the largest one by default.

    Raises
    ------
    DimensionMismatch
        The Matrix is not square, or ``costs`` has another shape.
    IndexOutOfBound
        The graph has no such vertex.
    InvalidValue
        A capacity or cost is NaN or infinite, a capacity is negative, no flow has the value, or costs along a cycle
        are negative.
    DomainMismatch
        Capacities or costs are complex numbers or records.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> from grblas_gpu.algorithms import minimum_cost_flow
    >>> A = Matrix.from_coo([0, 0, 1, 2], [1, 2, 3, 3], [4, 4, 4, 4], nrows=4, ncols=4)
    >>> costs = Matrix.from_coo([0, 0, 1, 2], [1, 2, 3, 3], [1, 2, 3, 1], nrows=4, ncols=4)
    >>> found = minimum_cost_flow(A, 0, 3, costs, value=5)
    >>> found.value, found.cost, found.flow.to_dicts()
    (5, 16, {0: {1: 1, 2: 4}, 1: {3: 1}, 2: {3: 4}})
    """
    source, sink = check_source(A, source), check_source(A, target, "target")
    if source == sink:
        raise InvalidValue(f"minimum_cost_flow: source and target must be two vertices; both are {shown(source)}")
    check_weights(A, "minimum_cost_flow")
    check_weights(costs, "minimum_cost_flow", negative=True)
    if costs.shape != A.shape:
        raise DimensionMismatch(f"minimum_cost_flow: costs have shape {costs.shape}, the graph {A.shape}")
    # room = capacities above 0, off the diagonal; price = costs there
    room = select.valuegt(select.offdiag(A).new(), 0).new(sum_type(A, A.nrows))
    price = binary.times(room, 0).new(sum_type(costs, A.nrows))
    price(binary.plus, mask=room.S) << costs
    flow, sent = room.dup(clear=True), room.dtype.np_type.type(0).item()
    potential = Vector.from_scalar(0, A.nrows, price.dtype)
    if price.nvals and price.value_range().min < 0:
        potential(binary.second) << sssp(price, source)
    while value is None or sent < value:
        # lengths = the cheaper one of price where there is room, and of -price' where there is flow back
        back = unary.ainv(price.dup(mask=flow.S).T).new()
        ahead = price.dup(mask=room.S)
        lengths = binary.min(ahead | back).new()
        # reduced_ij = lengths_ij + potential_i - potential_j, not below 0 but for rounding
        reduced = binary.minus(binary.plus(potential & lengths).new() & potential).new()
        reduced << binary.max(reduced, 0)
        distances = distances_up_to(reduced, source, sink)
        last = distances.get(sink)
        if last is None:
            break
        path = Matrix.from_coo(
            *steps(shortest_path_tree(reduced, source, distances), sink), True, nrows=A.nrows, ncols=A.ncols
        )
        # potential += distances, that of the target where they are larger
        potential << binary.plus(potential & binary.min(distances | Vector.from_scalar(last, A.nrows)).new())
        # up = edges of the path with room; down = those whose flow goes back
        up = select.valueeq(binary.eq(ahead & lengths).new(mask=path.S), True).new()
        down = path.dup(mask=~up.S).T.new()
        limits = [smallest(x) for x in (room.dup(mask=up.S), flow.dup(mask=down.S)) if x.nvals]
        amount = min(limits if value is None else [*limits, value - sent])
        # room -= amount, flow += amount, along up; the opposite along down
        for gains, losses in ((flow, room), (room, flow)):
            gains(binary.plus) << binary.second(up, amount)
            losses(binary.minus) << binary.second(up, amount)
            losses << select.valuegt(losses, 0)
            up = down
        sent += amount
    if value is not None and sent < value:
        raise InvalidValue(f"minimum_cost_flow: the largest flow is {sent}, below the value {value}")
    return MinimumCostFlow(sent, total(binary.times(flow & price).new()), flow)


def steps(tree: Vector, target: int) -> tuple[list[int], list[int]]:
    """The edges from the root of a tree to a vertex: where they start, and where they end.

    >>> steps(Vector.from_dense([0, 0, 1]), 2)
    ([1, 0], [2, 1])
    """
    parents, vertices = tree.to_dense(-1), [target]
    while parents[vertices[-1]] != vertices[-1]:
        vertices.append(int(parents[vertices[-1]]))
    return vertices[1:], vertices[:-1]
