"""``c<m> = scalar`` on a vector, in place: the step that every traversal takes."""

from __future__ import annotations

from typing import Any

from ..entries import expand
from ..storage import MaskView, VectorStore
from . import scratch as scratch_arrays
from .compile import constant, functions, using
from .launch import launch
from .masks import NO_MASK, as_flags, clear, resolve


def assign_scalar(c: VectorStore, value: Any, view: MaskView) -> VectorStore:
    """The updated ``c``, which is stored as bitmap or full."""
    mask = resolve(view)
    if mask is None:
        return c
    if len(c.values) != c.size:  # one value stood for all
        c.values = expand(c.values, c.size).copy()
    scratch = scratch_arrays.current()
    listed = mask.indices is not None and not mask.complement
    each = mask._replace(indices=None) if listed else as_flags(mask, scratch, c.size)
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
    scratch.reset_counters()
    present = c.present if has_present else 0
    arguments = (mask.indices if listed else 0, items, *each.arguments, present, c.values, c.dtype.type(value))
    launch(kernel, items, (*arguments, scratch.counters))
    if not listed and mask is not NO_MASK:
        clear(mask, scratch, c.size)
    if has_present:
        c.nvals += scratch.count()  # synchronizes
    return c
