"""Every generator makes a simple, symmetric graph, the same on every engine; and each the graph that it promises."""

import inspect
import math
from functools import partial

import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import generators as g
from grblas_gpu.generators import structure
from grblas_gpu.generators.kronecker_graphs import quadrant_limits, recipe_edges
from grblas_gpu.generators.network_models import hyperbolic_points, noisy_quadrants
from grblas_gpu.generators.plane_graphs import SIDE, points
from grblas_gpu.generators.randomness import Stream

GRAPHS = {
    "kronecker": (g.kronecker, (7, 8), {"seed": 2}),
    "kronecker, flat": (g.kronecker, (5, 3), {"a": 0.25, "b": 0.25, "c": 0.25}),
    "grid_2d": (g.grid_2d, (4, 7), {}),
    "road": (g.road, (12, 9), {"seed": 2}),
    "path": (g.path, (9,), {}),
    "star": (g.star, (9,), {}),
    "complete": (g.complete, (6,), {}),
    "complete_bipartite": (g.complete_bipartite, (4, 7), {}),
    "bipartite": (g.bipartite, (20, 15, 4), {}),
    "mycielskian": (g.mycielskian, (6,), {}),
    "delaunay": (g.delaunay, (40,), {}),
    "random_geometric": (g.random_geometric, (150,), {}),
    "random_geometric, wide": (g.random_geometric, (30, 0.4), {}),
    "watts_strogatz": (g.watts_strogatz, (60, 6, 0.3), {}),
    "preferential_attachment": (g.preferential_attachment, (80, 3), {}),
    "uniform_random": (g.uniform_random, (50, 5.0), {}),
    "hyperbolic": (g.hyperbolic, (90, 6.0), {}),
    "noisy_kronecker": (g.noisy_kronecker, (6, 8), {}),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_every_engine_makes_the_same_simple_and_symmetric_graph(backend, name):
    function, arguments, options = GRAPHS[name]
    A = function(*arguments, **options)
    assert A.backend == backend
    assert A.dtype == gb.dtypes.BOOL
    rows, cols, values = A.to_coo()
    n = A.nrows
    assert A.shape == (n, n)
    pairs = list(zip(rows.tolist(), cols.tolist(), strict=True))
    assert pairs
    assert pairs == sorted(set(pairs))
    assert {(j, i) for i, j in pairs} == set(pairs)
    assert all(i != j and 0 <= i < n for i, j in pairs)
    assert values.all()
    assert A.is_symmetric()
    assert A.isequal(gb.Matrix.from_coo(rows, cols, True, nrows=n, ncols=n, dtype=bool), check_dtype=True)
    I, J, size = g.edge_list(function, *arguments, **options)  # on the host, by plain NumPy
    np.testing.assert_array_equal(rows, I)
    np.testing.assert_array_equal(cols, J)
    assert size == n


RANDOM = [name for name, (function, _, _) in GRAPHS.items() if "seed" in (inspect.signature(function).parameters)]


@pytest.mark.parametrize("name", RANDOM)
def test_the_seed_decides(name):
    function, arguments, options = GRAPHS[name]
    options = {key: value for key, value in options.items() if key != "seed"}
    A, again, other = (function(*arguments, **options, seed=seed) for seed in (5, 5, 6))
    assert A.isequal(again)
    assert not A.isequal(other)


@pytest.mark.parametrize("name", ["kronecker", "uniform_random", "mycielskian", "preferential_attachment"])
def test_pieces_change_nothing(monkeypatch, name):
    function, arguments, options = GRAPHS[name]
    A = function(*arguments, **options)
    monkeypatch.setattr(structure, "HOST_PIECE", 7)
    assert function(*arguments, **options).isequal(A)


@pytest.mark.parametrize(("at_once", "at_least"), [(10**6, 1), (700, 3), (90, 30)])  # 90: less than hubs have
@pytest.mark.parametrize(("kind", "given"), [("kronecker", (7, 8)), ("preferential_attachment", (128, 9))])
def test_some_rows_at_a_time_make_the_same_graph(backend, monkeypatch, kind, given, at_once, at_least):
    make = partial(getattr(g, kind), *given, seed=2)
    rows, cols, _ = make().to_coo()
    sorted_keys, distinct = [], structure.distinct

    def counted(keys):
        sorted_keys.append(len(keys))
        return distinct(keys)

    monkeypatch.setattr(structure, "distinct", counted)
    monkeypatch.setattr(structure, "HOST_KEYS", at_once)
    monkeypatch.setattr(structure, "DEVICE_KEYS", at_once)
    A = make()
    I, J, _ = A.to_coo()
    np.testing.assert_array_equal(I, rows)
    np.testing.assert_array_equal(J, cols)
    assert A.is_symmetric()
    assert len(sorted_keys) >= at_least
    if at_once == 90:
        assert max(sorted_keys) > at_once  # a row that needs more room alone
    else:
        assert max(sorted_keys) <= at_once


def test_random_numbers_are_splitmix64():
    """The first numbers for seed 1234567, as its authors' program prints them."""
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert Stream(1234567).bits(np.arange(4, dtype=np.uint64)).tolist() == expected


def test_random_numbers_are_uniform():
    counters = np.arange(100_000, dtype=np.uint64)
    counts = np.bincount(Stream(3, 1).below(10, counters).astype(int), minlength=10)
    assert abs(counts - 10_000).max() < 500  # five standard deviations
    assert abs(Stream(3, 2).happens(0.3, counters).mean() - 0.3) < 0.01
    assert not Stream(3).happens(0.0, counters).any()
    assert Stream(3).happens(1.0, counters).all()
    assert sorted(Stream(3).permutation(1000, counters).tolist()) == list(range(1000))


def test_known_counts():
    def edges(A):
        return A.nvals // 2

    assert edges(g.grid_2d(4, 7)) == 4 * 6 + 3 * 7
    assert edges(g.grid_2d(5)) == 2 * 5 * 4
    assert edges(g.road(5, 6, 1.0)) == edges(g.grid_2d(5, 6))
    assert edges(g.road(5, 6, 0.0)) == 0
    assert edges(g.path(9)) == 8
    assert edges(g.star(9)) == 8
    assert edges(g.complete(6)) == 15
    assert edges(g.complete_bipartite(4, 7)) == 28
    assert edges(g.watts_strogatz(30, 6, 0.0)) == 90


def test_mycielskian_is_the_construction():
    """Each vertex v gets a twin joined to v's neighbours, and one more vertex is joined to all twins."""
    n, edges = 2, {(0, 1)}
    for k in range(3, 9):
        edges |= {(u, v + n) for u, v in edges} | {(v, u + n) for u, v in edges} | {(n + v, 2 * n) for v in range(n)}
        n = 2 * n + 1
        rows, cols, size = g.mycielskian_edges(k)
        assert size == n
        assert {(i, j) for i, j in zip(rows.tolist(), cols.tolist(), strict=True) if i < j} == edges


def test_delaunay_is_a_triangulation():
    rows, _, n = g.delaunay_edges(500, seed=2)
    assert 2 * n - 3 <= len(rows) // 2 <= 3 * n - 6  # Euler: connected and planar, all inner faces triangles


@pytest.mark.parametrize("radius", [0.01, 0.09, 0.3, None])
def test_random_geometric_joins_what_is_near(radius):
    n = 300
    A = g.random_geometric(n, radius, seed=4)
    x, y = points(n, 4, np.zeros(0, np.uint64))
    reach = round((0.55 * math.sqrt(math.log(n) / n) if radius is None else radius) * SIDE)
    near = (x[:, None] - x) ** 2 + (y[:, None] - y) ** 2 <= reach**2
    assert A.nvals == near.sum() - n
    # Vertices are numbered by place; as many of each degree are there all the same.
    degrees = np.bincount(A.to_coo()[0].astype(int), minlength=n)
    assert sorted(degrees.tolist()) == sorted((near.sum(1) - 1).tolist())


def test_watts_strogatz_rewires_as_many_as_it_should():
    n, k = 2000, 10
    ring = g.watts_strogatz(n, k, 0.0)
    rewired = g.watts_strogatz(n, k, 0.1, seed=3)
    kept = gb.binary.pair(ring & rewired).new().nvals
    assert 0.88 < kept / ring.nvals < 0.92
    assert 0.99 * ring.nvals < rewired.nvals <= ring.nvals


def test_preferential_attachment_is_scale_free():
    n, each = 5000, 4
    A = g.preferential_attachment(n, each, seed=3)
    mean, largest, _ = A.degree_statistics()
    assert 0.95 * 2 * each < mean <= 2 * each
    assert largest > 10 * mean  # a uniform graph has about three times the mean
    # The expected degree falls as one over the square root of the age.
    degrees = np.bincount(A.to_coo()[0].astype(int), minlength=n)
    assert degrees[100:200].mean() > 3 * degrees[2500:2600].mean()


@pytest.mark.parametrize("make", [g.path, g.star, g.complete, g.grid_2d, g.road, g.random_geometric, g.uniform_random])
def test_one_vertex_has_no_edges(backend, make):
    A = make(1)
    assert (A.shape, A.nvals) == ((1, 1), 0)
    assert gb.Vector.from_coo([0], [True], size=1).vxm(A, gb.semiring.any_pair).new().nvals == 0


def test_kronecker_quadrants():
    """Before the permutation, an edge of two vertices lies in the quadrants with the probabilities given."""
    # On two vertices: no edge is a loop with b + c, so nearly all graphs have the one edge; with b = c = 0 none has.
    assert g.kronecker(1, 100).nvals == 2
    assert g.kronecker(1, 100, a=0.5, b=0.0, c=0.0).nvals == 0
    assert g.kronecker(6, 50, a=1.0, b=0.0, c=0.0).nvals == 0
    assert g.kronecker(3, 400, a=0.25, b=0.25, c=0.25).nvals == 8 * 7  # all there


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (g.kronecker, (-1,)),
        (g.kronecker, (40,)),
        (g.kronecker, (3, -1)),
        (g.path, (0,)),
        (g.star, (-2,)),
        (g.complete, (0,)),
        (g.complete_bipartite, (0, 3)),
        (g.bipartite, (3, 0)),
        (g.bipartite, (3, 3, -1)),
        (g.grid_2d, (3, 0)),
        (g.road, (3, 0)),
        (g.road, (3, 3, 1.5)),
        (g.mycielskian, (1,)),
        (g.mycielskian, (30,)),
        (g.delaunay, (2,)),
        (g.random_geometric, (10, -0.5)),
        (g.watts_strogatz, (10, 3)),
        (g.watts_strogatz, (10, 10)),
        (g.watts_strogatz, (10, 4, -0.1)),
        (g.preferential_attachment, (0,)),
        (g.preferential_attachment, (10, -1)),
        (g.preferential_attachment, (2**40, 1)),
        (g.uniform_random, (10, -1.0)),
        (g.hyperbolic, (10, 0.0)),
        (g.hyperbolic, (10, 4.0, 2.0)),
        (g.noisy_kronecker, (5, 4, 0.3)),
        (g.lfr, (10,)),
        (g.lfr, (100, 0.1, 9, 5)),
        (g.lfr, (100, 1.5)),
        (g.lfr, (500, 0.0, 5, 50, 40)),
    ],
)
def test_bad_arguments(function, arguments):
    with pytest.raises(ValueError, match=function.__name__):
        function(*arguments)


