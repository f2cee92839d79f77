"""The left side of an assignment: ``C(mask)``, ``C[I, J]``, ``C(mask)[I, J]`` and ``C[I, J](mask)``."""

from __future__ import annotations

from typing import Any

from ..ir.descriptor import Descriptor, descriptor_from_options
from . import execution, kinds
from .assignment import assign_region
from .indexing import Indexes


class Updater:
    """``C(mask, accum, replace=True)``: waits for ``<<``, ``.update`` or an index."""

    __slots__ = ("parent", "mask", "accum", "replace", "input_mask", "desc", "__weakref__")

    def __init__(
        self,
        parent: Any,
        mask: Any = None,
        accum: Any = None,
        replace: bool = False,
        input_mask: Any = None,
        desc: Descriptor | None = None,
    ) -> None:
        self.parent = parent
        self.mask = mask
        self.accum = accum
        self.replace = replace
        self.input_mask = input_mask
        self.desc = desc

    def __lshift__(self, expr: Any) -> None:
        execution.update(self.parent, expr, self.mask, self.accum, self.replace, self.input_mask, self.desc)

    update = __lshift__

    def _indexes(self, keys: Any) -> Indexes:
        if self.parent._is_scalar:
            raise TypeError("Indexing not supported for Scalars")
        return Indexes(self.parent, keys)

    def __getitem__(self, keys: Any) -> Assigner:
        return Assigner(self, self._indexes(keys), submask=False)

    def __setitem__(self, keys: Any, value: Any) -> None:
        self.assign(self._indexes(keys), value, submask=False)

    def __delitem__(self, keys: Any) -> None:
        indexes = self._indexes(keys)
        if indexes.is_single_element:
            execution.remove_element(self.parent, indexes)
        else:  # deleting a region is assigning an empty scalar to it
            self.assign(indexes, kinds.Scalar(self.parent.dtype, name="s_empty"), submask=False)

    def assign(self, indexes: Indexes, value: Any, submask: bool) -> None:
        if self.input_mask is not None:
            raise TypeError("`input_mask` argument may only be used for extract")
        if indexes.is_single_element and self.mask is None and self.accum is None:
            execution.set_element(self.parent, indexes, value)
        else:
            assign_region(self.parent, indexes, value, self.mask, self.accum, self.replace, submask, self.desc)

    def __eq__(self, other: object) -> bool:
        raise TypeError(f"__eq__ not defined for objects of type {type(self)}.")

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise TypeError(f"__bool__ not defined for objects of type {type(self)}.")


class Assigner:
    """``C(mask)[index]`` or ``C[index](mask)``: waits for ``<<`` or ``.update``."""

    __slots__ = ("updater", "indexes", "submask", "__weakref__")

    def __init__(self, updater: Updater, indexes: Indexes, *, submask: bool) -> None:
        if updater.input_mask is not None:
            raise TypeError("`input_mask` argument may only be used for extract")
        self.updater = updater
        self.indexes = indexes
        self.submask = submask

    def __lshift__(self, expr: Any) -> None:
        self.updater.assign(self.indexes, expr, self.submask)

    update = __lshift__

    __eq__ = Updater.__eq__
    __hash__ = None  # type: ignore[assignment]
    __bool__ = Updater.__bool__


def assign_to(parent: Any, indexes: Indexes, expr: Any, opts: dict[str, Any]) -> None:
    """``C[index] << expr``."""
    if parent._is_transposed:
        raise TypeError("'TransposedMatrix' object does not support item assignment")
    Updater(parent, desc=descriptor_from_options(opts)).assign(indexes, expr, submask=False)
