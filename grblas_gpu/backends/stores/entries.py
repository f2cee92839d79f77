"""Entries as sorted keys: one view of vectors and matrices in which every definition is written once.

A vector's entry ``i`` has the key ``i``; a matrix's entry ``(i, j)`` has the key ``i * ncols + j``. Keys ascend and are
unique. They have 64 bits; where a matrix has more positions than that, they are Python's integers. Iso values are
broadcast views (stride 0), so they cost nothing and are recognised when a store is rebuilt.

The code is NumPy's, and runs on any array type that implements NumPy's protocols (CuPy does): functions dispatch on
their arguments, and new arrays are made ``like=`` an existing one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...exceptions import DomainMismatch, OutOfMemory
from ..machine.memory_limits import check_entries
from .counting import every, how_many, places
from .index_types import order_of_keys
from .matrix_storage import from_lines
from .storage import INDEX, Array, MaskView, MatrixStore, VectorStore, natives

Store = Any  # VectorStore | MatrixStore


def entries(store: Store) -> tuple[Array, Array]:
    """Keys (ascending) and values (same length; a stride-0 view when iso)."""
    if type(store) is MatrixStore:
        return matrix_keys(store), repeated(store.values, store.nvals) if store.iso else store.values
    if store.indices is not None:
        keys, values = store.indices, expand(store.values, store.nvals)
        if not store.ordered:
            order = np.argsort(keys)
            keys, values = keys[order], take(values, order)
        return keys, values
    if store.present is not None:
        keys = places(store.present)
        return keys, take(expand(store.values, store.size), keys)
    count = check_entries(store.size, like=store.values)
    return np.arange(count, dtype=INDEX, like=store.values), expand(store.values, count)


def values_of(store: Store) -> Array:
    """The values of :func:`entries`, without the keys, which cost most for a large matrix."""
    if isinstance(store, MatrixStore) or store.kind == "full" or (store.kind == "sparse" and store.ordered):
        return expand(store.values, store.nvals)
    return entries(store)[1]


def present_flags(u: VectorStore) -> Array:
    """Whether a vector has an entry, for every position."""
    if u.indices is None:
        return filled(u.size, True, u.values) if u.present is None else u.present
    flags = filled(u.size, False, u.indices)
    flags[u.indices] = True
    return flags


def matrix_keys(store: MatrixStore) -> Array:
    return keys_at(store.row_ids, store.indices, store.nrows, store.ncols)


def keys_at(rows: Array, cols: Array | int, nrows: int, ncols: int) -> Array:
    """The key of every position in a matrix of this shape."""
    rows = rows.astype(INDEX, copy=False)
    if nrows * ncols >= 2**63:
        if not isinstance(rows, np.ndarray):
            raise OutOfMemory(f"shape {nrows} x {ncols} has more positions than 64-bit keys can number")
        rows = rows.astype(object)
    return rows * ncols + cols


def rows_and_columns(keys: Array, ncols: int) -> tuple[Array, Array]:
    """The positions that have these keys in a matrix of ``ncols`` columns."""
    rows = keys // max(1, ncols)
    cols = keys - rows * ncols
    return (rows.astype(INDEX), cols.astype(INDEX)) if keys.dtype == object else (rows, cols)


def rebuild(like: Store, keys: Array, values: Array) -> Store:
    """A store of the same shape as ``like`` with these entries (keys ascending)."""
    if type(like) is MatrixStore:
        return matrix_from_keys(like.nrows, like.ncols, keys, values)
    return VectorStore(like.size, compress(values), indices=keys)


def matrix_from_keys(nrows: int, ncols: int, keys: Array, values: Array) -> MatrixStore:
    return from_lines(nrows, ncols, *rows_and_columns(keys, ncols), compress(values))


def lines(a: MatrixStore, rows: Array) -> tuple[Array, Array]:
    """Where the entries of these rows begin, and how many each has."""
    if a.rows is None:
        begins = a.indptr[rows]
        return begins, a.indptr[rows + 1] - begins
    found, where = find(a.rows, rows)
    if len(a.rows) == 0:
        return where, where
    return a.starts[where], (a.starts[where + 1] - a.starts[where]) * found


def line(a: MatrixStore, row: int) -> tuple[int, int]:
    """Where the entries of a row begin and end."""
    if a.rows is None:
        return int(a.indptr[row]), int(a.indptr[row + 1])
    at = position(a.rows, row)
    if at == len(a.rows) or a.rows[at] != row:
        return 0, 0
    return int(a.starts[at]), int(a.starts[at + 1])


def expand(values: Array, count: int) -> Array:
    """``count`` values, without copying when one stands for all."""
    return repeated(values, count) if len(values) == 1 and count != 1 else values


def repeated(values: Array, count: int) -> Array:
    """The first value so many times, as a view that cannot be written."""
    if type(values) is not np.ndarray or values.dtype.hasobject:
        return np.broadcast_to(values[:1], (count,))
    view: Array = np.ndarray((count,), values.dtype, values[:1], 0, (0,))  # in a tenth of NumPy's time
    view.flags.writeable = False
    return view


def compress(values: Array) -> Array:
    """The stored form of values: a single one when they are a broadcast view."""
    return values[:1].copy() if is_iso(values) else values


def is_iso(values: Array) -> bool:
    return len(values) > 0 and values.strides[0] == 0


def take(values: Array, index: Array) -> Array:
    """``values[index]`` that keeps an iso view an iso view."""
    if is_iso(values):
        count = how_many(index) if index.dtype == bool else len(index)
        return repeated(values, count)
    return values[index]


def find(keys: Array, wanted: Array) -> tuple[Array, Array]:
    """For each wanted key: is it among the (ascending) keys, and where."""
    if len(keys) == 0:
        return np.zeros(len(wanted), bool, like=keys), np.zeros(len(wanted), INDEX, like=keys)
    where = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return keys[where] == wanted, where


def look_up(u: VectorStore, wanted: Array) -> tuple[Array, Array]:
    """For each wanted position: whether a vector has an entry there; and the values of those that it has."""
    if u.kind == "full":
        values = repeated(u.values, len(wanted)) if u.iso else u.values[wanted]
        return filled(len(wanted), True, wanted), values
    if u.present is not None:
        found = u.present[wanted]
        there = wanted[found]
        return found, repeated(u.values, len(there)) if u.iso else u.values[there]
    keys, values = entries(u)
    found, where = find(keys, wanted)
    return found, take(values, where[found])


def merge(keys1: Array, values1: Array, keys2: Array, values2: Array) -> tuple[Array, Array]:
    """The union of two disjoint sets of entries, in order."""
    if len(keys2) == 0:
        return keys1, values1
    if len(keys1) == 0:
        return keys2, values2
    keys = np.concatenate([keys1, keys2])
    order = np.argsort(keys, kind="stable")
    if is_iso(values1) and is_iso(values2) and bool(values1[0] == values2[0]):
        return keys[order], repeated(values1, len(keys))
    return keys[order], np.concatenate([values1, values2])[order]


def _cast_records(values: Array, dtype: np.dtype) -> Array:
    if values.dtype.names is None or values.dtype.names != dtype.names:
        raise DomainMismatch(f"values of the type {values.dtype} are not {dtype}, and there is no cast between them")
    if not isinstance(values, np.ndarray):  # on a device
        return type(values).from_host(_cast_records(values.get(), dtype))
    result = np.zeros(values.shape, dtype)
    for name in values.dtype.names:
        if values.dtype[name].shape != dtype[name].shape:
            raise DomainMismatch(f"the arrays {values.dtype[name]} and {dtype[name]} differ in shape")
        result[name] = cast(values[name], dtype[name].base)
    return result


def cast(values: Array, dtype: np.dtype) -> Array:
    """Typecast as GraphBLAS does: floats saturate to integers, NaN becomes 0, anything nonzero is True.

    Complex numbers lose their imaginary part, unless the result is complex. Records with the same fields are cast
    number by number.
    """
    if values.dtype == dtype:
        return values
    if is_iso(values):
        return repeated(cast(values[:1].copy(), dtype), len(values))
    native = None if isinstance(values, np.ndarray) else natives.get(type(values))
    if native is not None and not {"c", "V"} & {values.dtype.kind, dtype.kind}:
        return native.cast_values(values, dtype)  # on a device, where each step would be a kernel
    if values.dtype.kind == "V" or dtype.kind == "V":
        if np.can_cast(values.dtype, dtype, "equiv"):  # the same fields at other offsets: NumPy packs them
            return values.astype(dtype)
        return _cast_records(values, dtype)
    if dtype == bool:
        return values != 0
    if values.dtype.kind == "c" and dtype.kind != "c":
        return cast(values.real.copy(), dtype)
    if values.dtype.kind == "f" and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        low = values <= float(limits.min)
        high = values >= float(limits.max)
        safe = np.where(low | high | np.isnan(values), 0, values)
        result = safe.astype(dtype)
        result[low] = limits.min
        result[high] = limits.max
        return result
    if (
        values.dtype.kind == dtype.kind and dtype.kind in "fc"
    ):  # too large values become infinite; missing entries of a bitmap are arbitrary
        with np.errstate(over="ignore"):
            return values.astype(dtype)
    return values.astype(dtype)


def operand(values: Array, dtype: np.dtype) -> Array:
    """The operand of an operator; an operator of another type reads only the position of a record."""
    if values.dtype.kind == "V" and dtype.kind != "V":
        return np.zeros(len(values), dtype, like=values)
    return cast(values, dtype)


def true_keys(mask: MaskView) -> Array:
    """The keys where the mask (before complement) is true."""
    keys, values = entries(mask.store)
    return keys if mask.structure else keys[cast(values, np.dtype(bool))]


def allowed(mask: MaskView, keys: Array) -> Array:
    """For each key: may the output be written there?"""
    store = mask.store
    if type(store) is VectorStore and store.indices is None:
        inside = filled(len(keys), True, keys) if store.present is None else store.present[keys]
        if not mask.structure:
            inside = inside & cast(take(expand(store.values, store.size), keys), np.dtype(bool))
    else:
        inside, _ = find(true_keys(mask), keys)
    return ~inside if mask.complement else inside


def positions(store: Store, keys: Array) -> tuple[Array, Array]:
    """Row and column of each key; a vector is a single column."""
    if type(store) is MatrixStore:
        return rows_and_columns(keys, store.ncols)
    return keys, np.zeros(len(keys), INDEX, like=keys)


def order_of(index: tuple[np.ndarray, ...]) -> np.ndarray:
    """The order of positions, of which equal ones stay as they are given.

    >>> order_of((np.array([2, 0, 2, 0]), np.array([1, 7, 0, 7]))).tolist()
    [1, 3, 2, 0]
    """
    return order_and_firsts(index)[0]


def order_and_firsts(index: tuple[np.ndarray, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The order of positions, and which of them, in this order, differ from the one before.

    Keys of one word are sorted fastest.

    >>> [array.tolist() for array in order_and_firsts((np.array([2, 0, 2, 0]), np.array([1, 7, 0, 7])))]
    [[1, 3, 2, 0], [True, False, True, True]]
    """
    count = len(index[0])
    widths = [int(axis.max(initial=0)).bit_length() for axis in index]
    first, place = np.ones(count, bool), count.bit_length()
    if sum(widths) + place > 63:
        order = np.lexsort(index[::-1])
        first[1:] = np.any([axis[order[1:]] != axis[order[:-1]] for axis in index], axis=0)
        return order, first
    keys = index[0].astype(INDEX)  # 63 bits: none is negative
    for axis, width in zip((*index[1:], np.arange(count)), (*widths[1:], place), strict=True):
        keys <<= width
        keys |= axis
    keys.sort()
    order = keys & ((1 << place) - 1)
    keys >>= place
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    return order, first


