"""``c<m> = scalar`` on a vector, in place: the step that every traversal takes."""

from __future__ import annotations

from ....foundation.types import Assigned
from ...programs.terms import Kind
from ...stores.storage import MaskView, VectorStore
from ..fusion.emit_one_step import result, scalars, step_of, step_pieces
from ..runtime import workspace as scratch_arrays
from ..runtime.compile import constant, functions
from ..runtime.workspace import word
from . import steps
from .masks import address, as_flags, clear, resolve


def assign_scalar(c: VectorStore, value: Assigned, view: MaskView, unique: bool = True) -> VectorStore:
    """The updated ``c``, which has a value for every position (:func:`.vectors.writable`).

    ``unique``: a mask that is a list has no position twice.
    """
    mask = resolve(view)
    if mask is None:
        return c
    scratch = scratch_arrays.current()
    listed = mask.indices is not None and not mask.complement
    each = mask if listed else as_flags(mask, scratch, c.size)
    full = c.present is None

    def pieces() -> list[str]:
        use, slots = steps.mask_slot(each, 0)
        step = step_of(Kind.ASSIGN, len(slots), None, scalars(c.dtype), use)
        by_place = range(len(slots)) if listed else ()
        return [
            *step_pieces(step, [*slots, result(c.dtype)], full, by_place=by_place),
            constant("LISTED", listed),
            constant("UNIQUE", unique),
        ]

    key = Kind.ASSIGN, each.key, listed, unique, full, c.dtype.char
    (kernel,) = functions("step_in_place.cu", key, ["step_in_place_kernel"], pieces)
    items = mask.length if listed else c.size
    head = (address(mask.indices), mask.count_at, items) if listed else (0, 0, items)
    bits = word(value if type(value) is c.dtype.type else c.dtype.type(value))
    c = steps.in_place(c, kernel, head, items, (*steps.mask_words(each), bits), scratch)
    if not listed:
        clear(mask, scratch, c.size)
    return c
