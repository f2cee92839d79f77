"""Heaviest groups of columns, and triangles of edges and vertices: against plain sums, and as matrix products."""

import numpy as np
import pytest
from random_objects import matrix_of

from grblas_gpu import Matrix, Vector, binary, generators, loop, monoid, select, semiring
from grblas_gpu.api.matrix_graphs import _by_products
from grblas_gpu.exceptions import DimensionMismatch, DomainMismatch, IndexOutOfBound, InvalidValue


def one_by_one(A: Matrix, groups: list[int], handicap: list[float], rows: set[int]) -> dict[int, int]:
    """The best group of each row, entry after entry."""
    best = {}
    for i, row in A.to_dicts().items():
        sums: dict[int, float] = {}
        for j, value in row.items():
            sums[groups[j]] = sums.get(groups[j], 0.0) + float(value)
        if i in rows and sums:
            best[i] = min(sums, key=lambda group: (handicap[group] - sums[group], group))
    return best


def random_matrix(n: int, density: float, dtype: type) -> Matrix:
    """Of whole numbers, so that sums are exact in any order, and many of them equal."""
    return matrix_of(n, (n, n + 3), density, (-1, 4), dtype)


@pytest.mark.parametrize("dtype", [float, np.int8, bool])
@pytest.mark.parametrize(("n", "density"), [(1, 1.0), (60, 0.02), (200, 0.2)])
def test_sums_one_by_one(backend: str, dtype: type, n: int, density: float) -> None:
    A = random_matrix(n, density, dtype)
    rng = np.random.default_rng(7)
    for count in (1, min(5, n), n):
        groups = rng.integers(0, count, n + 3)
        handicap = rng.integers(0, 3, n + 3).astype(float)
        rows = Vector.from_coo(np.arange(0, n, 2), 0, size=n)
        given = Vector.from_dense(groups)
        everywhere = set(range(n))
        found = A.heaviest_groups(given).new()
        assert found.dtype == "INT64" and found.backend == A.backend
        assert found.to_dict() == one_by_one(A, groups.tolist(), [0.0] * (n + 3), everywhere)
        found = A.heaviest_groups(given, Vector.from_dense(handicap)).new()
        assert found.to_dict() == one_by_one(A, groups.tolist(), handicap.tolist(), everywhere)
        found = A.heaviest_groups(given, Vector.from_dense(handicap), rows=rows).new()
        assert found.to_dict() == one_by_one(A, groups.tolist(), handicap.tolist(), set(range(0, n, 2)))
        assert _by_products(A, given, Vector.from_dense(handicap), rows).isequal(found)


@pytest.mark.parametrize("dtype", [float, bool])
@pytest.mark.parametrize(("n", "density"), [(1, 1.0), (60, 0.02), (200, 0.2)])
def test_factors_and_another_diagonal(backend: str, dtype: type, n: int, density: float) -> None:
    """With values on the diagonal that the Matrix has there, and with others; some rows have no other entries."""
    A = matrix_of(n, (n, n), density, (-1, 4), dtype)
    rng = np.random.default_rng(8)
    groups, handicap = rng.integers(0, min(n, 20), n), rng.integers(0, 3, n).astype(float)
    factors, diagonal = rng.integers(-1, 3, n).astype(float), rng.integers(-2, 3, n)
    B = A.dup(float)
    B(binary.second) << Vector.from_dense(diagonal.astype(float)).diag()
    expected = {}
    for i in range(n):
        expected |= one_by_one(B, groups.tolist(), (handicap * factors[i]).tolist(), {i})
    given = Vector.from_dense(groups), Vector.from_dense(handicap)
    by_row = {"factors": Vector.from_dense(factors), "diagonal": Vector.from_dense(diagonal)}
    found = A.heaviest_groups(*given, **by_row).new()
    assert found.to_dict() == expected and found.nvals == n
    assert _by_products(A, *given, None, *by_row.values()).isequal(found)
    rows = Vector.from_coo(np.arange(0, n, 2), 0, size=n)
    assert A.heaviest_groups(*given, rows=rows, **by_row).new().isequal(found.dup(mask=rows.S))
    no_factors = A.heaviest_groups(given[0], diagonal=by_row["diagonal"]).new()
    assert no_factors.to_dict() == one_by_one(B, groups.tolist(), [0.0] * n, set(range(n)))


def test_vectors_of_any_kind(backend: str) -> None:
    A = random_matrix(12, 0.4, float)
    expected = A.heaviest_groups(Vector.from_dense([4] * 15)).new()
    assert A.heaviest_groups(Vector.from_scalar(4, 15)).new().isequal(expected)
    assert A.heaviest_groups(Vector.from_coo(range(14, -1, -1), [4] * 15, np.int8)).new().isequal(expected)
    assert A.heaviest_groups(Vector.from_scalar(4, 15), rows=Vector(bool, 12)).new().nvals == 0
    assert Matrix(float, 12, 15).heaviest_groups(Vector.from_scalar(4, 15)).new().nvals == 0
    assert Matrix(float, 0, 0).heaviest_groups(Vector(int, 0)).new().nvals == 0


