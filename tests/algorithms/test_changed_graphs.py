"""Results that are repaired after a change of the graph are those computed anew."""

import numpy as np
import pytest
from emulated_engine import backend as engine_of
from grblas_gpu.algorithms import NotConverged
from library_graphs import takes_long

import grblas_gpu as gb
from grblas_gpu import Graph, Matrix, Vector, algorithms, generators
from grblas_gpu.exceptions import DimensionMismatch, InvalidValue

components = algorithms.connected_components
PAGERANKS: list[dict] = [
    {},
    {"weighted": False},
    {"dangling": "drop"},
    {"damping": 0.5, "personalization": {0: 3, 1: 1}},
]
SHAPES = {"directed": False, "undirected": True}


def graphs(random: np.random.Generator, symmetric: bool, inserts: bool = False) -> tuple[Matrix, Matrix, Matrix]:
    """A graph before and after a change, and the difference; vertices become dangling and lose that again."""
    n = int(random.integers(2, 50))
    before = (random.random((n, n)) < 3 / n) * random.integers(1, 9, (n, n))
    before[random.integers(0, n, 2)] = 0
    now = before.copy()
    rows, cols, values = random.integers(0, n, 6), random.integers(0, n, 6), random.integers(0, 9, 6)
    now[rows, cols] = (
        np.where(before[rows, cols] > 0, np.minimum(before[rows, cols], values + 1), values) if inserts else values
    )
    if symmetric:
        before, now = np.maximum(before, before.T), np.maximum(now, now.T)
        if inserts:
            now = np.where(before > 0, np.minimum(before, now), now)
    A, B, D = (Matrix.from_dense(x.astype(float), missing_value=0.0) for x in (before, now, now - before))
    A._store.transposed()
    rows, cols, values = D.to_coo()
    C, new = A.dup(), now[rows.astype(int), cols.astype(int)].astype(float)
    C.update(rows[new > 0], cols[new > 0], new[new > 0])
    C.delete(rows[new == 0], cols[new == 0])
    assert C.isequal(B, check_dtype=True)
    return A, C, D


@takes_long
@pytest.mark.parametrize("options", PAGERANKS, ids=str)
def test_ranks(backend: str, options: dict) -> None:
    for seed in range(2):
        A, B, D = graphs(np.random.default_rng(seed), seed % 2 > 0)
        exactly = {"iterations": 250, **options}
        start = algorithms.pagerank(A, **exactly)
        again = algorithms.pagerank(B, start=start, changed=D, tol=1e-14, max_iterations=400, **options)
        assert np.abs(again.to_dense() - algorithms.pagerank(B, **exactly).to_dense()).max() < 1e-12


def test_ranks_take_fewer_steps_than_anew() -> None:
    A = generators.kronecker(9, seed=1).dup(float)
    old, edge = algorithms.pagerank(A, tol=1e-16, max_iterations=1000), ([1, 2], [2, 1])
    D = Matrix.from_coo(*edge, 1.0, nrows=A.nrows, ncols=A.ncols)
    A(gb.binary.plus) << D
    right, steps = algorithms.pagerank(A, tol=1e-16, max_iterations=1000).to_dense(), []
    for given in ({}, {"start": old, "changed": D}):
        with gb.trace() as trace:
            ranks = algorithms.pagerank(A, tol=1e-11, **given)
        steps.append(sum(step.op == "vxm" for step in trace.records))
        assert np.abs(ranks.to_dense() - right).sum() < 1e-7
    assert 3 * steps[1] < 2 * steps[0]


@pytest.mark.parametrize("shape", SHAPES)
def test_triangles(backend: str, shape: str) -> None:
    for seed in range(6):
        A, B, D = graphs(np.random.default_rng(seed), SHAPES[shape])
        before, now = algorithms.triangle_count(A), algorithms.triangle_count(B)
        assert algorithms.triangle_count(B, start=before, changed=D) == now


