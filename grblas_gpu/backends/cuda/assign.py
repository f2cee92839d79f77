"""``c<m> = scalar`` on a vector, in place: the step that every traversal takes."""

from __future__ import annotations

from typing import Any

from ..storage import MaskView, VectorStore
from . import scratch as scratch_arrays
from .compile import constant, functions, using
from .launch import launch
from .masks import as_flags, clear, resolve


def assign_scalar(c: VectorStore, value: Any, view: MaskView) -> VectorStore:
    """The updated ``c``, which has a value for every position (:func:`.vectors.writable`)."""
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
        (each.key, listed, has_present, c.dtype.char),
        ["assign_kernel"],
        lambda: [
            *each.pieces(),
            using("Value", c.dtype),
            constant("LISTED", listed),
            constant("HAS_PRESENT", has_present),
        ],
    )
    present = c.present if has_present else 0
    region = (mask.indices, mask.count_at, items) if listed else (0, 0, items)
    slots = scratch.slots()
    before = _entries_before(c) if has_present else (0, 0)
    launch(kernel, items, (*region, *each.arguments, present, c.values, c.dtype.type(value), *before, slots.address))
    if not listed:
        clear(mask, scratch, c.size)
    if has_present:
        return VectorStore.counted_bitmap(c.size, c.values, c.present, slots.counter(), c.size)
    c.edges = None
    return c


def _entries_before(c: VectorStore) -> tuple[int, int]:
    """Where the device has the number of entries (or 0), and the number if the host knows it."""
    known = c.known_nvals
    return (0, known) if known is not None else (c.pending.counter.address, 0)  # type: ignore[union-attr]
