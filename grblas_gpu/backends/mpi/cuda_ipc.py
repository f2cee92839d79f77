"""Memory of a CUDA device that several processes use (CUDA IPC), and a transport between ranks of one machine by it."""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from typing import Any, NamedTuple

import cupy
import numpy as np

from ..cuda.search import collect
from .host_transports import YIELDS, Rows, Window
from .wire import Wire

Array = Any  # cupy.ndarray
runtime = cupy.cuda.runtime
LAZY_PEER_ACCESS = 1  # cudaIpcMemLazyEnablePeerAccess
PATIENT = 4000  # looks before a nap, which takes longer than a level of a search: for ranks with a core each
_opened: list[Any] = []  # memory that others may have open


class OpenMemory:
    """Ranks of one machine: each reads the bits of the others out of their memory; numbers by the host."""

    name, messages = "cuda ipc", 1

    def __init__(self, wire: Wire, length: int) -> None:
        self.length = length
        # Memory of its own, not of a pool: a handle stands for all of an allocation. It is never given back, because
        # a rank does not know when the others have closed theirs.
        owned = cupy.cuda.MemoryPointer(cupy.cuda.Memory(2 * length), 0)
        _opened.append(owned)
        self._mine = cupy.ndarray((2, length), np.uint8, owned)
        self._mine[:] = 0
        self._all = cupy.zeros(wire.size * length, np.uint8)
        handles = wire.gather_objects(runtime.ipcGetMemHandle(owned.ptr))
        sources = [owned.ptr if rank == wire.rank else open_handle(handle) for rank, handle in enumerate(handles)]
        self._sources = cupy.asarray(np.array(sources, np.uint64))
        cupy.cuda.get_current_stream().synchronize()
        self._window = Window(wire, 0, patience(wire))

    def mine(self, turn: int) -> Array:
        return self._mine[turn]

    def all(self, turn: int) -> Array:
        collect(self._sources, turn * self.length, self.length, self._all)
        return self._all

    def allgather(self, turn: int, numbers: list[int]) -> Rows:
        return self._window.allgather(numbers)


def patience(wire: Wire) -> int:
    """How often a rank looks before it takes a nap; collective."""
    cores = set().union(*wire.gather_objects(os.sched_getaffinity(0)))
    return PATIENT if len(cores) > wire.size else YIELDS


def opens_memory(wire: Wire) -> bool:
    """Whether this rank can open what the others allocate; collective."""
    probe = handle = None
    with suppress(runtime.CUDARuntimeError):  # the others wait for what this rank can do
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
    """How another process finds some arrays: handles of allocations, and where in them each array begins."""

    handles: list[bytes]
    places: list[tuple[int, int, int, str]]  # allocation, offset, length, type

    @property
    def types(self) -> list[str]:
        return [name for *_, name in self.places]

    def arrays(self, addresses: list[int]) -> list[Array]:
        """The arrays, in allocations that were opened at these addresses."""
        found = []
        for number, offset, length, name in self.places:
            dtype = np.dtype(name)
            memory = cupy.cuda.UnownedMemory(addresses[number], offset + length * dtype.itemsize, None)
            found.append(cupy.ndarray((length,), dtype, cupy.cuda.MemoryPointer(memory, offset)))
        return found


def handles_of(arrays: tuple[Array, ...]) -> ArrayHandles | None:
    """None: in memory that CUDA IPC does not know."""
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
    """Where the allocation begins that this address is in: a handle stands for all of it."""
    base, size = ctypes.c_uint64(), ctypes.c_size_t()
    driver = ctypes.CDLL("libcuda.so.1")
    failed = driver.cuMemGetAddressRange_v2(ctypes.byref(base), ctypes.byref(size), ctypes.c_uint64(address))
    return None if failed else base.value
