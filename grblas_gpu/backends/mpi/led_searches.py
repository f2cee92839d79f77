"""Searches of ranks that share one CUDA device: rank 0 launches the steps of all of them.

A device runs the kernels of one process at a time, and changing to the next process takes longer than a level of most
searches. So every rank opens its part of the graph and of the search to rank 0 (CUDA IPC; nothing is copied), which
goes over all parts in one launch. The others follow its counts; each copies its tree out of its own part in the end.
"""

from __future__ import annotations

import ctypes
import weakref
from itertools import chain
from typing import Any, NamedTuple

import cupy
import numpy as np

from ..cuda.search import CudaSearch, Part, Steps
from ..search_layout import Layout
from ..storage import VectorStore
from .device_frontier_exchange import LAZY_PEER_ACCESS, patience
from .frontier_exchange import Rows, Window
from .wire import Wire

Array = Any  # cupy.ndarray
runtime = cupy.cuda.runtime


class LedSearch:
    """A search and the exchange between its ranks in one: rank 0 makes the steps, the others only wait."""

    name, messages, length = "led by rank 0", 1, 0

    def __init__(self, window: Window, layout: Layout, own: CudaSearch, parts: list[Part]) -> None:
        self._own, self._window = own, window
        self._steps = Steps(parts, layout, 0) if parts else None
        self._bits = cupy.zeros((2, len(parts) * layout.length), np.uint8)

    def mine(self, turn: int) -> Array:
        """On rank 0 the bits of all ranks."""
        return self._bits[turn]

    all = mine

    def allgather(self, turn: int, numbers: list[int]) -> Rows:
        return self._window.allgather(numbers)

    def begin(self, source: int, out: Array) -> tuple[int, int]:
        return (0, 0) if self._steps is None else self._steps.begin(source, out)

    def push(self, frontier: Array, out: Array) -> tuple[int, int]:
        return (0, 0) if self._steps is None else self._steps.push(frontier, out)

    def pull(self, frontier: Array, out: Array) -> tuple[int, int]:
        return (0, 0) if self._steps is None else self._steps.pull(frontier, out)

    def result(self, found_here: int) -> VectorStore:
        """This rank's part of the tree; what its own steps have found is all or nothing."""
        tree = self._own.result(None)
        cupy.cuda.get_current_stream().synchronize()  # synchronizes: the next search overwrites what this one copies
        tree.nvals  # known from here on: what all ranks found together is known, so nobody asks for it again
        self._window.allgather([])
        return tree


class LedSearches:
    """Where the searches of one group of ranks are made. Collective, as its method."""

    def __init__(self, wire: Wire) -> None:
        self._wire, self._window = wire, Window(wire, 0, patience(wire))
        self._made = 0
        self._lent: dict[int, Part] = {}  # what rank 0 may have open, by the number of the search
        self._closed: list[int] = []  # on rank 0, those that it has closed since it last said so

    def search(self, layout: Layout, own: CudaSearch) -> LedSearch | None:
        """None if the memory of some rank cannot be opened, or is of other types than that of rank 0."""
        self._made += 1
        gathered = self._wire.gather_objects((self._closed.copy(), _lend(own.part)))
        self._closed.clear()
        for number in gathered[0][0]:
            self._lent.pop(number, None)
        loans = [loan for _, loan in gathered]
        if any(loan is None or loan.types != loans[0].types for loan in loans):
            return None
        self._lent[self._made] = own.part
        if self._wire.rank > 0:
            return LedSearch(self._window, layout, own, [])
        opened = [[runtime.ipcOpenMemHandle(handle, LAZY_PEER_ACCESS) for handle in loan.handles] for loan in loans[1:]]
        parts = [loan.part(addresses) for loan, addresses in zip(loans[1:], opened, strict=True)]
        search = LedSearch(self._window, layout, own, [own.part, *parts])
        ends = weakref.finalize(search, _close, list(chain(*opened)), self._closed, self._made)
        ends.atexit = False  # there may be no device left then
        return search


def _close(addresses: list[int], closed: list[int], number: int) -> None:
    for address in addresses:
        runtime.ipcCloseMemHandle(address)
    closed.append(number)


class _Loan(NamedTuple):
    """How another process finds the arrays of a part: allocations, and where in them each array begins."""

    handles: list[bytes]
    places: list[tuple[int, int, int, str]]  # allocation, offset, length, type

    @property
    def types(self) -> list[str]:
        return [name for *_, name in self.places]

    def part(self, addresses: list[int]) -> Part:
        """The arrays, in allocations that were opened at these addresses."""
        arrays = []
        for number, offset, length, name in self.places:
            dtype = np.dtype(name)
            memory = cupy.cuda.UnownedMemory(addresses[number], offset + length * dtype.itemsize, None)
            arrays.append(cupy.ndarray((length,), dtype, cupy.cuda.MemoryPointer(memory, offset)))
        return Part(*arrays)


def _lend(part: Part) -> _Loan | None:
    """None: in memory that CUDA IPC does not know."""
    handles: dict[int, bytes] = {}
    places = []
    for array in part:
        base = _allocation(array.data.ptr) if array.size else 0
        if base is None:
            return None
        if base and base not in handles:
            try:
                handles[base] = runtime.ipcGetMemHandle(base)
            except runtime.CUDARuntimeError:
                return None
        number = list(handles).index(base) if base else 0
        places.append((number, array.data.ptr - base if base else 0, len(array), array.dtype.str))
    return _Loan(list(handles.values()), places)


def _allocation(address: int) -> int | None:
    """Where the allocation begins that this address is in: a handle stands for all of it."""
    base, size = ctypes.c_uint64(), ctypes.c_size_t()
    driver = ctypes.CDLL("libcuda.so.1")
    failed = driver.cuMemGetAddressRange_v2(ctypes.byref(base), ctypes.byref(size), ctypes.c_uint64(address))
    return None if failed else base.value
