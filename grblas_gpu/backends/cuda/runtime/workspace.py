"""Data that outlive a call: counter slots, flags and sums, kept clean between calls, and kernels ready to launch.

A push that touches ten entries must not clear a million: every user of flags or sums resets the entries that it set.
There is one set per Python thread, device and stream, because kernels of two streams may run at the same time.
"""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Hashable
from contextlib import suppress
from typing import Any

import cupy
import numpy as np

from ....foundation.types import Kernel, Memory, Stream, Value
from ...stores.storage import INDEX, WORTH_KEEPING, Array
from . import records
from .counters import SLOTS, SLOTS_PER_CALL, Block, Slots
from .launch import (
    BLOCK,
    BLOCKS_PER_PROCESSOR,
    LARGE,
    RESERVED,
    SHARES,
    TILES,
    blocks_for,
    most_blocks,
    processors,
    shared_bytes_at_most,
)

BITS = tuple(1 << bit for bit in range(8))  # of a byte
ALIGNED = 256  # bytes
_alloc, _launch_kernel = cupy.cuda.alloc, cupy.cuda.driver.launchKernel


def memory_of_two(size: int, other_size: int) -> tuple[Memory, Memory]:
    """The memory of two arrays. Kernels may get it before the array objects exist: making these takes longer."""
    start = -(-size // ALIGNED) * ALIGNED
    if start + other_size > WORTH_KEEPING or not size or not other_size:
        return _alloc(size), _alloc(other_size)
    memory = _alloc(start + other_size)
    return memory, memory + start


class Scratch:
    """The work arrays of one thread on one device and stream."""

    def __init__(self, stream: Stream, device: int) -> None:
        self.stream = stream
        self.device = device
        self.stream_at = stream.ptr
        self._most_blocks = most_blocks(device)
        self._ready: dict[Hashable, _Ready] = {}
        self._block = Block(stream)
        self.tile_sums = cupy.empty(max(TILES, SHARES), INDEX)
        self._arrays: dict[Hashable, Array] = {}
        self.no_offsets: Array | None = None  # of the last matrix without entries
        self._mark = 0

    def launch(
        self,
        kernel: Kernel,
        items: int,
        words: tuple[int, ...],
        per_block: int = BLOCK,
        together: int = 1,
        per_processor: int = BLOCKS_PER_PROCESSOR,
    ) -> None:
        """As :func:`.launch.launch`, in half the time: every argument is an integer of up to 64 bits.

        Arrays are given by their addresses, other values by their bits (:func:`word`). The last argument of the kernel
        may be a structure of several words, ``together``.
        """
        ready = self._ready.get(kernel)
        if ready is None:
            ready = self._ready[kernel] = _Ready(kernel, len(words), len(words) - together + 1)
        ready.pack(ready.words, 0, *words)
        blocks = 1
        if items > per_block:
            blocks = min(-(-items // per_block), self._most_blocks * per_processor // BLOCKS_PER_PROCESSOR)
        _launch_kernel(ready.handle, blocks, 1, 1, BLOCK, 1, 1, 0, self.stream_at, ready.parameters, 0)

    def launch_large(self, kernel: Kernel, warps: int, words: tuple[int, ...], most_shared: int) -> None:
        """Large blocks, one per processor, for so many warps, with all the shared memory that they can use."""
        ready = self._ready.get(kernel)
        if ready is None:
            ready = self._ready[kernel] = _Ready(kernel, len(words), len(words))
        shared = min(most_shared, shared_bytes_at_most(self.device) - RESERVED)
        if shared > kernel.max_dynamic_shared_size_bytes:
            kernel.max_dynamic_shared_size_bytes = shared
        ready.pack(ready.words, 0, *words)
        blocks = blocks_for(warps, LARGE // 32, processors(self.device))
        _launch_kernel(ready.handle, blocks, 1, 1, LARGE, 1, 1, shared, self.stream_at, ready.parameters, 0)

    def slots(self) -> Slots:
        """Counter slots for one call, all zero."""
        block = self._block
        first = block.taken
        if first == SLOTS:
            block.retire()
            block = self._block = Block(self.stream)
            first = 0
        block.taken = first + SLOTS_PER_CALL
        return Slots(block, first)

    def __del__(self) -> None:
        with suppress(Exception):  # at the end of the process there may be no device left
            self._block.retire()

    def marks(self, size: int) -> tuple[Array, int]:
        """Bytes, and a bit that is clear in all of them; the caller may set it, and leave it set."""
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

    def sums(self, dtype: np.dtype, initial: Value | None, size: int) -> Array:
        """An array full of ``initial``; leave it so."""
        key = dtype.char, repr(initial)
        array = self._arrays.get(key)
        if array is None or len(array) < size:
            array = self._arrays[key] = records.filled(size, initial, dtype)
        return array

    def values(self, name: str, dtype: np.dtype, size: int) -> Array:
        """An array of at least ``size`` with arbitrary contents."""
        key = name, dtype.char
        array = self._arrays.get(key)
        if array is None or len(array) < size:
            array = self._arrays[key] = cupy.empty(size, dtype)
        return array


class _Ready:
    """A kernel on one device, with a place for its arguments: one word each (the last may have more), and a list of
    their addresses."""

    __slots__ = ("_addresses", "handle", "pack", "parameters", "words")

    def __init__(self, kernel: Kernel, count: int, arguments: int) -> None:
        function = getattr(kernel, "kernel", kernel)  # compiled for this device
        self.handle = getattr(function, "ptr", function)
        self.pack = struct.Struct(f"{count}q").pack_into
        self.words = (ctypes.c_int64 * count)()
        first = ctypes.addressof(self.words)
        self._addresses = (ctypes.c_void_p * (arguments + 1))(*(first + 8 * n for n in range(arguments)))  # and a 0
        self.parameters = ctypes.addressof(self._addresses)


_INTEGERS = frozenset(np.dtype(char).type for char in "?bhilqBHI")


def word(value: Any) -> int:
    """The bits of a value as an integer.

    >>> word(np.int8(3)), hex(word(np.float32(1)))
    (3, '0x3f800000')
    """
    if type(value) in _INTEGERS:
        return int(value)
    return int.from_bytes(value.tobytes().ljust(8, b"\0"), "little", signed=True)


class _Local(threading.local):
    def __init__(self) -> None:
        self.sets: dict[Hashable, Scratch] = {}
        self.last: Scratch | None = None


_local = _Local()
_current_stream, _current_device = cupy.cuda.get_current_stream, cupy.cuda.runtime.getDevice


def current() -> Scratch:
    """The work arrays of this thread, for the current device and stream."""
    stream, device = _current_stream(), _current_device()
    last = _local.last
    if last is not None and last.stream is stream and last.device == device:
        return last
    key = device, stream.ptr
    scratch = _local.sets.get(key)
    if scratch is None:
        scratch = _local.sets[key] = Scratch(stream, device)
    _local.last = scratch
    return scratch


def forget() -> None:
    """Drop this thread's work arrays: after an error they may not be clean."""
    _local.sets, _local.last = {}, None
