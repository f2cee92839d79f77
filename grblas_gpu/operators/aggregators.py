"""Aggregators: reductions that are more than one monoid."""

from __future__ import annotations

from collections.abc import Callable
from operator import getitem
from typing import Any

from ..dtypes import DataType, lookup_dtype
from . import registry
from .agg_tables import AggRow
from .base import caller
from .call_types import AggregatorCall


class Aggregator:
    """A recipe for reducing a Vector, or the rows, columns or all of a Matrix.

    >>> from grblas_gpu import agg
    >>> agg.mean, agg.mean["INT64"].return_type, "BOOL" in agg.sum
    (agg.mean, FP64, False)
    """

    opclass = "Aggregator"
    _modname = "agg"
    __call__: AggregatorCall = caller("agg_call")

    def __init__(self, row: AggRow) -> None:
        self.name = row.name.removeprefix("ss.")
        self._row = row
        self._any_dtype = row.any_dtype
        self._types: dict[DataType, DataType] | None = None
        self._typed_ops: dict[DataType, TypedAggregator] = {}

    @property
    def types(self) -> dict[DataType, DataType]:
        """The data types accepted, each with the type returned."""
        if self._types is None:
            first, *others = (registry.find(*name.split(".", 1)) for name in self._row.types.split())
            types = dict(first.types)
            if self._row.value is not None:
                value_type = lookup_dtype(type(self._row.value))
                types = {dtype: first._for_types(dtype, value_type).return_type for dtype in types}
            for op in others:
                types = {dtype: op.types[result] for dtype, result in types.items() if result in op.types}
            self._types = types
        return self._types

    def __getitem__(self, key: Any) -> TypedAggregator:
        dtype = lookup_dtype(key)
        if dtype not in self._typed_ops:
            if not self._any_dtype and dtype not in self.types:
                raise KeyError(f"{self.name} does not work with {dtype}")
            self._typed_ops[dtype] = TypedAggregator(self, dtype)
        return self._typed_ops[dtype]

    def __contains__(self, key: Any) -> bool:
        return bool(self._any_dtype) or lookup_dtype(key) in self.types

    def for_dtype(self, dtype: DataType) -> TypedAggregator:
        """The typed aggregator for values of this type."""
        return self[self._any_dtype] if isinstance(self._any_dtype, DataType) else self[dtype]

    @property
    def monoid(self) -> Any:
        """The monoid that does all of the work, or None when there is more to do."""
        row = self._row
        steps = (row.apply, row.finalize, row.custom, row.parts)
        return registry.find("monoid", row.monoid) if row.monoid and not any(steps) else None

    def __repr__(self) -> str:
        return f"agg.{self._row.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return registry.find, ("agg", self._row.name)


class TypedAggregator:
    """An Aggregator for one type."""

    opclass = "Aggregator"
    _modname = "agg"
    __call__: AggregatorCall = caller("agg_call")

    def __init__(self, parent: Aggregator, dtype: DataType) -> None:
        self.parent = parent
        self.name = parent.name
        self.type = dtype
        if dtype in parent.types:
            self.return_type = parent.types[dtype]
        else:
            self.return_type = parent._any_dtype if isinstance(parent._any_dtype, DataType) else dtype

    def for_dtype(self, dtype: DataType) -> TypedAggregator:
        """Itself: its type is settled."""
        return self

    def __repr__(self) -> str:
        return f"agg.{self.name}[{self.type}]"

    def __reduce__(self) -> tuple[Any, ...]:
        return getitem, (self.parent, self.type)


_recipes: Any = None


def define_recipes(function: Callable[[Any, Any, str], Any]) -> None:
    """Say how aggregators are computed: by operations on objects, which are above this layer."""
    global _recipes
    _recipes = function


def compute(agg: Any, obj: Any, mode: str) -> Any:
    """Aggregate a Vector or Matrix: ``mode`` is "rowwise", "columnwise" or "scalar"; the result is a new object."""
    return _recipes(agg, obj, mode)


__all__ = ["Aggregator", "TypedAggregator", "compute", "define_recipes"]
