"""Products with a diagonal on the CPU engine: rows or columns, scaled; the same entries as by the definitions."""

from __future__ import annotations

import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, semiring

pytestmark = pytest.mark.usefixtures("numba_tier")
NUMBERS = ["plus_times", "min_plus", "plus_minus", "max_min"]
ANYTHING = ["any_first", "any_second", "lor_eq", "plus_pair"]  # truth values, too
TYPES = [("FP64", "FP64"), ("INT8", "INT64"), ("FP32", "INT16")]
CASES = [(name, types) for name in NUMBERS + ANYTHING for types in TYPES] + [
    (name, ("BOOL", "BOOL")) for name in ANYTHING
]
N, M = 300, 170


def random_matrix(nrows: int, ncols: int, dtype: str, seed: int) -> Matrix:
    """Some rows without entries, and some long ones."""
    random = np.random.default_rng(seed)
    rows = random.integers(0, nrows, 2000) ** 2 // nrows
    cols = random.integers(0, ncols, 2000)
    values = random.integers(-5, 6, 2000).astype(bool if dtype == "BOOL" else np.float64)
    return Matrix.from_coo(rows, cols, values, dtype, nrows=nrows, ncols=ncols, dup_op=gb.binary.second)


def diagonal(n: int, dtype: str) -> Matrix:
    """With zeros, which are entries as others are."""
    values = np.random.default_rng(n).integers(-2, 3, n)
    return Vector.from_dense(values.astype(bool) if dtype == "BOOL" else values).dup(dtype).diag()


def check(x: Matrix, y: Matrix, name: str, strategy: str) -> None:
    op = getattr(semiring, name)
    with gb.trace() as trace:
        found = op(x @ y).new()
    assert trace.records[-1].strategy == strategy
    expected = op(x.to("numpy") @ y.to("numpy")).new()
    assert found.isequal(expected.to("cpu"), check_dtype=True)


@pytest.mark.parametrize(("name", "dtypes"), CASES)
def test_both_sides(name: str, dtypes: tuple[str, str]) -> None:
    with gb.using("cpu"):
        A = random_matrix(N, M, dtypes[1], 1)
        check(diagonal(N, dtypes[0]), A, name, "mxm.scale")
        check(A, diagonal(M, dtypes[0]), name, "mxm.scale")


def test_two_diagonals_and_one_value_for_all() -> None:
    with gb.using("cpu"):
        A, D = random_matrix(N, N, "FP64", 2), diagonal(N, "FP64")
        ones = Vector.from_scalar(2.0, N).diag()
        check(D, D, "plus_times", "mxm.scale")
        check(ones, A, "plus_times", "mxm.scale")
        check(A.pattern(), D, "plus_times", "mxm.scale")
        check(D, A.T.new(), "plus_times", "mxm.scale")
