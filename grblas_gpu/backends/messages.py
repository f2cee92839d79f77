"""Entries of a range of positions as one message of bytes, sent between the ranks of a job.

======  ============================================================================================================
header  a number of 64 bits: how many entries, how their positions are given, and what values are sent
places  a list, a bit map (64 positions to a word), or nothing where all positions are taken
ranks   of a bit map with values: how many entries lie before each tile of positions
values  one for each entry, one for all of them, or none
======  ============================================================================================================

Everything begins at a multiple of 8 bytes. Engines have kernels that write and read the same bytes
(:mod:`.cpu.messages`, :mod:`.cuda.messages`); this is the definition.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from .entries import entries, is_iso
from .entries import expand as repeat_value
from .storage import VectorStore

Array = Any  # numpy.ndarray or cupy.ndarray

LIST, BITS, ALL = 0, 1, 2
EACH, ONE, NONE = 0, 1, 2  # values: one for each entry, one for all, not sent
WORD = 8
TILE = 1024  # positions; as in cuda/kernels/messages.cuh


class Parcel:
    """A message for each part of a vector, of which some are sent and one stays."""

    def __init__(self, messages: list[Array], here: int) -> None:
        self._messages, self._here = messages, here if len(messages) > 1 else 0

    def sent(self, part: int) -> Array:
        """The message for the owner of a part (or for all, if there is one part only); may wait for a device."""
        return self._messages[part]

    @property
    def kept(self) -> Array:
        """The message that stays, in memory of the engine."""
        return self._messages[self._here]

    def count(self, part: int) -> int:
        """How many entries a part has."""
        return header_of(self._messages[part]) >> 4


class Numbering(NamedTuple):
    """How positions within a block become global: those below ``ends[k]`` are ``shifts[k]`` less.

    >>> Numbering([3, 6], [2, 4]).to_global(np.array([0, 2, 3, 5])).tolist()
    [2, 4, 7, 9]
    """

    ends: list[int]
    shifts: list[int]

    def to_global(self, values: Array) -> Array:
        shifts = np.asarray(self.shifts, np.int64, like=values)
        if len(self.ends) == 1:
            return values + shifts[0]
        piece = np.searchsorted(np.asarray(self.ends[:-1], np.int64, like=values), values, side="right")
        return values + shifts[piece]


class Sizes(NamedTuple):
    """Bytes of what follows a header."""

    places: int
    ranks: int
    values: int

    @property
    def whole(self) -> int:
        return WORD + self.places + self.ranks + self.values


def sizes(code: int, length: int, itemsize: int) -> Sizes:
    """Of a message about ``length`` positions.

    >>> sizes(3 << 4 | LIST << 2 | EACH, 100, 8), sizes(50 << 4 | BITS << 2 | EACH, 100, 8).whole
    (Sizes(places=8, ranks=0, values=24), 432)
    """
    count, how, kind = code >> 4, code >> 2 & 3, code & 3
    places = 0 if how == ALL else count * index_type(length).itemsize if how == LIST else -(-length // 8)
    ranks = WORD * -(-length // TILE) if how == BITS and kind == EACH else 0
    values = 0 if kind == NONE else itemsize * (count if kind == EACH else min(count, 1))
    return Sizes(padded(places), ranks, padded(values))


def most_bytes(length: int, itemsize: int) -> int:
    """No message about so many positions is longer."""
    return 4 * WORD + -(-length // 8) + WORD * -(-length // TILE) + length * itemsize


def code_of(count: int, length: int, valued: bool, one: bool) -> int:
    """How so many entries are sent; ``one``: a value stands for all of them.

    >>> code_of(2, 2, False, False) == 2 << 4 | ALL << 2 | NONE
    True
    """
    index = index_type(length).itemsize
    how = ALL if count == length else LIST if count * index <= -(-length // 8) else BITS
    kind = NONE if not valued else ONE if count == 1 or (count and one) else EACH
    return count << 4 | how << 2 | kind


def header_of(message: Array) -> int:
    return int(message[:WORD].view(np.int64)[0])  # synchronizes, where a message is in the memory of a device


class Fields(NamedTuple):
    """What is in a message: views of its bytes. Those that it does not have are empty."""

    entries: int
    how: int
    kind: int
    indices: Array
    bits: Array  # bytes, the first position in the lowest bit
    ranks: Array
    values: Array


def fields_of(message: Array, code: int, length: int, dtype: np.dtype) -> Fields:
    count, how, kind = code >> 4, code >> 2 & 3, code & 3
    found = sizes(code, length, dtype.itemsize)
    index = index_type(length)
    listed, bits = count * index.itemsize if how == LIST else 0, found.places if how == BITS else 0
    ranks, values = WORD + found.places, WORD + found.places + found.ranks
    stored = 0 if kind == NONE else count if kind == EACH else min(count, 1)
    return Fields(
        count,
        how,
        kind,
        message[WORD : WORD + listed].view(index),
        message[WORD : WORD + bits],
        message[ranks:values].view(np.int64),
        message[values : values + stored * dtype.itemsize].view(dtype),
    )


def new_message(code: int, length: int, dtype: np.dtype, like: Array) -> tuple[Array, Fields]:
    """Zeros but for the header."""
    message = np.zeros(sizes(code, length, dtype.itemsize).whole, np.uint8, like=like)
    message[:WORD].view(np.int64)[:] = code
    return message, fields_of(message, code, length, dtype)


def pack(keys: Array, values: Array | None, length: int) -> Array:
    """Entries at ascending ``keys`` below ``length``; ``values`` None if the receiver needs none.

    >>> keys, values = unpack(pack(np.array([1, 4]), np.array([2.5, 3.5]), 6), 6, np.dtype(float))
    >>> keys.tolist(), values.tolist()
    ([1, 4], [2.5, 3.5])
    """
    code = code_of(len(keys), length, values is not None, values is not None and is_iso(values))
    message, fields = new_message(code, length, np.dtype(bool) if values is None else values.dtype, keys)
    if fields.how == LIST:
        fields.indices[:] = keys.astype(fields.indices.dtype)
    elif fields.how == BITS:
        bits = np.packbits(flags(keys, length), bitorder="little")
        fields.bits[: len(bits)] = bits
        if fields.kind == EACH:
            tiles = np.arange(len(fields.ranks), dtype=np.int64, like=keys) * TILE
            fields.ranks[:] = np.searchsorted(keys, tiles)
    if values is not None:
        fields.values[:] = values[: len(fields.values)]
    return message


def unpack(message: Array, length: int, dtype: np.dtype) -> tuple[Array, Array | None]:
    """Keys and values (as many as keys, or a view of one), or None where no values were sent."""
    fields = fields_of(message, header_of(message), length, dtype)
    if fields.how == ALL:
        keys = np.arange(fields.entries, dtype=np.int64, like=message)
    elif fields.how == LIST:
        keys = fields.indices.astype(np.int64)
    else:
        keys = np.flatnonzero(np.unpackbits(fields.bits, bitorder="little")[:length])
    return keys, None if fields.kind == NONE else repeat_value(fields.values, fields.entries)


# ---- stores ---------------------------------------------------------------------------------------------------------


def pack_parts(u: VectorStore, lengths: list[int], dtype: np.dtype | None, here: int) -> Parcel:
    """The parts of a vector, of these lengths; values of this type go along, or none."""
    keys, values = entries(u)
    ends = np.cumsum(lengths)
    inner = np.asarray(ends[:-1].tolist(), np.int64, like=keys)
    cuts = [0, *np.searchsorted(keys, inner).tolist(), len(keys)]  # synchronizes
    messages = []
    for low, high, end, length in zip(cuts[:-1], cuts[1:], ends.tolist(), lengths, strict=True):
        taken = None if dtype is None else values[low:high]
        if dtype is not None and taken is not None and taken.dtype != dtype:
            taken = np.broadcast_to(taken[:1].astype(dtype), taken.shape) if is_iso(taken) else taken.astype(dtype)
        messages.append(pack(keys[low:high] - (end - length), taken, length))
    return Parcel(messages, here)


def join_parts(messages: list[Array], lengths: list[int], dtype: np.dtype, dense: bool) -> VectorStore:
    """One store of parts that follow each other: a list, or (``dense``) flags and values for every position."""
    found, start = [], 0
    for message, length in zip(messages, lengths, strict=True):
        keys, values = unpack(message, length, dtype)
        found.append((keys + start, values))
        start += length
    keys = np.concatenate([part for part, _ in found])
    values = _joined_values([values for part, values in found if len(part)], dtype, keys)
    stored = values[:1].copy() if is_iso(values) else values
    if len(keys) == start and start:
        return VectorStore(start, stored)
    if not dense:
        return VectorStore(start, stored, indices=keys)
    if not is_iso(values):
        stored = np.zeros(start, dtype, like=keys)
        stored[keys] = values
    return VectorStore(start, stored, present=flags(keys, start), nvals=len(keys))


def _joined_values(parts: list[Any], dtype: np.dtype, like: Array) -> Array:
    """All values in a row; a view of one if they are the same one."""
    if not parts:
        return np.zeros(0, dtype, like=like)
    if any(part is None for part in parts):
        return np.broadcast_to(np.asarray([1], dtype, like=like), (len(like),))
    if all(is_iso(part) or len(part) == 1 for part in parts):
        firsts = np.concatenate([part[:1] for part in parts])
        if bool((firsts == firsts[0]).all()):  # synchronizes
            return np.broadcast_to(firsts[:1], (len(like),))
    return np.concatenate(parts)


def fold_parts(
    engine: Any, messages: list[Array], size: int, dtype: np.dtype, monoid: Any, numbering: list[Numbering] | None
) -> VectorStore:
    """Several results for the same positions as one, combined in their order.

    ``numbering``: values are positions within the blocks of their senders, and become global.
    """
    found = []
    for number, message in enumerate(messages):
        keys, values = unpack(message, size, dtype)
        assert values is not None
        if len(keys):
            found.append((keys, values if numbering is None else numbering[number].to_global(values.astype(np.int64))))
    dtype = dtype if numbering is None else np.dtype(np.int64)
    if not found:
        return engine.empty_vector(size, dtype)
    stores = [VectorStore(size, got[:1].copy() if is_iso(got) else got, indices=keys) for keys, got in found]
    if len(stores) == 1:
        return stores[0]
    firsts = [store.values[:1] for store in stores]
    if all(store.iso for store in stores) and keeps_value(monoid, np.concatenate(firsts)):
        present = np.zeros(size, bool, like=stores[0].indices)
        for keys, _ in found:
            present[keys] = True
        return VectorStore(size, firsts[0], present=present, nvals=int(np.count_nonzero(present)))  # synchronizes
    return reduce(lambda x, y: engine.ewise_add(x, y, monoid.binaryop), stores)


def keeps_value(monoid: Any, values: Array) -> bool:
    """Whether these are all one value, and combining it with itself gives it again: then only structure matters."""
    if hasattr(values, "get"):
        values = values.get()  # synchronizes
    if not (values == values[0]).all():
        return False
    return bool(monoid.any_value or monoid.binaryop.numpy(values[:1], values[:1])[0] == values[0])


# ---- bytes ----------------------------------------------------------------------------------------------------------


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


def as_bytes(array: Array) -> Array:
    # NumPy's ascontiguousarray knows no arrays of a device.
    return (array if array.flags.c_contiguous else array.copy()).view(np.uint8)


def padded(count: int) -> int:
    return -(-count // WORD) * WORD
