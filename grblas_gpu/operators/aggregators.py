"""Aggregators: reductions that are more than one monoid. They are recipes over the public API and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from operator import getitem
from typing import Any

import numpy as np

from ..dtypes import FP64, DataType, lookup_dtype
from . import registry
from .agg_tables import AggRow
from .base import caller
from .resolve import get_typed_op


class Aggregator:
    """A recipe for reducing a Vector, or the rows, columns or all of a Matrix.

    >>> from grblas_gpu import agg
    >>> agg.mean, agg.mean["INT64"].return_type, "BOOL" in agg.sum
    (agg.mean, FP64, False)
    """

    opclass = "Aggregator"
    _modname = "agg"
    __call__ = caller("agg_call")

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
                types = {dtype: get_typed_op(first, dtype, value_type).return_type for dtype in types}
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
    __call__ = caller("agg_call")

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


def compute(agg: Any, obj: Any, mode: str) -> Any:
    """Aggregate a Vector or Matrix: ``mode`` is "rowwise", "columnwise" or "scalar"; the result is a new object."""
    typed = agg.for_dtype(obj.dtype) if isinstance(agg, Aggregator) else agg
    if mode == "columnwise":
        obj = obj.T
    result = _compute(typed, obj, scalar=mode == "scalar")
    if result.dtype is not typed.return_type:
        result = result.dup(dtype=typed.return_type)
    return result


def _compute(typed: TypedAggregator, obj: Any, *, scalar: bool) -> Any:
    row = typed.parent._row
    if row.custom is not None:
        return _CUSTOM[row.custom](typed, obj, scalar)
    if row.parts is not None:
        return _composite(typed, obj, scalar)
    monoid: Any = registry.find("monoid", row.monoid or "")
    dtype = typed.type
    if row.apply is not None:
        value = False if row.value is None else row.value
        binaryop = get_typed_op(registry.find("binary", row.apply), dtype, lookup_dtype(type(value)))
        side = {"left": value} if row.value_on_left else {"right": value}
        obj = obj.apply(binaryop, **side).new()
        dtype = binaryop.return_type
    result = _reduce(obj, monoid[dtype], scalar)
    if row.finalize is not None:
        result = result.apply(registry.find("unary", row.finalize)[result.dtype]).new()
    return result


def _reduce(obj: Any, monoid: Any, scalar: bool) -> Any:
    if not scalar:
        return obj.reduce_rowwise(monoid).new()
    return (obj.reduce(monoid) if obj.ndim == 1 else obj.reduce_scalar(monoid)).new()


# Composite: the parts are vectors, of size 1 when the result is a Scalar, so that one formula does for both


def _composite(typed: TypedAggregator, obj: Any, scalar: bool) -> Any:
    row = typed.parent._row
    parts = []
    for name in (row.parts or "").split():
        part = _compute(registry.find("agg", name)[typed.type], obj, scalar=scalar)
        parts.append(_as_vector(part) if scalar else part)
    result = _FINALIZE[row.finalize or ""](*parts)
    return result[0].new() if scalar else result


def _as_vector(scalar: Any) -> Any:
    from ..api.vector import Vector

    vector = Vector(scalar.dtype, 1)
    if not scalar.is_empty:
        vector[0] = scalar.value
    return vector


def _op(name: str, left: Any, right: Any) -> Any:
    return left.ewise_mult(right, registry.find("binary", name)).new()


def _mean(count: Any, total: Any) -> Any:
    return _op("truediv", total, count)


def _population_variance(count: Any, total: Any, squares: Any) -> Any:
    mean = _mean(count, total)
    return _op("minus", _mean(count, squares), _op("times", mean, mean))


def _sample_variance(count: Any, total: Any, squares: Any) -> Any:
    """<x^2> / (n-1) - <x>^2 / (n (n-1))"""
    total = total.dup(dtype=FP64)
    less = count.apply(registry.find("binary", "minus"), right=1).new()
    right = _op("truediv", _op("truediv", _op("times", total, total), count), less)
    return _op("minus", _op("truediv", squares, less), right)


def _root(vector: Any) -> Any:
    return vector.apply(registry.find("unary", "sqrt")).new()


def _root_of_count(count: Any, product: Any) -> Any:
    inverse = count.apply(registry.find("unary", "minv")[FP64]).new()
    return _op("pow", product, inverse)


_FINALIZE: dict[str, Callable[..., Any]] = {
    "mean": _mean,
    "difference": lambda left, right: _op("minus", left, right),
    "population_variance": _population_variance,
    "sample_variance": _sample_variance,
    "root": _root,
    "root_of_count": _root_of_count,
    "root_mean": lambda count, squares: _root(_mean(count, squares)),
}


# Custom: what depends on positions is read off the sorted coordinates


def _coordinates(obj: Any, scalar: bool) -> tuple[Any, Any, Any, int]:
    """Group, index within the group, value; and the number of groups. Sorted by group and index."""
    if obj.ndim == 1:
        indices, values = obj.to_coo()
        return np.zeros(len(indices), np.int64), indices, values, 1
    rows, columns, values = obj.to_coo()
    order = np.lexsort((columns, rows))
    rows, columns, values = rows[order], columns[order], values[order]
    if scalar:
        return np.zeros(len(rows), np.int64), columns, values, 1
    return rows, columns, values, obj.nrows


def _result(groups: Any, values: Any, size: int, dtype: DataType, scalar: bool) -> Any:
    from ..api.vector import Vector

    vector = Vector.from_coo(groups, values, size=size, dtype=dtype)
    return vector[0].new() if scalar else vector


def _ends(typed: TypedAggregator, obj: Any, scalar: bool, *, last: bool, index: bool) -> Any:
    if scalar and index and obj.ndim == 2:
        raise ValueError(f"Aggregator {typed.name} may not be used with Matrix.reduce_scalar.")
    groups, indices, values, size = _coordinates(obj, scalar)
    change = np.flatnonzero(np.diff(groups)) + 1
    chosen = np.append(change - 1, len(groups) - 1) if last else np.append(0, change)
    chosen = chosen[: len(groups)]
    return _result(groups[chosen], (indices if index else values)[chosen], size, typed.return_type, scalar)


def _arg(typed: TypedAggregator, obj: Any, scalar: bool) -> Any:
    if scalar and obj.ndim == 2:
        raise ValueError(f"Aggregator {typed.name} may not be used with Matrix.reduce_scalar.")
    groups, indices, values, size = _coordinates(obj, scalar)
    monoid = registry.find("monoid", typed.parent._row.monoid or "")[typed.type]
    starts = np.append(0, np.flatnonzero(np.diff(groups)) + 1)[: len(groups)]
    best = np.repeat(monoid.reduceat(values, starts), np.diff(np.append(starts, len(groups))))
    keep = np.flatnonzero(values == best)
    _, first = np.unique(groups[keep], return_index=True)
    chosen = keep[first]
    return _result(groups[chosen], indices[chosen], size, typed.return_type, scalar)


_CUSTOM: dict[str, Callable[..., Any]] = {
    "arg": _arg,
    "first": lambda typed, obj, scalar: _ends(typed, obj, scalar, last=False, index=False),
    "last": lambda typed, obj, scalar: _ends(typed, obj, scalar, last=True, index=False),
    "first_index": lambda typed, obj, scalar: _ends(typed, obj, scalar, last=False, index=True),
    "last_index": lambda typed, obj, scalar: _ends(typed, obj, scalar, last=True, index=True),
}

__all__ = ["Aggregator", "TypedAggregator", "compute"]
