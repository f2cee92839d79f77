"""Messages between ranks (:mod:`..messages`) by kernels: two launches pack all parts of a vector, one merges them.

Kernels write where MPI reads, memory of the host unless it reads that of a device, so the host waits once for all that
it sends. It knows the headers of what arrived, and so all sizes: it launches a merge and does not wait for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import cupy
import numpy as np

from ...foundation.types import TypedMonoid
from ..stores.messages import (
    ALL,
    BITS,
    LIST,
    NONE,
    ONE,
    TILE,
    WORD,
    Numbering,
    PackedParts,
    header_of,
    keeps_value,
    most_bytes,
    padded,
    same_value,
    sizes,
)
from ..stores.storage import INDEX, Array, VectorStore
from .eager.masks import address
from .eager.vectors import as_bitmap
from .runtime import workspace
from .runtime.arrays import empty_list, two_arrays
from .runtime.compile import Operator, specialized
from .runtime.launch import BLOCK

_BOOL = np.dtype(bool)
_INT64 = np.dtype(INDEX)
_PACK = ("count_parts_kernel", "fill_parts_kernel")
_MERGE = ("merge_parts_kernel", "list_parts_kernel")
_NO_OPERATOR = "DEVICE bool op(bool, bool, int64, int64, int64, int64) { return true; }"


@dataclass(frozen=True)
class Message:
    """A message of which the host knows the header, and the value that stands for all entries (or none)."""

    data: Array
    code: int
    one: np.ndarray

    @property
    def count(self) -> int:
        return self.code >> 4

    @property
    def how(self) -> int:
        return self.code >> 2 & 3


# ---- packing --------------------------------------------------------------------------------------------------------


class DeviceParts(PackedParts):
    """Messages that kernels are writing."""

    def __init__(self, lengths: list[int], dtype: np.dtype | None, here: int, on_host: bool) -> None:
        self._lengths, self._dtype = lengths, np.dtype("V") if dtype is None else dtype  # nothing, of no bytes
        self._itemsize = self._dtype.itemsize
        self._here = here if len(lengths) > 1 else 0
        most = [padded(most_bytes(length, self._itemsize)) for length in lengths]
        sent = [part for part in range(len(lengths)) if len(lengths) == 1 or part != here]
        heads = 2 * WORD * len(lengths)
        room = heads + (sum(most[part] for part in sent) if on_host else 0)
        # From a pool, which takes it back after the messages have been sent and released.
        pinned = cupy.cuda.alloc_pinned_memory(room)
        everything = np.frombuffer(pinned, np.uint8, room)
        self.known_at, self._known = pinned.ptr, everything[:heads].view(INDEX)
        self._targets: dict[int, Array] = {}
        self.addresses = [0] * len(lengths)
        place = heads
        for part in sent:
            if on_host:
                self._targets[part] = everything[place : place + most[part]]
                self.addresses[part] = pinned.ptr + place
                place += most[part]
            else:
                self._targets[part] = cupy.empty(most[part], np.uint8)
                self.addresses[part] = self._targets[part].data.ptr
        self._mirror = cupy.empty(most[self._here], np.uint8)
        self.mirrors = [self._mirror.data.ptr if part == self._here else 0 for part in range(len(lengths))]
        self.counter: Any = None

    def _code(self, part: int) -> int:
        self.counter.read()  # synchronizes: all has been written
        return int(self._known[2 * part])

    def sent(self, part: int) -> Array:
        return self._targets[part][: sizes(self._code(part), self._lengths[part], self._itemsize).whole]

    @property
    def kept(self) -> Message:
        code = self._code(self._here)
        value = self._known[2 * self._here + 1 :][:1].view(np.uint8)[: self._itemsize]
        return Message(self._mirror, code, value.view(self._dtype) if code & 3 == ONE else value[:0])

    def count(self, part: int) -> int:
        return self._code(part) >> 4


def pack_parts(u: VectorStore, lengths: list[int], dtype: np.dtype | None, here: int, on_host: bool) -> DeviceParts:
    u = as_bitmap(u)
    valued, full, iso = dtype is not None, u.present is None, len(u.values) == 1
    sent_type = _BOOL if dtype is None else dtype
    stored = u.values.dtype if valued else _BOOL
    given = {"Stored": stored, "Sent": sent_type, "VALUED": valued, "FULL": full, "ISO": iso}
    count, fill = specialized("pack_parts.cu", _PACK, given)
    packed = DeviceParts(lengths, dtype, here, on_host)
    tiles = [-(-length // TILE) for length in lengths]
    table = np.array([_starts(lengths), lengths, _starts(tiles), packed.addresses, packed.mirrors], INDEX).T
    parts = cupy.asarray(np.ascontiguousarray(table))
    scratch = workspace.current()
    slots = scratch.slots()
    before = scratch.values("entries before tiles", _INT64, sum(tiles) + len(lengths)).data.ptr
    plan = before + WORD * sum(tiles)
    work, shared = max(1, sum(tiles)) * BLOCK, (parts.data.ptr, len(lengths), sum(tiles), before, plan)
    scratch.launch(count, work, (address(u.present), *shared, slots.address))
    ends = packed.known_at, slots.address, slots.host
    scratch.launch(fill, work, (address(u.present), u.values.data.ptr, *shared, *ends))
    packed.counter = slots.published()
    return packed


# ---- merging --------------------------------------------------------------------------------------------------------


def join_parts(sent: list[Array], lengths: list[int], dtype: np.dtype, dense: bool) -> VectorStore:
    size, messages = sum(lengths), _messages(sent, lengths, dtype)
    filled = [each for each in messages if each.count]
    total = sum(each.count for each in filled)
    if total == 0:
        nothing = empty_list(size, dtype)
        return as_bitmap(nothing) if dense else nothing
    one = same_value([each.one for each in filled])
    merge = _Merge(messages, lengths, dtype, dtype, one)
    if total == size:
        return merge.full()
    if not dense and all(each.how != BITS for each in filled):
        return merge.list()
    return merge.bitmap(total)


def fold_parts(
    sent: list[Array], size: int, dtype: np.dtype, monoid: TypedMonoid, numbering: list[Numbering] | None
) -> VectorStore:
    everyone = _messages(sent, [size] * len(sent), dtype)
    filled = [number for number, each in enumerate(everyone) if each.count]
    value = dtype if numbering is None else _INT64
    if not filled:
        return empty_list(size, value)
    messages = [everyone[number] for number in filled]
    blocks = None if numbering is None else [numbering[number] for number in filled]
    one = same_value([each.one for each in messages]) if numbering is None else None
    if one is not None and len(messages) > 1 and not keeps_value(monoid, one):
        one = None
    merge = _Merge(messages, [size] * len(messages), dtype, value, one, monoid, blocks)
    if any(each.how == ALL for each in messages):
        return merge.full()
    return merge.list() if len(messages) == 1 and messages[0].how == LIST else merge.bitmap(None)


def _messages(sent: list[Array], lengths: list[int], dtype: np.dtype) -> list[Message]:
    """What was kept and what has arrived, on the device; from the host in one copy."""
    on_host = [each for each in sent if isinstance(each, np.ndarray) and not isinstance(each, cupy.ndarray)]
    together = cupy.asarray(np.concatenate(on_host)) if on_host else None
    found, place = [], 0
    for each, length in zip(sent, lengths, strict=True):
        if isinstance(each, Message):
            found.append(replace(each, one=np.ones(1, dtype)) if each.code & 3 == NONE else each)
            continue
        code, data = header_of(each), each
        one = np.ones(int(code & 3 == NONE), dtype)
        if code & 3 == ONE:
            value = each[WORD + sizes(code, length, dtype.itemsize).places :][: dtype.itemsize]
            one = (value if isinstance(value, np.ndarray) else value.get()).view(dtype)
        if together is not None and not isinstance(each, cupy.ndarray):
            data = together[place : place + len(each)]
            place += len(each)
        found.append(Message(data, code, one))
    return found


def _starts(numbers: Sequence[int]) -> list[int]:
    return np.cumsum([0, *numbers[:-1]]).tolist()


class _Merge:
    """The kernels for messages of one kind, and what they are given; ``one``: the value of all entries."""

    def __init__(
        self,
        messages: list[Message],
        lengths: list[int],
        sent: np.dtype,
        value: np.dtype,
        one: np.ndarray | None,
        monoid: TypedMonoid | None = None,
        numbering: list[Numbering] | None = None,
    ) -> None:
        fold, valued = monoid is not None, one is None
        op = Operator(monoid.binaryop if monoid is not None and valued else None, "op", _NO_OPERATOR)
        flags = {"VALUED": valued, "FOLD": fold, "NUMBERED": numbering is not None}
        self._kernels = specialized("merge_parts.cu", _MERGE, {"Sent": sent, "Value": value, **flags}, op)
        self._one, self._value = one, value
        counts = [each.count for each in messages]
        tiles = [-(-length // TILE) for length in lengths]
        self._tiles = tiles[0] if fold else sum(tiles)
        firsts = [0] * len(lengths) if fold else _starts(lengths)
        self._messages = messages  # which are read until the kernel has run
        data, pieces = [each.data.data.ptr for each in messages], self._pieces(numbering)
        rows = zip(data, firsts, lengths, _starts(tiles), _starts(counts), *pieces, strict=True)
        self._rows = np.array(list(rows), INDEX)
        self._entries, self._size = sum(counts), lengths[0] if fold else sum(lengths)

    def _pieces(self, numbering: list[Numbering] | None) -> list[list[int]]:
        count = len(self._messages)
        if numbering is None:
            return [[0] * count] * 3
        flat = [number for each in numbering for number in (*each.ends, *each.shifts)]
        self._numbers = cupy.asarray(np.array(flat, INDEX))
        lengths = [len(each.ends) for each in numbering]
        ends = [self._numbers.data.ptr + 2 * WORD * start for start in _starts(lengths)]
        shifts = [end + WORD * length for end, length in zip(ends, lengths, strict=True)]
        return [ends, shifts, lengths]

    def _launched(self) -> tuple[Array, Array, Any]:
        """Flags, values, and the number of entries on the device."""
        size, one, table = self._size, self._one, cupy.asarray(self._rows)
        present, values = two_arrays(size, _BOOL, size if one is None else 1, self._value)
        scratch = workspace.current()
        slots = scratch.slots()
        given = table.data.ptr, len(table), self._tiles, present.data.ptr, values.data.ptr
        scratch.launch(self._kernels[0], max(1, self._tiles) * BLOCK, (*given, slots.address, slots.host))
        return present, values if one is None else cupy.asarray(one), slots.published()

    def full(self) -> VectorStore:
        """Every position has an entry."""
        return VectorStore(self._size, self._launched()[1] if self._one is None else cupy.asarray(self._one))

    def bitmap(self, nvals: int | None) -> VectorStore:
        """Flags and values by position; None: only the device knows how many there are."""
        present, values, counter = self._launched()
        if nvals is None:
            return VectorStore.counted_bitmap(self._size, values, present, counter, self._size)
        return VectorStore(self._size, values, present=present, nvals=nvals)

    def list(self) -> VectorStore:
        """The entries of messages without bits."""
        one, table = self._one, cupy.asarray(self._rows)
        indices, values = cupy.empty(self._entries, INDEX), cupy.empty(self._entries if one is None else 1, self._value)
        given = table.data.ptr, self._entries, indices.data.ptr, values.data.ptr
        workspace.current().launch(self._kernels[1], self._entries, given)
        return VectorStore(self._size, values if one is None else cupy.asarray(one), indices=indices)
