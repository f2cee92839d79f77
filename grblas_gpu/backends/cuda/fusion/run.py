"""Running a recorded loop: memory for its vectors, one launch (or one for each slice of time), and the results."""

from __future__ import annotations

import ctypes
import struct
import weakref
from operator import call
from typing import Any

import cupy
import numpy as np

from ....trace.records import clock
from ....trace.records import current as current_trace
from ...storage import INDEX, HostEntry, VectorStore
from ..eager import vectors
from ..eager.matrix_facts import likeliest
from ..runtime import workspace as scratch_arrays
from ..runtime.arrays import empty_list
from ..runtime.compile import module_of
from ..runtime.workspace import Scratch
from .layout import SLOT_FIELDS, Body, Unfusable, describe
from .program import BLOCKS, CLUSTER, MOST_BLOCKS, THREADS, Program
from .trace import ROW, TRACED, records_of, trace_iterated

LISTED = 8  # a vector with more entries than one position in so many has no list
LEAST_LIST = 4096
#: Entries of a part, on average: rows of more than 256 are dealt out in parts of 128, or what is left of them.
LEAST_PART = 85
FEW = 2**20  # arrays of so many elements are kept in any case: that saves asking for them
FLAG = np.dtype(bool)
NOWHERE: tuple[Any, Any] = (None, None)
TOO_LARGE = 720  # the driver's CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
WATCH = 20_000  # looks at the report before the host goes to sleep
AS_IT_IS, AS_LIST, EMPTY, ONE_VALUE, ONE_ENTRY = range(5)  # as in kernels/slot.cuh
VALUES, BUFFERS, SIZE, CAPACITY, COUNT, LISTED_NOW, DIRTY = (
    SLOT_FIELDS.index(name) for name in ("values_0", "buffers", "size", "capacity", "count", "listed", "dirty")
)
SOURCE, SEVERAL, SOURCE_VALUES = 1, 2, 3  # after the word that says how a vector starts
NAMED = ("limit", "stamp", "resumes", "trace", "parts")  # words that a run sets

_array = cupy.ndarray
_programs: dict[Any, Compiled | str] = {}


