"""Properties of the values of a matrix that algorithms use: computed once, and kept with the store.

The values of a matrix never change within its store: a change of values gives the matrix a new store, without these
properties.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import monoid, unary
from ..foundation.memory import reports_memory
from ..ir import recording


class ValueRange(NamedTuple):
    """The smallest and the largest value, None without entries, and whether all are finite numbers.

    NaN is ignored: ``min`` and ``max`` are those of the other values, or NaN if there are none.
    """

    min: Any
    max: Any
    finite: bool


class MatrixValues:
    """Properties of the values."""

    __slots__ = ()
    _store: Any
    _engine: Any

    @reports_memory
    def value_range(self) -> ValueRange:
        """The smallest and the largest value, and whether all values are finite. Computed once.

        >>> from grblas_gpu import Matrix
        >>> A = Matrix.from_coo([0, 1], [1, 0], [2.5, -1.0])
        >>> A.value_range()
        ValueRange(min=-1.0, max=2.5, finite=True)
        >>> A[0, 0] = float("inf")
        >>> A.value_range().finite, Matrix(int, 2, 2).value_range().min
        (False, None)
        """
        recording.read("the values", self)
        store = self._store
        try:
            return store.value_range
        except AttributeError:  # not computed yet
            store.value_range = found = _find_value_range(self)
            return found

    @reports_memory
    def mean_value(self) -> float:
        """The mean of all values, 0.0 without entries. Computed once.

        >>> from grblas_gpu import Matrix
        >>> Matrix.from_coo([0, 1], [1, 0], [2, 5]).mean_value()
        3.5
        """
        recording.read("the values", self)
        store = self._store
        try:
            return store.mean_value
        except AttributeError:  # not computed yet
            store.mean_value = found = _find_mean(self)
            return found


def _find_value_range(A: Any) -> ValueRange:
    """The range of the values of a Matrix, from its entries."""
    # min_ij A_ij and max_ij A_ij
    low, high = (A.reduce_scalar(op).new().value for op in (monoid.min, monoid.max))
    # and_ij isfinite(A_ij) for floats; other numbers are always finite
    finite = A.dtype.np_type.kind != "f" or unary.isfinite(A).new().reduce_scalar(monoid.land).new().get(True)
    return ValueRange(low, high, bool(finite))


def _find_mean(A: Any) -> float:
    """sum_ij A_ij / nvals as floats: sums of integers might overflow."""
    values = A if A.dtype.np_type.kind == "f" else A.dup(float)
    return float(values.reduce_scalar(monoid.plus).new().get(0)) / max(A.nvals, 1)
