"""Maximum flows and minimum cuts, against networkx and SciPy."""

import networkx as nx
import numpy as np
import pytest
from grblas_gpu.algorithms import maximum_flow, minimum_cost_flow
from grblas_gpu.algorithms.maximum_flow import pushed_and_relabelled
from library_graphs import as_matrix, takes_long
from scipy.sparse import csgraph, csr_array

from grblas_gpu import Graph, Matrix, exceptions


def check(A: Matrix, source: int, target: int, expected: float) -> None:
    value, flow, source_side = maximum_flow(A, source, target)
    assert value == pytest.approx(expected)
    capacity, sent = A.to_dense(0), flow.to_dense(0)
    np.fill_diagonal(capacity, 0)
    assert (sent >= 0).all() and (sent <= capacity).all()
    arriving = sent.sum(0) - sent.sum(1)
    assert arriving[target] == pytest.approx(value) and arriving[source] == pytest.approx(-value)
    assert np.delete(arriving, [source, target]) == pytest.approx(0)
    inside = source_side.to_dense(False)
    assert inside[source] and not inside[target]
    assert capacity[inside][:, ~inside].sum() == pytest.approx(value)  # so neither can be better
    alone = maximum_flow(A, source, target, along_edges=False)
    assert alone.flow is None and alone.value == value and alone.source_side.isequal(source_side)


@takes_long
@pytest.mark.parametrize("n", [60, pytest.param(300, marks=pytest.mark.slow)])
def test_random_flows(backend: str, n: int) -> None:
    random = np.random.default_rng(n)
    for density in (2, 6):
        keys = np.unique(random.integers(0, n * n, density * n))
        capacities = random.integers(0, 50, len(keys)).astype(np.int32)
        rows, cols = keys // n, keys % n
        expected = csgraph.maximum_flow(csr_array((capacities, (rows, cols)), (n, n)), 0, n - 1).flow_value
        check(Matrix.from_coo(rows, cols, capacities, nrows=n, ncols=n), 0, n - 1, expected)


@takes_long
@pytest.mark.backends("compiled")
@pytest.mark.parametrize("dtype", ["INT64", "FP64", "UINT8", "BOOL"])
def test_blocking_flows_are_those_of_operations(backend: str, dtype: str) -> None:
    """Of random graphs of all densities, with loops and opposite edges, in all forms that storage has for them."""
    random, unit = np.random.default_rng(1), 3.0 if dtype == "FP64" else 1
    for case in range(100):
        n = int(random.integers(3, 15))
        rows, cols = divmod(random.choice(n * n, random.integers(n * n + 1), replace=False), n)
        whole = random.integers(0, 2 if dtype == "BOOL" else 9, len(rows)).astype(np.int32)
        A = Matrix.from_coo(rows, cols, whole / unit, dtype, nrows=n, ncols=n)
        source, target = random.choice(n, 2, replace=False).tolist()
        expected = csgraph.maximum_flow(csr_array((whole, (rows, cols)), (n, n)), source, target).flow_value / unit
        check(A, source, target, expected)
        value, flow, side = maximum_flow(A, source, target)
        assert A.dup(type(value)).largest_flow(source, target)[0] == value
        assert flow.to_dense(0) * flow.to_dense(0).T == pytest.approx(0)
        if case < 5:
            other, _, other_side = pushed_and_relabelled(A.dup(type(value)), source, target, along_edges=False)
            assert other == pytest.approx(value) and (unit != 1 or other_side.isequal(side))


def test_what_has_no_largest_flow() -> None:
    for ends in ((1, 1), (0, 3), (-1, 2)):
        with pytest.raises(exceptions.InvalidValue, match="not two of 3 vertices"):
            Matrix(int, 3, 3).largest_flow(*ends)
    with pytest.raises(exceptions.DimensionMismatch, match="square"):
        Matrix(int, 3, 4).largest_flow(0, 1)
    assert Matrix("INT8", 3, 3).largest_flow(0, 1) is None