def test_bad_quadrants():
    with pytest.raises(ValueError, match="kronecker: a, b and c"):
        g.kronecker(3, a=0.7, b=0.3, c=0.2)


def test_stochastic_block_model(backend: str) -> None:
    """Every pair is an edge with its probability: the counts of many graphs are binomial."""
    sizes, chances = [6, 9], np.array([[0.3, 0.1], [0.1, 1.0]])
    graphs = [g.stochastic_block_model(sizes, chances, seed=seed) for seed in range(200)]
    dense = np.mean([(A.to_dense(0) != 0) for A in graphs], axis=0)
    assert (dense == dense.T).all() and not dense.diagonal().any()
    inside, between = dense[:6, :6][np.triu_indices(6, 1)], dense[:6, 6:]
    assert inside.mean() == pytest.approx(0.3, abs=0.03) and inside.std() < 0.07  # 0.032 for 200 fair draws
    assert between.mean() == pytest.approx(0.1, abs=0.02) and (dense[6:, 6:][np.triu_indices(9, 1)] == 1).all()
    assert graphs[3].isequal(g.stochastic_block_model(sizes, chances, seed=3))
    for wrong in ([[0.5]], np.full((2, 2), 1.5), [[0, 1], [0, 0]]):
        with pytest.raises(ValueError, match="probabilities"):
            g.stochastic_block_model(sizes, wrong)