def test_bad_arguments(backend: str) -> None:
    A = random_matrix(9, 0.5, float)
    groups = Vector.from_scalar(0, 12)
    for bad in (Vector.from_scalar(0, 9), Vector(int, 9)):
        with pytest.raises(DimensionMismatch, match=r"groups has size 9; .* \(9, 12\)"):
            A.heaviest_groups(bad)
    with pytest.raises(DimensionMismatch, match="rows has size 12"):
        A.heaviest_groups(groups, rows=groups)
    with pytest.raises(InvalidValue, match="every column"):
        A.heaviest_groups(Vector.from_coo([0], [1], size=12)).new()
    with pytest.raises(DimensionMismatch, match="square Matrix"):
        A.heaviest_groups(groups, diagonal=Vector.from_scalar(0, 9))
    with pytest.raises(DimensionMismatch, match="factors has size 12"):
        A.heaviest_groups(groups, groups, factors=groups)
    with pytest.raises(InvalidValue, match="every row a factor"):
        A.heaviest_groups(groups, groups, factors=Vector(float, 9)).new()
    for number in (12, -1):
        with pytest.raises(IndexOutOfBound):
            A.heaviest_groups(Vector.from_scalar(number, 12)).new()
    with pytest.raises(DomainMismatch, match="FC64"):
        A.dup("FC64").heaviest_groups(groups)
    with pytest.raises(TypeError, match="Vector"):
        A.heaviest_groups([0] * 12)


def test_in_a_loop_masked_and_accumulated(backend: str) -> None:
    """It is an operation as others are: recorded, and written where a mask allows."""
    A, groups = random_matrix(12, 0.4, float), Vector.from_dense([4, 2, 2] * 5)
    once = A.heaviest_groups(groups).new()
    twice, mask, rounds = Vector(int, 12), Vector.from_coo([0, 3, 5], True, size=12), loop(once, 2)
    for _ in rounds:
        twice(mask.S, binary.plus) << A.heaviest_groups(groups)
    assert twice.isequal(binary.times(once.dup(mask=mask.S), 2).new())
    assert rounds.steps == 2 and "heaviest_groups" in str(rounds.program)


def triples(D: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For edges and for vertices, how many i -> k -> j with i -> j they are in, one triple after another."""
    edges, vertices = np.zeros(D.shape, np.int64), np.zeros(len(D), np.int64)
    for i, k in np.argwhere(D):
        for j in np.flatnonzero(D[i] & D[k]):
            for edge in ((i, k), (i, j), (k, j)):
                edges[edge] += 1
            for vertex in (i, k, j):
                vertices[vertex] += 1
    return edges, vertices


@pytest.mark.parametrize("kind", ["below the diagonal", "directed", "with loops"])
def test_all_triples(backend: str, kind: str) -> None:
    rng = np.random.default_rng(len(kind))
    for n, density in ((1, 1.0), (9, 0.5), (60, 0.2), (150, 0.05)):
        D = rng.random((n, n)) < density
        if kind != "with loops":
            np.fill_diagonal(D, False)
        if kind == "below the diagonal":
            D = np.tril(D)
        rows, cols = np.nonzero(D)
        L = Matrix.from_coo(rows, cols, np.arange(len(rows)) * 0.5, nrows=n, ncols=n)
        edges, vertices = triples(D)
        found = L.triangles_of_edges()
        assert found.isequal(Matrix.from_coo(rows, cols, edges[rows, cols], int, nrows=n, ncols=n), check_dtype=True)
        assert L.triangles_of_vertices().isequal(Vector.from_dense(vertices), check_dtype=True)
        assert found.backend == L.backend


@pytest.mark.slow
def test_large_enough_to_be_taken_by_the_longer_row(backend: str) -> None:
    A = generators.kronecker(12, 24)
    L = select.tril(A, -1).new()
    count = semiring.plus_pair["INT64"]
    edges = binary.second(L, 0).new(int)
    for product in (L @ L.T, L @ L, L.T @ L):
        edges(edges.S, binary.plus) << count(product)
    assert L.triangles_of_edges().isequal(edges)
    vertices = Vector.from_scalar(0, A.nrows)
    vertices(binary.plus) << edges.reduce_rowwise(monoid.plus)
    vertices(binary.plus) << edges.reduce_columnwise(monoid.plus)
    vertices << binary.floordiv(vertices, 2)
    assert L.triangles_of_vertices().isequal(vertices)


def test_nothing_and_what_is_no_graph(backend: str) -> None:
    assert Matrix(bool, 3, 3).triangles_of_edges().nvals == 0
    assert Matrix(bool, 3, 3).triangles_of_vertices().to_dense().tolist() == [0, 0, 0]
    assert Matrix(bool, 0, 0).triangles_of_vertices().size == 0
    for name in ("triangles_of_edges", "triangles_of_vertices"):
        with pytest.raises(DimensionMismatch, match=f"{name}: a graph has a square matrix"):
            getattr(Matrix(bool, 2, 3), name)()
