"""The transpose of the CUDA engine against SciPy's: on a GPU where there is one, otherwise in an emulation."""

import numpy as np
import pytest
from emulated_engine import engine_fixture
from random_objects import random_matrix

from grblas_gpu.backends.stores.storage import INDEX, MatrixStore, column_type, same_arrays, transpose_csr

engine = engine_fixture("eager.transpose")


def check(engine, a: MatrixStore, offsets=INDEX) -> None:
    to = engine.to_device
    result = engine.transpose.transpose(
        MatrixStore(a.nrows, a.ncols, to(a.indptr.astype(offsets)), to(a.indices), to(a.values))
    )
    found = MatrixStore(result.nrows, result.ncols, *(x.get() for x in (result.indptr, result.indices, result.values)))
    wanted = transpose_csr(a)
    assert (found.nrows, found.ncols) == (wanted.nrows, wanted.ncols)
    assert found.indices.dtype == column_type(a.nrows)
    assert found.values.dtype == a.values.dtype
    assert same_arrays(found, wanted)


@pytest.mark.parametrize("nrows, ncols", [(1, 1), (1, 5000), (5000, 1), (60, 70), (300, 40), (7, 3000)])
def test_shapes(engine, nrows, ncols):
    rng = np.random.default_rng(nrows)
    for fill in (0.001, 0.2):
        a = random_matrix(rng, nrows, ncols, np.float64, fill)
        check(engine, a)
        check(engine, MatrixStore(nrows, ncols, a.indptr, a.indices, np.ones(1)[: a.nvals]), np.int32)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.float32])
def test_types(engine, dtype):
    a = random_matrix(np.random.default_rng(3), 90, 200, dtype, 0.1)
    a.values = np.arange(a.nvals).astype(dtype)
    check(engine, a, np.int32)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_positions_that_one_word_does_not_hold(engine, monkeypatch, dtype):
    a = random_matrix(np.random.default_rng(2), 300, 250, dtype, 0.1)
    for most in (18, 16, 2):  # a word of 32 bits would do for these; the others are ordered first
        monkeypatch.setattr(engine.transpose, "MOST_BITS", most)
        check(engine, a)
        check(engine, MatrixStore(300, 250, a.indptr, a.indices, a.values[:1]), np.int32)


@pytest.mark.parametrize("dtype", [np.bool_, np.float64])
def test_large_shapes(engine, dtype):
    """A row and a column need more than 32 bits together."""
    rng = np.random.default_rng(5)
    counts = np.bincount(rng.integers(0, 2**17, 6000), minlength=2**17)
    keys = np.unique(np.repeat(np.arange(2**17), counts) * 2**17 + rng.integers(0, 2**17, 6000))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(keys >> 17, minlength=2**17))])
    a = MatrixStore(2**17, 2**17, indptr, (keys % 2**17).astype(np.int32), rng.integers(0, 9, len(keys)).astype(dtype))
    check(engine, a)
    check(engine, MatrixStore(a.nrows, a.ncols, a.indptr, a.indices, a.values[:1]), np.int32)
