"""Copies to and from the memory of the device: whole stores, arrays, single elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cupy
import numpy as np

from ...foundation.types import ArrayLike, Value
from ...plan.storage_rules import matrix_form
from ..protocol import Backend
from ..reference import Definitions
from ..stores.entries import Store
from ..stores.matrix_forms import moved
from ..stores.matrix_storage import SPARSE
from ..stores.storage import Array, MatrixStore, VectorStore
from .eager import matrix_elements
from .runtime import host_memory, records
from .runtime.arrays import empty_rows

HOST = Definitions()


class CudaMemory(Backend):
    """Objects that are made, moved, shared and looked at; nothing is computed here."""

    def array(self, values: ArrayLike, dtype: np.dtype | type | None = None) -> Array:
        return records.to_device(values, dtype)

    def listed(self, part: range) -> Array:
        return cupy.arange(part.start, part.stop, part.step, dtype=np.int64)

    def host(self, array: Array) -> np.ndarray:
        return records.to_host(array)  # synchronizes

    def share(self, array: Any) -> Array:
        if isinstance(array, records.RecordArray):
            return array
        if type(array) is cupy.ndarray and array.flags.c_contiguous:
            return array
        interface = getattr(array, "__cuda_array_interface__", None)
        if interface is None:
            shared = cupy.from_dlpack(array)
        elif interface["data"][1]:  # read-only: values may change in place, so they cannot be shared
            shared = cupy.array(array)
        else:
            shared = cupy.asarray(array)
        return cupy.ascontiguousarray(shared) if shared.ndim else shared

    def with_columns(self, a: MatrixStore, where: str) -> MatrixStore:
        def entries(array: Array) -> Array:
            if where == "host" and array.dtype.kind != "V" and len(array) > 1:
                return host_memory.host_copy(array)
            return records.to_device(array) if isinstance(array, np.ndarray) else array.copy()

        return moved(a, entries, records.to_device)

    def nbytes_on_host(self, x: Store) -> int:
        return sum(array.nbytes for array in x.arrays.values() if host_memory.is_on_host(array))

    def has_columns_on_host(self, a: MatrixStore) -> bool:
        return a.dense is None and host_memory.is_on_host(a.once.indices)

    def copy(self, store: Store) -> Store:
        return store.copy(records.copied)

    def adopt(self, store: Store) -> Store:
        return _move(store, records.to_device)

    def export(self, store: Store) -> Store:
        return _move(store, records.to_host)  # synchronizes

    def empty_matrix(self, nrows: int, ncols: int, dtype: np.dtype) -> MatrixStore:
        if matrix_form(0, nrows, ncols, "sparse") != "sparse":
            return moved(HOST.empty_matrix(nrows, ncols, dtype), cupy.asarray)
        return empty_rows(nrows, ncols, dtype)

    def get_element(self, x: Store, index: tuple[int, ...]) -> Value | None:
        if type(x) is MatrixStore and x.form == SPARSE:
            return matrix_elements.element(x, index[0], index[1])
        return _scalar(Definitions.get_element(self, x, index))


def _scalar(value: Array | Value | None) -> Value | None:
    """A device value as a NumPy scalar."""
    return value.get()[()] if isinstance(value, cupy.ndarray) else value  # synchronizes


def _move(store: Store, to: Callable[[Array], Array]) -> Store:
    if type(store) is MatrixStore:
        return moved(store, to)
    nvals = store.nvals  # synchronizes
    return VectorStore(
        store.size,
        to(store.values),
        indices=None if store.indices is None else to(store.indices),
        present=None if store.present is None else to(store.present),
        nvals=nvals,
        ordered=store.ordered,
    )
