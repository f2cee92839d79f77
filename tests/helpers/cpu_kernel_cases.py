"""Random stores and semirings for the compiled kernels, and what it is to agree with the NumPy definitions."""

from __future__ import annotations

import numpy as np

from grblas_gpu import monoid, operators, semiring
from grblas_gpu.backends.cpu.engine import CpuBackend
from grblas_gpu.backends.entries import entries
from grblas_gpu.backends.reference import Definitions
from grblas_gpu.backends.storage import INDEX, MaskView, MatrixStore, VectorStore, column_type

ENGINE, DEFINITIONS = CpuBackend(), Definitions()
KINDS = ["sparse", "unordered", "bitmap", "full"]


def user_times(x, y):
    return x * y + 1


SEMIRINGS = {
    "plus_times": (semiring.plus_times, "INT64"),
    "plus_times int8": (semiring.plus_times, "INT8"),
    "times_plus": (semiring.times_plus, "FP64"),
    "min_plus": (semiring.min_plus, "FP64"),
    "lor_land": (semiring.lor_land, "BOOL"),
    "any_pair": (semiring.any_pair, "BOOL"),
    "plus_pair": (semiring.plus_pair, "INT64"),
    "min_first": (semiring.min_first, "INT64"),
    "max_second": (semiring.max_second, "FP32"),
    "min_secondi": (semiring.ss.min_secondi, "INT64"),
    "plus_firsti1": (semiring.ss.plus_firsti1, "INT64"),
    "max_secondj": (semiring.ss.max_secondj, "INT64"),
    "user": (
        operators.Semiring.register_anonymous(
            monoid.plus, operators.BinaryOp.register_anonymous(user_times, "user_times"), "plus_user_times"
        ),
        "INT64",
    ),
}


def random_values(rng, count, dtype):
    dtype = np.dtype(dtype)
    if dtype == bool:
        return rng.random(count) < 0.7
    return rng.integers(0, 9, count).astype(dtype)


def random_vector(rng, size, kind, dtype, iso=False, fill=0.4):
    if kind == "full":
        return VectorStore(size, random_values(rng, 1 if iso else size, dtype))
    present = rng.random(size) < fill
    if kind == "bitmap":
        return VectorStore(size, random_values(rng, 1 if iso else size, dtype), present=present)
    indices = np.flatnonzero(present).astype(INDEX)
    if kind == "unordered":
        rng.shuffle(indices)
    count = min(1, len(indices)) if iso else len(indices)
    return VectorStore(size, random_values(rng, count, dtype), indices=indices, ordered=kind == "sparse")


def random_matrix(rng, nrows, ncols, dtype, iso=False, fill=0.2):
    where = rng.random((nrows, ncols)) < fill
    indptr = np.zeros(nrows + 1, INDEX)
    np.cumsum(where.sum(axis=1), out=indptr[1:])
    indices = np.nonzero(where)[1].astype(column_type(ncols))
    count = min(1, len(indices)) if iso else len(indices)
    return MatrixStore(nrows, ncols, indptr, indices, random_values(rng, count, dtype))


def random_mask(rng, make):
    """No mask, or one of the four kinds over a store that ``make`` returns."""
    if rng.random() < 0.2:
        return None
    return MaskView(make(), bool(rng.integers(2)), bool(rng.integers(2)))


def same(result, expected, *, values=True):
    """Equal stores, whatever their kind; and the result is a well-formed store."""
    assert type(result) is type(expected)
    keys, got = entries(result)
    wanted_keys, wanted = entries(expected)
    np.testing.assert_array_equal(keys, wanted_keys)
    assert result.nvals == len(keys)
    assert result.dtype == expected.dtype
    if values:
        np.testing.assert_array_equal(got, wanted)
    if type(result) is VectorStore and result.indices is not None:
        assert result.indices.dtype == INDEX
        if result.ordered:
            assert np.all(np.diff(result.indices) > 0)
    if type(result) is MatrixStore:
        assert result.indices.dtype == column_type(result.ncols)
