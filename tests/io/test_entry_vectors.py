"""A Matrix as three Vectors, and back."""

from __future__ import annotations

import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, generators, io


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


def test_what_does_not_fit(backend: str) -> None:
    rows, cols, values = io.to_vectors(Matrix.from_coo([0, 1], [1, 0], [5, 6]))
    with pytest.raises(gb.exceptions.InvalidValue, match="same positions"):
        io.from_vectors(rows, cols, Vector.from_coo([0], [1], size=2), nrows=2, ncols=2)
    with pytest.raises(gb.exceptions.IndexOutOfBound):
        io.from_vectors(rows, cols, values, nrows=1, ncols=2)
    nothing = Vector(int, 3)
    assert io.from_vectors(nothing, nothing, nothing, nrows=2, ncols=2).nvals == 0
