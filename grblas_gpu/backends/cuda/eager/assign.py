"""``c<m> = scalar`` on a vector, in place: the step that every traversal takes; and ``c[i] = scalar``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .... import undivided
from ...storage import MaskView, Pending, VectorStore
from ..runtime import workspace as scratch_arrays
from ..runtime.compile import constant, functions, using
from ..runtime.workspace import word
from .masks import address, as_flags, clear, resolve
from .vectors import entries_of

MOST_FEW = 16  # positions, as in kernels/assign_few.cu


def assign_scalar(c: VectorStore, value: Any, view: MaskView, unique: bool = True) -> VectorStore:
    """The updated ``c``, which has a value for every position (:func:`.vectors.writable`).

    ``unique``: a mask that is a list has no position twice.
    """
    mask = resolve(view)
    if mask is None:
        return c
    scratch = scratch_arrays.current()
    listed = mask.indices is not None and not mask.complement
    each = mask if listed else as_flags(mask, scratch, c.size)
    items = mask.length if listed else c.size
    has_present = c.present is not None
    (kernel,) = functions(
        "assign.cu",
        (each.key, listed, unique, has_present, c.dtype.char),
        ["assign_kernel"],
        lambda: [
            *each.pieces(),
            using("Value", c.dtype),
            constant("LISTED", listed),
            constant("UNIQUE", unique),
            constant("HAS_PRESENT", has_present),
        ],
    )
    region = (address(mask.indices), mask.count_at, items) if listed else (0, 0, items)
    bits = word(value if type(value) is c.dtype.type else c.dtype.type(value))
    try:
        undivided.changing = True
        c = undivided.own(c)
        before = entries_of(c) if has_present else (0, 0)
        slots = scratch.slots()
        written = (address(c.present), c.values.data.ptr, bits, *before, slots.address, slots.host)
        c.uncount()
        scratch.launch(kernel, items, (*region, *each.addresses, *written))
        if has_present:
            c.pending = Pending(slots.published(), c.size)
        if not listed:
            clear(mask, scratch, c.size)
    finally:
        undivided.changing = False
    return c


def assign_to_few(c: VectorStore, value: Any, positions: np.ndarray) -> VectorStore:
    """``c[positions] = value``, of which the kernel is told as it is launched: no list has to travel before it."""
    has_present = c.present is not None
    (kernel,) = functions(
        "assign_few.cu",
        (has_present, c.dtype.char),
        ["assign_few_kernel"],
        lambda: [using("Value", c.dtype), constant("HAS_PRESENT", has_present)],
    )
    scratch = scratch_arrays.current()
    bits = word(value if type(value) is c.dtype.type else c.dtype.type(value))
    few = positions.tolist()
    try:
        undivided.changing = True
        c = undivided.own(c)
        before = entries_of(c) if has_present else (0, 0)
        slots = scratch.slots()
        written = (address(c.present), c.values.data.ptr, bits, *before, slots.address, slots.host, len(few))
        c.uncount()
        scratch.launch(kernel, 1, (*written, *few, *_UNUSED[len(few)]), together=MOST_FEW)
        if has_present:
            c.pending = Pending(slots.published(), c.size)
    finally:
        undivided.changing = False
    return c


_UNUSED = [(0,) * (MOST_FEW - number) for number in range(MOST_FEW + 1)]
