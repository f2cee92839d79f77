"""PyData Sparse and Awkward Array: there and back, and through python-graphblas's own functions."""

from __future__ import annotations

import sys

import pytest

import grblas_gpu as gb
from grblas_gpu import Vector, io

DTYPES = ("BOOL", "INT8", "INT64", "FP32", "FP64")


def objects(library, dtype: str):
    A = library.Matrix.from_coo([0, 0, 3], [1, 2, 0], [1, 0, 3], dtype, nrows=5, ncols=4)
    return A, library.Vector.from_coo([0, 3], [1, 3], dtype, size=5)


@pytest.mark.parametrize("dtype", DTYPES)
def test_pydata_sparse(backend: str, dtype: str) -> None:
    pytest.importorskip("sparse")
    A, v = objects(gb, dtype)
    for name in ("coo", "dok", "gcxs"):
        there = io.to_pydata_sparse(A.T, name)
        assert type(there).__name__.lower() == name
        assert (there.todense() == A.T.to_dense(fill_value=0)).all()
        assert io.from_pydata_sparse(io.to_pydata_sparse(v, name)).isequal(v, check_dtype=True)
    assert io.from_pydata_sparse(io.to_pydata_sparse(A)).isequal(A, check_dtype=True)
    for mistake, error in (
        (lambda: io.to_pydata_sparse(A, "csr"), ValueError),
        (lambda: io.to_pydata_sparse(3), TypeError),
        (lambda: io.from_pydata_sparse([[1]]), TypeError),
    ):
        with pytest.raises(error):
            mistake()


@pytest.mark.parametrize("dtype", DTYPES)
def test_awkward(backend: str, dtype: str) -> None:
    graphblas = pytest.importorskip("graphblas")
    pytest.importorskip("awkward")
    (A, v), (B, w) = objects(gb, dtype), objects(graphblas, dtype)
    for name in (None, "csr", "csc", "hypercsr", "hypercsc"):
        there = io.to_awkward(A, name)
        assert there.layout.parameters["shape"] == [5, 4]
        assert io.from_awkward(there).isequal(A, check_dtype=True)
        assert io.from_awkward(graphblas.io.to_awkward(B, name)).isequal(A, check_dtype=True)
    assert graphblas.io.from_awkward(io.to_awkward(A)).isequal(B)
    assert io.from_awkward(io.to_awkward(v)).isequal(v, check_dtype=True)
    assert io.from_awkward(graphblas.io.to_awkward(w)).isequal(v, check_dtype=True)
    for mistake, error in (
        (lambda: io.to_awkward(A, "coo"), ValueError),
        (lambda: io.to_awkward(v, "csr"), ValueError),
        (lambda: io.from_awkward([1, 2]), TypeError),
    ):
        with pytest.raises(error):
            mistake()


def test_without_the_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, convert in (("sparse", io.to_pydata_sparse), ("awkward", io.to_awkward)):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(ImportError, match=f"pip install {name}"):
            convert(Vector(int, 3))
