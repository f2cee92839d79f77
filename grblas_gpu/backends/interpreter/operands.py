"""The stores of handles: operands of operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ...exceptions import EmptyObject
from ...foundation.types import Axis, Engine, Handle, Scalar, Store, TransposedMatrix, Value
from ...ir.recording import Number
from ..stores.storage import INDEX, MatrixStore, VectorStore


def matrix_store(a: Any) -> MatrixStore:
    """The store of a matrix, or the (cached) transpose for ``A.T``."""
    return a._matrix._store.transposed() if a._is_transposed else a._store


def engine_of(x: Handle | TransposedMatrix) -> Engine:
    """The engine of a handle. Scalars live on the host: the definitions compute with them on every backend."""
    return x._engine if x.ndim else _host_engine()


@cache
def _host_engine() -> Engine:
    from ..reference import Definitions

    return Definitions()


def store_of(x: Any) -> Store:
    """The store of a handle; a scalar is a vector of one position."""
    if x.ndim == 1:
        return x._store
    if x.ndim == 2:
        return matrix_store(x)
    value, dtype = x._get(), x.dtype.np_type
    if value is None:
        return VectorStore.empty(1, dtype)
    return VectorStore(1, np.array([value], dtype), indices=np.zeros(1, INDEX))


def given(scalar: Scalar, name: str) -> Value:
    """The value of a scalar that must have one."""
    value = scalar._get()
    if value is None:
        raise EmptyObject(f"the {name} argument is an empty Scalar; give it a value")
    return value


def positions_of(engine: Engine, axes: Sequence[Axis]) -> tuple[tuple, tuple]:
    """The positions that each axis of an index names, as an array, or None for all of them; and, for an index Vector
    without all entries, where it has some."""
    found = [
        engine.positions(axis.index._store, axis.dimsize) if axis.is_vector else (axis.on(engine), None)
        for axis in axes
    ]
    return tuple(positions for positions, _ in found), tuple(there for _, there in found)


def empty_store(engine: Engine, shape: tuple[int, ...], dtype: np.dtype) -> Store:
    make: Callable[..., Store] = engine.empty_vector if len(shape) == 1 else engine.empty_matrix
    return make(*shape, dtype)


def placed(engine: Engine, t: Store, there: tuple, shape: tuple[int, ...]) -> Store:
    """The entries extracted for an index, at the positions of the index's entries."""
    if all(part is None for part in there):
        return t
    return engine.assign(empty_store(engine, shape, t.dtype), t, there, None, None, False, False)


def value_of(x: Any) -> Any:
    """The value of an assignment: the store of an object, or a NumPy scalar; None for an empty scalar."""
    if type(x) is Number:
        return np.int64(int(x))
    if isinstance(x, np.generic):
        return x
    return x._get() if x.ndim == 0 else store_of(x)
