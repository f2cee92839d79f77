"""Entries of a range of positions as bytes: a list, a bit map, or nothing where all positions are taken.

One number describes the bytes: how many entries, how they are given, and whether one value stands for all of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..entries import expand as repeat_value
from ..entries import is_iso

Array = Any  # numpy.ndarray or cupy.ndarray

LIST, BITS, ALL = 0, 1, 2
EACH, ONE, NONE = 0, 1, 2  # values: one for each entry, one for all, not sent
WORD = 8  # everything begins at a multiple of this


class Packed(NamedTuple):
    """The description and the bytes."""

    code: int
    data: Array


def pack(keys: Array, values: Array | None, length: int) -> Packed:
    """Entries at ascending ``keys`` below ``length``; ``values`` None if the receiver needs none.

    >>> keys, values = unpack(*pack(np.array([1, 4]), np.array([2.5, 3.5]), 6), 6, np.dtype(float))
    >>> keys.tolist(), values.tolist()
    ([1, 4], [2.5, 3.5])
    """
    count = len(keys)
    index = index_type(length)
    if count == length:
        how, places = ALL, np.zeros(0, np.uint8, like=keys)
    elif count * index.itemsize <= -(-length // 8):
        how, places = LIST, as_bytes(keys.astype(index))
    else:
        how, places = BITS, pack_flags(flags(keys, length))
    if values is None:
        kind, shown = NONE, np.zeros(0, np.uint8, like=keys)
    elif count and (is_iso(values) or count == 1):
        kind, shown = ONE, as_bytes(values[:1].copy())
    else:
        kind, shown = EACH, as_bytes(values)
    code = count << 4 | how << 2 | kind
    return Packed(code, np.concatenate([padded(places), padded(shown)]))


def pack_code_of_all(length: int, with_values: bool) -> int:
    """The description of a part that has an entry everywhere, and a value for each, if any.

    >>> keys, values = unpack(pack_code_of_all(2, True), np.array([5, 6]).view(np.uint8), 2, np.dtype(np.int64))
    >>> keys.tolist(), values.tolist()
    ([0, 1], [5, 6])
    """
    return length << 4 | ALL << 2 | (EACH if with_values else NONE)


def unpack(code: int, data: Array, length: int, dtype: np.dtype) -> tuple[Array, Array | None]:
    """Keys and values (as many as keys, or a view of one), or None where no values were sent."""
    count, how, kind = code >> 4, code >> 2 & 3, code & 3
    first, _ = _sizes(code, length, dtype)
    if how == ALL:
        keys = np.arange(count, dtype=np.int64, like=data)
    elif how == LIST:
        index = index_type(length)
        keys = data[: count * index.itemsize].view(index).astype(np.int64)
    else:
        keys = np.flatnonzero(unpack_flags(data[: -(-length // 8)], length))
    if kind == NONE:
        return keys, None
    stored = count if kind == EACH else min(count, 1)
    values = data[first : first + stored * dtype.itemsize].view(dtype)
    return keys, repeat_value(values, count)


def _sizes(code: int, length: int, dtype: np.dtype) -> tuple[int, int]:
    count, how, kind = code >> 4, code >> 2 & 3, code & 3
    places = 0 if how == ALL else count * index_type(length).itemsize if how == LIST else -(-length // 8)
    values = 0 if kind == NONE else dtype.itemsize * (count if kind == EACH else min(count, 1))
    return -(-places // WORD) * WORD, -(-values // WORD) * WORD


def index_type(length: int) -> np.dtype:
    """The type of positions below ``length``.

    >>> index_type(2**16).name, index_type(2**20).name
    ('uint16', 'uint32')
    """
    return np.dtype(np.uint16 if length <= 2**16 else np.uint32 if length <= 2**32 else np.int64)


def flags(keys: Array, length: int) -> Array:
    """A Boolean for every position: is it among the keys."""
    present = np.zeros(length, bool, like=keys)
    present[keys] = True
    return present


def pack_flags(present: Array) -> Array:
    return np.packbits(present)


def unpack_flags(data: Array, length: int) -> Array:
    return np.unpackbits(data)[:length].view(bool)


def as_bytes(array: Array) -> Array:
    # NumPy's ascontiguousarray knows no arrays of a device.
    return (array if array.flags.c_contiguous else array.copy()).view(np.uint8)


def padded(data: Array) -> Array:
    rest = -len(data) % WORD
    return data if not rest else np.concatenate([data, np.zeros(rest, np.uint8, like=data)])
