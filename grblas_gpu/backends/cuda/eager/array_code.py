"""Complex numbers and records on the device: by the definitions, whose operators are kernels (``compute.cu``).

The kernels of the other types keep sums and scalars in words of 64 bits, which atomics need; these take more.
Nothing leaves the device: the definitions' array code runs on its arrays.
"""

from __future__ import annotations

import cupy
import numpy as np

from ....foundation.types import ArrayLike, TypedMonoid, TypedOperator, Value
from ...forms.every_form import NumpyBackend
from ...protocol import Store
from ...stores.entries import repeat
from ...stores.storage import INDEX, Array, MatrixStore, VectorStore
from ..runtime import records
from . import operating, radix

_INSTEAD = "array code on the device, without the kernels that add up in words of 64 bits"
REASONS = {"c": f"complex numbers: {_INSTEAD}", "V": f"records of a user-defined type: {_INSTEAD}"}


class ArrayCode(NumpyBackend):
    """The definitions on arrays of the device."""

    name = "cuda"

    def array(self, values: ArrayLike, dtype: np.dtype | type | None = None) -> Array:
        return records.to_device(values, dtype)

    def host(self, array: Array) -> np.ndarray:
        return records.to_host(array)  # synchronizes

    def compute(self, op: TypedOperator, *operands: Array) -> Array:
        return operating.compute(op, *operands)

    def in_order(self, keys: Array, limit: int) -> tuple[Array, Array]:
        return radix.sort_positions(cupy.ascontiguousarray(keys), radix.bits_for(limit))

    def get_element(self, x: Store, index: tuple[int, ...]) -> Value | None:
        found = super().get_element(x, index)
        return None if found is None else self.host(found).reshape(-1)[0]  # synchronizes

    def empty_vector(self, size: int, dtype: np.dtype) -> VectorStore:
        return VectorStore(size, records.empty(0, dtype), indices=cupy.empty(0, INDEX))

    def empty_matrix(self, nrows: int, ncols: int, dtype: np.dtype) -> MatrixStore:
        return self.build_matrix(nrows, ncols, np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, dtype), None)

    def reduce_runs(self, op: TypedOperator, values: Array, starts: Array) -> Array:
        """Neighbours of each run are combined until one is left; from the left, one by one, if that matters."""
        is_monoid = op.opclass == "Monoid"
        combine = op.binaryop if is_monoid else op
        if len(starts) == 0:
            return records.empty(0, op.return_type.np_type)
        values = _expanded(values)
        if is_monoid and op.any_value:
            return values[starts]
        ends = np.concatenate([starts[1:], np.zeros(1, starts.dtype, like=starts) + len(values)])
        lengths = ends - starts
        if not is_monoid:
            return self._folded(combine, values, starts, lengths)
        values = values[int(starts[0]) :]  # synchronizes
        while int(lengths.max()) > 1:
            runs = repeat(np.arange(len(lengths), like=lengths), lengths)
            places = np.arange(len(values), like=lengths) - (np.cumsum(lengths) - lengths)[runs]
            left = np.flatnonzero(places % 2 == 0)
            paired = places[left] + 1 < lengths[runs[left]]
            result = values[left]
            pairs = left[paired]
            result[np.flatnonzero(paired)] = self.compute(combine, values[pairs], values[pairs + 1])
            values, lengths = result, (lengths + 1) // 2
        return values

    def _folded(self, op: TypedOperator, values: Array, starts: Array, lengths: Array) -> Array:
        result = values[starts]
        for step in range(1, int(lengths.max())):
            longer = np.flatnonzero(lengths > step)
            result[longer] = self.compute(op, result[longer], values[starts[longer] + step])
        return result

    def reduce_all(self, monoid: TypedMonoid, values: Array) -> Value:
        values = _expanded(values)
        while len(values) > 1 and not monoid.any_value:
            half, odd = len(values) // 2, values[len(values) & ~1 :]
            pairs = self.compute(monoid.binaryop, values[0 : 2 * half : 2].copy(), values[1 : 2 * half : 2].copy())
            values = np.concatenate([pairs, odd])
        return self.host(values[:1])[0]  # synchronizes


def _expanded(values: Array) -> Array:
    """Every value in memory of its own; what changes is what was made of them."""
    return values if values.flags.c_contiguous else values.copy()


ARRAY_CODE = ArrayCode()
