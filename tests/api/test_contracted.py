"""Square matrices by groups of positions: against sums by a dictionary, and as matrix products."""

import numpy as np
import pytest
from random_objects import matrix_of

from grblas_gpu import Matrix, Vector, binary, unary
from grblas_gpu.api.matrix_graphs import _contracted_by_products, _matching_by_operations
from grblas_gpu.dtypes import lookup_dtype
from grblas_gpu.exceptions import DimensionMismatch, IndexOutOfBound, InvalidValue
from grblas_gpu.operators import get_typed_op

#: Operator, and the types of the row's values, the entries and the column's values.
MATCHING = [
    ("plus", int, int, int),
    ("plus", float, np.float32, float),
    ("minus", np.int8, np.int64, np.int16),
    ("first", np.int64, float, np.int64),
    ("second", bool, np.uint16, int),
    ("land", bool, bool, bool),
]


def vector_of(rng: np.random.Generator, size: int, some: float, dtype: type) -> Vector:
    values = rng.integers(0, 6, size).astype(dtype)
    chosen = np.flatnonzero(rng.random(size) < some)
    return Vector.from_coo(chosen, values[chosen], size=size, dtype=dtype)


def one_by_one(A: Matrix, parts: list[int]) -> dict[int, dict[int, float]]:
    found: dict[int, dict[int, float]] = {}
    for i, row in A.to_dicts().items():
        sums = found.setdefault(parts[i], {})
        for j, value in row.items():
            sums[parts[j]] = sums.get(parts[j], 0) + value
    return found


