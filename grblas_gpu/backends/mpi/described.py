"""Bytes whose length only their sender knows, in one round: a number that describes them is part of the message.

A receiver asks MPI how long the message is that has come, and makes room for it. So nobody sends sizes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .packing import WORD, Packed

if TYPE_CHECKING:
    from .wire import Wire

TAG = 2  # no other message has it (wire.PIECE)


class Described:
    """What this rank sends to others of a wire, one message each, and what they send to it; all of it under way."""

    def __init__(self, wire: Wire, parts: list[Packed]) -> None:
        from mpi4py import MPI

        self._wire, self._mine = wire, parts[wire.rank]
        self._began = wire.traffic.rounds
        others = [(wire.rank + distance) % wire.size for distance in range(1, wire.size)]
        ready: dict[int, Any] = {}  # the same part for several ranks is made ready once
        self._requests = []
        for rank in others:
            part = parts[rank]
            if id(part) not in ready:
                ready[id(part)], self._back = wire.sendable(_message(part))
            message = ready[id(part)]
            wire.count(message.nbytes, 1)
            self._requests.append(wire.comm.Isend(message, rank, TAG))
        self._kept = ready
        self._waits_for, self._like = others, message
        self._arrived: dict[int, Any] = {}
        self._test, self._status, self._byte = MPI.Request.Testall, MPI.Status(), MPI.BYTE

    def Test(self) -> bool:
        """Whether all of it is over, as of a request of MPI: nothing yet, then on its way, then here."""
        still = []
        for rank in self._waits_for:
            coming = self._wire.comm.Improbe(rank, TAG, self._status)
            if coming is None:
                still.append(rank)
                continue
            length = self._status.Get_count(self._byte)
            self._arrived[rank] = np.empty(length, np.uint8, like=self._like)
            self._requests.append(coming.Irecv(self._arrived[rank]))
        self._waits_for = still
        return not still and self._test(self._requests)

    def wait(self) -> list[Packed]:
        """A part from each rank, in their order."""
        self._wire.finish(self, "an exchange of parts", self._began)
        found = []
        for rank in range(self._wire.size):
            if rank == self._wire.rank:
                found.append(self._mine)
                continue
            data = self._arrived[rank]
            code = int(data[:WORD].view(np.int64)[0])  # synchronizes, where MPI reads the memory of a device
            found.append(Packed(code, self._back(data[WORD:])))
        self._kept.clear()
        return found


def _message(part: Packed) -> Any:
    message = np.empty(WORD + len(part.data), np.uint8, like=part.data)
    message[:WORD].view(np.int64)[0] = part.code
    message[WORD:] = part.data
    return message
