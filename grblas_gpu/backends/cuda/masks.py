"""Vector masks as kernels read them. Nothing here looks at values: they are on the device, and stay there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..storage import Array, MaskView, VectorStore
from .compile import constant, functions, using
from .launch import launch

if TYPE_CHECKING:
    from .scratch import Scratch


class VectorMask(NamedTuple):
    """Which positions an output may have: a list, to which the values belong, or flags, values by position, or both."""

    indices: Array | None = None
    present: Array | None = None
    values: Array | None = None
    complement: bool = False
    length: int = 0  # length of the list

    @property
    def key(self) -> Any:
        values = self.values
        kind = None if values is None else (values.dtype.char, len(values) == 1)
        return self.present is not None, kind, self.complement

    def pieces(self) -> list[str]:
        """For ``kernels/mask.cuh``."""
        valued = self.values is not None
        return [
            using("MaskValue", np.dtype(bool) if self.values is None else self.values.dtype),
            constant("MASKED", valued or self.present is not None),
            constant("MASK_PRESENT", self.present is not None),
            constant("MASK_VALUED", valued),
            constant("MASK_ISO", self.values is not None and len(self.values) == 1),
            constant("COMPLEMENT", self.complement),
        ]

    @property
    def arguments(self) -> tuple[Any, Any]:
        return (0 if self.present is None else self.present), (0 if self.values is None else self.values)


NO_MASK = VectorMask()


def resolve(mask: MaskView | None) -> VectorMask | None:
    """What a mask allows, or None for nothing."""
    if mask is None:
        return NO_MASK
    store = mask.store
    assert type(store) is VectorStore
    everything_or_nothing = NO_MASK if mask.complement else None
    values = None if mask.structure else store.values
    if store.indices is not None:
        if store.nvals == 0:
            return everything_or_nothing
        return VectorMask(indices=store.indices, values=values, complement=mask.complement, length=store.nvals)
    if store.present is None and values is None:
        return None if mask.complement else NO_MASK
    return VectorMask(present=store.present, values=values, complement=mask.complement)


def mark(list_mask: VectorMask, flags: Array, flag: bool = True) -> None:
    """Set the flags of the listed positions whose value counts."""
    each = list_mask._replace(indices=None, complement=False)
    (kernel,) = functions("marks.cu", each.key, ["mark_kernel"], each.pieces)
    arguments = (list_mask.indices, 0, list_mask.length, *each.arguments, flags, flag)
    launch(kernel, list_mask.length, arguments)


def as_flags(mask: VectorMask, scratch: Scratch, size: int) -> VectorMask:
    """A list as flags in the scratch; :func:`clear` them after use."""
    if mask.indices is None:
        return mask
    flags = scratch.flags("mask", size)
    mark(mask, flags)
    return VectorMask(present=flags, complement=mask.complement)


def clear(mask: VectorMask, scratch: Scratch, size: int) -> None:
    """Undo :func:`as_flags`."""
    if mask.indices is not None:
        mark(mask._replace(values=None), scratch.flags("mask", size), False)
