"""Matrices with more positions than 64 bits can number: few rows, columns up to 2**60."""

from __future__ import annotations

import numpy as np
import pytest

import grblas_gpu
from grblas_gpu import Matrix, Vector, io
from grblas_gpu.exceptions import OutOfMemory

N = 2**60
COLUMNS = np.array([5, 6, 7, 2**31 + 1, 2**59, N - 1])


pytestmark = pytest.mark.usefixtures("backend")


def wide(gb, seed: int, nrows: int = 20):
    random = np.random.default_rng(seed)
    rows, cols = random.integers(0, nrows, 60), COLUMNS[random.integers(0, 6, 60)]
    values = random.integers(1, 9, 60).astype(float)
    return gb.Matrix.from_coo(rows, cols, values, nrows=nrows, ncols=N, dup_op=gb.binary.plus)


def changed(change):
    """What is left of a matrix after a change."""

    def run(gb):
        A = wide(gb, 1)
        change(gb, A)
        return A

    return run


def square(gb):
    return gb.Matrix.from_coo(np.arange(19), np.arange(1, 20), 1.5, nrows=20, ncols=20)


def small(gb):
    return gb.Matrix.from_coo([0, 1], [0, 2], [7.0, 8.0], nrows=2, ncols=3)


def some(gb, size: int):
    return gb.Vector.from_coo([0, 5, 16], [1.0, 2.0, 3.0], size=size)


def resized(gb):
    A = gb.Matrix.from_coo([0, 16], [5, 5], [1, 2], nrows=20, ncols=10)
    A.resize(20, N)
    return A


def kronecker(gb):
    a = gb.Matrix.from_coo([0, 1, 1], [5, 2**40, 3], [1, 2, 3], nrows=4, ncols=2**41)
    b = gb.Matrix.from_coo([0, 1, 3], [0, 2**17 - 1, 9], [1, 2, 3], nrows=4, ncols=2**17)
    return a.kronecker(b, gb.binary.times).new()


PLACES = ([3, 16], [5, 9, 2**59])
CASES = {
    "build": lambda gb: wide(gb, 1),
    "keys that wrap": lambda gb: gb.Matrix.from_coo([0, 16], [5, 5], 1, nrows=20, ncols=N),
    "no duplicates": lambda gb: gb.Matrix.from_coo([16, 0], [5, 5], [1, 2], nrows=20, ncols=N),
    "unordered csr": lambda gb: gb.Matrix.from_csr([0, 2, 4], [7, 5, 2**59, 5], [1, 2, 3, 4], ncols=N),
    "ewise_add": lambda gb: wide(gb, 1).ewise_add(wide(gb, 2), gb.binary.minus).new(),
    "ewise_mult": lambda gb: wide(gb, 1).ewise_mult(wide(gb, 2), gb.binary.minus).new(),
    "ewise_union": lambda gb: wide(gb, 1).ewise_union(wide(gb, 2), gb.binary.minus, 1, 2).new(),
    "select value": lambda gb: wide(gb, 1).select("<", 5).new(),
    "select position": lambda gb: wide(gb, 1).select("tril", 0).new(),
    "apply": lambda gb: wide(gb, 1).apply(gb.unary.ainv).new(),
    "apply position": lambda gb: wide(gb, 1).apply(gb.indexunary.colindex).new(),
    "reduce_rowwise": lambda gb: wide(gb, 1).reduce_rowwise(gb.monoid.plus).new(),
    "reduce_scalar": lambda gb: wide(gb, 1).reduce_scalar(gb.monoid.plus).new(),
    "extract rows": lambda gb: wide(gb, 1)[[3, 16, 0, 19, 3], :].new(),
    "extract columns": lambda gb: wide(gb, 1)[:, [5, N - 1, 2**59]].new(),
    "extract row": lambda gb: wide(gb, 1)[16, :].new(),
    "extract column": lambda gb: wide(gb, 1)[:, 5].new(),
    "diagonal": lambda gb: wide(gb, 1).diag(5),
    "mxm": lambda gb: gb.semiring.plus_times(square(gb) @ wide(gb, 1)).new(),
    "mxm masked": lambda gb: gb.semiring.plus_times(square(gb) @ wide(gb, 1)).new(mask=wide(gb, 2).S),
    "mxv": lambda gb: gb.semiring.plus_times(wide(gb, 1) @ some(gb, N)).new(),
    "outer": lambda gb: some(gb, 20).outer(some(gb, N), gb.binary.times).new(),
    "kronecker": kronecker,
    "resize": resized,
    "shrink": changed(lambda gb, A: A.resize(17, 2**59)),
    "assign": changed(lambda gb, A: A[PLACES].update(small(gb))),
    "assign scalar": changed(lambda gb, A: A[PLACES].update(4)),
    "assign accumulated": changed(lambda gb, A: A(gb.binary.plus)[PLACES].update(4)),
    "assign submask": changed(lambda gb, A: A[PLACES](small(gb).S).update(4)),
    "assign rows": changed(lambda gb, A: A[[3, 16], :].update(wide(gb, 5, nrows=2))),
    "assign columns": changed(lambda gb, A: A[:, [5, 9]].update(3)),
    "assign row": changed(lambda gb, A: A[16, :].update(wide(gb, 2)[3, :].new())),
    "assign column": changed(lambda gb, A: A[:, 5].update(wide(gb, 2)[:, 6].new())),
    "assign masked": changed(lambda gb, A: A(wide(gb, 2).S).update(3)),
    "set an element": changed(lambda gb, A: A.__setitem__((17, 2**59 + 1), 3)),
    "change an element": changed(lambda gb, A: A.__setitem__((16, 5), 3)),
    "delete an element": changed(lambda gb, A: A.__delitem__((16, 5))),
    "write": changed(lambda gb, A: A(wide(gb, 2).S, replace=True).update(wide(gb, 3).apply(gb.unary.ainv))),
    "write outside": changed(lambda gb, A: A(~wide(gb, 2).S).update(wide(gb, 3).apply(gb.unary.ainv))),
    "accumulate": changed(lambda gb, A: A(gb.binary.plus).update(wide(gb, 3))),
    "accumulate masked": changed(lambda gb, A: A(wide(gb, 2).S, gb.binary.plus).update(wide(gb, 3))),
}


@pytest.mark.parametrize("case", CASES)
def test_as_python_graphblas(case: str) -> None:
    graphblas = pytest.importorskip("graphblas")
    found, expected = CASES[case](grblas_gpu), CASES[case](graphblas)
    if not hasattr(expected, "to_coo"):
        assert found.value == expected.value
        return
    for ours, theirs in zip(found.to_coo(), expected.to_coo(), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_duplicates() -> None:
    with pytest.raises(ValueError, match="Duplicate"):
        Matrix.from_coo([16, 0, 16], [5, 5, 5], [1, 2, 3], nrows=20, ncols=N)


@pytest.mark.parametrize(
    "run",
    [
        lambda A: A.to_dense(0),
        lambda A: io.to_array(A, 0),
        lambda A: A[:, :].update(1),
        lambda A: A[[0, 1], :].update(1),
        lambda A: Vector.from_scalar(1.0, N).outer(Vector.from_scalar(1.0, N)).new(),
    ],
)
def test_what_cannot_be_stored(run) -> None:
    A = wide(grblas_gpu, 1)
    before = A.dup()
    with pytest.raises(OutOfMemory):
        run(A)
    assert A.isequal(before)
