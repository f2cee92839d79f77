"""Numbers for nodes that have 64-bit integers as labels: by a bit each if the integers are close, else by hashing.

Labels are grouped by their hash before they are entered, so that each table fits the cache. A device sorts them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from ..backends.cpu.compile import function_of, load
from ..backends.cpu.pool import run
from ..backends.registry import current_engine
from ..foundation.types import Array

PIECE = 2**20  # labels
FEW = 2**16  # labels: fewer are sorted without a compiler
SPARSE = 8  # a range of integers with fewer labels than one in so many is hashed
SPARSE_BITS = 64  # ... of bits
GROUPS = 2**8

# Open addressing: the code of a free slot is -1. The multiplier is that of Fibonacci hashing.
_SOURCE = '''\
@kernel
def hashed(label):
    return U(label) * U(11400714819323198485)

@kernel
def slot_of(label, keys, codes, bits):
    """Where a label is, or the free slot for it. The first bits of the hash are the number of its group."""
    mask = len(keys) - 1
    slot = np.int64((hashed(label) << U(8)) >> (U(64) - U(bits)))
    while codes[slot] >= 0 and keys[slot] != label:
        slot = (slot + 1) & mask
    return slot

@kernel
def group(labels, groups, moved, ends):
    """Copy labels to their groups."""
    for label in labels:
        ends[hashed(label) >> U(56)] += 1
    place = 0
    for k in range(len(ends)):
        place += ends[k]
        ends[k] = place - ends[k]
    for k in range(len(labels)):
        part = hashed(labels[k]) >> U(56)
        groups[k] = part
        moved[U(ends[part])] = labels[k]
        ends[part] += 1

@kernel
def enter(labels, keys, codes, bits, found, count):
    """Replace labels by their codes, and append new ones to ``found``; return their number now."""
    for k in range(len(labels)):
        slot = slot_of(labels[k], keys, codes, bits)
        if codes[slot] < 0:
            keys[slot] = found[count] = labels[k]
            codes[slot] = count
            count += 1
        labels[k] = codes[slot]
    return count

@kernel
def renumber(codes, numbers):
    for k in range(len(codes)):
        codes[k] = numbers[U(codes[k])]

@kernel
def ungroup(groups, labels, places, out):
    """Labels, or what replaced them, in the order before they were grouped."""
    for k in range(len(groups)):
        group = groups[k]
        out[k] = labels[U(places[group])]
        places[group] += 1

@kernel
def find(labels, keys, codes, bits, out):
    """The codes of labels, -1 for unknown ones."""
    for k in range(len(labels)):
        out[k] = codes[slot_of(labels[k], keys, codes, bits)]

@kernel
def kernel(labels, first, keys, codes, bits):
    """Enter labels; label k gets the code first + k. Return the number of the first repeated one, or -1."""
    for k in range(len(labels)):
        slot = slot_of(labels[k], keys, codes, bits)
        if codes[slot] >= 0:
            return k
        keys[slot] = labels[k]
        codes[slot] = first + k
    return -1
'''

# A bit for each integer of a range, and how many bits come before each word of them: tables that fit the cache.
_BITS = """\
@kernel
def ones(word):
    word -= (word >> U(1)) & U(0x5555555555555555)
    word = (word & U(0x3333333333333333)) + ((word >> U(2)) & U(0x3333333333333333))
    return np.int64((((word + (word >> U(4))) & U(0x0F0F0F0F0F0F0F0F)) * U(0x0101010101010101)) >> U(56))

@kernel
def enter(labels, low, bits):
    for k in range(len(labels)):
        place = U(labels[k] - low)
        bits[place >> U(6)] |= U(1) << (place & U(63))

@kernel
def count(bits, before):
    total = 0
    for k in range(len(bits)):
        before[k] = total
        total += ones(bits[k])
    return total

@kernel
def members(bits, low, found):
    at = 0
    for k in range(len(bits)):
        word = bits[k]
        while word:
            found[at] = low + 64 * k + ones((word - U(1)) & ~word)
            word &= word - U(1)
            at += 1

