"""Exchanges by NCCL, for ranks that own a CUDA device each: bits go from device to device, on the kernels' stream.

Counts go through the host by MPI at the same time, which is also how ranks notice that one of them is missing.
Written to the calls that CuPy documents; between two devices nobody has run it yet, so ranks try it before they use it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .frontier_exchange import Messages, Rows
from .grid import Grid
from .wire import Wire, host_name

WHAT = "a level of a search"


def load_nccl() -> Any:
    """``cupy.cuda.nccl``, which CuPy loads only when it is asked to; None: there is no library for it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there is none
        try:
            from cupy.cuda import nccl
        except ImportError:
            return None
    return nccl if nccl.available else None


class Link:
    """The NCCL communicator of some ranks, one device each; collective. Modules of CuPy are given."""

    def __init__(self, wire: Wire, cupy: Any, nccl: Any) -> None:
        self._wire, self._cuda, self._nccl = wire, cupy.cuda, nccl
        mine = self._nccl.get_unique_id() if wire.rank == 0 else None
        shared = wire.gather_objects(mine)[0]
        self._comm = self._nccl.NcclCommunicator(wire.size, shared, wire.rank)

    def start_swap(self, source: int, targets: dict[int, int], length: int) -> OnStream:
        """Send the bytes at ``source`` to each of these ranks, and get as many of theirs, to an address for each."""
        stream, kind = self._cuda.get_current_stream(), self._nccl.NCCL_UINT8
        self._nccl.groupStart()  # calls of a group run together: nobody waits for whoever sends first
        try:
            for rank, address in targets.items():
                self._comm.send(source, length, kind, rank, stream.ptr)
                self._comm.recv(address, length, kind, rank, stream.ptr)
        finally:
            self._nccl.groupEnd()
        return OnStream(stream, self._comm)

    def finish(self, swap: OnStream, began: int | None = None) -> None:
        """Wait for it, but not for ever."""
        self._wire.finish(swap, WHAT, began)


class OnStream:
    """What was started on a stream, as a request of MPI: is it done?"""

    def __init__(self, stream: Any, comm: Any) -> None:
        self._stream, self._comm = stream, comm

    def Test(self) -> bool:
        if self._stream.done:
            return True
        self._comm.check_async_error()  # a rank that is lost
        return False


class NcclMessages(Messages):
    """Bits by NCCL, numbers by MPI."""

    name = "nccl"

    def __init__(self, wire: Wire, length: int, link: Link, cupy: Any) -> None:
        super().__init__(wire, length, cupy.zeros((2, wire.size * length), np.uint8))
        self._link = link

    def allgather(self, turn: int, numbers: list[int]) -> Rows:
        bits = self._all[turn]
        first = bits.data.ptr
        others = {rank: first + rank * self.length for rank in range(self._wire.size) if rank != self._wire.rank}
        began = self._wire.traffic.rounds
        counts = self.start_allgather(numbers)
        swap = self._link.start_swap(first + self._wire.rank * self.length, others, self.length)
        self._wire.finish(counts, WHAT, began)
        self._link.finish(swap, began)
        return self.gathered()


def link_of(grid: Grid, cupy: Any, load: Callable[[], Any] = load_nccl) -> Link | None:
    """What connects the devices of all ranks; None: some have none of their own, or no NCCL, or it does not work."""
    runtime: Any = cupy.cuda.runtime
    devices = grid.everyone.gather_objects((host_name(), str(runtime.deviceGetPCIBusId(runtime.getDevice()))))
    if len(set(devices)) < grid.size:
        return None
    nccl = load()
    if grid.everyone.add_up([int(nccl is not None)])[0] < grid.size:
        return None
    link, works = None, False
    try:
        link = Link(grid.everyone, cupy, nccl)
        works = _carries(link, grid, cupy)
    except nccl.NcclError:
        link = None
    return link if grid.everyone.add_up([int(works)])[0] == grid.size else None


def _carries(link: Link, grid: Grid, cupy: Any) -> bool:
    """Whether every rank's number arrives here."""
    numbers = cupy.zeros(grid.size, np.uint8)
    numbers[grid.rank] = grid.rank % 251 + 1
    others = {rank: numbers.data.ptr + rank for rank in range(grid.size) if rank != grid.rank}
    link.finish(link.start_swap(numbers.data.ptr + grid.rank, others, 1))
    return numbers.get().tolist() == [rank % 251 + 1 for rank in range(grid.size)]
