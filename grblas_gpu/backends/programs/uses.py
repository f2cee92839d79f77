"""The properties of objects that a program is compiled for: types and forms.

Compared at every call, so these are plain tuples.
"""

from __future__ import annotations

import numpy as np

from ...foundation.types import Vector
from ..stores.storage import INT32_LIMIT, MatrixStore, natives
from .terms import Fields, Unfusable


def in_one_word(dtype: np.dtype) -> None:
    """Whether a loop supports this type: it keeps numbers in words of 64 bits, which atomics and scalars share."""
    if dtype.kind not in "biuf":
        raise Unfusable("complex numbers" if dtype.kind == "c" else f"values of the type {dtype}")


def numbers_copies(store: MatrixStore) -> bool:
    """Whether kernels/mxv.cuh can find the copy of a row or a column: by one size, in 32 bits."""
    return store.nrows == store.ncols <= 2**32


def vector_use(vector: Vector, written: bool) -> Fields:
    """The fields of a :class:`VectorUse`."""
    store = vector._store
    if store.pending is not None:
        return vector.dtype.np_type, False, store.iso or store.known_nvals == 0, written
    full = store.present is None and store.indices is None and store.size > 0
    return vector.dtype.np_type, full, store.nvals == 0 or len(store.values) == 1, written


def matrix_use(store: MatrixStore) -> Fields:
    """The properties of a matrix that a program is compiled for: types, whether it is iso, whether it is repeated, and
    whether its columns come over the bus."""
    if store.rows is not None:
        raise Unfusable("a hypersparse matrix, which has no row pointers")
    once = store.once
    values = once.values
    wide = store.nrows > INT32_LIMIT  # numbers of rows; those of columns have the type of the indices
    types = values.dtype, len(values) == 1, once.indices.dtype, store.indptr.dtype
    return *types, store.copies > 1, wide, columns_on_host(store)


def columns_on_host(store: MatrixStore) -> bool:
    """Whether the columns of a matrix come over the bus of a device."""
    native = natives.get(type(store.once.indices))
    return native is not None and native.is_on_host(store.once.indices)


def has_columns(store: MatrixStore) -> bool:
    """Whether a push along the columns can run without making the transpose."""
    return store._transpose is not None or store.copies > 1
