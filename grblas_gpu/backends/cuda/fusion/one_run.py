"""One run of a loop: memory for its vectors, one launch (or one for each slice of time), and the results."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import suppress

import cupy
import numpy as np

from ....exceptions import EmptyObject, GraphblasException, IndexOutOfBound, InvalidValue
from ....foundation.types import Array, MatrixStore, Memory, Store, Vector
from ....ir.program import Program
from ....trace.records import clock, current as current_trace
from ...programs.lower import Body, located
from ...stores.storage import INDEX, HostEntry, VectorStore
from ..eager import vectors
from ..eager.column_order import BEFORE, column_order
from ..eager.entry_groups import rows_and_groups
from ..eager.matrix_facts import hub_neighbours
from ..eager.mxv_balanced import has_only_short_rows
from ..runtime import workspace as scratch_arrays
from ..runtime.arrays import empty_list, two_arrays
from ..runtime.workspace import memory_of_two
from .compiled import Compiled, Slot, likely_variant
from .emit_teams import LONGEST_SHARED
from .layout import (
    AS_IT_IS,
    AS_LIST,
    EMPTY,
    IN_SHARED,
    NO_VALUE,
    ONE_ENTRY,
    ONE_VALUE,
    OUT_OF_RANGE,
    OUT_OF_TIME,
    REASONS,
    REPORT,
    ROW,
    VARIABLE,
)
from .trace import TRACED, records_of
from .words import bits, from_bits
from .workspace import NOWHERE, workspace_of

FEW = 2**20  # arrays of so many elements are kept in any case: that saves asking for them
FLAG = np.dtype(bool)
BITS, PRESENT = VARIABLE.at["bits"], VARIABLE.at["present"]
STOPPED, STEPS = REPORT.at["stop"], REPORT.at["step"]
PIECE = 16  # bytes

_array = cupy.ndarray


class Wrong(Exception):
    """A loop has stopped after a round in which something was wrong."""

    def __init__(self, word: int) -> None:
        super().__init__(word)
        self.number, self.what = divmod(word, REASONS)

    def error(self, program: Program) -> GraphblasException:
        if self.what == OUT_OF_RANGE:
            return IndexOutOfBound(located(program, "Index out of range", self.number))
        if self.what == NO_VALUE:
            return EmptyObject(located(program, "a Scalar is empty; give it a value", self.number))
        return InvalidValue(located(program, "a position is assigned to more than once", self.number))


class Run:
    """One loop."""

    __slots__ = "body compiled kept launcher meanwhile primary_buffers program ready report scratch traced".split()
    __slots__ += ["words", "workspace"]

    def __init__(self, compiled: Compiled, body: Body, limit: int, meanwhile: Callable[[], None] | None = None) -> None:
        self.compiled = compiled
        self.body = body
        self.meanwhile = meanwhile  # something else to do while the kernel runs
        self.program = program = compiled.program
        self.scratch = scratch_arrays.current()
        self.workspace = workspace = workspace_of(self.scratch, compiled.program, body.sizes)
        self.words = words = workspace.words  # every run sets the same ones
        self.primary_buffers: list[tuple] = []  # see _written
        self.ready: list[tuple] = []  # what is made of them while the kernel runs: see _make_stores
        self.kept: list[object] = []  # alive until the kernel has run
        for number, vector in enumerate(body.vectors):
            slot = compiled.slots[number]
            if slot.written:
                self._written(slot, vector)
            else:
                self._read(slot, vector._stored)
        if body.variables or body.constants:
            self._scalars()
        if workspace.matrices is not body.last and not _same(workspace.matrices, body.last):
            self._matrices()
        self.report = workspace.report
        self.traced = None
        if program.products and current_trace() is not None:
            self.traced = cupy.zeros(ROW.size * TRACED * len(program.products), INDEX)
        words[compiled.limit] = limit
        words[compiled.resumes] = 0
        words[compiled.trace] = 0 if self.traced is None else self.traced.data.ptr
        self.launcher = compiled.launcher(workspace.wants_teams, workspace.short_rows)

    # ---- what the program is given -------------------------------------------------------------------------------

    def _read(self, slot: Slot, store: VectorStore) -> None:
        store = vectors.as_bitmap(store)
        self.words[slot.flags] = 0 if store.present is None else store.present.data.ptr
        self.words[slot.values] = store.values.data.ptr
        self.words[slot.count] = store.nvals
        self.kept.append(store)

    def _written(self, slot: Slot, vector: Vector) -> None:
        """Where a vector is at the beginning and will be at the end, and how its entries get there.

        Adds to ``primary_buffers``: slot and vector, flags and values, whether other stores may share these arrays, and
        whether they are uninitialized.
        """
        words, workspace, number, iso = self.words, self.workspace, slot.number, slot.iso
        flags, values = workspace.primary_buffers[number]
        workspace.primary_buffers[number] = NOWHERE  # until there are others for the next run
        size, store = vector._shape[0], vector._stored  # changes that waited are merged
        pending, start, dense = store.pending, EMPTY, False
        if slot.full and number in self.body.fresh:
            start, count = AS_IT_IS, size
        elif slot.gathered:
            start, count = AS_IT_IS, 0
        elif type(pending) is HostEntry:  # travels with the arguments
            start, count = ONE_ENTRY, 1
            words[slot.source] = pending.index
            words[slot.source_values] = bits(pending.value, slot.dtype)
        elif count := store.nvals:
            self.kept.append(store)
            if store.kind == "sparse":
                start = AS_LIST
                words[slot.source] = store.indices.data.ptr
                words[slot.distinct_values] = len(store.values) > 1
                words[slot.source_values] = store.values.data.ptr
            else:
                start, dense = AS_IT_IS, True
                flags, values = store.present, store.values
                if flags is None and not slot.full:
                    flags = cupy.ones(size, bool)
                if len(values) != (1 if iso else size):
                    start = ONE_VALUE
                    words[slot.source_values] = values.data.ptr
                    values = None
        if flags is values is None and not slot.full:
            flags, values = memory_of_two(size, slot.dtype.itemsize * (1 if iso else size))
            words[slot.flags], words[slot.values] = flags.ptr, values.ptr
            bare = True
        else:
            if flags is None and not slot.full:
                flags = _array((size,), FLAG)
            if values is None:
                values = _array((1 if iso else size,), slot.dtype)
            words[slot.flags] = 0 if slot.full else flags.data.ptr
            words[slot.values] = values.data.ptr
            bare = False
        begun = start, count, dense
        if workspace.begun[number] != begun:  # mostly these words are set already
            workspace.begun[number] = None
            words[slot.count] = count
            # What the array of a vector holds where that has no entry is not for sums to begin with.
            words[slot.dirty] = dense and not iso
            words[slot.listed] = slot.listable and not dense and count <= words[slot.capacity]
            words[slot.begin] = start
            workspace.begun[number] = begun
        self.primary_buffers.append((slot, vector, flags, values, dense, bare))

    def _scalars(self) -> None:
        words = self.words
        for at, scalar in zip(self.compiled.variables, self.body.variables, strict=True):
            content = scalar._content
            words[at + BITS] = 0 if content is None else bits(content, scalar.dtype.np_type)
            words[at + PRESENT] = content is not None
        for place, (value, dtype) in zip(self.compiled.constants, self.body.constants, strict=True):
            if place is not None:
                words[place] = bits(value, dtype)

    def _matrices(self) -> None:
        """What belongs to matrices: set when the workspace sees others than the last time."""
        workspace = self.workspace
        workspace.matrices = []  # until all words are set
        workspace.wants_shared = False
        matrices = self.body.matrices
        for at, side, field, number, transposed in self.program.matrix_words:
            store = matrices[number]
            if side == "nvals":
                self.words[at] = store.nvals
            elif side == "once":
                self.words[at] = getattr(store.once, field)
            elif side == "longest":  # of the rows that a push goes through
                self.words[at] = (store if transposed else store.transposed()).max_degree
            elif side == "all_short":
                self.words[at] = has_only_short_rows(store, int(field), transposed)
            elif side in ("nrows", "ncols"):
                self.words[at] = store.nrows if transposed == (side == "ncols") else store.ncols
            else:  # pushes read the matrix (or its transpose) by columns, pulls by rows
                if transposed != (side == "columns"):
                    store = store.transposed()
                if side == "hub_neighbours":
                    array = hub_neighbours(store)
                elif side == "order":
                    array = getattr(column_order(store, BEFORE + 1), field, None)
                    workspace.wants_shared |= array is not None
                elif side == IN_SHARED:
                    array = _aligned(store, field)
                    workspace.wants_shared = True
                elif side == "row_ids":
                    array = rows_and_groups(store)
                    workspace.wants_shared = True
                else:
                    array = _aligned(store if field == "indptr" else store.once, field)
                self.words[at] = 0 if array is None else array.data.ptr
        self.words[self.compiled.parts] = workspace.parts(max((store.nvals for store in matrices), default=0))
        if any(self.program.sorted_bytes):
            workspace.make_sort_workspace(self.program, max(store.nvals for store in matrices))
        workspace.work = max([1, *workspace.sizes, *(store.nvals // 8 for store in matrices)])
        teams, workspace.short_rows = likely_variant(self.program, matrices)
        workspace.wants_teams = teams or any(self.words[at] <= LONGEST_SHARED for at in self.program.team_words)
        workspace.matrices = self.body.last

    # ---- the run ---------------------------------------------------------------------------------------------------

    def result(self) -> int:
        started = 0.0 if self.traced is None else clock()
        try:
            numbers = self._launched()
            if problem := numbers[STOPPED]:
                self._take(self._ended())
                raise Wrong(problem)
        except KeyboardInterrupt:  # leave everything as the last step left it
            self.scratch.stream.synchronize()  # synchronizes: what is running ends its slice of time
            self._take(self._ended() if self.report.numbers[STOPPED] else self.report.numbers.tolist())
            raise
        except Wrong:
            raise
        except BaseException:
            scratch_arrays.forget()
            raise
        self._take(numbers)
        if self.traced is not None:
            records_of(self, clock() - started)
        return numbers[STEPS]

    def _ended(self) -> list[int]:
        """The loop, which has stopped, does not go on."""
        self.words[self.compiled.limit] = 0
        self.words[self.compiled.resumes] = 1
        return self._launched()

    def _launched(self) -> list[int]:
        compiled, words, report, workspace = self.compiled, self.words, self.report, self.workspace
        while True:
            report.wanted += 1
            words[compiled.stamp] = report.wanted
            self.launcher.launch(words, workspace.parameters, workspace.work, self.scratch, workspace.wants_shared)
            if self.primary_buffers:
                self._make_stores()
                if self.meanwhile is not None:
                    self.meanwhile()
            numbers: list[int] = report.wait(self.scratch.stream).tolist()  # synchronizes
            words[compiled.resumes] = 1
            if numbers[STOPPED] != OUT_OF_TIME:
                return numbers
            self.launcher = compiled.launcher(workspace.wants_teams, workspace.short_rows)  # there may be a faster one

    def _make_stores(self) -> None:
        """What vectors will have, be it without entries, while the kernel runs: their numbers are all that is missing.

        Adds to ``ready``: slot and vector, both stores, and whether the next run may have the arrays if this one leaves
        no entries: short ones, and those of vectors of which the workspace has others as long. For a short vector that
        had some the last time it gets new ones now.
        """
        workspace = self.workspace
        while self.primary_buffers:
            slot, vector, flags, values, given, bare = self.primary_buffers[-1]
            size = vector._shape[0]
            if bare:
                flags, values = _array((size,), FLAG, flags), _array((1 if slot.iso else size,), slot.dtype, values)
            found = VectorStore.known(size, values, None, None if slot.full else flags, 0)
            spare = not given and (slot.buffers > 1 or size <= FEW)
            self.ready.append((slot, vector, found, empty_list(size, slot.dtype, self.scratch.device), spare))
            self.primary_buffers.pop()
            if slot.number in workspace.taken and size <= FEW and not slot.full:
                with suppress(cupy.cuda.memory.OutOfMemoryError):  # then the next run asks for it
                    workspace.primary_buffers[slot.number] = two_arrays(size, FLAG, 1 if slot.iso else size, slot.dtype)

    def _take(self, numbers: list[int]) -> None:
        """The vectors and scalars as the loop left them, all of them: an interrupt waits for the last."""
        try:
            self._take_all(numbers)
        except BaseException:
            self._take_all(numbers)
            raise

    def _take_all(self, numbers: list[int]) -> None:
        if self.primary_buffers:  # an interrupt came before
            self._make_stores()
        workspace = self.workspace
        for slot, vector, found, nothing, spare in self.ready:
            count = numbers[slot.reported]
            if count:
                found.nvals = count
                vector._stored = found
                if spare:
                    workspace.taken.add(slot.number)
            else:
                vector._stored = nothing
                if spare:
                    workspace.primary_buffers[slot.number] = found.present, found.values
        for number, scalar in enumerate(self.body.variables):
            at = self.compiled.reported[number]
            word, present = numbers[at + BITS], numbers[at + PRESENT]
            scalar._content = from_bits(word, scalar.dtype.np_type) if present else None


def _same(known: list[weakref.ref[MatrixStore]], given: list[weakref.ref[MatrixStore]]) -> bool:
    """Whether these are the same matrices. Those that are given are alive."""
    return len(known) == len(given) and all(a() is b() for a, b in zip(known, given, strict=True))


def _aligned(store: Store, field: str) -> Array:
    """An array of a matrix; kernels read 16 bytes at a time. A view of another array may begin and end anywhere."""
    array = getattr(store, field)
    if array is not None and not _in_pieces(array.data.ptr, array.nbytes, array.data.mem):
        room = -(-array.nbytes // PIECE) * PIECE // array.itemsize
        copy = cupy.empty(room, array.dtype)[: array.size]
        copy[:] = array
        setattr(store, field, copy)
        return copy
    return array


def _in_pieces(start: int, size: int, memory: Memory) -> bool:
    """Whether so many bytes can be read in whole pieces: CuPy's pool has room behind them, other memory may have none.

    >>> from types import SimpleNamespace
    >>> exact, pooled = SimpleNamespace(ptr=512, size=40), SimpleNamespace(ptr=512, size=512)
    >>> _in_pieces(512, 40, exact), _in_pieces(512, 40, pooled), _in_pieces(520, 40, pooled)
    (False, True, False)
    """
    return start % PIECE == 0 and start + -(-size // PIECE) * PIECE <= memory.ptr + memory.size
