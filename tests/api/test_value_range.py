"""What a matrix remembers of its values: right, found once, and forgotten by every kind of change."""

import numpy as np
import pytest
from emulated_engine import ENGINES, loaded
from loop_cases import transposes_there

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, algorithms, binary, monoid, select, semiring, unary
from grblas_gpu.api.matrix_preparation import ValueRange
from grblas_gpu.backends import registry as backends

N = 40


def signed(dtype=float) -> Matrix:
    """Values from -30 to 88, each once, some 4 in a row."""
    entries = np.arange(119)
    return Matrix.from_coo(entries % N, (entries * 7 + entries // N) % N, entries - 30, dtype, nrows=N, ncols=N)


def expected(A: Matrix) -> ValueRange:
    values = A.to_coo()[2]
    if not len(values):
        return ValueRange(None, None, True)
    numbers = values[~np.isnan(values)] if values.dtype.kind == "f" else values
    low, high = (numbers.min(), numbers.max()) if len(numbers) else (np.nan, np.nan)
    return ValueRange(low, high, bool(np.isfinite(values).all()))


@pytest.mark.parametrize("dtype", ["BOOL", "INT8", "UINT8", "INT64", "FP32", "FP64"])
def test_the_range_of_every_type(backend: str, dtype: str) -> None:
    A = unary.abs(signed()).new(dtype) if dtype == "UINT8" else signed(dtype)
    found = A.value_range()
    assert found == expected(A)
    assert found is A.value_range()  # remembered
    whole = Matrix.from_coo([0, 1, 1], [1, 0, 1], 1, dtype)  # one stored value
    assert whole.value_range() == (1, 1, True)
    assert Matrix(dtype, 3, 2).value_range() == Matrix(dtype, 0, 0).value_range() == (None, None, True)


@pytest.mark.parametrize("dtype", ["BOOL", "INT8", "UINT64", "FP32", "FP64"])
def test_the_mean_of_every_type(backend: str, dtype: str) -> None:
    A = unary.abs(signed()).new(dtype)
    assert A.mean_value() == pytest.approx(float(A.to_coo()[2].mean()), rel=1e-6)
    assert Matrix.from_coo([0, 1, 1], [1, 0, 1], 1, dtype).mean_value() == 1.0  # one stored value
    assert Matrix(dtype, 3, 2).mean_value() == 0.0


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite(backend: str, odd: float) -> None:
    for dtype in ("FP32", "FP64"):
        A = signed(dtype)
        A[3, 3] = odd
        assert A.value_range() == expected(A)
        assert not A.value_range().finite
        low, high, finite = Matrix.from_coo([0, 1], [1, 0], odd, dtype).value_range()
        assert not finite
        np.testing.assert_array_equal([low, high], [odd, odd])


CHANGES = {
    "an element": lambda A: A.__setitem__((1, 1), -99),
    "an element that is there": lambda A: A.__setitem__((0, 0), -99),
    "an element with an accumulator": lambda A: A(binary.plus)[0, 0] << -99,
    "less an element": lambda A: A.__delitem__((0, 0)),
    "a row": lambda A: A.__setitem__((4, slice(None)), -99),
    "a row of a vector": lambda A: A[4, :] << Vector.from_scalar(-99, N),
    "a column of a vector": lambda A: A[:, 4] << Vector.from_scalar(-99, N),
    "a column, masked": lambda A: A[:, 4](Vector.from_scalar(True, N).S) << -99,
    "a region": lambda A: A[[1, 2], [3, 4]] << -99,
    "a region of a matrix": lambda A: A[:2, :2] << Matrix.from_coo([0, 1], [1, 0], [-99, 1000]),
    "a region, accumulated": lambda A: A(binary.times)[:5, :] << 1000,
    "everything": lambda A: A << -99,
    "everything, masked": lambda A: A(A.S) << -99,
    "a masked scalar": lambda A: A(select.valuegt(A, 50).new().S) << -99,
    "another matrix": lambda A: A << binary.times(A, -2).new(),
    "its transpose and more": lambda A: A << binary.minus(A.T | A),
    "an expression": lambda A: A << binary.times(A, -2),
    "an expression, accumulated": lambda A: A(binary.plus) << A,
    "an expression, masked": lambda A: A(A.S, replace=True) << unary.ainv(A),
    "a product": lambda A: A << semiring.plus_times(A @ A),
    "a product, accumulated": lambda A: A(binary.min) << semiring.min_plus(A @ A),
    "a selection": lambda A: A << select.valuelt(A, 0),
    "less in total": lambda A: A.clear(),
    "a smaller size": lambda A: A.resize(3, 3),
    "built anew": lambda A: (A.clear(), A.build([0], [0], [-99])),
    "the functional form": lambda A: gb.operations.apply(A, A, unary.ainv),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("dtype", ["FP64", "INT64"])
def test_forgotten_when_values_change(backend: str, change: str, dtype: str) -> None:
    A = signed(dtype)
    before, mean = A.value_range(), A.mean_value()
    other, transposed = A.dup(), A.T.new()
    assert other.value_range() == transposed.value_range() == before
    CHANGES[change](A)
    assert A.mean_value() == pytest.approx(A.to_coo()[2].mean() if A.nvals else 0)
    assert other.mean_value() == pytest.approx(mean) == pytest.approx(29)
    assert A.value_range() == expected(A)
    assert A.value_range() != before
    assert other.value_range() == transposed.value_range() == before == expected(other)


@pytest.mark.parametrize("kind", ENGINES[1:])  # the first is a GPU, and a backend of the tests above
def test_forgotten_on_a_device(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with loaded(kind, monkeypatch, "engine") as device:
        monkeypatch.setitem(backends._engines, "cuda", device.engine.CudaBackend())
        transposes_there(device, monkeypatch)
        with gb.using("cuda"):
            for change in CHANGES.keys() - {"its transpose and more"}:  # emulated, SciPy makes transposes, on the host
                test_forgotten_when_values_change("cuda", change, "FP64")
            for dtype in ("BOOL", "INT8", "UINT8", "FP32"):
                test_the_range_of_every_type("cuda", dtype)


def test_what_is_made_of_a_matrix_has_a_range_of_its_own(backend: str) -> None:
    A = signed()
    assert A.value_range().min == -30
    for made in (A.dup("INT32"), select.valuegt(A, 0).new(), A[:9, :].new(), A.pattern(), Matrix.from_csr(*A.to_csr())):
        assert made.value_range() == expected(made)
    B = A.dup()
    A << 5
    assert (A.value_range(), B.value_range()) == ((5, 5, True), expected(B))
    assert A.to(backend).value_range() == (5, 5, True)


def test_algorithms_see_weights_that_change(backend: str) -> None:
    A = Matrix.from_coo([0, 1, 2], [1, 2, 0], [1.0, 2.0, 3.0])
    assert algorithms.sssp(A, 0).to_dict() == {0: 0, 1: 1, 2: 3}
    A[1, 2] = -2.0
    assert algorithms.sssp(A, 0).to_dict() == {0: 0, 1: 1, 2: -1}
    with pytest.raises(gb.exceptions.InvalidValue, match="the smallest is -2"):
        algorithms.pagerank(A)
    A[1, 2] = float("nan")
    with pytest.raises(gb.exceptions.InvalidValue, match="finite"):
        algorithms.sssp(A, 0)
    A[1, 2] = 4.0
    assert algorithms.sssp(A, 0).to_dict() == {0: 0, 1: 1, 2: 5}


def test_a_second_search_reduces_nothing(backend: str) -> None:
    A = Matrix.from_coo([0, 1, 2], [1, 2, 0], [1.0, 2.0, 3.0])
    seen = []
    for _ in range(2):
        with gb.trace() as trace:
            algorithms.bellman_ford(A, 0)
        seen.append([record.op for record in trace.records].count("reduce"))
    assert seen == [3, 0]
    assert A.reduce_scalar(monoid.min).new() == A.value_range().min
