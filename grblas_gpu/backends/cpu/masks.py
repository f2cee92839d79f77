"""Masks as kernels read them: bytes, a list of rows, or nothing at all."""

from __future__ import annotations

import numpy as np

from ..stores.storage import Array, MaskView, VectorStore
from . import workspace

NO_MASK, BYTES, BYTES_COMPLEMENT, ROWS, ROWS_COMPLEMENT, NOTHING = range(6)
BYTE_KIND = (NO_MASK, BYTES, BYTES_COMPLEMENT, BYTES, BYTES_COMPLEMENT)  # of each kind, once listed rows have flags
OPENED = {NO_MASK: "", BYTES: "mask[i]", BYTES_COMPLEMENT: "(not mask[i])"}  # whether row i is open, in a kernel
_NONE = np.empty(0, bool)


def resolve(mask: MaskView | None, few: int = 0) -> tuple[int, Array]:
    """The open positions of a vector mask: all, flags (or their complement), listed rows (or the others), or none.

    A list of at most ``few`` rows is given as flags, which are cached with it.
    """
    if mask is None:
        return NO_MASK, _NONE
    store = mask.store
    assert type(store) is VectorStore
    indices, present = store.indices, store.present
    if not mask.structure:
        values = store.values
        if len(values) == 1:
            if not values[0]:
                return (NO_MASK, _NONE) if mask.complement else (NOTHING, _NONE)
        elif indices is not None:
            indices = indices[values != 0]
        elif present is not None:
            present = present & (values != 0)
        else:
            present = values if values.dtype == bool else values != 0
    if indices is not None:
        if len(indices) == 0:
            return (NO_MASK, _NONE) if mask.complement else (NOTHING, _NONE)
        if store.size > few or not mask.structure:
            return (ROWS_COMPLEMENT if mask.complement else ROWS), indices
        present = store.flags
        if present is None:
            present = np.zeros(store.size, bool)
            present[indices] = True
            store.flags = present  # complete: other threads and interrupts never see a part of it
    if present is None:
        return (NOTHING, _NONE) if mask.complement else (NO_MASK, _NONE)
    return (BYTES_COMPLEMENT if mask.complement else BYTES), present


def flags_of(kind: int, allowed: Array, size: int) -> tuple[Array, ...]:
    """The flags of a mask as arguments of a kernel; those of listed rows are scratch memory, which :func:`clean`
    cleans."""
    if kind == NO_MASK:
        return ()
    if kind not in (ROWS, ROWS_COMPLEMENT):
        return (allowed,)
    marked = workspace.flags("mask", size)
    marked[allowed] = True
    return (marked,)


def clean(kind: int, allowed: Array, size: int) -> None:
    if kind in (ROWS, ROWS_COMPLEMENT):
        workspace.flags("mask", size)[allowed] = False
