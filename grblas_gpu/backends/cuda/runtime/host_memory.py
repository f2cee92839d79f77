"""Memory of the host for arrays that a device has no room for: under unified addresses kernels read it without copies.

:class:`Spilling` is the one place that decides whether an array lies on the device or on the host.
"""

from __future__ import annotations

import ctypes
from contextlib import suppress

import cupy
import numpy as np

from ....exceptions import OutOfMemory
from ....foundation.memory import LESS, free_on_host
from ....foundation.types import Memory
from ...stores.storage import Array

LEAST = 2**16  # bytes; smaller arrays stay on the device
PIECE = 512  # bytes, as in CuPy's pool: kernels read whole lines
LARGE = 2**28  # bytes; to copy larger arrays to the device, CuPy would keep as much pinned memory


class HostMemory(cupy.cuda.UnownedMemory):
    """Pinned memory, at one address for the host and its devices."""

    def __del__(self) -> None:
        with suppress(Exception):  # when Python ends, the driver may be gone
            cupy.cuda.runtime.deviceSynchronize()  # synchronizes: kernels may still read it
            cupy.cuda.runtime.freeHost(self.ptr)


class Spilling:
    """An allocator: the device's, and the host's memory for what does not fit."""

    def __init__(self) -> None:
        self._on_device = cupy.cuda.get_allocator()

    def __call__(self, size: int) -> Memory:
        try:
            return self._on_device(size)
        except cupy.cuda.memory.OutOfMemoryError:
            if size < LEAST:
                raise
        return on_host(size)


def is_spilling() -> bool:
    return type(cupy.cuda.get_allocator()) is Spilling


def is_much(size: int) -> bool:
    """Whether so many bytes are better copied here than by CuPy."""
    return size >= LEAST and (size >= LARGE or is_spilling())


def on_host(size: int) -> Memory:
    """An allocator: the host's memory."""
    size = -(-size // PIECE) * PIECE
    free, runtime = free_on_host(), cupy.cuda.runtime
    refused = f"{size:,} bytes of the host for a device: {free:,} bytes are free; {LESS}"
    if size > free:  # the system would grant it, and end the process at its first use
        raise OutOfMemory(refused)
    try:
        address = runtime.hostAlloc(size, runtime.hostAllocPortable)
    except runtime.CUDARuntimeError as error:
        raise OutOfMemory(f"{error}: {refused}") from None
    return cupy.cuda.MemoryPointer(HostMemory(address, size, None, runtime.getDevice()), 0)


def is_on_host(array: Array) -> bool:
    """Whether kernels read an array over the bus."""
    return type(array.data.mem) is HostMemory


def host_copy(array: Array) -> Array:
    """A copy of an array, of the host or a device, in the host's memory for kernels."""
    copy = host_array(array.size, array.dtype)
    _fill(copy, array)
    return copy


def host_array(length: int, dtype: np.dtype) -> Array:
    """A new array in the host's memory."""
    return cupy.ndarray((length,), dtype, on_host(length * dtype.itemsize))


def device_copy(array: np.ndarray) -> Array:
    """A copy of an array of the host; where it does not fit on the device, nothing passes through that."""
    copy = cupy.empty(array.shape, array.dtype.newbyteorder("="))
    _fill(copy, np.ascontiguousarray(array, copy.dtype))
    return copy


def numpy_copy(array: Array) -> np.ndarray:
    """A copy for the host of what lies there."""
    cupy.cuda.get_current_stream().synchronize()  # synchronizes: a kernel may still write it
    return _view(array).copy()


def _fill(copy: Array, array: Array) -> None:
    if not isinstance(array, np.ndarray):
        copy[...] = array
    elif is_on_host(copy):
        _view(copy)[...] = array
    else:
        copy.set(array)


def _view(array: Array) -> np.ndarray:
    memory = (ctypes.c_char * array.nbytes).from_address(array.data.ptr)
    return np.frombuffer(memory, array.dtype).reshape(array.shape)