def test_configuration_model(backend: str) -> None:
    degrees = np.r_[np.full(300, 2), np.full(30, 20), 0, 1]
    A = g.configuration_model(degrees, seed=4)
    found = A.reduce_rowwise("count").new().to_dense(0)
    assert (found <= degrees).all() and found.sum() > 0.95 * degrees.sum() and A.is_symmetric()
    assert A.isequal(g.configuration_model(degrees.tolist(), seed=4))
    assert not A.isequal(g.configuration_model(degrees, seed=5))
    for wrong in ([], [1.5], [-1], [[1]]):
        with pytest.raises(ValueError, match="degrees"):
            g.configuration_model(wrong)


@pytest.mark.parametrize(
    ("n", "degree", "exponent"), [(300, 8.0, 2.5), (200, 3.0, 2.1), (150, 30.0, 4.0), (5, 4.0, 2.5)]
)
def test_hyperbolic_joins_what_is_near(n: int, degree: float, exponent: float) -> None:
    r, angle, reach = hyperbolic_points(n, degree, exponent, seed=3)
    cosine = np.cosh(r)[:, None] * np.cosh(r) - np.sinh(r)[:, None] * np.sinh(r) * np.cos(angle[:, None] - angle)
    near = cosine <= np.cosh(reach)
    np.fill_diagonal(near, False)
    assert (g.hyperbolic(n, degree, exponent, seed=3).to_dense(False) == near).all()


