"""New arrays in device memory, in as few steps as possible."""

from __future__ import annotations

from collections.abc import Hashable

import cupy
import numpy as np

from ...stores.storage import INDEX, Array, MatrixStore, VectorStore, column_type
from .counters import Slots
from .workspace import current, memory_of_two

_FLAG = np.dtype(bool)
_alloc, _array, _device = cupy.cuda.alloc, cupy.ndarray, cupy.cuda.runtime.getDevice
_nothing: dict[Hashable, tuple[Array, Array]] = {}  # of a device and a type: indices and values


def two_arrays(length: int, dtype: np.dtype, other_length: int, other_dtype: np.dtype) -> tuple[Array, Array]:
    """Like two calls of ``cupy.empty``, but with one allocation: small arrays stay together."""
    one, other = memory_of_two(length * dtype.itemsize, other_length * other_dtype.itemsize)
    return _array((length,), dtype, one), _array((other_length,), other_dtype, other)


class Result:
    """Memory for a vector that a kernel will write by position: flags, unless it is ``full``, and values, or one.

    Its array objects are made after the launch: that takes longer than allocating the memory.
    """

    __slots__ = ("_dtype", "_flags", "_length", "_size", "_values", "addresses")

    def __init__(self, size: int, dtype: np.dtype, iso: bool = False, full: bool = False) -> None:
        self._size, self._dtype = size, dtype
        self._length = length = 1 if iso else size
        if full:
            self._flags, self._values = None, _alloc(length * dtype.itemsize)
            self.addresses = 0, self._values.ptr
        else:
            self._flags, self._values = flags, values = memory_of_two(size, length * dtype.itemsize)
            self.addresses = flags.ptr, values.ptr

    def store(self, slots: Slots) -> VectorStore:
        """The vector: the kernel counts its entries in these slots, unless it is full."""
        size, values = self._size, _array((self._length,), self._dtype, self._values)
        if self._flags is None:
            return VectorStore.known(size, values, None, None, size)
        return VectorStore.counted_bitmap(size, values, _array((size,), _FLAG, self._flags), slots.published(), size)


def no_offsets(nrows: int) -> Array:
    """Row offsets of a matrix without entries. Offsets never change, so those of one stream are shared; another stream
    might read them before they are written."""
    scratch = current()
    found = scratch.no_offsets
    if found is None or len(found) != nrows + 1:
        found = scratch.no_offsets = cupy.zeros(nrows + 1, np.int32)
    return found


def _no_elements(dtype: np.dtype | type, device: int) -> tuple[Array, Array]:
    """Arrays without elements are shared: they cannot change."""
    found = _nothing.get((device, dtype))
    if found is None:
        found = _nothing[device, dtype] = cupy.empty(0, INDEX), cupy.empty(0, dtype)
    return found


def empty_list(size: int, dtype: np.dtype, device: int | None = None) -> VectorStore:
    """A vector without entries."""
    indices, values = _no_elements(dtype, _device() if device is None else device)
    return VectorStore.known(size, values, indices, None, 0)


def empty_rows(nrows: int, ncols: int, dtype: np.dtype) -> MatrixStore:
    """A matrix without entries, as CSR."""
    device = _device()
    (_, columns), (_, values) = _no_elements(column_type(ncols), device), _no_elements(dtype, device)
    return MatrixStore(nrows, ncols, no_offsets(nrows), columns, values)


def another_empty_list(size: int, dtype: np.dtype) -> VectorStore | None:
    """A vector without entries, if one of this type was made before; it shares its memory."""
    found = _nothing.get((_device(), dtype))
    return None if found is None else VectorStore.known(size, found[1], found[0], None, 0)
