"""Counters of kernels on the device, and how the host reads them.

Every call that counts takes fresh slots, all zero, of a block in device memory, and as many words of pinned memory;
neither is used twice, so no reset is needed, and a count never changes after its kernel has run. The last block of a
counting kernel publishes the numbers to pinned memory itself (kernels/publish.cuh): a reader polls the word where the
number will appear. Kernels run in order, so a published number implies that those of all earlier calls are published,
too. A small kernel publishes the counts of other kernels at their first read.
"""

from __future__ import annotations

from contextlib import suppress
from typing import ClassVar

import cupy
import numpy as np

from ....foundation.types import Stream
from ...stores.storage import INDEX
from .compile import functions

SLOTS_PER_CALL = 8
SLOTS = 512 * SLOTS_PER_CALL  # in a block
COUNT, TICKET, LISTED, EDGES, DONE = range(5)  # what kernels use the slots of a call for; in the last blocks sign off
MOVES = ("publish_kernel", "collect_parts", "differences_kernel")  # in kernels/moves.cu
WATCH = 10000  # reads of a word before the host goes to sleep (about a millisecond)


class Counter:
    """One number on the device, made when the kernels that count it have been launched."""

    __slots__ = ("_block", "_place", "_published")

    def __init__(self, block: Block, place: int, published: bool) -> None:
        self._block = block
        self._place = place
        self._published = published  # published by the kernel that counts; otherwise the host has to start a kernel

    @property
    def address(self) -> int:
        return self._block.address + 8 * self._place

    def known(self) -> int | None:
        """The number, if the host has read it, or a later one, already."""
        block, place = self._block, self._place
        if block.seen <= place:
            return None
        word = block.words[place]
        if word:
            return word - 1
        return block.number_at(place) if self._published else None  # it is about to arrive

    def read(self) -> int:
        """The number."""
        block, place = self._block, self._place
        if not self._published and not block.words[place]:
            block.publish(place)
        number = block.number_at(place)  # synchronizes
        if block.seen <= place:
            block.seen = place - place % SLOTS_PER_CALL + SLOTS_PER_CALL
        return number


class Slots(Counter):
    """The slots of one call. Make counters after its kernels have been launched, not before.

    Most kernels count in the first slot only, and publish it: the object of the slots is that counter.
    """

    __slots__ = ("address", "host")
    address: int

    def __init__(self, block: Block, first: int) -> None:
        self._block = block
        self._place = first
        self._published = True
        self.address = block.address + 8 * first
        self.host = block.host + 8 * first  # where kernels write what they counted

    def counter(self, slot: int = COUNT) -> Counter:
        """The counter of this slot."""
        return Counter(self._block, self._place + slot, False)

    def published(self, slot: int = COUNT) -> Counter:
        """The counter of this slot, which the kernel publishes itself."""
        return self if slot == COUNT else Counter(self._block, self._place + slot, True)

    def read(self, slot: int = COUNT) -> int:
        """The number in this slot, which the kernel publishes itself; waits for it."""
        block, first = self._block, self._place
        number = block.number_at(first + slot)  # synchronizes
        if block.seen <= first:
            block.seen = first + SLOTS_PER_CALL
        return number


class Block:
    """Slots for calls on one stream, and their words on the host: 0 until published, then the number plus one.

    ``seen`` is the first slot that the host may not have read.
    """

    _retired: ClassVar[list[Block]] = []

    def __init__(self, stream: Stream) -> None:
        self._forget_retired()
        self.stream = stream
        self.device = cupy.cuda.runtime.getDevice()
        self._slots = cupy.zeros(SLOTS, INDEX)
        self.address = self._slots.data.ptr
        self._pinned = cupy.cuda.alloc_pinned_memory(8 * SLOTS)
        self.host = self._pinned.ptr
        words = np.frombuffer(self._pinned, INDEX, SLOTS)
        words[:] = 0
        self.words = words.data
        self.taken = self.seen = 0
        self._last: cupy.cuda.Event | None = None  # an event after all kernels that write to it

    def number_at(self, place: int) -> int:
        """Wait for the number that a kernel will write to this word."""
        words = self.words
        for _ in range(WATCH):
            word = words[place]
            if word:
                return word - 1
        with cupy.cuda.Device(self.device):
            self.stream.synchronize()  # lets other threads run, and raises errors of kernels
        if not words[place]:
            raise RuntimeError("a kernel on the device ended without having counted")
        return words[place] - 1

    def publish(self, place: int) -> None:
        """Launch a kernel that publishes the numbers of a call."""
        with cupy.cuda.Device(self.device):
            kernel, *_ = functions("moves.cu", None, MOVES)
            first = 8 * (place - place % SLOTS_PER_CALL)
            arguments = (self.address + first, SLOTS_PER_CALL, self.host + first)
            kernel((1,), (32,), arguments, stream=self.stream)

    def retire(self) -> None:
        """Retire a block of slots. It stays alive: the host memory must outlive the kernels that write to it."""
        self._retired.append(self)
        with cupy.cuda.Device(self.device):
            last = cupy.cuda.Event(disable_timing=True)
            last.record(self.stream)
        self._last = last

    def _forget_retired(self) -> None:
        """Free retired blocks whose kernels have run. Other threads may do the same concurrently."""
        for block in tuple(self._retired):
            if block._last is not None and block._last.done:
                with suppress(ValueError):
                    self._retired.remove(block)