@pytest.mark.parametrize("shape", SHAPES)
def test_components_levels_and_distances(backend: str, shape: str) -> None:
    for seed in range(4):
        A, B, D = graphs(np.random.default_rng(seed), SHAPES[shape], inserts=True)
        for changed in (D, None):
            assert components(B, start=components(A), changed=changed).isequal(components(B))
            for options in ({}, {"max_depth": 2}):
                old, new = (algorithms.bfs(G, 0, **options) for G in (A, B))
                again = algorithms.bfs(B, 0, start=old, changed=changed, **options)
                assert again.isequal(new, check_dtype=True)
            again, new = algorithms.sssp(B, 0, start=algorithms.sssp(A, 0), changed=changed), algorithms.sssp(B, 0)
            assert again.isequal(new, check_dtype=True)
            again = algorithms.sssp(B, 0, start=algorithms.sssp(A, 0), changed=changed, predecessors=True)
            assert again.predecessors.isequal(algorithms.sssp(B, 0, predecessors=True).predecessors)


@pytest.mark.slow
@pytest.mark.emulated
def test_on_an_emulated_device(monkeypatch: pytest.MonkeyPatch) -> None:
    with engine_of("emulated", monkeypatch) as cuda, gb.using(cuda):
        test_triangles(cuda, "directed")
        test_components_levels_and_distances(cuda, "undirected")
        test_ranks(cuda, {})


def test_labels() -> None:
    graph = Graph.from_edges([("a", "b"), ("c", "d"), ("d", "e")])
    old, levels = components(graph), algorithms.bfs(graph, "a")
    ranks, edge = algorithms.pagerank(graph, tol=1e-15, max_iterations=500), ([1, 2], [2, 1])
    graph.matrix.update(*edge, True)
    changed = Matrix.from_coo(*edge, 1, nrows=5, ncols=5)
    assert components(graph, start=old, changed=changed) == dict.fromkeys("abcde", "a")
    assert algorithms.bfs(graph, "a", start=levels, changed=changed) == dict(zip("abcde", range(5), strict=True))
    again = algorithms.pagerank(graph, start=ranks, changed=changed, tol=1e-12)
    assert again == pytest.approx(algorithms.pagerank(graph, tol=1e-15, max_iterations=500), abs=1e-10)


LONGER = Matrix.from_coo([0], [1], 1.0, nrows=3, ncols=3)
BAD = {
    "removed edge, levels": (InvalidValue, lambda A, D: algorithms.bfs(A, 0, start={0: 0}, changed=D)),
    "removed edge, components": (InvalidValue, lambda A, D: components(A, start=[0, 0, 0], changed=D)),
    "longer edge": (InvalidValue, lambda A, D: algorithms.sssp(A, 0, start={0: 0}, changed=LONGER)),
    "another source": (InvalidValue, lambda A, D: algorithms.bfs(A, 1, start={0: 0, 1: 1})),
    "shape": (DimensionMismatch, lambda A, D: algorithms.triangle_count(A, start=0, changed=Matrix(int, 2, 2))),
    "size": (DimensionMismatch, lambda A, D: components(A, start=[0, 1])),
    "no start": (TypeError, lambda A, D: algorithms.pagerank(A, changed=D)),
    "no Matrix": (TypeError, lambda A, D: algorithms.triangle_count(A, start=0, changed=[1])),
    "negative weight": (InvalidValue, lambda A, D: algorithms.pagerank((A * -1.0).new(), start={0: 1}, changed=D)),
    "no convergence": (NotConverged, lambda A, D: algorithms.pagerank(A, start={0: 1}, changed=D, max_iterations=0)),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_arguments(name: str) -> None:
    error, run = BAD[name]
    A = Matrix.from_coo([0, 1], [1, 2], [4.0, 2.0], nrows=3, ncols=3)
    D = Matrix.from_coo([0], [2], [-1.0], nrows=3, ncols=3)
    with pytest.raises(error):
        run(A, D)


def test_a_start_without_a_change_is_any_partition() -> None:
    A = generators.path(6)
    start = Vector.from_coo([1, 2, 4], [5, 5, 3], size=6)
    assert components(A, start=start).to_dense().tolist() == [0] * 6
