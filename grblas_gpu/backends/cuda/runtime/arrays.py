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
    start = -(-length * dtype.itemsize // _ALIGNED) * _ALIGNED
    size = start + other_length * other_dtype.itemsize
    if size > WORTH_KEEPING or not length or not other_length:
        return _array((length,), dtype), _array((other_length,), other_dtype)
    memory = _alloc(size)
    return _array((length,), dtype, memory), _array((other_length,), other_dtype, memory + start)


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
    return VectorStore(size, values, indices=indices, nvals=0)