def test_lfr_has_its_communities(backend: str) -> None:
    A, labels = g.lfr(3000, 0.2, seed=5)
    rows, cols, _ = A.to_coo()
    label, degrees = labels.to_dense(), A.reduce_rowwise("count").new().to_dense(0)
    assert A.backend == labels.backend == backend and A.is_symmetric()
    assert (label[label] == label).all() and (label <= np.arange(3000)).all()
    assert np.mean(label[rows.astype(int)] != label[cols.astype(int)]) == pytest.approx(0.2, abs=0.03)
    sizes = np.unique(label, return_counts=True)[1]
    assert sizes.min() >= 50 and sizes.max() < 250 and degrees.max() <= 50
    again, other = g.lfr(3000, 0.2, seed=5), g.lfr(3000, 0.2, seed=6)
    assert again.matrix.isequal(A) and again.labels.isequal(labels) and not other.matrix.isequal(A)
    with gb.using("numpy"):
        assert g.lfr(3000, 0.2, seed=5).matrix.isequal(A.to("numpy"))


def test_noise_changes_the_quadrants_of_each_level() -> None:
    plain = g.kronecker(7, 8, seed=4)
    assert g.noisy_kronecker(7, 8, 0.0, seed=4).isequal(plain)
    assert not g.noisy_kronecker(7, 8, 0.1, seed=4).isequal(plain)
    levels = noisy_quadrants(8, 0.19, 3)
    ends = recipe_edges(8, 3, [quadrant_limits(*level) for level in levels], np.arange(50_000, dtype=np.uint64))
    for level, chances in enumerate(levels):
        row, column = (end >> np.uint64(7 - level) & np.uint64(1) for end in ends)
        shares = np.bincount((2 * row + column).astype(int), minlength=4) / 50_000
        assert np.abs(shares[:3] - chances).max() < 0.01  # four standard deviations
    assert len({chances[1] for chances in levels}) == 8
