"""Exchanges between ranks that compute on CUDA devices: bit maps stay there where something can carry them."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

import cupy
import numpy as np

from ..cuda.search import collect
from .frontier_exchange import YIELDS, Messages, Rows, Window
from .grid import Grid
from .wire import Wire

Array = Any  # cupy.ndarray
runtime = cupy.cuda.runtime
LAZY_PEER_ACCESS = 1  # cudaIpcMemLazyEnablePeerAccess
PATIENT = 4000  # looks before a nap, which takes longer than a level of a search: for ranks with a core each
_opened: list[Any] = []  # memory that others may have open


class OpenMemory:
    """Ranks of one machine (CUDA IPC): each reads the bits of the others out of their memory; numbers by the host."""

    name, messages = "cuda ipc", 1

    def __init__(self, wire: Wire, length: int) -> None:
        self.length = length
        # Memory of its own, not of a pool: a handle stands for all of an allocation. It is never given back, because
        # nobody knows when the others have closed theirs.
        owned = cupy.cuda.MemoryPointer(cupy.cuda.Memory(2 * length), 0)
        _opened.append(owned)
        self._mine = cupy.ndarray((2, length), np.uint8, owned)
        self._mine[:] = 0
        self._all = cupy.zeros(wire.size * length, np.uint8)
        handles = wire.gather_objects(runtime.ipcGetMemHandle(owned.ptr))
        sources = [
            owned.ptr if rank == wire.rank else runtime.ipcOpenMemHandle(handle, LAZY_PEER_ACCESS)
            for rank, handle in enumerate(handles)
        ]
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


class DeviceMessages(Messages):
    """An MPI library that reads the memory of a device."""

    name = "cuda-aware mpi"

    def __init__(self, wire: Wire, length: int) -> None:
        super().__init__(wire, length, cupy.zeros((2, wire.size * length), np.uint8))

    def allgather(self, turn: int, numbers: list[int]) -> Rows:
        cupy.cuda.get_current_stream().synchronize()  # synchronizes: MPI knows nothing of streams
        return super().allgather(turn, numbers)


class HostMessages(Messages):
    """Any MPI library: bits go through memory of the host."""

    def __init__(self, wire: Wire, length: int) -> None:
        super().__init__(wire, length)
        self._bits = cupy.zeros((2, wire.size * length), np.uint8)

    def mine(self, turn: int) -> Array:
        return self._bits[turn, self._place]

    def all(self, turn: int) -> Array:
        return self._bits[turn]

    def allgather(self, turn: int, numbers: list[int]) -> Rows:
        self._all[turn, self._place] = self._bits[turn, self._place].get()  # synchronizes
        rows = super().allgather(turn, numbers)
        self._bits[turn].set(self._all[turn])
        return rows


def patience(wire: Wire) -> int:
    """How often a rank looks before it takes a nap; collective."""
    cores = set().union(*wire.gather_objects(os.sched_getaffinity(0)))
    return PATIENT if len(cores) > wire.size else YIELDS


def share_a_device(grid: Grid) -> bool:
    """Whether all ranks compute on the same one; collective."""
    mine = runtime.deviceGetPCIBusId(runtime.getDevice())
    return set(grid.on_machine(mine)[1]) == {mine}


def opens_memory(wire: Wire) -> bool:
    """Whether this rank can open what the others allocate; collective."""
    probe = handle = opened = None
    with suppress(runtime.CUDARuntimeError):  # the others wait for what this rank can do
        probe = cupy.cuda.Memory(256)
        handle = runtime.ipcGetMemHandle(probe.ptr)
    handles = wire.gather_objects(handle)
    works = all(each is not None for each in handles)
    for rank, each in enumerate(handles if works else []):
        if rank == wire.rank:
            continue
        try:
            opened = runtime.ipcOpenMemHandle(each, LAZY_PEER_ACCESS)
            runtime.ipcCloseMemHandle(opened)
        except runtime.CUDARuntimeError:
            works = False
    wire.add_up([0])  # the memory stays until all have closed it
    return works
