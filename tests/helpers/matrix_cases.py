"""Matrices for tests of kernels, and when two are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
from mxv_cases import random_matrix

from grblas_gpu.backends.entries import entries
from grblas_gpu.backends.storage import INDEX, MatrixStore


def with_degrees(degrees: Any, dtype: Any = np.float64, seed: int = 0) -> MatrixStore:
    """Rows of these lengths, with values between -9 and 8."""
    indptr = np.concatenate([[0], np.cumsum(degrees)]).astype(INDEX)
    indices = np.concatenate([np.arange(degree, dtype=np.int32) for degree in degrees])
    values = np.random.default_rng(seed).integers(-9, 9, len(indices)).astype(dtype)
    return MatrixStore(len(degrees), max(1, *degrees), indptr, indices, values)


def valued_matrix(rng: np.random.Generator, nrows: int, ncols: int, dtype: Any, fill: float) -> MatrixStore:
    """A random matrix with a value for each entry, a quarter of them zero."""
    a = random_matrix(rng, nrows, ncols, dtype, fill)
    a.values = rng.integers(0, 4, a.nvals).astype(dtype)
    return a


def same(found: Any, wanted: Any) -> None:
    """The same entries of the same type, in the same order."""
    if type(wanted) is MatrixStore:
        assert (found.nrows, found.ncols) == (wanted.nrows, wanted.ncols)
        np.testing.assert_array_equal(found.indptr, wanted.indptr)
        assert found.indices.dtype == wanted.indices.dtype
    for one, other in zip(entries(found), entries(wanted), strict=True):
        np.testing.assert_array_equal(one, other)
    assert found.values.dtype == wanted.values.dtype
