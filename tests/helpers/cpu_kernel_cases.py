"""Random stores and semirings for the compiled kernels, and the comparison with the NumPy definitions."""

import numpy as np
import random_objects
from random_objects import KINDS  # noqa: F401 (for tests of kernels)

from grblas_gpu import monoid, operators, semiring
from grblas_gpu.backends.cpu.engine import CpuBackend
from grblas_gpu.backends.reference import Definitions
from grblas_gpu.backends.stores.entries import entries
from grblas_gpu.backends.stores.storage import INDEX, MaskView, MatrixStore, VectorStore, column_type

ENGINE, DEFINITIONS = CpuBackend(), Definitions()


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


def random_vector(rng, size, kind, dtype, iso=False, fill=0.4):
    return random_objects.random_vector(rng, size, kind, dtype, fill, iso, below=9)


def random_matrix(rng, nrows, ncols, dtype, iso=False, fill=0.2):
    return random_objects.random_matrix(rng, nrows, ncols, dtype, fill, iso, below=9)


def random_mask(rng, make):
    """No mask, or one of the four kinds over a store that ``make`` returns."""
    if rng.random() < 0.2:
        return None
    return MaskView(make(), bool(rng.integers(2)), bool(rng.integers(2)))


def same(result, expected, *, values=True):
    """Check that stores of any kinds are equal, and that the result is well-formed."""
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
