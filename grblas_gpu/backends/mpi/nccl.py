"""The transport by NCCL, for ranks that own a CUDA device each: bits go from device to device, on the kernels' stream.

At the same time, counts go through the host by MPI, so that ranks notice a missing rank. This code uses documented
calls of CuPy and has not run between two devices yet, so ranks test it before they use it.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

from .attempts import LOOK, said, try_together
from .grid import Grid
from .host_transports import LEVEL, Array, Messages
from .wire import Wire, host_name


def load_nccl() -> Any:
    """``cupy.cuda.nccl``, which CuPy loads only on request; None if the library is missing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # CuPy warns about a missing library
        try:
            from cupy.cuda import nccl
        except ImportError:
            return None
    return nccl if nccl.available else None


class Link:
    """The NCCL communicator of some ranks, one device each; collective. Arguments are the modules of CuPy."""

    def __init__(self, wire: Wire, cupy: Any, nccl: Any, unique: tuple[int, ...]) -> None:
        self._wire, self._cuda, self._nccl = wire, cupy.cuda, nccl
        self._comm = self._nccl.NcclCommunicator(wire.size, unique, wire.rank)

    def start_swap(self, source: int, targets: dict[int, int], length: int) -> OnStream:
        """Send the bytes at ``source`` to each of these ranks, and receive as many from each, at its address."""
        stream, kind = self._cuda.get_current_stream(), self._nccl.NCCL_UINT8
        self._nccl.groupStart()  # calls of a group run together, so that their order causes no deadlock
        try:
            for rank, address in targets.items():
                self._comm.send(source, length, kind, rank, stream.ptr)
                self._comm.recv(address, length, kind, rank, stream.ptr)
        finally:
            self._nccl.groupEnd()
        return OnStream(stream, self._comm)

    def swap_all(self, bits: Array, rank: int, length: int) -> OnStream:
        """Start an allgather of the parts of an array; each rank has its own part."""
        first = bits.data.ptr
        others = {other: first + other * length for other in range(self._wire.size) if other != rank}
        return self.start_swap(first + rank * length, others, length)

    def finish(self, swap: OnStream) -> None:
        """Wait for the exchange, up to the timeout."""
        self._wire.finish(swap, LEVEL)

    def abort(self) -> None:
        """Abort pending exchanges; another thread may be waiting for them."""
        self._comm.abort()


class OnStream:
    """Work on a stream, with the interface of an MPI request."""

    def __init__(self, stream: Any, comm: Any) -> None:
        self._stream, self._comm = stream, comm

    def Test(self) -> bool:
        if self._stream.done:
            return True
        self._comm.check_async_error()  # raises if a rank is lost
        return False


class NcclMessages(Messages):
    """Bits by NCCL, numbers by MPI."""

    def __init__(self, wire: Wire, bits: Array, link: Link) -> None:
        super().__init__(wire, bits)
        self.name, self.messages, self._link = "nccl", 2, link

    def _start_bits(self, turn: int) -> Any:
        return self._link.swap_all(self._all[turn], self._wire.rank, self.length)


def link_of(grid: Grid, cupy: Any, load: Callable[[], Any] = load_nccl) -> tuple[Link | None, str]:
    """The link between the devices of all ranks, or None and the reason, equal on all ranks. Collective.

    Creating a communicator waits for all ranks, so ranks first check that all of them can. If it fails on some ranks,
    the others stop waiting.
    """
    runtime: Any = cupy.cuda.runtime
    device = runtime.getDevice()
    place = host_name(), str(runtime.deviceGetPCIBusId(device))
    nccl, unique, refused = _offer(load, grid.rank == 0)
    offers = grid.everyone.gather_objects((place, unique, refused))
    if len({place for place, _, _ in offers}) < grid.size:
        return None, "ranks share a device"
    for rank, (_, _, refused) in enumerate(offers):
        if refused:
            return None, f"rank {rank}: {refused}"
    opened: list[Link] = []
    given_up = threading.Event()

    def open_and_try() -> Link:
        runtime.setDevice(device)  # the current device is per thread
        link = Link(grid.everyone, cupy, nccl, offers[0][1])
        opened.append(link)
        if given_up.is_set():  # too late: the others use another transport
            link.abort()
            return link
        with cupy.cuda.Stream(non_blocking=True):  # other streams do not wait for work that may never end
            _check_carries(link, grid, cupy)
        return link

    link, why = try_together(grid.everyone, open_and_try)
    if link is None:
        given_up.set()
        for left in opened:
            left.abort()
    return link, why


def _offer(load: Callable[[], Any], first: bool) -> tuple[Any, tuple[int, ...], str]:
    """The NCCL module, its unique ID (on the first rank), and the reason why this rank cannot use it."""
    try:
        nccl = load()
        if nccl is None:
            return None, (), "CuPy has no NCCL"
        return nccl, nccl.get_unique_id() if first else (), ""
    except Exception as raised:  # the library is installed and fails
        return None, (), said(raised)


def _check_carries(link: Link, grid: Grid, cupy: Any) -> None:
    """Raise an error unless the number of every rank arrives here."""
    numbers = cupy.zeros(grid.size, "u1")
    numbers[grid.rank] = grid.rank % 251 + 1
    swap = link.swap_all(numbers, grid.rank, 1)
    while not swap.Test():
        time.sleep(LOOK)
    if numbers.get().tolist() != [rank % 251 + 1 for rank in range(grid.size)]:
        raise RuntimeError("other numbers than those that ranks sent have arrived")
