"""``c<m>[positions] (accum)= value`` for positions on the device: what is given goes to its place, then it is written.

Nothing is sorted and nothing merged.
"""

from __future__ import annotations

import cupy
import numpy as np

from ....foundation.types import Accum, Assigned
from ...stores.storage import Array, MaskView, VectorStore
from .positions import marked_positions
from .vectors import as_list, spread, write


def assign_region(
    c: VectorStore, value: Assigned, positions: Array, mask: MaskView | None, accum: Accum, replace: bool
) -> VectorStore | None:
    """The new vector; None where a position is named several times and something has to combine what it is given."""
    named, different = _marked(c.size, positions)
    is_vector = type(value) is VectorStore
    if different < len(positions) and (is_vector or accum is not None):
        return None
    if type(value) is VectorStore:
        t = _placed(c.size, value, positions, named)
    else:
        t = VectorStore(c.size, cupy.asarray(np.asarray(value).reshape(1)), present=named, nvals=different)
    if accum is not None:
        return write(c, t, mask, accum, replace)
    region = VectorStore(c.size, named[:1], present=named, nvals=different)
    z = write(c, t, MaskView(region, True, False), None, False)  # deletes what is named and not given
    return z if mask is None else write(c, z, mask, None, replace)


def _marked(size: int, positions: Array) -> tuple[Array, int]:
    """Flags of what is named, and of how many positions."""
    flags, slots = marked_positions(positions, size)
    return flags, slots.read()  # synchronizes: repeated positions are another matter


def _placed(size: int, value: VectorStore, positions: Array, named: Array) -> VectorStore:
    """A vector of the region's size where it goes: all positions are different."""
    if value.kind == "full":
        values = value.values
        if len(values) > 1:
            values = cupy.empty(size, value.values.dtype)
            spread(positions, value.values, named, values, len(positions))
        return VectorStore(size, values, present=named, nvals=len(positions))
    listed = as_list(value) if value.kind == "bitmap" else value
    return VectorStore(size, listed.values, indices=positions[listed.indices], ordered=False)
