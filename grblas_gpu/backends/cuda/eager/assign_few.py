"""``c<m>[positions] (accum)= value`` for a few positions in memory of the host: in place, by one launch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np

from .... import atomic_updates
from ...engine import kind_among
from ...entries import cast, expand
from ...storage import HostList, MaskView, Pending, VectorStore
from ..runtime import workspace as scratch_arrays
from ..runtime.arrays import Result
from ..runtime.compile import constant, functions, using
from ..runtime.workspace import word
from .masks import NO_MASK, VectorMask, address, as_flags, clear, list_of, resolve
from .vectors import SPREAD_LISTS, as_bitmap, entries_of, operator_pieces, writable, write

MOST_FEW = 16  # positions, as in kernels/few.cuh
NOTHING, SCALAR, VECTOR = range(3)  # what is assigned
_UNUSED = [(0,) * (MOST_FEW - number) for number in range(MOST_FEW + 1)]


def assign_few(
    c: VectorStore, value: Any, few: Sequence[int], view: MaskView | None, accum: Any, replace: bool, submask: bool
) -> VectorStore | None:
    """The updated ``c``, or None: not by this kernel. ``value`` is a NumPy scalar, a vector, or None, which deletes.

    A list becomes a bitmap, unless it is empty: then it is a list of what is given, which is still on the host.
    """
    if not 0 < len(few) <= MOST_FEW or (c.kind == "sparse" and c.size > SPREAD_LISTS):
        return None
    if kind_among("cV", (c, value, view, accum)):
        return None
    given = NOTHING if value is None else VECTOR if type(value) is VectorStore else SCALAR
    own_place = accum is not None or given == VECTOR or (replace and submask)
    if own_place and len(few) != len(set(few)):
        return None
    if given == SCALAR and view is None and accum is None and c.kind == "sparse":
        return _assign_to_list(c, value, sorted(set(few)))
    if replace and view is not None and not submask:  # first what the mask closes, everywhere; the rest is in place
        c = write(c, c, view, None, True)
    mask = resolve(view)
    if mask is None:
        if not (replace and submask):
            return c
        mask, given, accum = NO_MASK, NOTHING, None  # all is closed, so all of them go
    return _assign(c, value, given, few, mask, accum, replace and submask, submask)


def _list_of(c: VectorStore, value: Any, positions: list[int]) -> VectorStore:
    """A vector that had no entry has these."""
    indices, values = np.array(positions, np.int64), cast(np.asarray(value).reshape(1), c.dtype)
    return VectorStore.on_its_way(c.size, HostList(VectorStore(c.size, values, indices=indices), cupy.asarray))


def _assign_to_list(c: VectorStore, value: Any, positions: list[int]) -> VectorStore:
    """A list becomes flags and values by position, and these are given to some, by one launch."""
    if value.dtype != c.dtype:
        value = cast(value.reshape(1), c.dtype)[0]
    if c.known_nvals == 0:
        return _list_of(c, value, positions)
    indices, values, length, count_at = list_of(c)
    if len(values) == 1:
        values = expand(values, len(indices)).copy()
    (kernel,) = functions("spread_few.cu", c.dtype.char, ["spread_few_kernel"], lambda: [using("Stored", c.dtype)])
    scratch, size = scratch_arrays.current(), c.size
    result, slots = Result(size, c.dtype), scratch.slots()
    present, out = result.addresses
    result.clear_flags(scratch.stream)
    listed = (indices.data.ptr, count_at, length, values.data.ptr, word(value))
    places = (len(positions), *positions, *_UNUSED[len(positions)])
    words = (*listed, present, out, slots.address, slots.host, *places)
    scratch.launch(kernel, length, words, together=MOST_FEW)
    return result.store(slots)


def _assign(
    c: VectorStore,
    value: Any,
    given: int,
    few: Sequence[int],
    mask: VectorMask,
    accum: Any,
    replace: bool,
    submask: bool,
) -> VectorStore:
    scratch = scratch_arrays.current()
    t = as_bitmap(value) if given == VECTOR else None
    deletes = replace or (accum is None and (given == NOTHING or (t is not None and t.present is not None)))
    c = writable(c)
    if deletes and c.present is None:
        c = VectorStore(c.size, c.values.copy(), present=cupy.ones(c.size, bool), nvals=c.size)
    has_present = c.present is not None
    if accum is None and given == SCALAR and value.dtype != c.dtype:
        value = cast(value.reshape(1), c.dtype)[0]
    dtype = c.dtype if given == NOTHING else value.dtype
    full, iso = t is None or t.present is None, t is not None and len(t.values) == 1
    size = len(few) if submask else c.size
    flags = as_flags(mask, scratch, size)
    (kernel,) = functions(
        "assign_few.cu",
        (has_present, c.dtype.char, dtype.char, given, full, iso, accum and accum.key, flags.key, submask, replace),
        ["assign_few_kernel"],
        lambda: [
            using("C", c.dtype),
            using("T", dtype),
            *flags.pieces(),
            *operator_pieces(accum),
            constant("HAS_PRESENT", has_present),
            constant("GIVEN", given),
            constant("T_FULL", full),
            constant("T_ISO", iso),
            constant("ACCUM", accum is not None),
            constant("SUBMASK", submask),
            constant("REPLACE", replace),
        ],
    )
    assigned = (0, 0, word(value) if given == SCALAR else 0)
    if t is not None:
        assigned = address(t.present), t.values.data.ptr, 0
    places = (len(few), *few, *_UNUSED[len(few)])
    try:
        atomic_updates.changing = True
        c = atomic_updates.own(c)
        before = entries_of(c) if has_present else (0, 0)
        slots = scratch.slots()
        written = (address(c.present), c.values.data.ptr, *assigned, *flags.addresses, *before)
        c.uncount()
        scratch.launch(kernel, 1, (*written, slots.address, slots.host, *places), together=MOST_FEW)
        if has_present:
            c.pending = Pending(slots.published(), c.size)
        clear(mask, scratch, size)
    finally:
        atomic_updates.changing = False
    return c