@kernel
def kernel(labels, low, bits, before, out):
    for k in range(len(labels)):
        place = U(labels[k] - low)
        lower = (U(1) << (place & U(63))) - U(1)
        out[k] = before[place >> U(6)] + ones(bits[place >> U(6)] & lower)
"""

Lookup = Callable[[np.ndarray], np.ndarray]
Batch = Sequence[np.ndarray]  # of the same number of labels from each column
Numbered = tuple[np.ndarray, list[Array]]


def number_integers(batches: Iterable[Batch]) -> Numbered:
    """The distinct labels in ascending order, and the numbers of the labels of each column, which may be on a device.

    >>> labels, numbers = number_integers([(np.array([7, 5]), np.array([5, 10**12]))])
    >>> labels.tolist(), [column.tolist() for column in numbers]
    ([5, 7, 1000000000000], [[1, 0], [0, 2]])
    """
    if type(current_engine().array(np.empty(0))) is not np.ndarray:
        batches = list(batches)
        if sum(map(len, chain(*batches))) > FEW:
            try:
                return _by_sorting(batches)
            except MemoryError:  # of the device
                pass
    batches = iter(batches)
    known: deque[Batch] = deque()
    total, low, high = 0, 2**63, -(2**63)
    for batch in batches:
        known.append(batch)
        for labels in filter(len, batch):
            total, low, high = total + len(labels), min(low, int(labels.min())), max(high, int(labels.max()))
        if total >= FEW and high - low >= SPARSE_BITS * total:
            return _by_hash(chain((known.popleft() for _ in range(len(known))), batches))
    columns = list(zip(*known, strict=True))
    if total >= FEW:
        return _by_bits(columns, low, high)
    found, numbers = np.unique(np.concatenate([np.empty(0, np.int64), *chain(*columns)]), return_inverse=True)
    return found, np.split(numbers, len(columns)) if columns else []


def _by_sorting(batches: Sequence[Batch]) -> Numbered:
    """On a device: equal labels are neighbours in order, and each label is searched among the distinct ones."""
    engine = current_engine()
    columns = [np.concatenate([engine.array(labels) for labels in parts]) for parts in zip(*batches, strict=True)]
    ordered = np.sort(np.concatenate(columns))
    found = np.concatenate([ordered[:1], ordered[1:][ordered[1:] != ordered[:-1]]])
    narrow = np.int32 if len(found) < 2**31 else np.int64
    return engine.host(found), [np.searchsorted(found, labels).astype(narrow) for labels in columns]


def _by_bits(columns: Sequence[Batch], low: int, high: int) -> Numbered:
    kernel = load(_BITS)
    bits = np.zeros((high - low) // 64 + 1, np.uint64)
    before = np.empty(len(bits), np.int32 if 64 * len(bits) < 2**31 else np.int64)
    for labels in chain(*columns):
        function_of(kernel, "enter")(labels, low, bits)
    found = np.empty(function_of(kernel, "count")(bits, before), np.int64)
    function_of(kernel, "members")(bits, low, found)
    number = lambda labels, out: kernel(labels, low, bits, before, out)  # noqa: E731
    return found, [_on_all_cores(number, *parts, dtype=before.dtype) for parts in columns]


class _Grouped(NamedTuple):
    """Labels of one column, some millions at most, by the first bits of their hash."""

    labels: np.ndarray
    groups: np.ndarray  # of each label before
    ends: np.ndarray

    def of(self, group: int) -> np.ndarray:
        return self.labels[self.ends[group] : self.ends[group + 1]]


def _by_hash(batches: Iterable[Batch]) -> Numbered:
    kernel = load(_SOURCE)
    enter, renumber, ungroup = (function_of(kernel, name) for name in ("enter", "renumber", "ungroup"))

    def grouped(labels: np.ndarray) -> _Grouped:
        new = _Grouped(np.empty_like(labels), np.empty(len(labels), np.uint8), np.zeros(GROUPS + 1, np.int64))
        function_of(kernel, "group")(labels, new.groups, new.labels, new.ends[1:])
        return new

    def entered(group: int) -> np.ndarray:
        """The distinct labels of a group; their numbers replace all its labels."""
        count, found = 0, np.empty(0, np.int64)
        for piece in pieces:
            labels = piece.of(group)
            if 2 * (count + len(labels)) >= len(found):
                keys, codes, bits = _table(4 * (count + len(labels)))
                kernel(found[:count], 0, keys, codes, bits)
                found = np.concatenate([found[:count], np.empty(len(keys) - count, np.int64)])
            count = enter(labels, keys, codes, bits, found, count)
        return found[:count].copy()

    def renumbered(group: int) -> None:
        for piece in pieces:
            renumber(piece.of(group), numbers[first[group] :])

    def ungrouped(column: list) -> np.ndarray:
        ends = np.cumsum([len(piece.labels) for piece in column]).tolist()
        out = np.empty(ends[-1], numbers.dtype)

        def move(k: int) -> None:
            piece, column[k] = column[k], None  # frees its memory
            ungroup(piece.groups, piece.labels, piece.ends, out[ends[k] - len(piece.labels) : ends[k]])

        run(move, range(len(column)))
        return out

    columns: list[list] = []
    for batch in batches:
        columns = columns or [[] for _ in batch]
        for labels in zip(*(_pieces([x]) for x in batch), strict=True):
            for column, piece in zip(columns, run(grouped, labels), strict=True):
                column.append(piece)
    pieces = list(chain.from_iterable(columns))
    parts = run(entered, range(GROUPS))
    first, labels = np.cumsum([0, *map(len, parts)]), np.concatenate(parts)
    order = np.argsort(labels)
    numbers = np.empty(len(labels), np.int32 if len(labels) < 2**31 else np.int64)
    numbers[order] = np.arange(len(labels))
    run(renumbered, range(GROUPS))
    pieces.clear()
    return labels[order], [ungrouped(column) for column in columns]


def lookup(labels: np.ndarray) -> Lookup:
    """The function that gives the place of each label of an array in ``labels``, or -1.

    >>> lookup(np.array([30, 10]))(np.array([10, 20, 30])).tolist()
    [1, -1, 0]
    >>> lookup(np.array([3, 10, 3]))
    Traceback (most recent call last):
    ValueError: 3 is listed twice
    """
    low, high = (int(labels.min()), int(labels.max())) if len(labels) else (0, -1)
    if high - low < SPARSE * len(labels) + PIECE:
        table = np.full(high - low + 1, -1, np.int64)
        table[labels - low] = np.arange(len(labels))
        _refuse_repeated(labels, table[labels - low] == np.arange(len(labels)))

        def direct(wanted: np.ndarray, out: np.ndarray) -> None:
            known = (wanted >= low) & (wanted <= high)
            if known.all():
                np.take(table, wanted - low, out=out)
            else:
                out[:] = -1
                out[known] = table[wanted[known] - low]

        return lambda wanted: _on_all_cores(direct, wanted)
    keys, codes, bits = _table(len(labels))
    kernel = load(_SOURCE)
    repeated = kernel(labels, 0, keys, codes, bits)
    if repeated >= 0:
        raise ValueError(f"{labels[repeated]} is listed twice")
    find = function_of(kernel, "find")
    return lambda wanted: _on_all_cores(lambda labels, out: find(labels, keys, codes, bits, out), wanted)


def _refuse_repeated(labels: np.ndarray, last: np.ndarray) -> None:
    if not last.all():
        raise ValueError(f"{labels[np.argmin(last)]} is listed twice")


def _on_all_cores(
    function: Callable[[np.ndarray, np.ndarray], None], *parts: np.ndarray, dtype: np.dtype | type = np.int64
) -> np.ndarray:
    out = np.empty(sum(map(len, parts)), dtype)
    outs = np.split(out, np.cumsum([len(part) for part in parts])[:-1])
    run(lambda pair: function(*pair), list(zip(_pieces(parts), _pieces(outs), strict=True)))
    return out


def _pieces(parts: Iterable[np.ndarray]) -> list[np.ndarray]:
    return [part[at : at + PIECE] for part in parts for at in range(0, len(part), PIECE)]


def _table(labels: int) -> tuple[np.ndarray, np.ndarray, int]:
    """An empty table that these labels fill at most half."""
    bits = max(4, (2 * labels - 1).bit_length())
    return np.empty(2**bits, np.int64), np.full(2**bits, -1, np.int32 if bits < 32 else np.int64), bits
