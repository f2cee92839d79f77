"""Shortest paths, reachability, components and the centralities made of distances, against networkx and SciPy."""

import networkx as nx
import numpy as np
import pytest
from grblas_gpu.algorithms import apsp, bellman_ford, closeness, delta_stepping, sssp
from grblas_gpu.algorithms.sssp import default_widths
from library_graphs import DIRECTED, as_list, as_matrix, compiles_slowly, weighted
from scipy.sparse.csgraph import dijkstra, shortest_path

import grblas_gpu as gb
from grblas_gpu import exceptions, generators
from grblas_gpu.api import matrix_preparation
from grblas_gpu.backends.cpu import distances, pool

every_directed = pytest.mark.parametrize("name", DIRECTED)


def test_buckets_grow_with_the_shortest_edges() -> None:
    """The width of the first ones is a share of the mean length over the degree, that of later ones the mean length."""
    ring = np.arange(64)
    for reach, dtype in ((1, float), (1, int), (8, float), (8, int)):
        cols = (ring[:, None] + np.arange(1, reach + 1)) % 64
        lengths = np.where(cols % 2, 64, 192)
        A = gb.Matrix.from_coo(np.repeat(ring, reach), cols.ravel(), lengths.ravel(), dtype, nrows=64, ncols=64)
        widths, counts = zip(*default_widths(A), strict=True)
        assert widths == pytest.approx((dtype(0.24 * 128 / reach), 128, 16 * 128)) and counts == (8, 8, None)
        assert all(type(width) is dtype for width in widths)
        assert delta_stepping(A, 0).isclose(bellman_ford(A, 0))
    nothing = default_widths(gb.Matrix.from_coo([0, 1], [1, 0], [0, 0]))
    assert all(width == 1 for width, _ in nothing) and default_widths(gb.Matrix(float, 3, 3))[0][0] > 0


@compiles_slowly
@every_directed
def test_negative_weights(backend: str, name: str) -> None:
    """Potentials make weights negative and no cycle so."""
    G = weighted(name)
    for u, v, data in G.edges(data=True):
        data["weight"] += 3 * u - 3 * v
    A = as_matrix(G, "weight", int)
    assert sssp(A, 0).to_dict() == dict(nx.single_source_bellman_ford_path_length(G, 0))
    found = apsp(A).to_dicts()
    assert found == {u: dict(sorted(lengths.items())) for u, lengths in nx.all_pairs_bellman_ford_path_length(G)}


@pytest.mark.backends("compiled")
@pytest.mark.parametrize("dtype", ["INT64", "FP64", "UINT8", "BOOL"])
def test_the_kernel_for_distances(backend: str, monkeypatch: pytest.MonkeyPatch, dtype: str) -> None:
    """Of random graphs with lengths of 0, from several vertices, as far as a target; it may return after any bucket."""
    random = np.random.default_rng(3)
    for case in range(80):
        monkeypatch.setattr(distances, "SLICE", case % 2 * 2**20 + 1)
        n = int(random.integers(2, 15))
        rows, cols = divmod(random.choice(n * n, random.integers(1, n * n + 1), replace=False), n)
        lengths = random.integers(0, [2, 9, 200][case % 3], len(rows)) / (4 if dtype == "FP64" else 1)
        A = gb.Matrix.from_coo(rows, cols, lengths, dtype, nrows=n, ncols=n)
        start = {int(i): int(random.integers(9)) for i in random.choice(n, min(n, 1 + case % 3), replace=False)}
        G = nx.DiGraph()
        G.add_weighted_edges_from(zip(*(x.tolist() for x in A.to_coo()), strict=True))
        G.add_weighted_edges_from((-1, *entry) for entry in start.items())
        expected = nx.single_source_dijkstra_path_length(G, -1)
        del expected[-1]
        from_there = gb.Vector.from_dict(start, "FP64" if dtype == "FP64" else "INT64", size=n)
        found, before = A.shortest_distances(from_there)
        assert found.to_dict() == expected and found.dtype == from_there.dtype
        for i, lowest in before.to_dict().items():
            explain = [u for u, _, d in G.in_edges(i, "weight") if u in expected and expected[u] + d == expected[i]]
            assert lowest == min(explain) if start.get(i) != expected[i] else lowest in (i, *explain)
        target = int(random.integers(n))
        farthest = expected.get(target, np.inf)
        near, _ = A.shortest_distances(from_there, target)
        assert near.to_dict() == {i: length for i, length in expected.items() if length <= farthest}


@pytest.mark.backends("compiled")
def test_buckets_for_lengths_of_all_sizes(backend: str) -> None:
    """The kernel on a grid whose median length says little."""
    S, random = gb.io.to_scipy_sparse(generators.grid_2d(60, 60)).astype(float), np.random.default_rng(2)
    for lengths in (random.exponential(1, S.nnz) ** 8, np.where(random.random(S.nnz) < 0.5, 1e-9, 1e9)):
        S.data = lengths
        found, _ = gb.io.from_scipy_sparse(S).shortest_distances(gb.Vector.from_coo([7], [0.0], size=3600))
        np.testing.assert_allclose(found.to_dense(), dijkstra(S, indices=7), rtol=1e-12)