@pytest.mark.parametrize("dtype", [float, np.int16, bool])
@pytest.mark.parametrize(("n", "density"), [(1, 1.0), (60, 0.02), (200, 0.2)])
def test_sums_one_by_one(backend: str, dtype: type, n: int, density: float) -> None:
    A, rng = matrix_of(n, (n, n), density, (0, 3), dtype), np.random.default_rng(7)
    for count in (1, min(5, n), n):
        groups = rng.integers(0, count, n) * (n // count)
        B, parts = A.contracted(Vector.from_dense(groups))
        assert parts.to_dense().tolist() == np.unique(groups, return_inverse=True)[1].tolist()
        assert B.dtype == ("INT64" if dtype is bool else A.dtype) and B.backend == parts.backend == A.backend
        assert B.nrows == B.ncols == len(set(groups.tolist()))
        assert B.to_dicts() == one_by_one(A, parts.to_dense().tolist())
        expected, same = _contracted_by_products(A.dup(B.dtype), Vector.from_dense(groups))
        assert same.isequal(parts) and expected.isequal(B)


@pytest.mark.parametrize("n", [50, 700])
def test_a_symmetric_matrix_stays_symmetric(backend: str, n: int) -> None:
    """With sums of floats that depend on their order; without values on the diagonal, and with one value for all."""
    A, rng = matrix_of(n, (n, n), 0.1, (1, 9), float), np.random.default_rng(8)
    A = binary.plus(A | A.T).new()
    A << binary.truediv(1.0, A)
    for edges in (A, A.select("offdiag").new(), binary.pair(A, 0.1).new()):
        assert edges.is_symmetric()
        B, parts = edges.contracted(Vector.from_dense(rng.integers(0, n, n) // 3))
        assert B._store._transpose is B._store
        again = Matrix.from_coo(*B.to_coo(), nrows=B.nrows, ncols=B.ncols)
        assert again.is_symmetric() and again.isequal(B)
        assert B.isclose(_contracted_by_products(edges, parts)[0])


def test_of_any_kind_and_without_entries(backend: str) -> None:
    A = matrix_of(3, (12, 12), 0.4, (-1, 4), float)
    B, parts = A.contracted(Vector.from_scalar(4, 12))
    assert B.to_dicts() == {0: {0: A.reduce_scalar("plus").get()}} and parts.to_dense().tolist() == [0] * 12
    assert A.contracted(Vector.from_coo(range(11, -1, -1), [4] * 12, np.int8))[0].isequal(B)
    B, parts = Matrix(float, 3, 3).contracted(Vector.from_dense([2, 0, 2]))
    assert B.shape == (2, 2) and B.nvals == 0 and parts.to_dense().tolist() == [1, 0, 1]
    B, parts = Matrix(float, 0, 0).contracted(Vector(int, 0))
    assert B.shape == (0, 0) and parts.size == 0
    wide = Matrix.from_coo([5, 2**39], [2**38, 5], [1.5, 2], nrows=2**40, ncols=2**40)
    with pytest.raises(InvalidValue, match="every column"):
        wide.contracted(Vector(int, 2**40))


def test_bad_arguments(backend: str) -> None:
    A = matrix_of(3, (9, 9), 0.5, (-1, 4), float)
    with pytest.raises(DimensionMismatch, match="groups has size 8"):
        A.contracted(Vector.from_scalar(0, 8))
    with pytest.raises(DimensionMismatch, match="not square"):
        Matrix(float, 3, 4).contracted(Vector.from_scalar(0, 3))
    with pytest.raises(InvalidValue, match="contracted: every column"):
        A.contracted(Vector.from_coo([0], [1], size=9))
    for number in (9, -1):
        with pytest.raises(IndexOutOfBound, match=r"contracted: .* 9 columns"):
            A.contracted(Vector.from_scalar(number, 9))


@pytest.mark.parametrize("dtype", [float, np.int16, bool])
@pytest.mark.parametrize(("n", "density"), [(1, 1.0), (60, 0.02), (200, 0.2), (900, 0.2)])
def test_entries_within_groups(backend: str, dtype: type, n: int, density: float) -> None:
    A, rng = matrix_of(n, (n, n), density, (0, 3), dtype), np.random.default_rng(6)
    symmetric = binary.second(A | A.T).new()
    for edges, count in ((A, 1), (A, 4), (A, 10 * n), (symmetric.pattern(), 4), (Matrix(dtype, n, n), 2)):
        groups = rng.integers(0, count, n) - 1
        rows, columns, values = edges.to_coo()
        same = groups[rows] == groups[columns]
        found = edges.within(Vector.from_dense(groups))
        assert [x.tolist() for x in found.to_coo()] == [x[same].tolist() for x in (rows, columns, values)]
        assert found.dtype == edges.dtype and found.shape == (n, n)
        if edges is not A and edges.is_symmetric():
            assert edges.within(Vector.from_dense(groups)).is_symmetric()


def test_bad_arguments_of_within(backend: str) -> None:
    A = matrix_of(3, (9, 9), 0.5, (-1, 4), float)
    with pytest.raises(DimensionMismatch, match="groups has size 8"):
        A.within(Vector.from_scalar(0, 8))
    with pytest.raises(DimensionMismatch, match="not square"):
        Matrix(float, 3, 4).within(Vector.from_scalar(0, 3))
    with pytest.raises(InvalidValue, match="within: every column"):
        A.within(Vector.from_coo([0], [1], size=9))
    wide = Matrix.from_coo([5, 7], [7, 5], [1.5, 2], nrows=2**40, ncols=2**40)
    with pytest.raises(InvalidValue, match="every column"):
        wide.within(Vector(int, 2**40))


@pytest.mark.parametrize(("op", "left", "dtype", "right"), MATCHING)
def test_entries_that_match(backend: str, op: str, left: type, dtype: type, right: type) -> None:
    """Beside vectors of every kind: one value for all, a few entries, many, all."""
    rng, (m, n) = np.random.default_rng(5), (90, 130)
    for A in (matrix_of(3, (m, n), 0.2, (0, 4), dtype), matrix_of(3, (m, n), 0.02, (0, 4), dtype).pattern()):
        function = get_typed_op(getattr(binary, op), lookup_dtype(left), A.dtype)
        for some in (0, 0.04, 0.5, 1):
            x, y = (vector_of(rng, size, some, kind) for size, kind in ((m, left), (n, right)))
            found = A.matching(x, op, y)
            rows, columns, values = A.to_coo()
            here, there = x.to_dict(), y.to_dict()
            kept = [
                i in here
                and j in there
                and function.numpy(*np.array([[here[i]], [value]], function.type.np_type))[0] == there[j]
                for i, j, value in zip(rows.tolist(), columns.tolist(), values, strict=True)
            ]
            assert [each.tolist() for each in found.to_coo()] == [
                each[kept].tolist() for each in (rows, columns, values)
            ]
            assert found.dtype == A.dtype and found.shape == A.shape
            assert _matching_by_operations(A, x, binary.from_string(op), y).isequal(found, check_dtype=True)


def test_entries_that_match_in_other_forms(backend: str) -> None:
    n = 2**33
    A = Matrix.from_coo([5, 7, 7], [7, 5, 9], [3, 2, 1], nrows=n, ncols=n)
    x = Vector.from_coo([5, 7], [1, 2], size=n)
    assert A.matching(x, binary.plus, Vector.from_coo([5, 7], [4, 4], size=n)).to_dicts() == {5: {7: 3}, 7: {5: 2}}
    square = Matrix.from_dense([[1, 2], [3, 4]])
    assert square.matching(Vector.from_dense([1, 1]), "plus", Vector.from_dense([4, 5])).to_dicts() == {1: {0: 3, 1: 4}}
    own = binary.register_anonymous(lambda x, y: x * x + y)
    assert square.matching(Vector.from_dense([1, 2]), own, Vector.from_dense([2, 8])).to_dicts() == {
        0: {0: 1},
        1: {1: 4},
    }
    records = Matrix.from_coo(
        [0, 1], [1, 0], np.array([(1, 2.0), (3, 4.0)], [("a", int), ("b", float)]), nrows=2, ncols=2
    )
    assert records.within(Vector.from_dense([3, 3])).nvals == 2 and records.within(Vector.from_dense([3, 1])).nvals == 0


def test_bad_arguments_of_matching(backend: str) -> None:
    A, x = matrix_of(3, (9, 5), 0.5, (-1, 4), float), Vector.from_scalar(0, 9)
    with pytest.raises(DimensionMismatch, match="right has size 9"):
        A.matching(x, binary.plus, x)
    with pytest.raises(DimensionMismatch, match="left has size 5"):
        A.matching(Vector(int, 5), binary.plus, Vector(int, 5))
    with pytest.raises(TypeError):
        A.matching(x, unary.abs, Vector(int, 5))
