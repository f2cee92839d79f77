"""Memory that loops of one program use again and again, and the numbers that the kernel publishes to the host."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Hashable
from typing import Any

import cupy
import numpy as np

from ....foundation.types import MatrixStore, Stream
from ...stores.storage import INDEX, Array
from ..eager.rows import MOST_CHUNKS
from ..runtime import records
from ..runtime.workspace import Scratch
from .emit import LoopKernel
from .emit_context import MOST_BLOCKS
from .layout import EMPTY, REPORT, SLOT

SHORT = 8  # a vector with more entries than one position in so many has no list
LEAST_LIST = 4096
#: Entries of a part, on average: rows of more than 256 are dealt out in parts of 128, or what is left of them.
LEAST_PART = 85
MOST_SORTED = 2**25  # products that a push may sort
MOST_SPANS = 4096  # as in kernels/loop_push.cuh
WATCH = 20_000  # looks at the report before the host goes to sleep
NOWHERE: tuple[Array, Array] = (None, None)
FLAGS, VALUES, LISTS, LISTED = (SLOT.at[name] for name in ("flags_at", "values_at", "list_at", "listed"))
BUFFERS, SIZE, CAPACITY = (SLOT.at[name] for name in ("buffers", "size", "capacity"))


class Workspace:
    """Memory that loops of one program use again and again, and the words that say where it is.

    One workspace belongs to a thread and a stream, as everything in the scratch, and fits vectors of certain sizes.
    """

    def __init__(self, program: LoopKernel, sizes: tuple[int, ...]) -> None:
        layout = program.layout
        self.sizes = sizes
        given = (ctypes.c_int64 * layout.size)()  # the kernel's only parameter
        self.words = memoryview(given).cast("B").cast("q")
        self._given_at = (ctypes.c_void_p * 1)(ctypes.addressof(given))
        self.parameters = ctypes.addressof(self._given_at)
        self.matrices: list[weakref.ref[MatrixStore]] = []  # the words are those of
        self.wants_shared = False  # whether products keep something of their operands in shared memory
        self.wants_teams = True  # whether a cluster may go on alone
        self.short_rows = False  # whether rows that are added up whole may be short ones
        self._parts: Array | None = None
        self._sort_workspace: list[Array] = []
        self.work = max([1, *sizes])
        self._arrays: list[Array] = []
        self.primary_buffers = [NOWHERE] * len(sizes)  # flags and values for vectors of the next run
        self.taken: set[int] = set()  # vectors that had entries in the end: other objects own these arrays
        self.begun: list[object] = [None] * len(sizes)  # how vectors began the last time: their words say so
        self.all_sizes = sizes = sizes + tuple([sizes[copied] for copied in program.copied])
        for number, (slot, size) in enumerate(zip(program.slots, sizes, strict=True)):
            at = layout.slot(number)
            length = 1 if slot.iso else size
            if slot.hidden:  # begins without entries
                self.words[at + FLAGS] = self._keep(cupy.empty(size + 3, bool)).data.ptr
                self.words[at + VALUES] = self._keep(cupy.empty(length, slot.dtype)).data.ptr
                self.words[at + LISTED] = slot.listable
                self.words[program.starts[number]] = EMPTY
            initial = program.initial_values.get(number, 0)
            for buffer in range(1, slot.buffers):  # clean: no flags, and what sums begin with
                self.words[at + FLAGS + buffer] = self._keep(cupy.zeros(size + 3, bool)).data.ptr
                self.words[at + VALUES + buffer] = self._keep(records.filled(length, initial, slot.dtype)).data.ptr
            capacity = 0
            if slot.listable:
                capacity = min(size, max(LEAST_LIST, size // SHORT))
                for buffer in range(slot.buffers):
                    self.words[at + LISTS + buffer] = self._keep(cupy.empty(capacity, INDEX)).data.ptr
            self.words[at + BUFFERS], self.words[at + SIZE], self.words[at + CAPACITY] = slot.buffers, size, capacity
        sets = 4 * program.counters
        address = self._keep(cupy.zeros(1 + sets + layout.state_words, INDEX)).data.ptr
        self.report = Report(layout.report_words)
        named = {
            "barrier": address,
            "counter_sets": address + 8,
            "saved": address + 8 * (1 + sets),
            "report": self.report.address,
        }
        if program.reductions:
            named["partial"] = self._keep(cupy.empty(2 * MOST_BLOCKS * program.reductions, INDEX)).data.ptr
        longest = max(sizes, default=0)
        bytes_of = {
            "open_list": 8 * longest,  # numbers of rows that a pull looks at, of the longest vector
            "filter": longest // 8 + 4,  # bits of the positions of an operand
            "frontier_bits": 48 * (longest // 128 + 1),  # the same for each of its buffers, in pieces of 16 bytes
            "carries": 16 * MOST_CHUNKS,  # what chunks of a matrix leave of rows that began before them, and which rows
            "ordered": 8 * longest,  # an operand in the order of the matrix's columns
            "marked": 8 * longest,  # an operand with its flags in its values
            "marks": longest + 3,  # of rows that have settled
        }
        for name, size in bytes_of.items():
            if (name,) in layout.names:
                named[name] = self._keep(cupy.empty(size, np.uint8)).data.ptr
        for name, address in named.items():
            self.words[layout.word(name)] = address

    def _keep(self, array: Array) -> Array:
        self._arrays.append(array)
        return array

    def make_sort_workspace(self, program: LoopKernel, nvals: int) -> None:
        """Memory for pushes that sort their products: a push of more edges than there is room for scatters them."""
        capacity = max(1, min(nvals, MOST_SORTED))
        if self._sort_workspace and self._sort_workspace[0].size >= 2 * program.sorted_bytes[0] * capacity:
            return
        self._sort_workspace = []  # make room first
        self._sort_workspace = [cupy.empty(2 * size * capacity, np.uint8) for size in program.sorted_bytes]
        self._sort_workspace.append(cupy.empty(32 * (MOST_SPANS + 1), np.uint32))
        addresses = (array.data.ptr for array in self._sort_workspace)
        words = zip(("capacity", "keys", "products", "counts"), (capacity, *addresses), strict=True)
        for part, word in words:
            self.words[program.layout.word("sort", part)] = word

    def parts(self, nvals: int) -> int:
        """Where the parts of all rows of a matrix can be listed."""
        if self._parts is None or self._parts.size < nvals // LEAST_PART + 1:
            self._parts = None  # make room first
            self._parts = cupy.empty(nvals // LEAST_PART + 1, INDEX)
        return int(self._parts.data.ptr)


def workspace_of(scratch: Scratch, program: LoopKernel, sizes: tuple[int, ...]) -> Workspace:
    """The workspace of this thread and stream for vectors of these sizes."""
    arrays: dict[Hashable, Any] = scratch._arrays
    found: Workspace | None = arrays.get(program)
    if found is None or found.sizes != sizes:
        arrays[program] = None  # make room first
        found = arrays[program] = Workspace(program, sizes)
    return found


class Report:
    """Numbers that the kernel writes to host memory when it ends."""

    def __init__(self, length: int) -> None:
        self._pinned = cupy.cuda.alloc_pinned_memory(8 * length)
        self.numbers = np.frombuffer(self._pinned, INDEX, length)
        self.numbers[REPORT.at["stamp"]] = 0
        self.address = self._pinned.ptr
        self._stamp = ctypes.c_int64.from_address(self.address)
        self.wanted = 0  # the stamp of the last launch

    def wait(self, stream: Stream) -> np.ndarray:
        stamp, wanted = self._stamp, self.wanted
        for _ in range(WATCH):
            if stamp.value == wanted:
                return self.numbers
        stream.synchronize()  # synchronizes; and raises what the kernel did wrong
        return self.numbers
