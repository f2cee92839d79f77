"""Edge attributes as arrays of numbers. Other values raise NotImplementedError, so that NetworkX handles the call."""

from __future__ import annotations

import numpy as np

from ..foundation.types import Array

EXACT = 2**53  # FP64 represents integers up to here exactly
LARGEST_SUM = 2.0**62  # sums of integers up to here cannot overflow


def real_numbers(values: list, attribute: str) -> np.ndarray:
    """The values as INT64 or FP64.

    >>> real_numbers([1, 2.5], "weight")
    array([1. , 2.5])
    >>> real_numbers([1, None], "weight")
    Traceback (most recent call last):
    NotImplementedError: the 'weight' of some edges is not a real number
    """
    try:
        array = np.array(values) if values else np.empty(0, np.int64)
    except (ValueError, OverflowError):  # values of different shapes
        array = np.empty(0, object)
    kind = array.dtype.kind
    if kind not in "bif" or array.ndim != 1:
        raise NotImplementedError(f"the {attribute!r} of some edges is not a real number")
    if kind == "f":
        large = np.abs(array, where=np.isfinite(array), out=np.zeros(array.shape)) > EXACT
        if large.any() and any(isinstance(values[i], int) for i in np.flatnonzero(large).tolist()):
            raise NotImplementedError(f"the {attribute!r} of some edges is an integer that FP64 cannot represent")
        return array.astype(np.float64, copy=False)
    if np.abs(array.astype(np.float64)).sum() > LARGEST_SUM:
        raise NotImplementedError(f"sums of {attribute!r} exceed 64-bit integers")
    return array.astype(np.int64, copy=False)


def add_parallel(values: Array, parallel: np.ndarray | None) -> Array | np.generic:
    """The sum of the values of each group of parallel edges; ``parallel`` has the sizes of the groups.

    >>> import numpy as np
    >>> add_parallel(np.array([1, 2, 4]), np.array([2, 1]))
    array([3, 4])
    """
    return _one_if_equal(values if parallel is None else _combine(np.add, values, parallel))


def least_parallel(values: Array, parallel: np.ndarray | None) -> Array | np.generic:
    """The least value of each group of parallel edges.

    >>> import numpy as np
    >>> least_parallel(np.array([1, 2, 3]), np.array([2, 1]))
    array([1, 3])
    """
    return _one_if_equal(values if parallel is None else _combine(np.minimum, values, parallel))


def least_length(values: np.ndarray, attribute: str) -> float:
    """The minimum of the values and 0; all values must be finite."""
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise NotImplementedError(f"the {attribute!r} of some edges is NaN or infinite")
    return float(min(values.min(initial=0), 0))


def _combine(operation: np.ufunc, values: np.ndarray, parallel: np.ndarray) -> np.ndarray:
    if not len(parallel):
        return values
    return operation.reduceat(values, np.concatenate([[0], np.cumsum(parallel)[:-1]]))


def _one_if_equal(values: Array) -> Array | np.generic:
    """One value if all are equal, so that the matrix is iso."""
    if isinstance(values, np.ndarray) and len(values) > 1 and (values == values[0]).all():
        return values[0]
    return values
