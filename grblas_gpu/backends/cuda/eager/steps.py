"""A step of a program as a launch of its own: eager calls on vectors, and on arrays, position by position.

The text of a step is that of a loop (:mod:`..fusion.emit_one_step`). Here are its operands, and its launches.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np

from ....foundation import atomic_updates
from ....foundation.types import Kernel
from ...programs.terms import MaskUse, VectorUse
from ...stores.storage import Pending, VectorStore
from ..fusion.emit_one_step import use
from ..runtime import workspace as scratch_arrays
from ..runtime.arrays import Result
from ..runtime.compile import functions
from ..runtime.workspace import Scratch
from .masks import VectorMask, address

MANY_BLOCKS = 32  # in a processor, for kernels that only read and write arrays


def use_of(u: VectorStore) -> VectorUse:
    return use(u.values.dtype, u.present is None)


def key_of(u: VectorStore) -> Hashable:
    return u.values.dtype.char, u.present is None


def words_of(u: VectorStore) -> tuple[int, int, int]:
    """Where flags (or 0) and values are, and whether every position has a value of its own."""
    return address(u.present), u.values.data.ptr, 0 if len(u.values) == 1 else -1


def mask_words(mask: VectorMask) -> tuple[int, ...]:
    if not mask.closes:
        return ()
    return (*mask.addresses, 0 if mask.values is None or len(mask.values) == 1 else -1)


def mask_slot(mask: VectorMask, number: int) -> tuple[MaskUse | None, list[VectorUse]]:
    """The mask as the vector of this number; none if it is open everywhere."""
    if not mask.closes:
        return None, []
    dtype = np.dtype(bool) if mask.values is None else mask.values.dtype
    return MaskUse(number, mask.values is None, mask.complement), [use(dtype, mask.present is None)]


def computed(
    key: Hashable, pieces: Callable[[], list[str]], count: int, result_at: int, words: tuple[int, ...]
) -> None:
    """A step on arrays, all of which have an element everywhere."""
    (kernel,) = functions("step.cu", key, ["step_kernel"], pieces)
    given = (count, 0, result_at, 0, 0, *words)
    scratch_arrays.current().launch(kernel, count, given, together=len(words), per_processor=MANY_BLOCKS)


def into_new(
    key: Hashable,
    pieces: Callable[[], list[str]],
    size: int,
    dtype: np.dtype,
    words: tuple[int, ...],
    scratch: Scratch,
    full: bool = False,
    iso: bool = False,
) -> VectorStore:
    """A step that makes a vector; it is ``full``, or has one value for all (``iso``)."""
    (kernel,) = functions("step.cu", key, ["step_kernel"], pieces)
    result, slots = Result(size, dtype, iso, full), scratch.slots()
    head = (size, *result.addresses, slots.address, slots.host)
    scratch.launch(kernel, size, (*head, *words), together=len(words))
    return result.store(slots)


def entries_of(c: VectorStore) -> tuple[int, int]:
    """Where the device has the number of entries (or 0), and the number if the host knows it."""
    pending, known = c.pending, c.known_nvals
    return (pending.counter.address, 0) if pending is not None and known is None else (0, known or 0)


def in_place(
    c: VectorStore,
    kernel: Kernel,
    head: tuple[int, ...],
    items: int,
    words: tuple[int, ...],
    scratch: Scratch,
    reads_output: bool = False,
) -> VectorStore:
    """A step that changes a vector; its last operand may be that vector."""
    has_present = c.present is not None
    try:
        atomic_updates.changing = True
        c = atomic_updates.own(c)
        before = entries_of(c) if has_present else (0, 0)
        slots = scratch.slots()
        output = (address(c.present), c.values.data.ptr, *before, slots.address, slots.host)
        given = (*words, *words_of(c)) if reads_output else words
        c.uncount()
        scratch.launch(kernel, items, (*head, *output, *given), together=len(given))
        if has_present:
            c.pending = Pending(slots.published(), c.size)
    finally:
        atomic_updates.changing = False
    return c
