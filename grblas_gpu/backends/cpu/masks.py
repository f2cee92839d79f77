"""Masks as kernels read them: bytes, a list of rows, or nothing at all."""

from __future__ import annotations

import numpy as np

from ..stores.storage import Array, MaskView, VectorStore

NO_MASK, BYTES, BYTES_COMPLEMENT, ROWS, ROWS_COMPLEMENT, NOTHING = range(6)


def resolve(mask: MaskView | None, few: int = 0) -> tuple[int, Array | None]:
    """The open positions of a vector mask: all, flags (or their complement), listed rows (or the others), or none.

    A list of at most ``few`` rows is given as flags, which are cached with it.
    """
    if mask is None:
        return NO_MASK, None
    store = mask.store
    assert type(store) is VectorStore
    indices, present = store.indices, store.present
    if not mask.structure:
        values = store.values
        if len(values) == 1:
            if not values[0]:
                return (NO_MASK, None) if mask.complement else (NOTHING, None)
        elif indices is not None:
            indices = indices[values != 0]
        elif present is not None:
            present = present & (values != 0)
        else:
            present = values if values.dtype == bool else values != 0
    if indices is not None:
        if len(indices) == 0:
            return (NO_MASK, None) if mask.complement else (NOTHING, None)
        if store.size > few or not mask.structure:
            return (ROWS_COMPLEMENT if mask.complement else ROWS), indices
        present = store.flags
        if present is None:
            present = np.zeros(store.size, bool)
            present[indices] = True
            store.flags = present  # complete: other threads and interrupts never see a part of it
    if present is None:
        return (NOTHING, None) if mask.complement else (NO_MASK, None)
    return (BYTES_COMPLEMENT if mask.complement else BYTES), present
