"""Seconds that show whether anything works at all: every strategy and every kind of operation once, on small graphs.

Small enough for tools that watch every access to memory:
``compute-sanitizer --tool racecheck python -m pytest -m gpu tests/test_tiny.py``.
"""

import numpy as np
import pytest

from grblas_gpu import Matrix, Vector, algorithms, binary, generators, monoid, select, semiring, unary
from grblas_gpu.ir.descriptor import PULL_STRATEGIES, PUSH_STRATEGIES

N = 300


@pytest.fixture
def graph(backend: str) -> Matrix:
    return generators.kronecker(8, 6, seed=3)


def weighted() -> tuple[Matrix, np.ndarray]:
    random = np.random.default_rng(5)
    dense = np.where(random.random((N, N)) < 0.05, random.integers(1, 9, (N, N)), 0)
    dense[7] = random.integers(1, 9, N)  # one long row
    rows, cols = np.nonzero(dense)
    return Matrix.from_coo(rows, cols, dense[rows, cols], nrows=N, ncols=N), dense


@pytest.mark.parametrize("strategy", PUSH_STRATEGIES + PULL_STRATEGIES)
def test_products_with_a_vector(backend: str, strategy: str) -> None:
    A, dense = weighted()
    values = np.arange(N) % 5
    for there in (np.arange(N), np.arange(3, N, 40)):  # full, and a short list
        u = Vector.from_coo(there, values[there], size=N)
        full = np.zeros(N, int)
        full[there] = values[there]
        mask = Vector.from_coo(np.arange(0, N, 3), True, size=N)
        w = Vector(int, N)
        w(~mask.S, strategy=strategy, deterministic=strategy == "push.sort") << semiring.plus_times(u @ A)
        expected = full @ dense
        reached = (np.isin(np.arange(N), there) @ (dense != 0)) & (np.arange(N) % 3 != 0)
        assert w.to_dict() == {int(i): int(expected[i]) for i in np.flatnonzero(reached)}


@pytest.mark.parametrize("strategy", ["mxm.gustavson", "mxm.masked_dot"])
def test_products_with_a_matrix(backend: str, strategy: str) -> None:
    A, dense = weighted()
    C = Matrix(int, N, N)
    C(A.S, strategy=strategy) << semiring.plus_times(A @ A)
    expected = np.where(dense != 0, dense @ dense, 0)
    np.testing.assert_array_equal(C.to_dense(0), expected)
    T = A.T.new()
    np.testing.assert_array_equal(T.to_dense(0), dense.T)


def test_searches(graph: Matrix) -> None:
    source = int(graph.to_coo()[0][0])
    searches = (algorithms.bfs, algorithms.dobfs, algorithms.turbobfs, algorithms.xbfs)
    levels = [search(graph, source) for search in searches]
    assert all(found.isequal(levels[0], check_dtype=False) for found in levels)
    assert levels[0].nvals > 50


def test_vector_operations(backend: str) -> None:
    x = Vector.from_coo([0, 2, 3, 250], [1.0, 5.0, -2.0, 4.0], size=N)
    y = Vector.from_dense(np.arange(N, dtype=float))
    z = Vector(float, N)
    z << binary.plus(x & y)
    assert z.to_dict() == {0: 1.0, 2: 7.0, 3: 1.0, 250: 254.0}
    z(binary.max) << monoid.min(x | y)
    assert z.get(3) == 1.0 and z.nvals == N
    z(x.S, replace=True) << z.apply(unary.ainv)
    assert z.to_dict() == {0: -1.0, 2: -7.0, 3: -1.0, 250: -254.0}
    z << select.value(z < -1.0)
    assert z.to_dict() == {2: -7.0, 250: -254.0}
    z(~x.S) << 3.0
    assert z.reduce(monoid.plus).new().value == 3.0 * (N - 4) - 261.0
    z[:] << 1.0
    assert z.nvals == N and y.reduce(monoid.max).new().value == N - 1


def test_matrix_operations(backend: str) -> None:
    A, dense = weighted()
    np.testing.assert_array_equal(A.reduce_rowwise(monoid.plus).new().to_dense(0), dense.sum(axis=1))
    np.testing.assert_array_equal(A.ewise_add(A.T, binary.plus).new().to_dense(0), dense + dense.T)
    np.testing.assert_array_equal(select.tril(A).new().to_dense(0), np.tril(dense))
    np.testing.assert_array_equal(A[2:50, 3:9].new().to_dense(0), dense[2:50, 3:9])
