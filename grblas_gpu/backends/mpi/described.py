"""Self-describing messages in one round, whose length only the sender knows.

A receiver gets the length of a message from MPI and allocates a buffer. So no rank sends sizes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...foundation.types import Array
from ..stores.messages import PackedParts

if TYPE_CHECKING:
    from .wire import Wire

TAG = 2


class Described:
    """One message from this rank to each other rank of a wire, and one from each of them; all are in flight.

    ``alike``: all ranks get the first message.
    """

    def __init__(self, wire: Wire, packed: PackedParts, alike: bool) -> None:
        from mpi4py import MPI

        self._wire, self._packed = wire, packed
        self._began = wire.traffic.rounds
        others = [(wire.rank + distance) % wire.size for distance in range(1, wire.size)]
        self._requests, self._kept = [], []
        for number, rank in enumerate(others):
            if number == 0 or not alike:
                message, self._back = wire.sendable(packed.sent(0 if alike else rank))
                self._kept.append(message)
            wire.count(message.nbytes, 1)
            self._requests.append(wire.comm.Isend(message, rank, TAG))
        self._waits_for, self._like = others, message
        self._arrived: dict[int, Array] = {}
        self._test, self._status, self._byte = MPI.Request.Testall, MPI.Status(), MPI.BYTE

    def Test(self) -> bool:
        """Whether all messages were sent and received; the interface of an MPI request."""
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

    def wait(self) -> list[Array]:
        """A message from each rank, in their order."""
        self._wire.finish(self, "an exchange of parts", self._began)
        self._kept.clear()
        mine = self._wire.rank
        return [
            self._packed.kept if rank == mine else self._back(self._arrived[rank]) for rank in range(self._wire.size)
        ]
