"""Vector masks as kernels read them. Nothing here looks at values: they are on the device, and stay there."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np

from ....foundation.types import Kernels
from ...stores.storage import Array, HostList, MaskView, VectorStore
from ..runtime import workspace as scratch_arrays
from ..runtime.compile import functions, mask_flags, moved, specialized, tested, using
from ..runtime.launch import TILES
from ..runtime.workspace import Scratch

KEPT_FLAGS = 2**26  # a list of a vector up to this size keeps its flags


class VectorMask(NamedTuple):
    """Which positions an output may have: a list, to which the values belong, or flags, values by position, or both."""

    indices: Array | None = None
    present: Array | None = None
    values: Array | None = None
    complement: bool = False
    length: int = 0  # length of the list, or a bound if the device knows it better
    count_at: int = 0  # where the device has the length, or 0
    store: VectorStore | None = None  # whose list it is, if only its structure counts

    @property
    def closes(self) -> bool:
        """Whether it may close positions."""
        return self.present is not None or self.values is not None

    @property
    def key(self) -> Hashable:
        values = self.values
        kind = None if values is None else (tested(values.dtype).char, len(values) == 1)
        return self.present is not None, kind, self.complement

    def pieces(self) -> list[str]:
        """For ``kernels/mask.cuh``."""
        valued = self.values is not None, self.values is not None and len(self.values) == 1
        return [
            using("MaskValue", np.dtype(bool) if self.values is None else tested(self.values.dtype)),
            *mask_flags(self.closes, self.present is not None, *valued, self.complement),
        ]

    @property
    def addresses(self) -> tuple[int, int]:
        present, values = self.present, self.values
        return 0 if present is None else present.data.ptr, 0 if values is None else values.data.ptr


def address(array: Array | None) -> int:
    """Where an array is, or 0."""
    return 0 if array is None else array.data.ptr


NO_MASK = VectorMask()


def list_of(store: VectorStore) -> tuple[Array, Array, int, int] | None:
    """Indices, values, length (or a bound) of a list, and where the device has the length (or 0); None: not a list."""
    pending = store.pending
    if store.present is not None or (pending is None and store.indices is None):
        return None
    if isinstance(pending, HostList):
        store.indices  # from now on it is a list like any other
        pending = None
    if pending is None:
        return store.indices, store.values, store.nvals, 0
    known = pending.counter.known()
    if known is not None:
        return pending.indices, pending.values, known, 0
    return pending.indices, pending.values, pending.at_most, pending.counter.address


def resolve(mask: MaskView | None) -> VectorMask | None:
    """What a mask allows, or None for nothing."""
    if mask is None:
        return NO_MASK
    store = mask.store
    assert type(store) is VectorStore
    listed = list_of(store)
    if listed is not None:
        indices, values, length, count_at = listed
        if length == 0:
            return NO_MASK if mask.complement else None
        if mask.structure:
            return VectorMask(indices, None, None, mask.complement, length, count_at, store)
        return VectorMask(indices, None, values, mask.complement, length, count_at)
    values = None if mask.structure else store.values
    if store.present is None and values is None:
        return None if mask.complement else NO_MASK
    return VectorMask(None, store.present, values, mask.complement)


def mark(list_mask: VectorMask, flags: Array, flag: bool = True) -> None:
    """Set the flags of the listed positions whose value counts."""
    each = list_mask._replace(complement=False) if list_mask.complement else list_mask
    kernel, _ = marking(each, np.dtype(np.uint64))
    words = (address(each.indices), each.count_at, each.length, *each.addresses, flags.data.ptr, flag)
    scratch_arrays.current().launch(kernel, list_mask.length, words)


def marking(mask: VectorMask, dtype: np.dtype) -> Kernels:
    """Kernels that set the flags of a list, and that also move values of this type to their positions."""
    names, moves = ["mark_kernel", "spread_kernel"], moved(dtype)
    return functions("marks.cu", (mask.key, moves.char), names, lambda: [*mask.pieces(), using("Value", moves)])


def flags_of(store: VectorStore) -> Array:
    """The positions of a list as flags, which stay with it."""
    flags = store.flags
    if flags is None:
        import cupy

        listed = list_of(store)
        assert listed is not None
        indices, _, length, count_at = listed
        flags = cupy.zeros(store.size, bool)
        mark(VectorMask(indices=indices, length=length, count_at=count_at), flags)
        store.flags = flags
    return flags


def as_flags(mask: VectorMask, scratch: Scratch, size: int) -> VectorMask:
    """A list as flags: its own, or (of a large vector) in the scratch; :func:`clear` them after use."""
    if mask.indices is None:
        return mask
    if mask.store is not None and size <= KEPT_FLAGS:
        kept = mask.store.flags
        return VectorMask(present=flags_of(mask.store) if kept is None else kept, complement=mask.complement)
    flags = scratch.flags("mask", size)
    mark(mask, flags)
    return VectorMask(present=flags, complement=mask.complement)


def clear(mask: VectorMask, scratch: Scratch, size: int) -> None:
    """Undo :func:`as_flags`."""
    if mask.indices is not None and (mask.store is None or size > KEPT_FLAGS):
        mark(mask._replace(values=None), scratch.flags("mask", size), False)


def collect(
    mask: VectorMask,
    size: int,
    out_list: Array,
    scratch: Scratch,
    count_at: int,
    values: Array | None = None,
    out: Array | None = None,
) -> None:
    """The positions that a mask allows, ascending, to ``out_list``, and the values there to ``out``; ``count_at`` gets
    their number."""
    dtype = np.dtype(np.uint64) if values is None else moved(values.dtype)
    count_tiles, write = specialized("collect.cu", ["count_kernel", "collect_kernel"], {"Gathered": dtype}, mask)
    given = (*mask.addresses, size, scratch.tile_sums.data.ptr)
    scratch.launch(count_tiles, TILES, given, per_block=1)
    outputs = (out_list.data.ptr, count_at, address(values), address(out))
    scratch.launch(write, TILES, (*given, *outputs), per_block=1)