def test_what_no_kernel_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    A, start = generators.star(9).dup(int), gb.Vector.from_coo([1], [0], size=9)
    with pytest.raises(exceptions.DimensionMismatch, match="the Vector size 8"):
        A.shortest_distances(gb.Vector(int, 8))
    with pytest.raises(exceptions.IndexOutOfBound, match="9 is out of range"):
        A.shortest_distances(start, 9)
    with pytest.raises(exceptions.InvalidValue, match="one is -1"):
        gb.unary.ainv(A).new().shortest_distances(start)
    assert A.dup(float).shortest_distances(start) is A.shortest_distances(start.dup("INT8")) is None
    monkeypatch.setattr(distances, "LARGE", 1)
    monkeypatch.setattr(pool, "threads", lambda: 8)
    hub = generators.star(99).dup(int)
    assert hub.shortest_distances(gb.Vector.from_coo([1], [0], size=99)) is None


@pytest.mark.parametrize("delta", [None, 0.01, 0.3, 7.0])
def test_random_floats_against_scipy(backend: str, delta: float | None) -> None:
    rows, cols, n = generators.uniform_random_edges(60, 5, seed=2)
    values = np.random.default_rng(3).random(len(rows))
    A = gb.Matrix.from_coo(rows, cols, values, nrows=n, ncols=n)
    expected = shortest_path(gb.io.to_scipy_sparse(A), indices=5)
    np.testing.assert_allclose(delta_stepping(A, 5, delta).to_dense(np.inf), expected, rtol=1e-12)


def test_predecessors_by_parts_of_a_large_matrix(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    A = as_matrix(weighted("both ways"), "weight", int)
    whole = sssp(A, 0, predecessors=True)
    monkeypatch.setattr(matrix_preparation, "MOST_AT_ONCE", 20)
    assert len(A.row_ranges()) > 5
    assert sssp(A, 0, predecessors=True).predecessors.isequal(whole.predecessors)


def test_rounding_at_the_border_of_a_bucket(backend: str) -> None:
    """0.1 + 0.30000000000000004 rounds to the limit of the bucket, although the edge is heavy."""
    A = gb.Matrix.from_coo([0, 1, 2], [1, 2, 3], [0.1, 0.30000000000000004, 1.0], nrows=4, ncols=4)
    assert delta_stepping(A, 0, delta=0.3).nvals == 4
    ulp = np.nextafter(1.0, 2.0)
    B = gb.Matrix.from_coo([0, 1, 2], [1, 2, 3], [2.0**60, ulp, 1.0], nrows=4, ncols=4)
    assert delta_stepping(B, 0, delta=1.0).nvals == 4


@pytest.mark.parametrize("lengths", [np.array([2**63 + 5, 7, 9], np.uint64), np.array([2**62, 2**62, 1])])
def test_sums_beyond_64_bits(backend: str, lengths: np.ndarray) -> None:
    """They are floats, and no negative numbers."""
    A = gb.Matrix.from_coo([0, 1, 2], [1, 2, 3], lengths, nrows=4, ncols=4)
    expected = [0.0, *np.cumsum(lengths.astype(float)).tolist()]
    for algorithm in (sssp, bellman_ford, delta_stepping):
        assert algorithm(A, 0).to_dense().tolist() == expected
    assert apsp(A)[0, :].new().to_dense().tolist() == expected
    assert sssp(A.dup(dtype=gb.UINT8), 0).dtype == gb.INT64
    few = gb.Matrix.from_coo([0, 1], [1, 2], [2**60 - 1, 1], nrows=3, ncols=3)
    assert sssp(few, 0).to_dict() == {0: 0, 1: 2**60 - 1, 2: 2**60}


@pytest.mark.parametrize("length", [True, 1, 7, 1.0, 3.0, 0.1, 2.0**52, 0, 0.0, -0.0])
def test_equal_lengths(length: float) -> None:
    """Levels of a search where sums are exact, to the last bit what Bellman-Ford adds up."""
    rows, columns, _ = generators.grid_2d(7, 9).to_coo()
    A = gb.Matrix.from_coo(rows, columns, length, nrows=63, ncols=63)
    assert sssp(A, 5).isequal(bellman_ford(A, 5), check_dtype=True)


def test_negative_cycles(backend: str) -> None:
    A = gb.Matrix.from_coo([0, 1, 2, 3], [1, 2, 1, 4], [1, 1, -2, 5], nrows=5, ncols=5)
    for algorithm in (bellman_ford, sssp):
        with pytest.raises(gb.exceptions.InvalidValue, match="negative length"):
            algorithm(A, 0)
        assert algorithm(A, 3).to_dict() == {3: 0, 4: 5}
    with pytest.raises(gb.exceptions.InvalidValue, match="negative length"):
        apsp(A)
    with pytest.raises(gb.exceptions.InvalidValue, match="negative length"):
        bellman_ford(gb.Matrix.from_coo([0], [0], [-1]), 0)
    with pytest.raises(gb.exceptions.InvalidValue, match="not be negative"):
        delta_stepping(A, 0)


def test_closeness_of_more_vertices_than_a_word_has_bits(backend: str) -> None:
    """Three batches, the last one incomplete; some vertices reach no others, and long paths have many levels."""
    G = nx.disjoint_union(
        nx.path_graph(100, create_using=nx.DiGraph), nx.gnp_random_graph(40, 0.1, seed=1, directed=True)
    )
    A = as_matrix(G)
    expected = as_list(nx.closeness_centrality(G), len(G))
    for batch in (None, 64, 63, 200):
        np.testing.assert_allclose(closeness(A, batch=batch).to_dense(), expected, rtol=1e-12)
