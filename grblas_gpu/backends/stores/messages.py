"""Entries of a range of positions as one message of bytes, sent between the ranks of a job.

======  ============================================================================================================
header  a number of 64 bits: how many entries, how their positions are given, and what values are sent
places  a list, a bit map (64 positions to a word), or nothing where all positions are taken
values  one for each entry, one for all of them, or none
======  ============================================================================================================

Everything begins at a multiple of 8 bytes. Functions work on arrays of any library.
"""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

import numpy as np

from ...foundation.types import Engine, TypedMonoid
from .counting import every
from .entries import compress, entries, expand, present_flags
from .index_types import Array
from .storage import VectorStore

LIST, BITS, ALL = 0, 1, 2
EACH, ONE, NONE = 0, 1, 2  # values: one for each entry, one for all, not sent
WORD = 8


class PackedParts:
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
        if len(self.ends) == 1:
            return values + self.shifts[0]
        piece = np.searchsorted(np.asarray(self.ends[:-1], np.int64, like=values), values, side="right")
        return values + np.asarray(self.shifts, np.int64, like=values)[piece]


class Sizes(NamedTuple):
    """Bytes of what follows a header."""

    places: int
    values: int

    @property
    def whole(self) -> int:
        return WORD + self.places + self.values


def sizes(code: int, length: int, itemsize: int) -> Sizes:
    """Of a message about ``length`` positions.

    >>> sizes(3 << 4 | LIST << 2 | EACH, 100, 8), sizes(50 << 4 | BITS << 2 | EACH, 100, 8).whole
    (Sizes(places=8, values=24), 424)
    """
    count, how, kind = code >> 4, code >> 2 & 3, code & 3
    places = 0 if how == ALL else count * index_type(length).itemsize if how == LIST else -(-length // 8)
    values = 0 if kind == NONE else itemsize * (count if kind == EACH else min(count, 1))
    return Sizes(padded(places), padded(values))


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
    values: Array  # 1, if none are sent


def fields_of(message: Array, code: int, length: int, dtype: np.dtype) -> Fields:
    count, how, kind = code >> 4, code >> 2 & 3, code & 3
    found = sizes(code, length, dtype.itemsize)
    index = index_type(length)
    listed, bits = count * index.itemsize if how == LIST else 0, found.places if how == BITS else 0
    values = WORD + found.places
    stored = count if kind == EACH else min(count, 1)
    if kind == NONE:
        given = np.asarray([1], dtype, like=message)
    else:
        given = message[values : values + stored * dtype.itemsize].view(dtype)
    return Fields(count, how, kind, message[WORD : WORD + listed].view(index), message[WORD : WORD + bits], given)


def new_message(code: int, length: int, dtype: np.dtype, like: Array) -> tuple[Array, Fields]:
    """Zeros but for the header."""
    message = np.zeros(sizes(code, length, dtype.itemsize).whole, np.uint8, like=like)
    message[:WORD].view(np.int64)[:] = code
    return message, fields_of(message, code, length, dtype)


# ---- vectors --------------------------------------------------------------------------------------------------------


def pack_parts(u: VectorStore, lengths: list[int], dtype: np.dtype | None, here: int) -> PackedParts:
    """The parts of a vector, of these lengths; values of this type go along, or none."""
    if u.indices is None:
        starts = np.cumsum([0, *lengths]).tolist()
    else:
        keys, values = entries(u)
        inner = np.asarray(np.cumsum(lengths)[:-1].tolist(), np.int64, like=keys)
        starts = [0, *np.searchsorted(keys, inner).tolist(), len(keys)]  # synchronizes
        u = VectorStore(u.size, compress(values), indices=keys)
    messages, first = [], 0
    for low, high, length in zip(starts[:-1], starts[1:], lengths, strict=True):
        some = u.values if len(u.values) == 1 else u.values[low:high]
        present = None if u.present is None else u.present[low:high]
        indices = None if u.indices is None else u.indices[low:high] - first
        messages.append(pack(VectorStore(length, some, indices=indices, present=present), dtype))
        first += length
    return PackedParts(messages, here)


def pack(u: VectorStore, dtype: np.dtype | None) -> Array:
    """A vector as one message; no ``dtype``: the receiver needs no values.

    >>> u = VectorStore(6, np.array([2.5, 3.5]), indices=np.array([1, 4]))
    >>> keys, values = entries(unpack(pack(u, u.dtype), 6, u.dtype))
    >>> keys.tolist(), values.tolist()
    ([1, 4], [2.5, 3.5])
    """
    code = code_of(u.nvals, u.size, dtype is not None, len(u.values) == 1)
    message, fields = new_message(code, u.size, np.dtype(bool) if dtype is None else dtype, u.values)
    by_entry = fields.how == LIST or (fields.how == BITS and fields.kind != NONE and len(u.values) > 1)
    keys, values = entries(u) if by_entry else (u.values[:0], u.values)
    if fields.how == LIST:
        fields.indices[:] = keys.astype(fields.indices.dtype)
    elif fields.how == BITS:
        bits = np.packbits(present_flags(u), bitorder="little")
        fields.bits[: len(bits)] = bits
    if dtype is not None:
        fields.values[:] = values[: len(fields.values)].astype(dtype, copy=False)
    return message


def unpack(message: Array, length: int, dtype: np.dtype) -> VectorStore:
    """The entries of a message; 1 stands for values that were not sent."""
    fields = fields_of(message, header_of(message), length, dtype)
    if fields.how == ALL:
        return VectorStore(length, fields.values)
    if fields.how == LIST:
        return VectorStore(length, fields.values, indices=fields.indices.astype(np.int64))
    present = np.empty(length, bool, like=message)
    values = np.zeros(length, dtype, like=message) if fields.kind == EACH else fields.values
    _put(fields, present, values if fields.kind == EACH else None)
    return VectorStore(length, values, present=present, nvals=fields.entries)


def _put(fields: Fields, present: Array, values: Array | None) -> None:
    """Set flags, and values if there is room for them, at the positions of a message."""
    where: slice | Array = slice(None)
    if fields.how == BITS:
        present[:] = np.unpackbits(fields.bits, bitorder="little")[: len(present)]
        where = where if values is None else np.flatnonzero(present)
    else:
        where = where if fields.how == ALL else fields.indices.astype(np.int64)
        present[where] = True
    if values is not None:
        values[where] = fields.values


def join_parts(messages: list[Array], lengths: list[int], dtype: np.dtype, dense: bool) -> VectorStore:
    """One store of parts that follow each other: a list, or (``dense``) flags and values for every position."""
    given = zip(messages, lengths, strict=True)
    parts = [fields_of(message, header_of(message), length, dtype) for message, length in given]
    size, filled = sum(lengths), [part for part in parts if part.entries]
    starts = np.cumsum([0, *lengths]).tolist()
    one = same_value([part.values for part in filled])
    full = size > 0 and sum(part.entries for part in filled) == size
    if full and one is not None:
        return VectorStore(size, one)
    if not (full or dense) and all(part.how == LIST for part in filled):
        pairs = zip(parts, starts[:-1], strict=True)
        keys = np.concatenate([part.indices.astype(np.int64) + start for part, start in pairs])
        each = one if one is not None else np.concatenate([expand(part.values, part.entries) for part in parts])
        return VectorStore(size, each, indices=keys)
    present = np.zeros(size, bool, like=messages[0])
    values = np.zeros(size, dtype, like=messages[0]) if one is None else one
    for part, low, high in zip(parts, starts[:-1], starts[1:], strict=True):
        _put(part, present[low:high], values[low:high] if one is None else None)
    nvals = sum(part.entries for part in filled)
    return VectorStore(size, values, present=None if full else present, nvals=nvals)


def fold_parts(
    engine: Engine,
    messages: list[Array],
    size: int,
    dtype: np.dtype,
    monoid: TypedMonoid,
    numbering: list[Numbering] | None,
) -> VectorStore:
    """Several results for the same positions as one, combined in their order.

    ``numbering``: values are positions within the blocks of their senders, and become global.
    """
    parts = [unpack(message, size, dtype) for message in messages]
    if numbering is not None:
        dtype = np.dtype(np.int64)
        for part, block in zip(parts, numbering, strict=True):
            part.values, part.dtype = block.to_global(part.values.astype(dtype)), dtype
    parts = [part for part in parts if part.nvals]
    if len(parts) < 2:
        return parts[0] if parts else engine.empty_vector(size, dtype)
    one = same_value([part.values for part in parts])
    if one is not None and keeps_value(monoid, one):
        return VectorStore(size, one, present=reduce(np.logical_or, map(present_flags, parts)))  # synchronizes
    return reduce(lambda x, y: engine.ewise_add(x, y, monoid.binaryop), parts)


def same_value(values: list[Array]) -> Array | None:
    """The value that stands for the entries of all messages, if each of them has one, and it is the same."""
    if not values or any(len(each) != 1 for each in values):
        return None
    firsts = np.concatenate(values)
    return firsts[:1] if every(firsts == firsts[0]) else None  # synchronizes


def keeps_value(monoid: TypedMonoid, one: Array) -> bool:
    """Whether combining a value with itself gives it again: then only structure matters."""
    if monoid.any_value:
        return True
    if hasattr(one, "get"):
        one = one.get()  # synchronizes
    return bool(monoid.binaryop.numpy(one, one)[0] == one[0])


# ---- bytes ----------------------------------------------------------------------------------------------------------


def index_type(length: int) -> np.dtype:
    """The type of positions below ``length``.

    >>> index_type(2**16).name, index_type(2**20).name
    ('uint16', 'uint32')
    """
    return np.dtype(np.uint16 if length <= 2**16 else np.uint32 if length <= 2**32 else np.int64)


def as_bytes(array: Array) -> Array:
    # NumPy's ascontiguousarray knows no arrays of a device.
    return (array if array.flags.c_contiguous else array.copy()).view(np.uint8)


def padded(count: int) -> int:
    return -(-count // WORD) * WORD