@takes_long
@pytest.mark.parametrize("unit", [True, False])
def test_a_vertex_with_many_arcs_gives_to_many_at_once(backend: str, unit: bool) -> None:
    """From source to sink by one vertex, many and one; the first arc has room for half of them."""
    many = 40
    source, fork, join, sink = range(many, many + 4)
    each = np.ones(many, int) if unit else np.random.default_rng(3).integers(0, 9, many)
    between = np.arange(many)
    rows = np.concatenate([[source], np.full(many, fork), between, [join]])
    cols = np.concatenate([[fork], between, np.full(many, join), [sink]])
    capacities = np.concatenate([[each.sum() // 2], each, each, [each.sum()]])
    A = Matrix.from_coo(rows, cols, capacities, nrows=many + 4, ncols=many + 4)
    check(A, source, sink, each.sum() // 2)
    check(A, source, join, each.sum() // 2)
    check(A, sink, source, 0)


@takes_long
def test_excess_that_has_to_turn_back(backend: str) -> None:
    """A long way in, on which only the last arc is narrow, and a dead end."""
    n = 12
    rows, cols = np.arange(n - 1), np.arange(1, n)
    capacities = np.append(np.full(n - 2, 7.5), 0.25)
    rows, cols = np.append(rows, 3), np.append(cols, n)
    A = Matrix.from_coo(rows, cols, np.append(capacities, 9.0), nrows=n + 2, ncols=n + 2)
    check(A, 0, n - 1, 0.25)
    check(A, 0, n, 7.5)
    check(A, 0, n + 1, 0)


def test_capacities_beyond_64_bits(backend: str) -> None:
    for capacity in (np.uint64(2**63 + 2**20), np.int64(2**62)):
        A = Matrix.from_coo([0, 0, 1, 2], [1, 2, 3, 3], np.full(4, capacity), nrows=4, ncols=4)
        assert maximum_flow(A, 0, 3).value == 2 * float(capacity)


def test_what_has_no_flow() -> None:
    with pytest.raises(exceptions.InvalidValue, match="two vertices"):
        maximum_flow(Matrix(int, 3, 3), 1, 1)
    with pytest.raises(exceptions.IndexOutOfBound):
        maximum_flow(Matrix(int, 3, 3), 0, 3)
    with pytest.raises(exceptions.InvalidValue, match="negative"):
        maximum_flow(Matrix.from_coo([0], [1], [-2], nrows=2, ncols=2), 0, 1)
    value, flow, source_side = maximum_flow(Matrix(int, 3, 3), 0, 2)
    assert (value, flow.nvals, source_side.to_dict()) == (0, 0, {0: True, 1: True})


def priced(seed: int, n: int = 9, lowest: int = 0) -> tuple[nx.DiGraph, Matrix, Matrix]:
    """A graph with capacities and costs, with edges both ways; negative costs only without cycles."""
    random = np.random.default_rng(seed)
    G = nx.gnm_random_graph(n, 4 * n, seed=seed, directed=True)
    G.remove_edges_from([(i, j) for i, j in G.edges if lowest < 0 and i > j])
    for _, _, data in G.edges(data=True):
        data.update(capacity=int(random.integers(0, 9)), weight=int(random.integers(lowest, 9)))
    return G, *(as_matrix(G, name, int) for name in ("capacity", "weight"))


@takes_long
@pytest.mark.parametrize("lowest", [0, -5])
def test_cheapest_flows(backend: str, lowest: int) -> None:
    for seed in range(5):
        G, A, costs = priced(seed, lowest=lowest)
        value, cost, flow = minimum_cost_flow(A, 0, 8, costs)
        assert value == nx.maximum_flow_value(G, 0, 8)
        assert cost == nx.cost_of_flow(G, nx.max_flow_min_cost(G, 0, 8))
        sent = flow.to_dense(0)
        assert (sent >= 0).all() and (sent <= A.to_dense(0)).all() and cost == (sent * costs.to_dense(0)).sum()
        assert (np.delete(sent.sum(0) - sent.sum(1), [0, 8]) == 0).all()
        as_floats = minimum_cost_flow(A.dup(float), 0, 8, costs.dup(float))
        assert as_floats.value == pytest.approx(value) and as_floats.cost == pytest.approx(cost)
        if value > 1:
            G.nodes[0]["demand"], G.nodes[8]["demand"] = 1 - value, value - 1
            assert minimum_cost_flow(A, 0, 8, costs, value=value - 1).cost == nx.min_cost_flow_cost(G)


def test_cheapest_flows_by_label_and_bad_ones() -> None:
    graph = Graph.from_edges([("a", "b", 2), ("b", "c", 2), ("a", "c", 1)], directed=True)
    costs = Graph.from_edges([("a", "c", 9), ("b", "c", 1), ("a", "b", 1)], directed=True)
    found = minimum_cost_flow(graph, "a", "c", costs, value=2)
    assert (found.value, found.cost) == (2, 4) and found.flow.matrix.to_dicts() == {0: {1: 2}, 1: {2: 2}}
    A = graph.matrix
    assert minimum_cost_flow(A, 0, 2, Matrix(int, 3, 3)).cost == 0
    with pytest.raises(exceptions.InvalidValue, match="the largest flow is 3, below the value 4"):
        minimum_cost_flow(A, 0, 2, A, value=4)
    with pytest.raises(exceptions.InvalidValue, match="two vertices"):
        minimum_cost_flow(A, 1, 1, A)
    with pytest.raises(exceptions.DimensionMismatch, match="costs have shape"):
        minimum_cost_flow(A, 0, 2, Matrix(int, 2, 2))
    ring = Matrix.from_coo([0, 1, 2], [1, 2, 0], [1, 1, 1])
    with pytest.raises(exceptions.InvalidValue, match="negative length"):
        minimum_cost_flow(ring, 0, 2, Matrix.from_coo([0, 1, 2], [1, 2, 0], [-1, -1, -1]))
