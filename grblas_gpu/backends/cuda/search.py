"""A rank's part of a breadth-first search over bit maps (``search_layout``): one or two launches for each level.

The kernels tell the host how much they found, and that is all that the host waits for.
"""

from __future__ import annotations

import cupy
import numpy as np

from ..search_layout import Layout, closed_bits, lists_to_pull
from ..storage import INT32_LIMIT, Array, MatrixStore, VectorStore
from .runtime import workspace
from .runtime.compile import functions, using
from .runtime.counters import EDGES, Slots

NAMES = ["search_begin", "search_push", "search_push_aside", "search_pull", "search_result"]
LONG_PUSH = 256  # as in kernels/search_level.cu


class CudaSearch:
    """What a rank keeps of a graph and of the search that it is in. Bit maps come and go as bytes."""

    def __init__(self, part: MatrixStore, layout: Layout, degrees: Array, here: Array) -> None:
        self._layout = layout
        self._indptr, self._indices, self._degrees = part.indptr, part.indices, here
        starts, self._neighbours = lists_to_pull(part, degrees, layout)
        closed = closed_bits(cupy.asnumpy(starts), layout.stride)
        self._closed = cupy.asarray(closed)
        self._starts = starts.astype(np.int32) if part.nvals <= INT32_LIMIT else starts
        self._visited = cupy.empty(layout.length, np.uint8)
        self._parents = cupy.empty(layout.size, np.int32)
        self._first_rows = cupy.asarray(np.array(layout.bounds[:-1], np.int64))
        self._aside = cupy.empty(3 * (part.nvals // LONG_PUSH + 1), np.int64)
        types = self._indptr.dtype, self._starts.dtype, self._indices.dtype
        self._begin, self._push, self._push_aside, self._pull, self._result = functions(
            "search_level.cu",
            types,
            NAMES,
            lambda: [using(name, dtype) for name, dtype in zip(("Offset", "Start", "Column"), types, strict=True)],
        )

    def begin(self, source: int, out: Array) -> tuple[int, int]:
        """Forget the last search; the first frontier is the source, on the rank that owns it."""
        layout, scratch = self._layout, workspace.current()
        slots = scratch.slots()
        place = source - layout.bounds[layout.rank]
        seed = place if 0 <= place < layout.size else -1
        given = self._closed.data.ptr, *self._state(out)
        sizes = layout.stride // 32, layout.size, seed, layout.position(source)
        scratch.launch(self._begin, layout.stride, (*given, *sizes, slots.address, slots.host))
        return _counted(slots)

    def push(self, frontier: Array, out: Array) -> tuple[int, int]:
        layout, scratch = self._layout, workspace.current()
        slots = scratch.slots()
        out.data.memset_async(0, layout.length, scratch.stream)
        words = layout.stride // 32
        state, aside = self._state(out), self._aside.data.ptr
        block = self._first_rows.data.ptr, self._indptr.data.ptr, self._indices.data.ptr
        given = frontier.data.ptr, words * layout.ranks, words, *block, *state, aside, slots.address
        scratch.launch(self._push, words * layout.ranks, given)
        rest = self._indices.data.ptr, *state, aside, slots.address, slots.host
        scratch.launch(self._push_aside, len(self._aside) // 3, rest, per_block=1)
        return _counted(slots)

    def pull(self, frontier: Array, out: Array) -> tuple[int, int]:
        layout, scratch = self._layout, workspace.current()
        slots = scratch.slots()
        words = -(-layout.size // 32)
        lists = self._starts.data.ptr, self._neighbours.data.ptr
        given = frontier.data.ptr, words, *lists, *self._state(out), slots.address, slots.host
        scratch.launch(self._pull, 32 * words, given)
        return _counted(slots)

    def result(self, count: int) -> VectorStore:
        """The parents of this rank's vertices, of which ``count`` were found."""
        size = self._layout.size
        present, values = cupy.empty(size, bool), cupy.empty(size, np.int64)
        rows, found = self._first_rows.data.ptr, (present.data.ptr, values.data.ptr)
        given = self._parents.data.ptr, size, self._layout.stride, rows, *found
        workspace.current().launch(self._result, size, given)
        return VectorStore(size, values, present=present, nvals=count)

    def _state(self, out: Array) -> tuple[int, int, int, int]:
        """Where the state of the search is: visited, found in this level, parents; and degrees."""
        return self._visited.data.ptr, out.data.ptr, self._parents.data.ptr, self._degrees.data.ptr


def _counted(slots: Slots) -> tuple[int, int]:
    """Vertices found and their edges, as soon as the kernels are done."""
    return slots.published().read(), slots.published(EDGES).read()  # synchronizes


def collect(places: Array, first: int, length: int, target: Array) -> None:
    """``length`` bytes from byte ``first`` on of what lies at each of these addresses, one after another."""
    (kernel,) = functions("collect_parts.cu", None, ["collect_parts"])
    words = length // 4
    given = places.data.ptr, len(places), words, first // 4, target.data.ptr
    workspace.current().launch(kernel, len(places) * words, given)
