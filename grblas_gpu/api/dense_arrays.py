"""Objects as dense arrays in the memory of their engine."""

from __future__ import annotations

import math

import numpy as np

from ..backends.machine.memory_limits import check_positions
from ..backends.stores.entries import cast, entries
from ..backends.stores.matrix_forms import flat
from ..backends.stores.storage import MatrixStore
from ..dtypes import DataType, lookup_dtype, unify
from ..foundation.types import Array, DTypeLike, Tensor, Value
from ..ir import recording
from .base import as_scalar
from .matrix_formats import shared_array


def dense_array(x: Tensor, fill_value: object = None, dtype: DTypeLike | None = None, *, copy: bool = True) -> Array:
    """A Vector or Matrix as an array of its engine; without ``copy``, that of a full object may be its own memory.

    >>> from grblas_gpu import Vector
    >>> dense_array(Vector.from_coo([0, 2], [5, 6]), 0)
    array([5, 0, 6])
    """
    recording.read("the entries", x)
    fill, found = dense_fill(x, fill_value, dtype, x.nvals == math.prod(x.shape))
    shared = shared_array(x, found)
    if shared is not None:
        return shared.copy() if copy else shared
    store = x._store
    nrows, ncols = x.shape if x.ndim == 2 else (*x.shape, 1)
    check_positions(nrows, ncols, found.np_type.itemsize, x._engine.array([0]))
    keys, values = entries(flat(store) if isinstance(store, MatrixStore) and store.dense is not None else store)
    # The scatter runs on the device of the entries, so that no data passes through the host.
    dense = np.zeros(x.shape, found.np_type, like=keys)
    if fill is not None:
        dense[...] = fill
    dense.reshape(-1)[keys] = cast(values, found.np_type)
    return dense


def dense_fill(
    self: Tensor, fill_value: object, dtype: DTypeLike | None, is_full: bool
) -> tuple[Value | None, DataType]:
    """The fill value of a dense array, and the type of the array."""
    if is_full:
        return None, self.dtype if dtype is None else lookup_dtype(dtype)
    if fill_value is None:
        raise TypeError("fill_value must be given in `to_dense` when there are missing values")
    fill = as_scalar(self, fill_value, "to_dense", "fill_value")
    found = unify(fill.dtype, self.dtype, is_left_scalar=True) if dtype is None else lookup_dtype(dtype)
    return cast(np.asarray(fill._get()).reshape(1), found.np_type)[0], found
