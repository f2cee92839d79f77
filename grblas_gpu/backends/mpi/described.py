"""Bytes whose length only their sender knows, in one round: a number that describes them is part of the message.

A receiver asks MPI how long the message is that has come, and makes room for it. So nobody sends sizes first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .packing import WORD, Packed

if TYPE_CHECKING:
    from .wire import Wire

TAG = 2  # no other message has it (wire.PIECE)


class Coming:
    """A message of another rank: nothing yet, then on its way, then here. Done as a request of MPI is."""

    def __init__(self, comm: Any, rank: int, like: Any) -> None:
        self._comm, self._rank, self._like = comm, rank, like
        self._request: Any = None
        self.data: Any = None

    def Test(self) -> bool:
        if self._request is None:
            from mpi4py import MPI

            status = MPI.Status()
            message = self._comm.Improbe(self._rank, TAG, status)
            if message is None:
                return False
            self.data = np.empty(status.Get_count(MPI.BYTE), np.uint8, like=self._like)
            self._request = message.Irecv(self.data)
        return self._request.Test()


class Described:
    """What this rank sends to others of a wire, one message each, and what they send to it; all of it under way."""

    def __init__(self, wire: Wire, parts: list[Packed]) -> None:
        self._wire, self._mine = wire, parts[wire.rank]
        self._began = wire.traffic.rounds
        others = [(wire.rank + distance) % wire.size for distance in range(1, wire.size)]
        self._back: Callable[[Any], Any] = lambda received: received
        ready: dict[int, Any] = {}  # the same part for several ranks is made ready once
        self._going = []
        for rank in others:
            part = parts[rank]
            if id(part) not in ready:
                ready[id(part)], self._back = wire.sendable(_message(part))
            message = ready[id(part)]
            wire.count(message.nbytes, 1)
            self._going.append(wire.comm.Isend(message, rank, TAG))
        self._kept = ready
        self._coming = {rank: Coming(wire.comm, rank, message) for rank in others}

    def wait(self) -> list[Packed]:
        """A part from each rank, in their order."""
        for request in (*self._coming.values(), *self._going):
            self._wire.finish(request, "an exchange of parts", self._began)
        found = []
        for rank in range(self._wire.size):
            if rank == self._wire.rank:
                found.append(self._mine)
                continue
            data = self._coming[rank].data
            code = int(data[:WORD].view(np.int64)[0])  # synchronizes, where MPI reads the memory of a device
            found.append(Packed(code, self._back(data[WORD:])))
        self._kept.clear()
        return found


def _message(part: Packed) -> Any:
    code = np.array([part.code], np.int64).view(np.uint8)
    return np.concatenate([np.asarray(code, like=part.data), part.data])
