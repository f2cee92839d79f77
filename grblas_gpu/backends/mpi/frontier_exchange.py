"""The allgather that ends a level of a search: afterwards all ranks know every frontier, and what each has counted.

An exchange has two sets of bit maps, used in turn: level k reads one and writes the other, so that a rank may begin a
level while another still reads what the level before has left. One exchange ends a level; nothing else is waited for.
The bits of rank r begin at ``r * length`` bytes, whatever its share of the vertices.
"""

from __future__ import annotations

import os
import time
from typing import Any, Protocol

import numpy as np

from .faults import PeerTimeout, timeout
from .wire import SPINS, Wire, host_name

Array = Any  # numpy.ndarray or cupy.ndarray
Rows = list[list[int]]  # the numbers of every rank

NUMBERS = 6  # that each rank contributes
YIELDS = 60  # looks for which the processor is offered to others; a scheduler may not take the offer, so that then
NAP = 20e-6  # seconds of sleep follow: with more ranks than cores, the one that is waited for wants a core
WORDS = 8  # of 64 bits for a rank: which exchange this is, then its numbers; a line of cache


class FrontierExchange(Protocol):
    """How bit maps and numbers get from each rank to all others."""

    name: str
    messages: int  # to each other rank, in an exchange
    length: int  # bytes of bits in them

    def mine(self, turn: int) -> Array:
        """The bytes that this rank writes."""

    def all(self, turn: int) -> Array:
        """The bytes of all ranks, after the exchange."""

    def allgather(self, turn: int, numbers: list[int]) -> Rows:
        """Publish ``mine(turn)`` and these numbers; wait for all ranks to do the same."""


class Alone:
    """One rank has nobody to wait for."""

    name, messages = "alone", 0

    def __init__(self, engine: Any, length: int) -> None:
        self.length = length
        self._bits = [engine.array(np.zeros(length, np.uint8)) for _ in range(2)]

    def mine(self, turn: int) -> Array:
        return self._bits[turn]

    all = mine

    def allgather(self, turn: int, numbers: list[int]) -> Rows:
        return [numbers]


class Window:
    """Memory that the ranks of one machine share: a rank's numbers lie next to those of the others, for two exchanges.

    A rank cannot reach the next exchange but one before all have read what was written for this one.
    """

    def __init__(self, wire: Wire, extra: int, yields: int = YIELDS) -> None:
        from mpi4py import MPI

        self._yields = yields
        self.rank, self.size, self._traffic = wire.rank, wire.size, wire.traffic
        numbers = 2 * self.size * WORDS * 8
        self._window = MPI.Win.Allocate_shared(numbers + extra if wire.rank == 0 else 0, 1, comm=wire.comm)
        memory: Any = self._window.Shared_query(0)[0]
        everything = np.frombuffer(memory, np.uint8, numbers + extra)
        if wire.rank == 0:
            everything[:numbers] = 0
        self.extra = everything[numbers:]
        self._words = everything[:numbers].view(np.int64).data
        self._window.Lock_all(MPI.MODE_NOCHECK)
        self._rounds = 0
        wire.add_up([0])  # nobody writes before rank 0 has made it empty

    def allgather(self, numbers: list[int]) -> Rows:
        self._rounds += 1
        first = self._rounds % 2 * self.size * WORDS
        words, this = self._words, self._rounds
        mine = first + self.rank * WORDS
        for place, number in enumerate(numbers):
            words[mine + 1 + place] = number
        self._window.Sync()  # what was written before is seen by whoever sees the next word
        words[mine] = this
        begun = time.perf_counter()
        for rank in range(self.size):
            if words[first + rank * WORDS] != this:
                self._wait(first + rank * WORDS, this, begun)
        self._window.Sync()
        self._traffic.seconds += time.perf_counter() - begun
        self._traffic.rounds += 1
        return [list(words[at + 1 : at + WORDS]) for at in range(first, first + self.size * WORDS, WORDS)]

    def _wait(self, place: int, this: int, begun: float) -> None:
        limit, looks = begun + timeout(), 0
        while self._words[place] != this:
            looks += 1
            if looks < SPINS:
                continue
            now = time.perf_counter()
            if now > limit:
                raise PeerTimeout(
                    f"a level of a search: rank {self.rank} of {self.size} on {host_name()} waited {now - begun:.0f} s "
                    "for the others: one of them is dead, stuck, or not doing the same "
                    "(GRBLAS_GPU_MPI_TIMEOUT allows more seconds)"
                )
            if looks < self._yields:
                os.sched_yield()
            else:
                time.sleep(NAP)


class SharedMemory:
    """Ranks of one machine that compute on its cores: nothing is copied, all of them read one bit map."""

    name, messages = "shared memory", 1

    def __init__(self, wire: Wire, length: int) -> None:
        self.length = length
        self._window = Window(wire, 2 * wire.size * length)
        self._all = self._window.extra.reshape(2, wire.size * length)
        self._mine = self._all[:, wire.rank * length : (wire.rank + 1) * length]

    def mine(self, turn: int) -> Array:
        return self._mine[turn]

    def all(self, turn: int) -> Array:
        return self._all[turn]

    def allgather(self, turn: int, numbers: list[int]) -> Rows:
        return self._window.allgather(numbers)


class Messages:
    """Any ranks: one round, in which bits and numbers travel as two messages at the same time."""

    name, messages = "mpi", 2

    def __init__(self, wire: Wire, length: int, bits: Any = None) -> None:
        self._wire, self.length = wire, length
        self._all = np.zeros((2, wire.size * length), np.uint8) if bits is None else bits
        self._place = slice(wire.rank * length, (wire.rank + 1) * length)
        self._numbers = np.zeros((wire.size, NUMBERS), np.int64)

    def mine(self, turn: int) -> Array:
        return self._all[turn, self._place]

    def all(self, turn: int) -> Array:
        return self._all[turn]

    def start_allgather(self, numbers: list[int]) -> Any:
        """Start to send these numbers to all ranks."""
        from mpi4py import MPI

        self._numbers[self._wire.rank, : len(numbers)] = numbers
        return self._wire.comm.Iallgather(MPI.IN_PLACE, self._numbers)

    def gathered(self) -> Rows:
        return self._numbers.tolist()

    def allgather(self, turn: int, numbers: list[int]) -> Rows:
        from mpi4py import MPI

        began = self._wire.traffic.rounds
        counts = self.start_allgather(numbers)
        bits = self._wire.comm.Iallgather(MPI.IN_PLACE, self._all[turn])
        self._wire.finish(counts, "a level of a search", began)
        self._wire.finish(bits, "a level of a search", began)
        return self.gathered()