def runs(keys: Array) -> Array:
    """Where each run of equal (sorted) keys starts."""
    first = filled(len(keys), True, keys)
    first[1:] = keys[1:] != keys[:-1]
    return np.flatnonzero(first)


def in_order_of_pairs(rows: Array, cols: Array, nrows: int, ncols: int) -> Array:
    """The permutation that sorts positions by row and column; equal ones stay in order."""
    if nrows * ncols < 2**63:
        return order_of_keys(keys_at(rows, cols, nrows, ncols), nrows * ncols)
    by_column = order_of_keys(cols, ncols)
    return by_column[order_of_keys(rows[by_column], nrows)]


def distinct(positions: Array) -> Array:
    """Distinct positions, in order: by sorting, which takes a tenth of the time of hashing."""
    if len(positions) and not every(positions[1:] > positions[:-1]):
        positions = np.sort(positions)
        positions = positions[runs(positions)]
    return positions


def runs_of_pairs(rows: Array, cols: Array) -> Array:
    """Where each run of equal, sorted positions starts."""
    first = filled(len(rows), True, rows)
    first[1:] = (rows[1:] != rows[:-1]) | (cols[1:] != cols[:-1])
    return np.flatnonzero(first)


def ranges(starts: Array, counts: Array) -> Array:
    """``concatenate([arange(s, s + c) for s, c in zip(starts, counts)])`` without the loop."""
    shift = repeat(starts - (np.cumsum(counts) - counts), counts)
    return np.arange(len(shift), dtype=INDEX, like=starts) + shift


def filled(count: int, value: bool, like: Array) -> Array:
    """``count`` times the same flag (CuPy's ``ones`` and ``full`` know no ``like=``)."""
    flags = np.zeros(count, bool, like=like)
    if value:
        flags[...] = True
    return flags


def repeat(values: Array, counts: Array) -> Array:
    """Each value as often as its count says."""
    if isinstance(counts, np.ndarray):
        return np.repeat(values, counts)
    ends = np.cumsum(counts)  # CuPy repeats by one number only: find the run of every output instead
    total = int(ends[-1]) if len(ends) else 0
    return values[np.searchsorted(ends, np.arange(total, dtype=INDEX, like=counts), side="right")]


def position(keys: Array, key: int) -> int:
    """Where a key is, or belongs, among ascending keys."""
    return int(np.searchsorted(keys, np.asarray([key], keys.dtype, like=keys))[0])
