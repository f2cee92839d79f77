"""The recipes of aggregators, written as operations on objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..backends.stores.entries import runs
from ..dtypes import FP64, DataType, lookup_dtype
from ..foundation.types import Matrix, OperatorLike, Scalar, Tensor
from ..operators import get_typed_op, registry
from ..operators.aggregators import Aggregator, TypedAggregator, define_recipes
from .vector import Vector


def compute(agg: Aggregator | TypedAggregator, obj: Any, mode: str) -> Vector | Scalar:
    """Aggregate a Vector or Matrix: ``mode`` is "rowwise", "columnwise" or "scalar"; the result is a new object."""
    typed = agg.for_dtype(obj.dtype) if isinstance(agg, Aggregator) else agg
    if mode == "columnwise":
        obj = obj.T
    result = _compute(typed, obj, scalar=mode == "scalar")
    if result.dtype is not typed.return_type:
        result = result.dup(dtype=typed.return_type)
    return result


def _compute(typed: TypedAggregator, obj: Tensor, *, scalar: bool) -> Any:
    row = typed.parent._row
    if row is None:
        return _by_recipe(typed, typed.parent.recipe, obj, scalar)
    if row.custom is not None:
        return _CUSTOM[row.custom](typed, obj, scalar)
    if row.parts is not None:
        return _composite(typed, obj, scalar)
    monoid = registry.find("monoid", row.monoid or "")
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


def _reduce(obj: Any, monoid: OperatorLike, scalar: bool) -> Vector | Scalar:
    if not scalar:
        return obj.reduce_rowwise(monoid).new()
    return (obj.reduce(monoid) if obj.ndim == 1 else obj.reduce_scalar(monoid)).new()


# Composite aggregators: the parts are vectors, of size 1 for a Scalar result, so that one formula serves both


def _by_recipe(typed: TypedAggregator, recipe: Any, obj: Tensor, scalar: bool) -> Vector | Scalar:
    """Aggregate with a user-defined Aggregator."""
    if recipe.composite:
        parts = [_compute(part[typed.type], obj, scalar=scalar) for part in recipe.composite]
        result = recipe.finalize(*(map(_as_vector, parts) if scalar else parts), {})
        result = result if isinstance(result, Vector) else result.new()
        return result[0].new() if scalar else result
    if recipe.applybegin is not None:
        obj = recipe.applybegin(obj).new()
    if recipe.monoid is not None:
        result = _reduce(obj, recipe.monoid[obj.dtype], scalar)
    else:
        result = _times_initial(recipe, obj, scalar)
    return result if recipe.finalize is None else result.apply(recipe.finalize[result.dtype]).new()


def _times_initial(recipe: Any, obj: Tensor, scalar: bool) -> Vector | Scalar:
    """``A x`` with a constant vector x; for a Scalar, the second semiring then reduces the rows."""
    value = False if recipe.initval is None else recipe.initval

    def product(semiring: OperatorLike, a: Matrix, switch: bool) -> Vector:
        initial = Vector.from_scalar(value, a.ncols).to(a._engine.name)
        typed = get_typed_op(semiring, a.dtype, lookup_dtype(type(value)), kind="semiring")
        return typed(initial @ a.T if switch else a @ initial).new()

    if obj.ndim == 1:
        return product(recipe.semiring, obj._as_matrix().T.new(), recipe.switch)[0].new()
    rows = product(recipe.semiring, obj, recipe.switch)
    return product(recipe.semiring2, rows._as_matrix().T.new(), False)[0].new() if scalar else rows


def _composite(typed: TypedAggregator, obj: Tensor, scalar: bool) -> Vector | Scalar:
    row = typed.parent._row
    assert row is not None
    parts = []
    for name in (row.parts or "").split():
        part = _compute(registry.find("agg", name)[typed.type], obj, scalar=scalar)
        parts.append(_as_vector(part) if scalar else part)
    result = _FINALIZE[row.finalize or ""](*parts)
    return result[0].new() if scalar else result


def _as_vector(scalar: Scalar) -> Vector:
    vector = Vector(scalar.dtype, 1)
    if not scalar.is_empty:
        vector[0] = scalar  # the Scalar, not its value: a Python int may not hold every value of the type
    return vector


def _op(name: str, left: Vector, right: Vector) -> Vector:
    return left.ewise_mult(right, registry.find("binary", name)).new()


def _mean(count: Vector, total: Vector) -> Vector:
    return _op("truediv", total, count)


def _population_variance(count: Vector, total: Vector, squares: Vector) -> Vector:
    mean = _mean(count, total)
    return _op("minus", _mean(count, squares), _op("times", mean, mean))


def _sample_variance(count: Vector, total: Vector, squares: Vector) -> Vector:
    """<x^2> / (n-1) - <x>^2 / (n (n-1))"""
    total = total.dup(dtype=FP64)
    less = count.apply(registry.find("binary", "minus"), right=1).new()
    right = _op("truediv", _op("truediv", _op("times", total, total), count), less)
    return _op("minus", _op("truediv", squares, less), right)


def _root(vector: Vector) -> Vector:
    return vector.apply(registry.find("unary", "sqrt")).new()


def _root_of_count(count: Vector, product: Vector) -> Vector:
    inverse = count.apply(registry.find("unary", "minv")[FP64]).new()
    return _op("pow", product, inverse)


_FINALIZE: dict[str, Callable[..., Vector]] = {
    "mean": _mean,
    "difference": lambda left, right: _op("minus", left, right),
    "population_variance": _population_variance,
    "sample_variance": _sample_variance,
    "root": _root,
    "root_of_count": _root_of_count,
    "root_mean": lambda count, squares: _root(_mean(count, squares)),
}


# Custom aggregators: results that depend on positions come from the sorted coordinates


def _coordinates(obj: Tensor, scalar: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Group, index within the group, value; and the number of groups. Sorted by group and index."""
    if obj.ndim == 1:
        indices, values = obj.to_coo()
        return np.zeros(len(indices), np.int64), indices, values, 1
    rows, columns, values = obj.to_coo()
    if (rows[1:] < rows[:-1]).any():  # the entries of a transpose
        order = np.lexsort((columns, rows))
        rows, columns, values = rows[order], columns[order], values[order]
    if scalar:
        return np.zeros(len(rows), np.int64), columns, values, 1
    return rows, columns, values, obj.nrows


