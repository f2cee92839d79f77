"""Dense scratch arrays, one set per Python thread, kept clean between calls.

A push that touches ten entries must not clear a million: every user of a flag array resets the entries that it set.
After an exception the set entries are unknown, so ``forget`` drops all arrays.
"""

from __future__ import annotations

import threading

import numpy as np

_local = threading.local()


def flags(name: str, size: int) -> np.ndarray:
    """An all-False array of at least ``size``; leave it all False."""
    try:
        array = _local.arrays[name]
        if len(array) >= size:
            return array
    except (AttributeError, KeyError):
        pass
    return _new(name, np.zeros(size, bool))


def values(dtype: np.dtype, size: int) -> np.ndarray:
    """An array of at least ``size`` with arbitrary contents."""
    try:
        array = _local.arrays[dtype]
        if len(array) >= size:
            return array
    except (AttributeError, KeyError):
        pass
    return _new(dtype, np.empty(size, dtype))


def _new(name: str | np.dtype, array: np.ndarray) -> np.ndarray:
    if not hasattr(_local, "arrays"):
        _local.arrays = {}
    _local.arrays[name] = array
    return array


def forget() -> None:
    """Drop this thread's scratch arrays."""
    _local.arrays = {}