class Compiled:
    """A program and its kernel."""

    def __init__(self, body: Body) -> None:
        self.program = program = Program(body)
        program.matrices = []  # it outlives them
        module, _ = module_of(program.text)
        self.kernel = module.get_function("loop_kernel")
        layout = program.layout
        self.size = layout.size
        self.limit, self.stamp, self.resumes, self.trace, self.parts = (layout.names[name,] for name in NAMED)
        self.slots = [_Slot(program, number) for number in range(len(program.slots))]
        self.variables = [layout.variable(number) for number in range(layout.variables)]
        self.constants = [layout.names.get(("constant", number)) for number in range(len(body.constants))]
        self._functions: dict[int, tuple[int, int, int]] = {}  # on each device, how many blocks can meet, and clusters

    def launch(self, room: _Room, scratch: Scratch) -> None:
        """As many blocks as can meet, and no more than there is work for; whole clusters of them."""
        known = self._functions.get(scratch.device)
        if known is None:
            function = getattr(self.kernel, "kernel", None)
            if function is None:  # not a GPU: blocks run one after another and could not meet
                words_type = np.dtype([("word", INDEX, (self.size,))])
                self.kernel((1,), (THREADS,), (np.frombuffer(bytes(room.words), words_type),))
                return
            device = cupy.cuda.Device(scratch.device)
            cluster = CLUSTER if int(device.compute_capability) >= 90 else 1
            fitting = cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(function.ptr, THREADS, 0)
            most = min(MOST_BLOCKS, max(1, min(fitting, BLOCKS)) * int(device.attributes["MultiProcessorCount"]))
            known = self._functions[scratch.device] = function.ptr, max(1, most // cluster) * cluster, cluster
        function, most, cluster = known
        blocks = min(-(-room.work // (THREADS * cluster)) * cluster, most)
        # The driver's own function, not the kernel's: that takes three times as long.
        try:
            cupy.cuda.driver.launchCooperativeKernel(
                function, blocks, 1, 1, THREADS, 1, 1, 0, scratch.stream_at, room.parameters
            )
        except cupy.cuda.driver.CUDADriverError as error:
            if error.status != TOO_LARGE or blocks <= cluster:
                raise
            # The processors of a cluster are neighbours: there may be a place for a block, but not for eight.
            self._functions[scratch.device] = function, blocks - cluster, cluster
            self.launch(room, scratch)


def run_loop(recording: Any) -> int | None:
    """Run a loop on the device; the number of its steps, or None if this body cannot run as one kernel."""
    try:
        body = describe(recording)
    except Unfusable as reason:
        trace_iterated(str(reason))
        return None
    compiled = _programs.get(body.key)
    if compiled is None:
        try:
            compiled = Compiled(body)
        except Unfusable as reason:
            compiled = str(reason)
        _programs[body.key] = compiled
    if isinstance(compiled, str):
        trace_iterated(compiled)
        return None
    limit = recording.loop.limit
    return _Run(compiled, body, 2**62 if limit is None else limit).result()


class _Slot:
    """What runs ask of a vector's slot again and again: its facts, and where its words are."""

    __slots__ = ("at", "begin", "buffers", "dtype", "full", "iso", "listable", "number", "written")

    def __init__(self, program: Program, number: int) -> None:
        facts = program.slots[number]
        self.number = number
        self.at = program.layout.slot(number)
        self.begin = program.starts[number]  # how its entries get there
        self.dtype = facts.dtype
        self.full = facts.full
        self.iso = facts.iso
        self.written = facts.written
        self.buffers = facts.buffers
        self.listable = facts.listable


class _Room:
    """Memory that loops of one program use again and again, and the words that say where it is.

    One room belongs to a thread and a stream, as everything in the scratch, and fits vectors of certain sizes.
    """

    def __init__(self, compiled: Compiled, sizes: tuple[int, ...]) -> None:
        program, layout = compiled.program, compiled.program.layout
        self.sizes = sizes
        given = (ctypes.c_int64 * compiled.size)()  # the kernel's only parameter
        self.words = memoryview(given).cast("B").cast("q")
        self._given_at = (ctypes.c_void_p * 1)(ctypes.addressof(given))
        self.parameters = ctypes.addressof(self._given_at)
        self.matrices: list[weakref.ref[Any]] = []  # the words are those of
        self._parts: Any = None
        self.work = max([1, *sizes])
        self._arrays: list[Any] = []
        self.homes = [NOWHERE] * len(sizes)  # flags and values of vectors that had no entries in the end
        self.all_sizes = sizes = sizes + tuple([sizes[copied] for copied in program.copied])
        for number, (slot, size) in enumerate(zip(program.slots, sizes, strict=True)):
            at = layout.slot(number)
            length = 1 if slot.iso else size
            if slot.hidden:  # begins without entries
                self.words[at] = self._keep(cupy.empty(size + 3, bool)).data.ptr
                self.words[at + VALUES] = self._keep(cupy.empty(length, slot.dtype)).data.ptr
                self.words[at + LISTED_NOW] = slot.listable
                self.words[program.starts[number]] = EMPTY
            initial = program.initial_values.get(number, 0)
            for buffer in range(1, slot.buffers):  # clean: no flags, and what sums begin with
                self.words[at + buffer] = self._keep(cupy.zeros(size + 3, bool)).data.ptr
                self.words[at + 3 + buffer] = self._keep(cupy.full(length, initial, slot.dtype)).data.ptr
            capacity = 0
            if slot.listable:
                capacity = min(size, max(LEAST_LIST, size // LISTED))
                for buffer in range(slot.buffers):
                    self.words[at + 6 + buffer] = self._keep(cupy.empty(capacity, INDEX)).data.ptr
            self.words[at + BUFFERS], self.words[at + SIZE], self.words[at + CAPACITY] = slot.buffers, size, capacity
        sets = 4 * program.counters
        address = self._keep(cupy.zeros(1 + sets + layout.state_words, INDEX)).data.ptr
        self.report = _Report(3 + len(program.slots) + 2 * layout.variables)
        named = {
            "barrier": address,
            "counter_sets": address + 8,
            "saved": address + 8 * (1 + sets),
            "report": self.report.address,
        }
        if program.reductions:
            named["partial"] = self._keep(cupy.empty(2 * MOST_BLOCKS * program.reductions, INDEX)).data.ptr
        for name, address in named.items():
            self.words[layout.word(name)] = address

    def _keep(self, array: Any) -> Any:
        self._arrays.append(array)
        return array

    def parts(self, nvals: int) -> int:
        """Where the parts of all rows of a matrix can be listed."""
        if self._parts is None or self._parts.size < nvals // LEAST_PART + 1:
            self._parts = None  # make room first
            self._parts = cupy.empty(nvals // LEAST_PART + 1, INDEX)
        return int(self._parts.data.ptr)

    @staticmethod
    def of(scratch: Scratch, compiled: Compiled, sizes: tuple[int, ...]) -> _Room:
        arrays: dict[Any, Any] = scratch._arrays
        room = arrays.get(compiled)
        if room is None or room.sizes != sizes:
            arrays[compiled] = None  # make room first
            room = arrays[compiled] = _Room(compiled, sizes)
        return room


class _Run:
    """One loop."""

    def __init__(self, compiled: Compiled, body: Body, limit: int) -> None:
        self.compiled = compiled
        self.body = body
        self.program = program = compiled.program
        self.scratch = scratch_arrays.current()
        self.room = room = _Room.of(self.scratch, compiled, body.sizes)
        self.words = words = room.words  # every run sets the same ones
        self.homes: list[tuple[_Slot, Any, Any, Any, bool]] = []  # of every vector that changes: see _written
        self.kept: list[Any] = []  # alive until the kernel has run
        for number, vector in enumerate(body.vectors):
            slot = compiled.slots[number]
            if slot.written:
                self._written(slot, vector)
            else:
                self._read(slot, vector._store)
        if body.variables or body.constants:
            self._scalars()
        if list(map(call, room.matrices)) != body.matrices:
            self._matrices()
        self.report = room.report
        self.traced = None
        if program.products and current_trace() is not None:
            self.traced = cupy.zeros(len(ROW) * TRACED * len(program.products), INDEX)
        words[compiled.limit] = limit
        words[compiled.resumes] = 0
        words[compiled.trace] = 0 if self.traced is None else self.traced.data.ptr

    # ---- what the program is given -------------------------------------------------------------------------------

    def _read(self, slot: _Slot, store: Any) -> None:
        store = vectors.as_bitmap(store)
        at = slot.at
        self.words[at] = 0 if store.present is None else store.present.data.ptr
        self.words[at + VALUES] = store.values.data.ptr
        self.words[at + COUNT] = store.nvals
        self.kept.append(store)

    def _written(self, slot: _Slot, vector: Any) -> None:
        """Where a vector is at the beginning and will be at the end, and how its entries get there.

        Adds to ``homes``: slot and vector, flags and values, and whether others may know these arrays.
        """
        at, begin, words, homes = slot.at, slot.begin, self.words, self.room.homes
        flags, values = homes[slot.number]
        homes[slot.number] = NOWHERE  # unless there is no result to keep there
        size, store, pending = vector._size, vector._store, vector._store.pending
        start, dense = EMPTY, False
        if type(pending) is HostEntry:  # travels with the arguments
            start, count = ONE_ENTRY, 1
            words[begin + SOURCE] = pending.index
            words[begin + SOURCE_VALUES] = bits(pending.value, slot.dtype)
        elif count := store.nvals:
            self.kept.append(store)
            if store.kind == "sparse":
                start = AS_LIST
                words[begin + SOURCE] = store.indices.data.ptr
                words[begin + SEVERAL] = len(store.values) > 1
                words[begin + SOURCE_VALUES] = store.values.data.ptr
            else:
                start, dense = AS_IT_IS, True
                flags, values = store.present, store.values
                if flags is None and not slot.full:
                    flags = cupy.ones(size, bool)
                if len(values) != (1 if slot.iso else size):
                    start = ONE_VALUE
                    words[begin + SOURCE_VALUES] = values.data.ptr
                    values = None
        if slot.full:
            words[at] = 0
        else:
            if flags is None:
                flags = _array((size,), FLAG)
            words[at] = flags.data.ptr
        if values is None:
            values = _array((1 if slot.iso else size,), slot.dtype)
        words[at + VALUES] = values.data.ptr
        words[at + COUNT] = count
        # What the array of a vector holds where that has no entry is not for sums to begin with.
        words[at + DIRTY] = dense and not slot.iso
        words[at + LISTED_NOW] = slot.listable and not dense and count <= words[at + CAPACITY]
        words[begin] = start
        self.homes.append((slot, vector, flags, values, dense))

    def _scalars(self) -> None:
        words = self.words
        for at, scalar in zip(self.compiled.variables, self.body.variables, strict=True):
            content = scalar._content
            words[at] = 0 if content is None else bits(content, scalar.dtype.np_type)
            words[at + 1] = content is not None
        for place, (value, dtype) in zip(self.compiled.constants, self.body.constants, strict=True):
            if place is not None:
                words[place] = bits(value, dtype)

    def _matrices(self) -> None:
        """What belongs to matrices: set when the room sees others than the last time."""
        room = self.room
        room.matrices = []  # until all words are set
        matrices = self.body.matrices
        for at, side, field, number, transposed in self.program.matrix_words:
            store = matrices[number]
            if side == "nvals":
                self.words[at] = store.nvals
            elif side == "once":
                self.words[at] = getattr(store.once, field)
            elif side == "nrows":
                self.words[at] = store.ncols if transposed else store.nrows
            else:  # pushes read the matrix (or its transpose) by columns, pulls by rows
                if transposed != (side == "columns"):
                    store = store.transposed()
                if side == "likeliest":
                    array = likeliest(store)
                else:
                    array = _aligned(store if field == "indptr" else store.once, field)
                self.words[at] = 0 if array is None else array.data.ptr
        self.words[self.compiled.parts] = room.parts(max((store.nvals for store in matrices), default=0))
        room.work = max([1, *room.sizes, *(store.nvals // 8 for store in matrices)])
        room.matrices = [weakref.ref(store) for store in matrices]

    # ---- the run ---------------------------------------------------------------------------------------------------

    def result(self) -> int:
        started = clock()
        try:
            numbers = self._launched()
        except KeyboardInterrupt:  # leave everything as the last step left it
            self.scratch.stream.synchronize()  # synchronizes: what is running ends its slice of time
            if self.report.numbers[1]:
                self.words[self.compiled.limit] = 0
                self.words[self.compiled.resumes] = 1
                self._launched()
            self._take(self.report.numbers.tolist())
            raise
        except BaseException:
            scratch_arrays.forget()
            raise
        self._take(numbers)
        if self.traced is not None:
            records_of(self, clock() - started)
        return numbers[2]

    def _launched(self) -> list[int]:
        compiled, words, report = self.compiled, self.words, self.report
        while True:
            report.wanted += 1
            words[compiled.stamp] = report.wanted
            compiled.launch(self.room, self.scratch)
            numbers: list[int] = report.wait(self.scratch.stream).tolist()  # synchronizes
            words[compiled.resumes] = 1
            if not numbers[1]:
                return numbers

    def _take(self, numbers: list[int]) -> None:
        """The vectors and scalars as the loop left them."""
        for slot, vector, flags, values, given in self.homes:
            count = numbers[3 + slot.number]
            if count == 0:
                vector._store = empty_list(vector._size, slot.dtype)
                # For the next run: short arrays, and those of vectors for which the room has others as long anyway.
                if not given and (slot.buffers > 1 or vector._size <= FEW):
                    self.room.homes[slot.number] = flags, values
            elif slot.full:
                vector._store = VectorStore(vector._size, values)
            else:
                vector._store = VectorStore(vector._size, values, present=flags, nvals=count)
        base = 3 + len(self.program.slots)
        for number, scalar in enumerate(self.body.variables):
            word, present = numbers[base + 2 * number : base + 2 * number + 2]
            scalar._content = from_bits(word, scalar.dtype.np_type) if present else None


def _aligned(store: Any, field: str) -> Any:
    """An array of a matrix; kernels read 16 bytes at a time. A view of somebody's array may begin anywhere."""
    array = getattr(store, field)
    if array is not None and array.data.ptr % 16:
        array = array.copy()
        setattr(store, field, array)
    return array


class _Report:
    """Numbers that the kernel writes to host memory when it ends."""

    def __init__(self, length: int) -> None:
        self._pinned = cupy.cuda.alloc_pinned_memory(8 * length)
        self.numbers = np.frombuffer(self._pinned, INDEX, length)
        self.numbers[0] = 0
        self.address = self._pinned.ptr
        self._stamp = ctypes.c_int64.from_address(self.address)
        self.wanted = 0  # the stamp of the last launch

    def wait(self, stream: Any) -> np.ndarray:
        stamp, wanted = self._stamp, self.wanted
        for _ in range(WATCH):
            if stamp.value == wanted:
                return self.numbers
        stream.synchronize()  # synchronizes; and raises what the kernel did wrong
        return self.numbers


def bits(value: Any, dtype: np.dtype) -> int:
    """A number as a word.

    >>> bits(1.5, np.dtype("float64")) == 0x3ff8000000000000, bits(True, np.dtype(bool))
    (True, 1)
    """
    if dtype.kind == "f":
        form = "<d" if dtype.itemsize == 8 else "<f"
        return int.from_bytes(struct.pack(form, value), "little", signed=dtype.itemsize == 8)
    number = int(value)
    return number - 2**64 if number >= 2**63 else number


def from_bits(word: int, dtype: np.dtype) -> Any:
    """The number in a word.

    >>> from_bits(bits(-2, np.dtype("int8")), np.dtype("int8"))
    np.int8(-2)
    """
    raw = (word & (2**64 - 1)).to_bytes(8, "little")
    return np.frombuffer(raw[: dtype.itemsize], dtype)[0]
