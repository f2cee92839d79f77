"""New arrays in device memory, in as few steps as possible."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from ...storage import INDEX, WORTH_KEEPING, Array, VectorStore

_ALIGNED = 256
_alloc, _array, _device = cupy.cuda.alloc, cupy.ndarray, cupy.cuda.runtime.getDevice
_nothing: dict[Any, tuple[Array, Array]] = {}


def two_arrays(length: int, dtype: Any, other_length: int, other_dtype: Any) -> tuple[Array, Array]:
    """As two calls of ``cupy.empty``, but memory is asked for once: small arrays stay together."""
    one, other = memory_of_two(length * dtype.itemsize, other_length * other_dtype.itemsize)
    return _array((length,), dtype, one), _array((other_length,), other_dtype, other)


def memory_of_two(size: int, other_size: int) -> tuple[Any, Any]:
    """The memory of two arrays, of which a kernel may know before they are made: that takes longer."""
    start = -(-size // _ALIGNED) * _ALIGNED
    if start + other_size > WORTH_KEEPING or not size or not other_size:
        return _alloc(size), _alloc(other_size)
    memory = _alloc(start + other_size)
    return memory, memory + start


_offsets: dict[int, Array] = {}  # of the last matrix without entries, for each device


def no_offsets(nrows: int) -> Array:
    """Row offsets of a matrix without entries. Offsets never change, so they are shared."""
    device = _device()
    found = _offsets.get(device)
    if found is None or len(found) != nrows + 1:
        found = _offsets[device] = cupy.zeros(nrows + 1, np.int32)
    return found


def empty_list(size: int, dtype: Any, device: int | None = None) -> VectorStore:
    """A vector without entries. Arrays without elements are shared: there is nothing to change in them."""
    key = _device() if device is None else device, dtype
    found = _nothing.get(key)
    if found is None:
        found = _nothing[key] = cupy.empty(0, INDEX), cupy.empty(0, dtype)
    indices, values = found
    return VectorStore.known(size, values, indices, None, 0)


def another_empty_list(size: int, dtype: Any) -> VectorStore | None:
    """A vector without entries, if there was one of this type before: no memory is asked for."""
    found = _nothing.get((_device(), dtype))
    return None if found is None else VectorStore.known(size, found[1], found[0], None, 0)