def _result(groups: np.ndarray, values: np.ndarray, size: int, dtype: DataType, scalar: bool) -> Vector | Scalar:
    vector = Vector.from_coo(groups, values, size=size, dtype=dtype)
    return vector[0].new() if scalar else vector


def _ends(typed: TypedAggregator, obj: Tensor, scalar: bool, *, last: bool, index: bool) -> Vector | Scalar:
    if scalar and index and obj.ndim == 2:
        raise ValueError(f"Aggregator {typed.name} may not be used with Matrix.reduce_scalar.")
    groups, indices, values, size = _coordinates(obj, scalar)
    chosen = runs(groups)
    if last:
        chosen = np.append(chosen[1:], len(groups))[: len(chosen)] - 1
    return _result(groups[chosen], (indices if index else values)[chosen], size, typed.return_type, scalar)


def _arg(typed: TypedAggregator, obj: Tensor, scalar: bool) -> Vector | Scalar:
    if scalar and obj.ndim == 2:
        raise ValueError(f"Aggregator {typed.name} may not be used with Matrix.reduce_scalar.")
    groups, indices, values, size = _coordinates(obj, scalar)
    row = typed.parent._row
    assert row is not None
    monoid = registry.find("monoid", row.monoid or "")[typed.type]
    starts = runs(groups)
    best = np.repeat(monoid.reduceat(values, starts), np.diff(np.append(starts, len(groups))))
    keep = np.flatnonzero(values == best)
    chosen = keep[runs(groups[keep])]
    return _result(groups[chosen], indices[chosen], size, typed.return_type, scalar)


_CUSTOM: dict[str, Callable[..., Vector | Scalar]] = {
    "arg": _arg,
    "first": lambda typed, obj, scalar: _ends(typed, obj, scalar, last=False, index=False),
    "last": lambda typed, obj, scalar: _ends(typed, obj, scalar, last=True, index=False),
    "first_index": lambda typed, obj, scalar: _ends(typed, obj, scalar, last=False, index=True),
    "last_index": lambda typed, obj, scalar: _ends(typed, obj, scalar, last=True, index=True),
}

define_recipes(compute)
