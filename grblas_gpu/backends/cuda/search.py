"""Parts of ranks in a breadth-first search over bit maps (``search_layout``): one or two launches for each level.

The kernels publish how much they found to pinned memory, and that is all that the host waits for.
"""

from __future__ import annotations

from typing import NamedTuple

import cupy
import numpy as np

from ..mpi.search_layout import Layout, closed_bits, lists_to_pull
from ..stores.storage import INT32_LIMIT, Array, MatrixStore, VectorStore
from .runtime import workspace
from .runtime.compile import functions, specialized
from .runtime.counters import EDGES, MOVES, Slots

NAMES = ["search_begin", "search_push", "search_push_aside", "search_pull", "search_result"]
LONG_PUSH = 256  # as in kernels/search_level.cu


class Part(NamedTuple):
    """What a rank has of a graph and of the search that it is in; as in kernels/search_level.cu."""

    indptr: Array
    indices: Array
    starts: Array
    neighbours: Array
    closed: Array
    visited: Array
    parents: Array
    degrees: Array

    @property
    def types(self) -> tuple[np.dtype, np.dtype, np.dtype]:
        return self.indptr.dtype, self.starts.dtype, self.indices.dtype


class Steps:
    """Searches on the parts of ranks that follow each other, ``first`` the first of them. Bit maps come as bytes."""

    def __init__(self, parts: list[Part], layout: Layout, first: int) -> None:
        self._parts, self._layout, self._first = parts, layout, first
        table = [[*(array.data.ptr for array in part), len(part.parents)] for part in parts]
        self._table = cupy.asarray(np.array(table, np.int64))
        self._first_rows = cupy.asarray(np.array(layout.bounds[:-1], np.int64))
        entries = sum(len(part.indices) for part in parts)
        self._aside = cupy.empty(3 * (entries // LONG_PUSH + 1), np.int64)
        types = dict(zip(("Offset", "Start", "Column"), parts[0].types, strict=True))
        kernels = specialized("search_level.cu", NAMES, types)
        self._begin, self._push, self._push_aside, self._pull, self._result = kernels

    def begin(self, source: int, out: Array) -> tuple[int, int]:
        """Forget the last search; the first frontier is the source, if it is in one of these parts."""
        layout, scratch = self._layout, workspace.current()
        slots = scratch.slots()
        position = layout.position(source)
        seed = position - self._first * layout.stride
        if not 0 <= seed < len(self._parts) * layout.stride:
            seed = -1
        given = *self._given, out.data.ptr, seed, position, slots.address, slots.host
        scratch.launch(self._begin, layout.stride, given)
        return _counted(slots)

    def push(self, frontier: Array, out: Array) -> tuple[int, int]:
        layout, scratch = self._layout, workspace.current()
        slots = scratch.slots()
        out.data.memset_async(0, len(self._parts) * layout.length, scratch.stream)
        table, count, words = self._given
        rows, found, aside = self._first_rows.data.ptr, out.data.ptr, self._aside.data.ptr
        given = table, count, words, frontier.data.ptr, layout.ranks, rows, found, aside, slots.address
        scratch.launch(self._push, count * words * layout.ranks, given)
        rest = table, words, found, aside, slots.address, slots.host
        scratch.launch(self._push_aside, len(self._aside) // 3, rest, per_block=1)
        return _counted(slots)

    def pull(self, frontier: Array, out: Array) -> tuple[int, int]:
        scratch = workspace.current()
        slots = scratch.slots()
        given = *self._given, frontier.data.ptr, out.data.ptr, slots.address, slots.host
        scratch.launch(self._pull, len(self._parts) * self._layout.stride, given)
        return _counted(slots)

    @property
    def _given(self) -> tuple[int, int, int]:
        """Where the parts are, how many, and the words of each in a bit map."""
        return self._table.data.ptr, len(self._parts), self._layout.stride // 32


class CudaSearch(Steps):
    """A rank's own part."""

    def __init__(self, part: MatrixStore, layout: Layout, degrees: Array, here: Array) -> None:
        starts, neighbours = lists_to_pull(part, degrees, layout)
        closed = cupy.asarray(closed_bits(cupy.asnumpy(starts), layout.stride))
        starts = starts.astype(np.int32) if part.nvals <= INT32_LIMIT else starts
        visited, parents = cupy.empty(layout.length, np.uint8), cupy.empty(layout.size, np.int32)
        self.part = Part(part.indptr, part.indices, starts, neighbours, closed, visited, parents, here)
        super().__init__([self.part], layout, layout.rank)

    def result(self, count: int | None) -> VectorStore:
        """The parents of this rank's vertices, of which ``count`` were found (None: the device knows)."""
        size, scratch = self._layout.size, workspace.current()
        slots = scratch.slots()
        present, values = cupy.empty(size, bool), cupy.empty(size, np.int64)
        rows, found = self._first_rows.data.ptr, (present.data.ptr, values.data.ptr)
        given = self.part.parents.data.ptr, size, self._layout.stride, rows, *found, slots.address, slots.host
        scratch.launch(self._result, size, given)
        if count is None:
            return VectorStore.counted_bitmap(size, values, present, slots.published(), size)
        return VectorStore(size, values, present=present, nvals=count)


def _counted(slots: Slots) -> tuple[int, int]:
    """Vertices found and their edges, as soon as the kernels are done."""
    return slots.read(), slots.read(EDGES)  # synchronizes


def collect(places: Array, first: int, length: int, target: Array) -> None:
    """``length`` bytes from byte ``first`` on of what lies at each of these addresses, one after another."""
    _, kernel, _ = functions("moves.cu", None, MOVES)
    words = length // 4
    given = places.data.ptr, len(places), words, first // 4, target.data.ptr
    workspace.current().launch(kernel, len(places) * words, given)
