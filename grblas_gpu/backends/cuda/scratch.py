"""Work arrays in device memory that outlive a call: slots to count in, flags and sums, kept clean between calls.

A push that touches ten entries must not pay for clearing a million: whoever uses flags or sums resets the entries that
it set. There is one set per Python thread, device and stream, because kernels of two streams may run at the same time.
"""

from __future__ import annotations

import threading
from typing import Any

import cupy
import numpy as np

from ..storage import INDEX, Array
from .counters import SLOTS, SLOTS_PER_CALL, Block, Slots
from .launch import TILES

COUNTERS = 8  # numbers that the kernels of one call may count with
BITS = tuple(np.uint32(1 << bit) for bit in range(8))  # of a byte
_local = threading.local()


class Scratch:
    """The work arrays of one thread on one device and stream."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.tile_sums = cupy.empty(TILES, INDEX)
        self.counters = cupy.zeros(COUNTERS, INDEX)
        self._pinned = cupy.cuda.alloc_pinned_memory(8)
        self._host = np.frombuffer(self._pinned, INDEX, 1)
        self._block = Block(stream)
        self._arrays: dict[Any, Array] = {}
        self._mark = 0

    def slots(self) -> Slots:
        """Zeros to count in, for one call."""
        block = self._block
        if block.taken == SLOTS:
            block = self._block = Block(self.stream)
        block.taken += SLOTS_PER_CALL
        return Slots(block, block.taken - SLOTS_PER_CALL)

    def number_at(self, address: int) -> int:
        """A 64-bit number in device memory, once everything before has run."""
        runtime = cupy.cuda.runtime
        runtime.memcpyAsync(self._pinned.ptr, address, 8, runtime.memcpyDeviceToHost, self.stream.ptr)
        self.stream.synchronize()  # synchronizes
        return int(self._host[0])

    def marks(self, size: int) -> tuple[Array, np.uint32]:
        """Bytes, and a bit that is clear in all of them; whoever takes it may set it, and leave it set."""
        array = self._arrays.get("marks")
        if array is None or len(array) < size:
            array = self._arrays["marks"] = cupy.zeros(max(size, 4), np.uint8)
            self._mark = 0
        elif self._mark == len(BITS):
            array.data.memset_async(0, len(array), self.stream)
            self._mark = 0
        bit = BITS[self._mark]
        self._mark += 1
        return array, bit

    def flags(self, name: str, size: int) -> Array:
        """An all-False array of at least ``size``; leave it all False."""
        array = self._arrays.get(name)
        if array is None or len(array) < size:
            array = self._arrays[name] = cupy.zeros(size, bool)
        return array

    def sums(self, dtype: np.dtype, initial: Any, size: int) -> Array:
        """An array full of ``initial``; leave it so."""
        key = dtype.char, repr(initial)
        array = self._arrays.get(key)
        if array is None or len(array) < size:
            array = self._arrays[key] = cupy.full(size, initial, dtype)
        return array

    def values(self, name: str, dtype: np.dtype, size: int) -> Array:
        """An array of at least ``size`` with arbitrary contents."""
        key = name, dtype.char
        array = self._arrays.get(key)
        if array is None or len(array) < size:
            array = self._arrays[key] = cupy.empty(size, dtype)
        return array


def current() -> Scratch:
    """The work arrays of this thread, for the current device and stream."""
    stream = cupy.cuda.get_current_stream()
    key = cupy.cuda.runtime.getDevice(), stream.ptr
    try:
        return _local.sets[key]
    except (AttributeError, KeyError):
        pass
    if not hasattr(_local, "sets"):
        _local.sets = {}
    _local.sets[key] = scratch = Scratch(stream)
    return scratch


def forget() -> None:
    """Drop this thread's work arrays: after an error nobody knows whether they are clean."""
    _local.sets = {}
