"""Pulls that add up where the operand has its flags in its values: floats of both sizes, and what has none to spare;
NaN, zeros of both signs, and an entry that is the very mark."""

import emulated_engine
import numpy as np
import pytest
from hardware import has_gpu

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, algorithms, binary, semiring

MANY = [70_000] if has_gpu() else []  # of fewer positions operands stay as they are on a device
PULL = {"direction": "pull", "pull_strategy": "pull.hybrid"}
MARKS = {"FP64": np.array([0x7FF80000A5A5A5A5], np.uint64), "FP32": np.array([0x7FE5A5A5], np.uint32)}


def graph(n: int, seed: int, dtype: str = "INT64") -> Matrix:
    """Some twelve entries in a row, and a vertex that knows all others."""
    random = np.random.default_rng(seed)
    rows = np.concatenate([random.integers(0, n, 12 * n), np.full(n, n // 3), np.arange(n)])
    cols = np.concatenate([random.integers(0, n, 12 * n), np.arange(n), np.full(n, n // 3)])
    values = random.integers(-9, 9, len(rows))
    return Matrix.from_coo(rows, cols, values, dtype, nrows=n, ncols=n, dup_op=binary.plus)


@gb.program
def sums(A: Matrix, x: Vector, allowed: Vector, complement: bool, rounds: int) -> Vector:
    """What x has is added up along edges; the sums are the next x."""
    total = x.dup()
    for _ in gb.loop(x, rounds):
        # x<allowed> = x A, or outside of it
        x(~allowed.S if complement else allowed.S, replace=True, **PULL) << semiring.plus_times(x @ A)
        # total += x
        total(binary.plus) << x
    return total


def both(to_device, A: Matrix, x: Vector, allowed: Vector, complement: bool, rounds: int) -> tuple[Vector, Vector]:
    """From a device, and from the CPU."""
    with gb.using("cpu"):
        expected = sums(A, x.dup(), allowed, complement, rounds)
    A, x, allowed = to_device(A), x.to("cuda"), allowed.to("cuda")
    with gb.trace() as trace:
        found = sums(A, x, allowed, complement, rounds)
    assert {step.strategy for step in trace.steps()} == {"pull.hybrid"}
    return found.to("cpu"), expected


@pytest.mark.parametrize("complement", [False, True])
@pytest.mark.parametrize("dtype", ["FP64", "FP32", "INT64"])
@pytest.mark.parametrize("n", [37, 257, *MANY])
def test_sums(to_device, monkeypatch: pytest.MonkeyPatch, n: int, dtype: str, complement: bool) -> None:
    """Small whole numbers: exact in any order."""
    monkeypatch.setattr(emulated_engine.FewBlocks, "blocks", 3)
    with gb.using("cpu"):
        first = np.array([0, 31, n - 1])
        x = Vector.from_coo(first, [3, -4, 5], dtype, size=n)
        allowed = Vector.from_coo(np.arange(0, n, 2), True, size=n)
        A = graph(n, n, dtype)
    found, expected = both(to_device, A, x, allowed, complement, 2)
    assert found.isequal(expected, check_dtype=True)


@pytest.mark.parametrize("dtype", ["FP64", "FP32"])
@pytest.mark.parametrize("n", [40, *MANY])
def test_values_that_are_special(to_device, n: int, dtype: str) -> None:
    """A zero is an entry, and so are a NaN and what looks like the mark."""
    mark = MARKS[dtype].view(np.dtype(dtype.replace("FP", "float")))[0]
    assert np.isnan(mark)
    with gb.using("cpu"):
        rows = np.repeat(np.arange(n), 12)
        A = Matrix.from_coo(rows, (rows + np.tile(np.arange(12), n)) % n, 1.0, dtype, nrows=n, ncols=n)
        values = np.array([mark, np.nan, -0.0, 0.0, np.inf], mark.dtype)
        x = Vector.from_coo([0, 4, 20, 27, 39], values, size=n)
        allowed = Vector.from_coo(np.arange(n), True, size=n)
    found, expected = both(to_device, A, x, allowed, False, 1)
    (where, those), (there, theirs) = found.to_coo(), expected.to_coo()
    np.testing.assert_array_equal(where, there)
    np.testing.assert_array_equal(those, theirs)
    assert np.array_equal(np.signbit(those[those == 0]), np.signbit(theirs[theirs == 0]))


@gb.program
def added(A: Matrix, x: Vector, y: Vector) -> Vector:
    """A constant vector is an operand in every round."""
    for _ in gb.loop(y, 2):
        # y += x A
        y(binary.plus, **PULL) << semiring.plus_times(x @ A)
    return y


@pytest.mark.parametrize("n", [40, *MANY])
def test_an_operand_without_entries(to_device, n: int) -> None:
    """It may have no memory for values."""
    with gb.using("cpu"):
        A = graph(n, n, "FP64")
    y = Vector.from_coo([3], [2.0], size=n)
    assert added(to_device(A), Vector("FP64", n), y).to_dict() == {3: 2.0}


@pytest.mark.parametrize("n", [100, 333, *MANY])
def test_betweenness(to_device, n: int) -> None:
    with gb.using("cpu"):
        A = graph(n, n).pattern()
        A = binary.lor(A | A.T).new()
        expected = algorithms.betweenness_centrality(A, 1)
    with gb.trace() as trace:
        found = algorithms.betweenness_centrality(to_device(A), 1).to("cpu")
    assert "pull.hybrid" in {step.strategy for step in trace.steps()}
    assert found.isclose(expected, rel_tol=1e-12)
