"""Reductions of arrays, whole or in segments, with any binary operator.

A segment starts at each of ``starts`` and ends where the next one starts; none is empty.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..foundation.types import Array, Function, Value

Reduce = Callable[["Array"], "Value"]
ReduceAt = Callable[["Array", "Array"], "Array"]


def quiet(function: Function, dtype: np.dtype) -> Function:
    """Overflow and invalid values are results like any other; for arrays NumPy only warns about them for floats."""
    return np.errstate(all="ignore")(function) if dtype.kind in "fc" else function


def _loop_type(dtype: np.dtype) -> np.dtype | None:
    """Without it NumPy would add small integers in 64 bits; what returns bool takes no type."""
    return None if dtype.kind == "b" else dtype


def ufunc_reduceat(ufunc: np.ufunc, dtype: np.dtype) -> ReduceAt:
    """A ufunc folds from the left."""
    loop = _loop_type(dtype)

    def reduceat(values: Array, starts: Array) -> Array:
        return ufunc.reduceat(values, starts, dtype=loop) if len(starts) else np.empty(0, dtype)

    return quiet(reduceat, dtype)


def first_reduceat(values: Array, starts: Array) -> Array:
    """For `any`: the first value of each segment will do."""
    return values[starts]


def _lengths(starts: Array, count: int) -> Array:
    """The lengths of segments: ``np.diff(np.append(...))`` takes longer than a few short ones."""
    lengths = np.empty_like(starts)
    lengths[:-1] = starts[1:] - starts[:-1]
    lengths[-1:] = count - starts[-1:]
    return lengths


def tree_reduceat(function: Callable[[Array, Array], Array], dtype: np.dtype) -> ReduceAt:
    """For associative operators: combine neighbours within each segment until one value is left, in log(n) rounds.

    >>> tree_reduceat(lambda x, y: x * 10 + y, np.dtype(int))(np.array([1, 2, 3]), np.array([0, 2]))
    array([12,  3])
    """

    def reduceat(values: Array, starts: Array) -> Array:
        lengths = _lengths(starts, len(values))
        values = values[starts[0] if len(starts) else len(values) :]
        while len(lengths) and lengths.max() > 1:
            segment = np.repeat(np.arange(len(lengths)), lengths)
            position = np.arange(len(values)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            left = np.flatnonzero(position % 2 == 0)
            paired = position[left] + 1 < lengths[segment[left]]
            result = values[left].astype(dtype, copy=True)
            pairs = left[paired]
            result[paired] = function(values[pairs], values[pairs + 1])
            values, lengths = result, (lengths + 1) // 2
        return values.astype(dtype, copy=False)

    return reduceat


def fold_reduceat(function: Callable[[Array, Array], Array], dtype: np.dtype) -> ReduceAt:
    """For any operator: fold every segment from the left, one element of each segment per round.

    >>> fold_reduceat(np.subtract, np.dtype(int))(np.array([9, 2, 3, 5]), np.array([0, 3]))
    array([4, 5])
    """

    def reduceat(values: Array, starts: Array) -> Array:
        lengths = _lengths(starts, len(values))
        result = values[starts].astype(dtype, copy=True)
        for step in range(1, int(lengths.max(initial=0))):
            longer = lengths > step
            result[longer] = function(result[longer], values[starts[longer] + step])
        return result

    return reduceat


def whole(reduceat: ReduceAt, identity: Value, dtype: np.dtype) -> Reduce:
    """Reduce a whole array to one value of this dtype; an empty one to the identity."""
    start = np.zeros(1, np.int64)

    def reduce(values: Array) -> Value:
        return reduceat(values, start)[0] if len(values) else dtype.type(identity)

    return reduce


def ufunc_reduce(ufunc: np.ufunc, identity: Value, dtype: np.dtype) -> Reduce:
    """`ufunc.reduce` is faster than one segment: it sums pairwise and uses vector instructions."""
    loop = _loop_type(dtype)

    def reduce(values: Array) -> Value:
        return ufunc.reduce(values, dtype=loop) if len(values) else dtype.type(identity)

    return quiet(reduce, dtype)
