"""CUDA device memory that processes share (CUDA IPC), and a transport that uses it between ranks of one machine."""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from typing import NamedTuple

import cupy
import numpy as np

from ..cuda.search import collect
from .host_transports import YIELDS, Rows, Transport, Window
from .wire import Wire

runtime = cupy.cuda.runtime
LAZY_PEER_ACCESS = 1  # cudaIpcMemLazyEnablePeerAccess
PATIENT = 4000  # polls before a sleep, for ranks with a core each: a sleep takes longer than a level of a search
_opened: list[object] = []  # memory that other ranks may have open


class OpenMemory(Transport):
    """For ranks of one machine: each reads the bits from the memory of the others; numbers go through the host."""

    name, messages = "cuda ipc", 1

    def __init__(self, wire: Wire, length: int) -> None:
        super().__init__(wire, cupy.zeros((1, wire.size * length), np.uint8))
        # A separate allocation, not from the pool, because a handle covers a whole allocation. It is never freed,
        # because a rank does not know when the others have closed their handles.
        owned = cupy.cuda.MemoryPointer(cupy.cuda.Memory(2 * length), 0)
        _opened.append(owned)
        self._mine = cupy.ndarray((2, length), np.uint8, owned)
        self._mine[:] = 0
        handles = wire.gather_objects(runtime.ipcGetMemHandle(owned.ptr))
        sources = [owned.ptr if rank == wire.rank else open_handle(handle) for rank, handle in enumerate(handles)]
        self._sources = cupy.asarray(np.array(sources, np.uint64))
        cupy.cuda.get_current_stream().synchronize()
        self._window = Window(wire, 0, patience(wire))

    def mine(self, turn: int) -> cupy.ndarray:
        return self._mine[turn]

    def all(self, turn: int) -> cupy.ndarray:
        collect(self._sources, turn * self.length, self.length, self._bits[0])
        return self._bits[0]

    def allgather(self, turn: int, numbers: list[int]) -> Rows:
        return self._window.allgather(numbers)


def patience(wire: Wire) -> int:
    """The number of polls before a rank sleeps; collective."""
    cores = set().union(*wire.gather_objects(os.sched_getaffinity(0)))
    return PATIENT if len(cores) > wire.size else YIELDS


def opens_memory(wire: Wire) -> bool:
    """Whether this rank can open the allocations of the others; collective."""
    probe = handle = None
    with suppress(runtime.CUDARuntimeError):  # the others wait for this rank's answer
        probe = cupy.cuda.Memory(256)
        handle = runtime.ipcGetMemHandle(probe.ptr)
    handles = wire.gather_objects(handle)
    works = all(each is not None for each in handles)
    for rank, each in enumerate(handles if works else []):
        if rank == wire.rank:
            continue
        try:
            runtime.ipcCloseMemHandle(open_handle(each))
        except runtime.CUDARuntimeError:
            works = False
    wire.add_up([0])  # the memory stays until all have closed it
    return works


# ---- arrays of other processes --------------------------------------------------------------------------------------


def open_handle(handle: bytes) -> int:
    return runtime.ipcOpenMemHandle(handle, LAZY_PEER_ACCESS)


class ArrayHandles(NamedTuple):
    """A description of arrays for another process: handles of allocations, and the offset of each array."""

    handles: list[bytes]
    places: list[tuple[int, int, int, str]]  # allocation, offset, length, type

    @property
    def types(self) -> list[str]:
        return [name for *_, name in self.places]

    def arrays(self, addresses: list[int]) -> list[cupy.ndarray]:
        """The arrays in the allocations that are open at these addresses."""
        found = []
        for number, offset, length, name in self.places:
            dtype = np.dtype(name)
            memory = cupy.cuda.UnownedMemory(addresses[number], offset + length * dtype.itemsize, None)
            found.append(cupy.ndarray((length,), dtype, cupy.cuda.MemoryPointer(memory, offset)))
        return found


def handles_of(arrays: tuple[cupy.ndarray, ...]) -> ArrayHandles | None:
    """The handles of these arrays; None if CUDA IPC does not support their memory."""
    handles: dict[int, bytes] = {}
    places = []
    for array in arrays:
        base = _allocation(array.data.ptr) if array.size else 0
        if base is None:
            return None
        if base and base not in handles:
            try:
                handles[base] = runtime.ipcGetMemHandle(base)
            except runtime.CUDARuntimeError:
                return None
        number = list(handles).index(base) if base else 0
        places.append((number, array.data.ptr - base if base else 0, len(array), array.dtype.str))
    return ArrayHandles(list(handles.values()), places)


def _allocation(address: int) -> int | None:
    """The start of the allocation of this address: a handle covers a whole allocation."""
    base, size = ctypes.c_uint64(), ctypes.c_size_t()
    driver = ctypes.CDLL("libcuda.so.1")
    failed = driver.cuMemGetAddressRange_v2(ctypes.byref(base), ctypes.byref(size), ctypes.c_uint64(address))
    return None if failed else base.value
