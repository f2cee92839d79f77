"""Conversion of coordinate and compressed formats to stores, with checks; and of stores to such arrays."""

from __future__ import annotations

import numpy as np

from ..backends.registry import current_engine
from ..backends.stores.counting import some
from ..backends.stores.entries import matrix_keys, repeat
from ..backends.stores.matrix_storage import FULL
from ..backends.stores.storage import Array, MatrixStore, VectorStore, column_type
from ..exceptions import IndexOutOfBound, InvalidObject, InvalidValue, OutOfMemory
from ..foundation.types import ArrayLike, DataType, DTypeLike, Elementwise, Engine, Matrix, OperatorLike, Value, Vector
from .base import duplicate_operator, duplicates_error
from .conversions import (
    check_bounds,
    check_signs,
    checked_index,
    index_array,
    output_values,
    own_values,
    values_to_array,
)

PART = 2**22  # entries of a host array that are checked at once


def empty_store(engine: Engine, shape: tuple[int, ...], dtype: np.dtype) -> MatrixStore:
    nrows, ncols = shape
    try:
        return engine.empty_matrix(nrows, ncols, dtype)
    except MemoryError:
        raise OutOfMemory(
            f"a Matrix of shape {nrows} x {ncols} needs {8 * (nrows + 1)} bytes of row pointers, more than there are"
        ) from None


def entries_of(
    self: Elementwise, shape: tuple[int, ...], rows: Array, cols: Array, values: Array, dup_op: OperatorLike | None
) -> MatrixStore:
    nrows, ncols = shape
    if not rows.size == cols.size == values.size:
        raise ValueError(
            f"`rows` and `columns` and `values` lengths must match: {rows.size}, {cols.size}, {values.size}"
        )

    def check() -> None:
        for index, size, name in ((rows, nrows, "row indices"), (cols, ncols, "column indices")):
            if not isinstance(index, np.ndarray):
                check_signs(index, name)
            check_bounds(index, size, name)

    if not self._engine.checks_positions(rows, cols, values):
        check()
    typed = duplicate_operator(self, dup_op)
    try:
        signed = (index.view(np.int64) if index.dtype == np.uint64 else index for index in (rows, cols))
        store = self._engine.build_matrix(nrows, ncols, *signed, values, typed)
    except IndexOutOfBound:
        check()  # raises an error that names the index
        raise
    except InvalidValue as error:
        raise duplicates_error(error) from None
    return self._engine.cast(store, self.dtype.np_type)


def compressed_store(
    indptr: ArrayLike,
    indices: ArrayLike,
    values: ArrayLike | Value,
    dtype: DTypeLike | None,
    outer: int | None,
    inner: int | None,
    label: str,
    what: str,
    copy: bool = True,
) -> tuple[MatrixStore, DataType]:
    """A checked CSR store from the arrays of a compressed format.

    Device arrays of the stored types are shared; host arrays only with ``copy=False``.
    """
    pointers = checked_index(indptr, "index pointers")
    on_host = isinstance(pointers, np.ndarray)
    if on_host or pointers.dtype != np.int32:  # a device keeps offsets of either width
        pointers = pointers.astype(np.int64, copy=copy and on_host)
    array, found = values_to_array(values, dtype)
    if copy and on_host and inner is not None and outer == pointers.size - 1 and _is_plain(indices):
        fits = isinstance(array, np.ndarray) and (array.ndim == 0 or array.shape == np.shape(indices))
        lines = current_engine().ascending_lines(pointers, indices, inner) if fits else None
        if lines is not None:
            store = MatrixStore(
                pointers.size - 1, inner, pointers, lines[0], own_values(array, found.np_type).reshape(-1)
            )
            store.max_degree = lines[1]
            return store, found
    index = checked_index(indices, what)
    pointers, index, own = together(pointers, index, own_values(array, found.np_type, copy).reshape(-1))
    copy_index = copy and isinstance(index, np.ndarray)
    if pointers.size == 0:
        raise InvalidValue("indptr array must not be empty")
    count = pointers.size - 1
    if outer is not None and outer != count:
        raise ValueError(f"{label} must be None or equal to len(indptr) - 1; expected {outer}, got {count}")
    if inner is None:
        inner = int(index.max()) + 1 if index.size else 0
    lengths = np.diff(pointers)
    shortest, longest = (int(lengths.min()), int(lengths.max())) if count else (0, 0)
    if shortest < 0 or pointers[0] != 0 or pointers[-1] != index.size:
        kind = InvalidObject if shortest < 0 or pointers[0] != 0 else InvalidValue
        raise kind(f"indptr must rise from 0 to the number of {what} ({index.size})")
    if array.ndim and array.size != index.size:
        raise InvalidValue(f"{what} and values must have the same length: {index.size} != {array.size}")
    if index.size and int(index.max()) >= inner:
        raise InvalidObject(f"{what}: {int(index.max())} is out of range for size {inner}")
    array, index = own, index.astype(column_type(inner), copy=copy_index)
    if not copy and isinstance(index, np.ndarray):  # kernels need contiguous arrays
        pointers, index, array = (np.ascontiguousarray(x) for x in (pointers, index, array))
    store = MatrixStore(count, inner, pointers, index, array)
    store.max_degree = longest
    if longest <= 1:  # nothing can be out of order
        return store, found
    if _falls(store.indices, pointers):
        keys = matrix_keys(store)
        order = np.argsort(keys, kind="stable")
        if some(np.diff(keys[order]) == 0):
            raise InvalidValue(f"{what} must not repeat within a line")
        array = array if store.iso else array[order]
        store = MatrixStore(count, inner, pointers, store.indices[order], array)
        store.max_degree = longest
    return store, found


