"""``c<m>[positions] (accum)= value`` for a few positions in memory of the host: in place, by one launch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np

from ....foundation.types import Accum, Assigned
from ...engine import kind_among
from ...programs.terms import Kind
from ...stores.entries import cast
from ...stores.storage import HostList, MaskView, VectorStore
from ..fusion.emit_one_step import read, result, scalars, step_of, step_pieces
from ..runtime import workspace as scratch_arrays
from ..runtime.compile import functions
from ..runtime.workspace import word
from . import steps
from .masks import NO_MASK, VectorMask, as_flags, clear, resolve
from .vectors import SPREAD_LISTS, as_bitmap, writable, write

MOST_FEW = 16  # positions
NOTHING, SCALAR, VECTOR = range(3)  # what is assigned
_KINDS = Kind.CLEAR, Kind.ASSIGN, Kind.COPY
_UNUSED = [(0,) * (MOST_FEW - number) for number in range(MOST_FEW + 1)]


def assign_few(
    c: VectorStore,
    value: Assigned,
    few: Sequence[int],
    view: MaskView | None,
    accum: Accum,
    replace: bool,
    submask: bool,
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
    if given == SCALAR and view is None and accum is None and c.kind == "sparse" and c.known_nvals == 0:
        return _list_of(c, value, sorted(set(few)))
    if replace and view is not None and not submask:  # first what the mask closes, everywhere; the rest is in place
        c = write(c, c, view, None, True)
    mask = resolve(view)
    if mask is None:
        if not (replace and submask):
            return c
        mask, given, accum = NO_MASK, NOTHING, None  # all is closed, so all of them go
    return _assign(c, value, given, few, mask, accum, replace and submask, submask)


def _list_of(c: VectorStore, value: Assigned, positions: list[int]) -> VectorStore:
    """A vector that had no entry has these."""
    indices, values = np.array(positions, np.int64), cast(np.asarray(value).reshape(1), c.dtype)
    return VectorStore.on_its_way(c.size, HostList(VectorStore(c.size, values, indices=indices), cupy.asarray))


def _assign(
    c: VectorStore,
    value: Any,
    given: int,
    few: Sequence[int],
    mask: VectorMask,
    accum: Accum,
    replace: bool,
    submask: bool,
) -> VectorStore:
    scratch = scratch_arrays.current()
    t = as_bitmap(value) if given == VECTOR else None
    deletes = replace or (accum is None and (given == NOTHING or (t is not None and t.present is not None)))
    c = writable(c)
    if deletes and c.present is None:
        c = VectorStore(c.size, c.values.copy(), present=cupy.ones(c.size, bool), nvals=c.size)
    full = c.present is None
    if accum is None and given == SCALAR and value.dtype != c.dtype:
        value = cast(value.reshape(1), c.dtype)[0]
    size = len(few) if submask else c.size
    flags = as_flags(mask, scratch, size)

    def pieces() -> list[str]:
        by_place = [] if t is None else [0]
        slots = [] if t is None else [steps.use_of(t)]
        use, masks = steps.mask_slot(flags, len(slots))
        args = read(0) if t is not None else scalars(value.dtype) if given == SCALAR else ()
        by_place += range(len(slots), len(slots) + len(masks)) if submask else ()
        slots += masks
        step = step_of(_KINDS[given], len(slots), None, args, use, accum, replace)
        return step_pieces(step, [*slots, result(c.dtype)], full, by_place=by_place, positions=MOST_FEW)

    kind = value.dtype.char if given == SCALAR else None if t is None else steps.key_of(t)
    key = full, c.dtype.char, given, kind, accum and accum.key, flags.key, submask, replace
    (kernel,) = functions("assign_few.cu", key, ["assign_few_kernel"], pieces)
    assigned = () if given == NOTHING else (word(value),) if t is None else steps.words_of(t)
    masked, places = steps.mask_words(flags), (*few, *_UNUSED[len(few)])
    words = (*masked, *assigned, *places) if t is None else (*assigned, *masked, *places)
    c = steps.in_place(c, kernel, (len(few),), 1, words, scratch)
    clear(mask, scratch, size)
    return c
