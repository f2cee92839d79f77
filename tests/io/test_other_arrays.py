"""PyData Sparse, Awkward Array and Vectors of entries: there and back, and as python-graphblas converts them."""

import sys

import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, generators, io

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


@pytest.mark.parametrize("dtype", [bool, int, float, "FP32", "UINT8"])
def test_there_and_back(backend: str, dtype: object) -> None:
    A = generators.kronecker(5, 4).dup(dtype)
    A << gb.binary.plus(A, 2) if dtype is not bool else A
    rows, cols, values = io.to_vectors(A)
    assert np.array_equal(np.stack([rows.to_dense(), cols.to_dense()]), np.stack(A.to_coo()[:2]))
    assert io.from_vectors(rows, cols, values, nrows=A.nrows, ncols=A.ncols).isequal(A, check_dtype=True)
    some = Vector.from_coo(np.arange(0, A.nvals, 3), True, size=A.nvals)
    part = io.from_vectors(*(x.dup(mask=some.S) for x in (rows, cols, values)), nrows=A.nrows, ncols=A.ncols)
    assert part.nvals == some.nvals and part.isequal(A.dup(mask=part.S), check_dtype=True)


@pytest.mark.parametrize("count", [0, 3, 400, 900])
@pytest.mark.parametrize("values", [True, "different"])
def test_the_entries_of_a_vector(backend: str, count: int, values: object) -> None:
    """Whether it is stored as a list, with flags, or in full."""
    where = np.sort(np.random.default_rng(1).permutation(900)[:count])
    v = Vector.from_coo(where, where * 0.5 if values == "different" else values, size=900)
    indices, found = io.to_vectors(v)
    assert indices.dtype == gb.INT64 and found.dtype == v.dtype and indices.nvals == indices.size == count
    assert np.array_equal(indices.to_dense(), where) and np.array_equal(found.to_dense(), v.to_coo()[1])
    found << gb.unary.one(found)
    assert v.isequal(Vector.from_coo(where, where * 0.5 if values == "different" else values, size=900))


def test_a_place_that_is_there_twice(backend: str) -> None:
    ends, values = Vector.from_dense([1, 0, 1]), Vector.from_dense([5, 6, 7])
    with pytest.raises(ValueError, match="dup_op"):
        io.from_vectors(ends, ends, values, nrows=2, ncols=2)
    summed = io.from_vectors(ends, ends, values, nrows=2, ncols=2, dup_op=gb.binary.plus)
    assert summed.to_dicts() == {0: {0: 6}, 1: {1: 12}}


def test_what_does_not_fit(backend: str) -> None:
    rows, cols, values = io.to_vectors(Matrix.from_coo([0, 1], [1, 0], [5, 6]))
    with pytest.raises(gb.exceptions.InvalidValue, match="same positions"):
        io.from_vectors(rows, cols, Vector.from_coo([0], [1], size=2), nrows=2, ncols=2)
    with pytest.raises(gb.exceptions.IndexOutOfBound):
        io.from_vectors(rows, cols, values, nrows=1, ncols=2)
    nothing = Vector(int, 3)
    assert io.from_vectors(nothing, nothing, nothing, nrows=2, ncols=2).nvals == 0
