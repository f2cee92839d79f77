"""Messages between ranks: MPI's nonblocking collectives, with a timeout and a count of the bytes.

A CUDA-aware MPI reads arrays of a device directly; otherwise they go through the host.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ...foundation.types import Array
from ..stores.messages import as_bytes
from .faults import PeerTimeout, timeout

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

SPINS = 10  # polls of a request before the processor is yielded to other ranks
LONG = 4000  # polls after which a wait is long
NAP = 50e-6  # seconds of sleep between polls of a long wait


@dataclass
class Traffic:
    """The payload that this rank sent to others (once per receiver), and the time that it waited.

    ``results`` are the entries of products sent to their owners. ``rounds`` counts waits that began after the previous
    one ended: concurrent messages are one round.

    >>> before = Traffic(100, 2, 5, 0.5, 7)
    >>> Traffic(150, 3, 9, 0.75, 8).since(before)
    Traffic(bytes=50, messages=1, results=4, seconds=0.25, rounds=1)
    """

    bytes: int = 0
    messages: int = 0
    results: int = 0
    seconds: float = 0.0
    rounds: int = 0

    def since(self, before: Traffic) -> Traffic:
        return Traffic(**{name: number - getattr(before, name) for name, number in vars(self).items()})

    def copy(self) -> Traffic:
        return replace(self)


class Request(Protocol):
    """A request of MPI, or work with its interface."""

    def Test(self) -> bool: ...


class Pending:
    """A collective in flight; ``wait()`` finishes it. Without a request, ``wait`` returns at once."""

    def __init__(
        self, wire: Wire, request: Request | None, what: str, result: object, keep: Array | None = None
    ) -> None:
        self._wire, self._request, self._what = wire, request, what
        self._result, self._keep = result, keep  # MPI reads `keep` until the collective ends
        self._began = wire.traffic.rounds

    def wait(self) -> Any:
        if self._request is not None:
            self._wire.finish(self._request, self._what, self._began)
            self._keep = None
        return self._result() if callable(self._result) else self._result


class Wire:
    """The collectives of one communicator."""

    def __init__(self, comm: Comm, traffic: Traffic | None = None, device_memory: bool = False) -> None:
        self.comm = comm
        self.rank, self.size = comm.Get_rank(), comm.Get_size()
        self.traffic = Traffic() if traffic is None else traffic
        self.device_memory = device_memory  # whether MPI reads device memory

    # ---- waiting ------------------------------------------------------------------------------------------------

    def finish(self, request: Request, what: str, began: int | None = None) -> None:
        """Wait for a request, up to the timeout. ``began``: the number of rounds at its start; None: now."""
        if began is None or began == self.traffic.rounds:
            self.traffic.rounds += 1
        begun = time.perf_counter()
        limit, looks = None, 0
        while not request.Test():
            looks += 1
            if looks < SPINS:
                continue
            now = time.perf_counter()
            if limit is None:
                limit = begun + timeout()
            if now > limit:
                raise self.timed_out(what, now - begun)
            time.sleep(0 if looks < LONG else NAP)
        self.traffic.seconds += time.perf_counter() - begun

    def timed_out(self, what: str, seconds: float) -> PeerTimeout:
        return PeerTimeout(
            f"{what}: rank {self.rank} of {self.size} on {host_name()} waited {seconds:.0f} s for the others: one of "
            "them is dead, stuck, or not doing the same (GRBLAS_GPU_MPI_TIMEOUT allows more seconds)"
        )

    def count(self, nbytes: int, messages: int) -> None:
        """Add to the traffic."""
        self.traffic.bytes += nbytes
        self.traffic.messages += messages

    # ---- collectives --------------------------------------------------------------------------------------------

    def add_up(self, numbers: list[int]) -> list[int]:
        """Sums over all ranks, of a few integers."""
        if self.size == 1:
            return list(numbers)
        mine = np.array(numbers, np.int64)
        total = np.empty_like(mine)
        # A reduction by recursive doubling: a message to a partner in each of log2(p) rounds.
        rounds = (self.size - 1).bit_length()
        self.count(mine.nbytes * rounds, rounds)
        self.finish(self.comm.Iallreduce(mine, total), "sum")
        return total.tolist()

    def gather_small(self, row: Array) -> Array:
        """An allgather of rows of equal length: a NumPy array with a row for each rank."""
        mine = np.ascontiguousarray(row)
        if self.size == 1:
            return mine[np.newaxis]
        everyone = np.empty((self.size, *mine.shape), mine.dtype)
        self.count(mine.nbytes * (self.size - 1), self.size - 1)
        self.finish(self.comm.Iallgather(_bytes(mine), _bytes(everyone)), "gather")
        return everyone

    def exchange_small(self, rows: Array) -> Array:
        """Row t goes to rank t; the result has a row from each."""
        mine = np.ascontiguousarray(rows)
        if self.size == 1:
            return mine
        received = np.empty_like(mine)
        self.count(mine[0].nbytes * (self.size - 1), self.size - 1)
        self.finish(self.comm.Ialltoall(_bytes(mine), _bytes(received)), "exchange of sizes")
        return received

    def start_gather(self, piece: Array, sizes: list[int]) -> Pending:
        """Start an allgather of byte arrays of these sizes, one from each rank."""
        if self.size == 1:
            return Pending(self, None, "gather", piece)
        mine, back = self.sendable(piece)
        everything = np.empty(sum(sizes), np.uint8, like=mine)
        self.count(mine.nbytes * (self.size - 1), self.size - 1 if mine.nbytes else 0)
        starts = _starts(sizes)
        request = self.comm.Iallgatherv(mine, [everything, (sizes, starts)])
        return Pending(self, request, "gather", lambda: back(everything), mine)

    def gather_arrays(self, array: np.ndarray, lengths: list[int] | None = None) -> np.ndarray:
        """The concatenated arrays of all ranks, with these lengths; by default, ranks exchange the lengths."""
        if lengths is None:
            lengths = self.gather_small(np.array([len(array)], np.int64))[:, 0].tolist()
        data = np.ascontiguousarray(array).view(np.uint8)
        sizes = [array.dtype.itemsize * length for length in lengths]
        return self.start_gather(data, sizes).wait().view(array.dtype)

    def start_exchange(self, data: Array, sizes: list[int], arriving: list[int]) -> Pending:
        """Start to send consecutive parts of a byte array to the ranks; the result is the received bytes."""
        if self.size == 1:
            return Pending(self, None, "exchange", data)
        mine, back = self.sendable(data)
        received = np.empty(sum(arriving), np.uint8, like=mine)
        others = [size for rank, size in enumerate(sizes) if rank != self.rank and size]
        self.count(sum(others), len(others))
        request = self.comm.Ialltoallv([mine, (sizes, _starts(sizes))], [received, (arriving, _starts(arriving))])
        return Pending(self, request, "exchange", lambda: back(received), mine)

    def add_up_parts(self, numbers: np.ndarray, lengths: list[int]) -> np.ndarray:
        """A reduce-scatter of int64: the sum over all ranks of the part for this rank; parts have these lengths."""
        mine = lengths[self.rank]
        (arrived,) = self.exchange_known([numbers], np.array(lengths), np.full(self.size, mine))
        return arrived.reshape(self.size, mine).sum(axis=0)

    def exchange(self, arrays: list[Array], counts: np.ndarray) -> tuple[list[Array], np.ndarray]:
        """Send consecutive parts of arrays to the ranks; ``counts`` elements to each. All arrays are in flight at once.

        The result is the received arrays, and the number of elements from each rank.
        """
        arriving = self.exchange_small(counts[:, np.newaxis])[:, 0]
        return self.exchange_known(arrays, counts, arriving), arriving

    def exchange_known(self, arrays: list[Array], counts: np.ndarray, arriving: np.ndarray) -> list[Array]:
        """The same, where ranks know how much arrives."""
        started = []
        for array in arrays:
            size = array.dtype.itemsize
            sizes, expected = (counts * size).tolist(), (arriving * size).tolist()
            started.append((self.start_exchange(as_bytes(array), sizes, expected), array.dtype))
        return [pending.wait().view(dtype) for pending, dtype in started]

    def sendable(self, array: Array) -> tuple[Array, Callable[[Array], Array]]:
        """An array that MPI can read, and a function that copies such an array back to the memory of this one."""
        if not hasattr(array, "get"):  # NumPy's
            return np.ascontiguousarray(array), lambda received: received
        import cupy

        if self.device_memory:
            cupy.cuda.get_current_stream().synchronize()  # synchronizes: MPI knows nothing of streams
            return cupy.ascontiguousarray(array), lambda received: received
        return array.get(), cupy.asarray

    # ---- objects ------------------------------------------------------------------------------------------------

    def gather_objects(self, thing: object) -> list[Any]:
        """A Python object from every rank, for rare calls with small objects."""
        import pickle

        data = np.frombuffer(pickle.dumps(thing), np.uint8)
        sizes = self.gather_small(np.array([len(data)], np.int64))[:, 0].tolist()
        everything = self.gather_arrays(data, sizes)
        return [pickle.loads(part.tobytes()) for part in np.split(everything, np.cumsum(sizes)[:-1])]


def reads_device_memory(comm: Comm) -> bool:
    """Whether MPI reads CUDA arrays: GRBLAS_GPU_CUDA_AWARE_MPI=1|0, else as the library reports (MPI 4.1)."""
    setting = os.environ.get("GRBLAS_GPU_CUDA_AWARE_MPI", "")
    if setting:
        return setting not in ("0", "no", "off")
    kinds = comm.Get_info().Get("mpi_memory_alloc_kinds") or ""
    return "cuda" in kinds


def _starts(sizes: list[int]) -> list[int]:
    starts = [0]
    for size in sizes[:-1]:
        starts.append(starts[-1] + size)
    return starts


def _bytes(array: np.ndarray) -> np.ndarray:
    return array.reshape(-1).view(np.uint8)


def host_name() -> str:
    import socket

    return socket.gethostname()
