"""Positions on the device: whether they are in range, and what a vector has there."""

from __future__ import annotations

import cupy
import numpy as np

from ....foundation.types import Kernels
from ...stores.storage import INDEX, Array, VectorStore
from ..runtime import workspace as scratch_arrays
from ..runtime.arrays import Result, empty_list
from ..runtime.compile import functions, moved, specialized, using
from ..runtime.counters import EDGES, Slots
from ..runtime.launch import AT_A_TIME, BLOCK
from .masks import address
from .vectors import as_bitmap

_INDEX = np.dtype(INDEX)
_KERNELS = [f"{name}_positions_kernel" for name in ("check", "mark", "place")]


def kernels_on_positions(dtype: np.dtype) -> Kernels:
    return functions("positions.cu", dtype.char, _KERNELS, lambda: [using("Given", dtype)])


def marked_positions(positions: Array, size: int) -> tuple[Array, Slots]:
    """Flags of the positions, below ``size``, and slots with the number of different ones."""
    _, mark, _ = kernels_on_positions(_INDEX)
    scratch = scratch_arrays.current()
    slots, flags = scratch.slots(), cupy.zeros(size, bool)
    words = (positions.data.ptr, len(positions), flags.data.ptr, slots.address, slots.host)
    scratch.launch(mark, len(positions), words)
    return flags, slots


def checked_positions(given: Array, size: int) -> Array | None:
    """A copy as 64-bit numbers from 0 on, or None where one is out of range: one launch, one number read."""
    count = len(given)
    positions = cupy.empty(count, INDEX)
    if count == 0:
        return positions
    given = cupy.ascontiguousarray(given)
    check, _, _ = kernels_on_positions(given.dtype)
    scratch = scratch_arrays.current()
    slots = scratch.slots()
    words = (given.data.ptr, count, size, positions.data.ptr, slots.address, slots.host)
    scratch.launch(check, count, words)
    return None if slots.read() else positions  # synchronizes: a wrong one is an error at the call


def places_of(positions: Array, size: int) -> tuple[Array, Slots]:
    """For every position below ``size`` its place in a list, or -1; slots for two counts: how many positions are named
    again, and (``EDGES``) how many do not ascend."""
    _, _, place = kernels_on_positions(_INDEX)
    scratch, count, positions = scratch_arrays.current(), len(positions), cupy.ascontiguousarray(positions)
    places, slots = cupy.full(size, -1, np.int32), scratch.slots()
    scratch.launch(place, count, (positions.data.ptr, count, places.data.ptr, slots.address, slots.host))
    return places, slots


def taken(u: VectorStore, positions: Array) -> VectorStore:
    """``t[p] = u[positions[p]]``, by one launch; a list is spread out before."""
    return _take(u, positions, False)[0]


def taken_if_inside(u: VectorStore, given: Array) -> VectorStore | None:
    """The same for positions as they were given, of any type and negative ones from the end, or None where one is out
    of range: one launch, one number read."""
    result, slots = _take(u, given, True)
    if slots is not None and slots.read(EDGES):  # synchronizes: a wrong one is an error at the call
        return None
    return result


def _take(u: VectorStore, positions: Array, check: bool) -> tuple[VectorStore, Slots | None]:
    """What is there; and slots with two counts: of that, and (``EDGES``) of positions outside. Or None: no position."""
    count, u = len(positions), as_bitmap(u)
    if count == 0:
        return empty_list(0, u.dtype), None
    dtype, full, iso = u.dtype, u.present is None, len(u.values) == 1
    positions = cupy.ascontiguousarray(positions)
    kind = {"Stored": moved(dtype), "Given": positions.dtype, "ISO": iso, "CHECK": check}
    (take,) = specialized("take_positions.cu", ["take_positions_kernel"], kind)
    scratch = scratch_arrays.current()
    result, slots = Result(count, dtype, iso, full), scratch.slots()
    given = (address(u.present), u.values.data.ptr, u.size, positions.data.ptr, count)
    scratch.launch(take, count, (*given, *result.addresses, slots.address, slots.host), AT_A_TIME * BLOCK)
    return result.store(slots), slots
