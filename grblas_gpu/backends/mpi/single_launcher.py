"""Single-launcher search, for ranks that share one CUDA device: rank 0 launches the steps of all of them.

A device runs the kernels of one process at a time, and a switch to the next process takes longer than most levels of a
search. So every rank shares its part of the graph and of the search with rank 0 (CUDA IPC, without copies). Rank 0
processes all parts in one launch, and the others follow its counts. In the end each rank copies its part of the tree.
"""

from __future__ import annotations

import weakref
from itertools import chain

import cupy
import numpy as np

from ..cuda.search import CudaSearch, Part, Steps
from ..stores.storage import VectorStore
from .cuda_ipc import handles_of, open_handle, patience, runtime
from .host_transports import Rows, Transport, Window
from .search_layout import Layout
from .wire import Wire


class SingleLauncherSearch(Transport):
    """A search that is also the transport between its ranks: rank 0 launches the steps, the others only wait."""

    name, messages = "led by rank 0", 1

    def __init__(self, wire: Wire, window: Window, layout: Layout, own: CudaSearch, parts: list[Part]) -> None:
        super().__init__(wire, cupy.zeros((2, len(parts) * layout.length), np.uint8))
        self.length = 0  # bits stay on the device
        self._own, self._window = own, window
        steps: Steps | type[_NoSteps] = Steps(parts, layout, 0) if parts else _NoSteps
        self.begin, self.push, self.pull = steps.begin, steps.push, steps.pull

    def mine(self, turn: int) -> cupy.ndarray:
        """The bits; on rank 0 those of all ranks."""
        return self.all(turn)

    def allgather(self, turn: int, numbers: list[int]) -> Rows:
        return self._window.allgather(numbers)

    def result(self, found_here: int) -> VectorStore:
        """This rank's part of the tree; ``found_here`` is unused, because rank 0 counts for all ranks."""
        tree = self._own.result(None)
        cupy.cuda.get_current_stream().synchronize()  # synchronizes: the next search overwrites the source of this copy
        tree.nvals  # counted before the ranks continue
        self._window.allgather([])
        return tree


class _NoSteps:
    """The steps of the other ranks: none."""

    @staticmethod
    def begin(*given: object) -> tuple[int, int]:
        return 0, 0

    push = pull = begin


class SingleLauncher:
    """Creates the searches of one group of ranks. The constructor and the method are collective."""

    def __init__(self, wire: Wire) -> None:
        self._wire, self._window = wire, Window(wire, 0, patience(wire))
        self._made = 0
        self._shared: dict[int, Part] = {}  # parts that rank 0 may have open, by the number of the search
        self._closed: list[int] = []  # on rank 0, those closed since its last message

    def search(self, layout: Layout, own: CudaSearch) -> SingleLauncherSearch | None:
        """A search; None if some rank's memory cannot be opened, or has other types than that of rank 0."""
        self._made += 1
        gathered = self._wire.gather_objects((self._closed.copy(), handles_of(own.part)))
        self._closed.clear()
        for number in gathered[0][0]:
            self._shared.pop(number, None)
        given = [handles for _, handles in gathered]
        if any(handles is None or handles.types != given[0].types for handles in given):
            return None
        self._shared[self._made] = own.part
        if self._wire.rank > 0:
            return SingleLauncherSearch(self._wire, self._window, layout, own, [])
        opened = [[open_handle(each) for each in handles.handles] for handles in given[1:]]
        parts = [Part(*handles.arrays(there)) for handles, there in zip(given[1:], opened, strict=True)]
        search = SingleLauncherSearch(self._wire, self._window, layout, own, [own.part, *parts])
        ends = weakref.finalize(search, _close, list(chain(*opened)), self._closed, self._made)
        ends.atexit = False  # the device may be gone by then
        return search


def _close(addresses: list[int], closed: list[int], number: int) -> None:
    for address in addresses:
        runtime.ipcCloseMemHandle(address)
    closed.append(number)
