"""Changes of many elements, given as arrays: they wait as changes of single elements do."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends.interpreter.changes import change_many
from ..backends.registry import get_engine
from ..backends.stores.entries import cast, order_and_firsts, take
from ..backends.stores.storage import INDEX
from ..exceptions import InvalidValue
from ..foundation.types import OperatorLike, Tensor
from ..ir import recording
from .base import duplicate_operator, duplicates_error
from .conversions import check_bounds, index_array, values_to_array

NAMES = {1: ("indices",), 2: ("rows", "columns")}


def update_elements(x: Any, given: tuple[object, ...], values: object, dup_op: OperatorLike | None) -> None:
    """Set the elements at these positions, of which equal ones are combined."""
    index = _positions(x, given, "update")
    array, _ = values_to_array(values, x.dtype, x._engine)
    array = x._engine.host(array)
    if array.ndim == 0:
        array = np.broadcast_to(array, index[0].shape)
    if len(array) != len(index[0]):
        names = " and ".join(f"`{name}`" for name in (*NAMES[x.ndim], "values"))
        raise ValueError(f"{names} lengths must match: {len(index[0])}, {len(array)}")
    index, order, first = _distinct(index)
    operator, engine = duplicate_operator(x, dup_op), get_engine("numpy")
    array = take(array, order)
    if len(array) > len(index[0]):
        try:
            array = engine.build_vector(len(index[0]), np.cumsum(first) - 1, array, operator).values
        except InvalidValue as error:
            raise duplicates_error(error) from None
    values = np.broadcast_to(cast(array, x.dtype.np_type), len(index[0]))
    if len(values):
        change_many(x, index, values, np.broadcast_to(np.True_, len(values)))


def delete_elements(x: Tensor, given: tuple[object, ...]) -> None:
    """Remove the elements at these positions."""
    index, *_ = _distinct(_positions(x, given, "delete"))
    if count := len(index[0]):
        change_many(x, index, np.zeros(count, x.dtype.np_type), np.broadcast_to(np.False_, count))


def _positions(x: Tensor, given: tuple[object, ...], method: str) -> tuple[np.ndarray, ...]:
    recording.refuse(f"{method} of {x.name}")
    index = []
    for axis, size, name in zip(given, x.shape, NAMES[x.ndim], strict=True):
        array = x._engine.host(index_array(axis, name, x._engine))
        check_bounds(array, size, name)
        index.append(array.astype(INDEX, copy=False))
    if len({len(axis) for axis in index}) > 1:
        raise ValueError(f"`rows` and `columns` lengths must match: {len(index[0])}, {len(index[1])}")
    return tuple(index)


def _distinct(index: tuple[np.ndarray, ...]) -> tuple[tuple[np.ndarray, ...], np.ndarray, np.ndarray]:
    """The different positions in order, the order of the given ones, and which of these differ from those before."""
    order, first = order_and_firsts(index)
    chosen = order[first]
    return tuple(axis[chosen] for axis in index), order, first
