"""``c<m> = scalar`` on a vector, in place: the step that every traversal takes."""

from __future__ import annotations

from typing import Any

from .... import atomic_updates
from ...storage import MaskView, Pending, VectorStore
from ..runtime import workspace as scratch_arrays
from ..runtime.compile import constant, functions, using
from ..runtime.workspace import word
from .masks import address, as_flags, clear, resolve
from .vectors import entries_of


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
        atomic_updates.changing = True
        c = atomic_updates.own(c)
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
        atomic_updates.changing = False
    return c
