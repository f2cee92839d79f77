"""One stored value for all entries is reduced in closed form, however many they are."""

import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Vector, monoid


@pytest.mark.parametrize("size", [2**16 + 1, 100_003, 2**40, 2**59 - 1])
@pytest.mark.parametrize("name", ["plus", "times", "min", "max", "any", "lxnor", "bxor"])
def test_reduce(backend: str, name: str, size: int) -> None:
    dtype = {"lxnor": bool, "bxor": np.uint64}.get(name, np.int64)
    value = bool(size % 2) if name == "lxnor" else 3
    found = Vector.from_scalar(value, size, dtype).reduce(getattr(monoid, name)).new().value
    wanted = {
        "plus": np.int64(size * 3 % 2**64 - 2**64 * (size * 3 % 2**64 >= 2**63)),
        "times": np.array(pow(3, size, 2**64), np.uint64).astype(np.int64),
        "lxnor": value or size % 2 == 0,
        "bxor": 3 * (size % 2),
    }.get(name, 3)
    assert found == wanted


def test_a_number_on_the_left_goes_where_the_others_are():
    """Whatever backend new objects are made on."""
    with gb.using("numpy"):
        v, A = gb.Vector.from_dense([1.0, 2.0]), gb.Matrix.from_dense([[1.0, 2.0]])
    with gb.using("cpu"):
        for found in (2 * v, v + 2 * v, gb.binary.minus(1, v), 3 - A, gb.Scalar.from_value(4) * v):
            assert found.new().backend == "numpy"


@pytest.mark.parametrize("value", [0, 1, 127, 128, -1, True, 2.5])
@pytest.mark.parametrize("dtype", ["BOOL", "INT8", "UINT8", "INT32", "UINT64", "FP32", "FP64", "FC64"])
def test_one_entry_of_a_type(backend: str, dtype: str, value: float) -> None:
    """A type, its name, Python's numbers and arrays: the same Vector, or the same mistake."""
    made = []
    for kind, indices, values in (
        (getattr(gb.dtypes, dtype), [3], [value]),
        (dtype, [3], [value]),
        (getattr(gb.dtypes, dtype), np.array([3]), [value]),
    ):
        try:
            found = Vector.from_coo(indices, values, kind, size=5)
            made.append((found.dtype, found.size, found.to_coo()[0].tolist(), found.to_coo()[1].tolist()))
        except (OverflowError, ValueError, TypeError) as error:
            made.append(type(error))
    assert made[0] == made[1] == made[2]
