"""What the emulated CuPy takes is what CuPy takes."""

import inspect

import cupy_calls
import numpy as np
import pytest
from device_arrays import DeviceArray


def parameters(signature: inspect.Signature) -> list[tuple[str, object, bool]]:
    return [(each.name, each.kind, each.default is each.empty) for each in signature.parameters.values()]


def test_as_installed() -> None:
    cupy = pytest.importorskip("cupy", exc_type=ImportError)
    for name, noted in cupy_calls.SIGNATURES.items():
        assert parameters(inspect.signature(getattr(cupy, name))) == parameters(noted), name
    for name in cupy_calls.NO_ATTRIBUTES:
        assert not hasattr(cupy.ndarray, name)


def test_what_cupy_refuses_is_refused() -> None:
    x = DeviceArray(np.arange(5))
    for refused in (
        lambda: np.ones(3, like=x),
        lambda: np.full(3, 1, like=x),
        lambda: np.insert(x, 1, 2),
        lambda: np.lexsort((x, x)),
        lambda: np.cumsum(x, where=True),
        lambda: np.sort(x, kind="heapsort"),
        lambda: np.searchsorted(x, [1, 2]),
        lambda: np.add.reduceat(x, [0, 2]),
        lambda: np.concatenate([x, np.arange(3)]),
        lambda: x + np.arange(5),
        lambda: x.setflags(write=False),
        lambda: list(range(x[1])),
    ):
        with pytest.raises((TypeError, AttributeError, NotImplementedError, ValueError)):
            refused()


def test_what_cupy_takes_is_taken() -> None:
    x = DeviceArray(np.arange(5))
    for taken, expected in (
        (np.zeros(2, np.int8, like=x), [0, 0]),
        (np.arange(1, 3, like=x), [1, 2]),
        (np.asarray([7], np.int64, like=x), [7]),
        (np.asarray(np.arange(2), like=x), [0, 1]),
        (np.full_like(x, 4), [4] * 5),
        (np.repeat(x, x), [1, 2, 2, 3, 3, 3, 4, 4, 4, 4]),
        (np.diff(x, append=x[-1:] + 1), [1] * 5),
        (np.unique(x, return_counts=True)[1], [1] * 5),
        (np.searchsorted(x, 2), 2),
    ):
        assert isinstance(taken, DeviceArray)
        assert taken.get().tolist() == expected