def _is_plain(index: object) -> bool:
    """Whether kernels read this array as it is."""
    if type(index) is not np.ndarray or index.ndim != 1:
        return False
    return index.flags.carray and index.dtype.isnative and index.dtype.kind in "iu"


def _falls(index: Array, pointers: Array) -> bool:
    """Whether an index is not above the one before it in its line; in parts, as the arrays may be those of a file."""
    on_host = isinstance(index, np.ndarray)
    length = PART if on_host else index.size
    for low in range(0, index.size - 1, length):
        part, starts = index[low : low + length + 1], pointers[1:-1]
        if on_host:
            starts = starts[slice(*np.searchsorted(starts, (low + 1, low + part.size)))]
        else:
            starts = starts[(starts > 0) & (starts < index.size)]
        falls = part[1:] <= part[:-1]
        falls[starts - low - 1] = False  # order matters only within a line
        if some(falls):
            return True
    return False


def together(*arrays: Array) -> tuple[Array, ...]:
    """The arrays in one memory: that of the device if one of them is there."""
    if all(isinstance(array, np.ndarray) for array in arrays):
        return arrays
    return tuple(current_engine().array(array) for array in arrays)


def decompress(compressed: object, indptr: ArrayLike, size: int | None) -> tuple[Array, int]:
    """The row or column of every entry of a doubly compressed format, and the number of rows or columns."""
    pointers = index_array(indptr, "indptr")
    if pointers.size == 0:
        raise InvalidValue("indptr array must not be empty")
    lines = index_array(compressed, "compressed indices")
    if pointers.size == 1:
        return np.empty(0, np.int64), 0 if size is None else size
    lines, pointers = together(lines, pointers)
    lengths = np.diff(pointers)
    if lengths.min() < 0:
        raise InvalidObject("indptr must rise from 0 to the number of indices")
    return repeat(lines, lengths), int(lines.max()) + 1 if size is None else size


def compressed_arrays(a: Matrix, store: MatrixStore, dtype: DTypeLike | None) -> tuple[np.ndarray, ...]:
    return a._engine.host(store.indptr).astype(np.uint64), *_entries(a, store, dtype)


def _entries(a: Matrix, store: MatrixStore, dtype: DTypeLike | None) -> tuple[np.ndarray, np.ndarray]:
    host = a._engine.host
    values = np.broadcast_to(host(store.values), (store.nvals,)) if store.iso else host(store.values)
    return host(store.indices).astype(np.uint64), output_values(values, dtype, a.dtype)


def doubly_compressed(a: Matrix, store: MatrixStore, dtype: DTypeLike | None) -> tuple[np.ndarray, ...]:
    host = a._engine.host
    if store.rows is not None:
        return host(store.rows).astype(np.uint64), host(store.starts).astype(np.uint64), *_entries(a, store, dtype)
    indptr, indices, values = compressed_arrays(a, store, dtype)
    lines = np.flatnonzero(np.diff(indptr.astype(np.int64)))
    return lines.astype(np.uint64), np.append(indptr[lines], indptr[-1]), indices, values


def shared_array(a: Vector | Matrix, dtype: DataType) -> Array | None:
    """The values of a full object as a view of its memory, of its shape; None for other formats and for iso values."""
    store = a._store
    if isinstance(store, VectorStore):
        full = store.indices is None and store.present is None and len(store.values) == store.size
        return store.values if full and store.dtype == dtype.np_type else None
    if not isinstance(store, MatrixStore) or store.form != FULL or store.dtype != dtype.np_type:
        return None
    if store.dense is None or len(store.dense) != store.nvals:
        return None
    return store.dense.reshape(store.nrows, store.ncols)
