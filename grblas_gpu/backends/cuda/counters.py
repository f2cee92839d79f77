"""Numbers that kernels count on the device, and how the host learns them.

Every operation that counts takes fresh slots, all zero, of a block in device memory; a slot is never used twice, so
nothing needs to be reset and a count never changes once its kernel has run. Asking for one count publishes the whole
block: a kernel writes it to host memory that the device can reach, and the host watches a stamp there. That costs one
launch, and every other count that was waiting in the block is known too.
"""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import cupy
import numpy as np

from ..storage import INDEX
from .compile import functions

SLOTS = 1024  # in a block
SLOTS_PER_CALL = 4
COUNT, TICKET, LISTED, EDGES = range(SLOTS_PER_CALL)  # what kernels use the slots of a call for
WATCH = 5000  # looks at the stamp before the host goes to sleep (about a millisecond)


class Counter:
    """One number on the device, made when the kernels that count it have been launched."""

    __slots__ = ("_after", "_block", "_slot", "address")

    def __init__(self, block: Block, slot: int) -> None:
        self._block = block
        self._slot = slot
        self._after = block.published  # the host sees it in any later edition
        self.address = block.address + 8 * slot

    def known(self) -> int | None:
        """The number, if the host has seen it already."""
        block = self._block
        return int(block.numbers[self._slot]) if block.seen > self._after else None

    def read(self) -> int:
        """The number."""
        block = self._block
        if block.seen <= self._after:
            block.publish()  # synchronizes
        return int(block.numbers[self._slot])


class Slots:
    """The slots of one call. Ask for counters when its kernels have been launched, not before."""

    __slots__ = ("_block", "_first", "address")

    def __init__(self, block: Block, first: int) -> None:
        self._block = block
        self._first = first
        self.address = block.address + 8 * first

    def counter(self, slot: int = COUNT) -> Counter:
        return Counter(self._block, self._first + slot)


class Block:
    """Slots for calls on one stream. ``published`` counts the editions for the host, ``seen`` the complete ones."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.device = cupy.cuda.runtime.getDevice()
        self._slots = cupy.zeros(SLOTS, INDEX)
        self.address = self._slots.data.ptr
        self.taken = self.published = self.seen = 0
        self._pinned = cupy.cuda.alloc_pinned_memory(8 * (SLOTS + 1))
        host = np.frombuffer(self._pinned, INDEX, SLOTS + 1)
        host[0] = 0
        self.numbers = host[1:]
        self._stamp = ctypes.c_int64.from_address(self._pinned.ptr)
        self._lock = threading.Lock()

    def publish(self) -> None:
        """Let the host see the counts of everything that was launched so far."""
        with self._lock:
            if cupy.cuda.runtime.getDevice() != self.device:
                with cupy.cuda.Device(self.device):
                    self._publish()
            else:
                self._publish()

    def _publish(self) -> None:
        self.published += 1
        wanted = self.published
        (kernel,) = functions("publish.cu", None, ["publish_kernel"])
        kernel((1,), (256,), (self.address, self.taken, self._pinned.ptr, wanted), stream=self.stream)
        stamp = self._stamp
        for _ in range(WATCH):
            if stamp.value == wanted:
                break
        else:
            self.stream.synchronize()  # lets other threads run, and raises what a kernel did wrong
        self.seen = wanted
