"""Transports of the frontiers of a search from each rank to all others: interface, shared memory, MPI messages.

A transport has two sets of bit maps, used in turn: level k reads one and writes the other. So a rank may begin a
level while another still reads the bits of the level before. One exchange ends a level, and is its only wait.
The bits of rank r begin at ``r * length`` bytes, for any number of vertices.
"""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from ...foundation.types import Array
from .faults import timeout
from .wire import SPINS, Wire

Rows = list[list[int]]  # the numbers of every rank

LEVEL = "a level of a search"  # in messages to users
NUMBERS = 6  # of each rank in an exchange
YIELDS = 60  # polls with sched_yield; a scheduler may ignore it, so a rank sleeps after them
NAP = 20e-6  # seconds of a sleep: with more ranks than cores, the late rank needs a core
WORDS = 8  # of 64 bits per rank: the number of the exchange, then the numbers; one cache line


class Transport(ABC):
    """The exchange of bit maps and numbers between all ranks; ``bits`` are those of all ranks, for both turns."""

    name: str
    messages: int  # to each other rank, in an exchange

    def __init__(self, wire: Wire, bits: Array) -> None:
        self._wire, self._bits = wire, bits
        self.length = bits.shape[1] // wire.size  # bytes that each rank sends
        self._place = slice(wire.rank * self.length, (wire.rank + 1) * self.length)

    def mine(self, turn: int) -> Array:
        """The bytes that this rank writes."""
        return self._bits[turn, self._place]

    def all(self, turn: int) -> Array:
        """The bytes of all ranks, after the exchange."""
        return self._bits[turn]

    @abstractmethod
    def allgather(self, turn: int, numbers: list[int]) -> Rows:
        """Publish ``mine(turn)`` and these numbers; wait for all ranks to do the same."""


class Window:
    """Memory that the ranks of one machine share, with the numbers of all ranks for two exchanges.

    Two sets suffice: a rank reaches the exchange after the next only when all ranks have read this one.
    """

    def __init__(self, wire: Wire, extra: int, yields: int = YIELDS) -> None:
        from mpi4py import MPI

        self._yields = yields
        self.rank, self.size, self._wire = wire.rank, wire.size, wire
        numbers = 2 * self.size * WORDS * 8
        comm: Any = wire.comm
        self._window = MPI.Win.Allocate_shared(numbers + extra if wire.rank == 0 else 0, 1, comm=comm)
        memory: Any = self._window.Shared_query(0)[0]
        everything = np.frombuffer(memory, np.uint8, numbers + extra)
        if wire.rank == 0:
            everything[:numbers] = 0
        self.extra = everything[numbers:]
        self._words = everything[:numbers].view(np.int64).data
        self._window.Lock_all(MPI.MODE_NOCHECK)
        self._rounds = 0
        wire.add_up([0])  # rank 0 clears it before any rank writes

    def allgather(self, numbers: list[int]) -> Rows:
        self._rounds += 1
        first = self._rounds % 2 * self.size * WORDS
        words, this = self._words, self._rounds
        mine = first + self.rank * WORDS
        for place, number in enumerate(numbers):
            words[mine + 1 + place] = number
        self._window.Sync()  # ranks that see the next word also see earlier writes
        words[mine] = this
        begun = time.perf_counter()
        for rank in range(self.size):
            if words[first + rank * WORDS] != this:
                self._wait(first + rank * WORDS, this, begun)
        self._window.Sync()
        self._wire.traffic.seconds += time.perf_counter() - begun
        self._wire.traffic.rounds += 1
        return [list(words[at + 1 : at + WORDS]) for at in range(first, first + self.size * WORDS, WORDS)]

    def _wait(self, place: int, this: int, begun: float) -> None:
        limit, looks = begun + timeout(), 0
        while self._words[place] != this:
            looks += 1
            if looks < SPINS:
                continue
            now = time.perf_counter()
            if now > limit:
                raise self._wire.timed_out(LEVEL, now - begun)
            if looks < self._yields:
                os.sched_yield()
            else:
                time.sleep(NAP)


class SharedMemory(Transport):
    """For ranks that compute on the cores of one machine: all read one bit map, without copies."""

    name, messages = "shared memory", 1

    def __init__(self, wire: Wire, length: int) -> None:
        self._window = Window(wire, 2 * wire.size * length)
        super().__init__(wire, self._window.extra.reshape(2, wire.size * length))

    def allgather(self, turn: int, numbers: list[int]) -> Rows:
        return self._window.allgather(numbers)


class Messages(Transport):
    """For any ranks: one round, with bits and numbers in two concurrent messages.

    The local engine writes and reads the bits. MPI reads them there, or (``by_host``) a copy on the host.
    """

    messages = 2

    def __init__(self, wire: Wire, bits: Array, by_host: bool = False) -> None:
        super().__init__(wire, bits)
        self._copy = np.zeros(bits.shape, np.uint8) if by_host else None
        self._on_device = hasattr(bits, "get")
        self.name = "cuda-aware mpi" if self._on_device and not by_host else "mpi"
        if wire.size == 1:
            self.name, self.messages = "alone", 0
        self._numbers = np.zeros((wire.size, NUMBERS), np.int64)

    def allgather(self, turn: int, numbers: list[int]) -> Rows:
        from mpi4py import MPI

        if self.messages == 0:
            return [numbers]
        began = self._wire.traffic.rounds
        self._numbers[self._wire.rank, : len(numbers)] = numbers
        counts = self._wire.comm.Iallgather(MPI.IN_PLACE, self._numbers)
        sent = self._bits[turn]
        if self._on_device:
            import cupy

            if self._copy is None:
                cupy.cuda.get_current_stream().synchronize()  # synchronizes: MPI knows nothing of streams
            else:
                sent = self._copy[turn]
                sent[self._place] = cupy.asnumpy(self.mine(turn))  # synchronizes
        bits = self._wire.comm.Iallgather(MPI.IN_PLACE, sent)
        for request in (counts, bits):
            self._wire.finish(request, LEVEL, began)
        if self._copy is not None:
            self._bits[turn].set(self._copy[turn])
        return self._numbers.tolist()
