"""Numbers for nodes that have 64-bit integers as labels: by a bit each if the integers are close, else by hashing.

Both need memory in proportion to the distinct labels, not to the edges. All cores look labels up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ..backends.cpu.compile import function_of, load
from ..backends.cpu.pool import run

PIECE = 2**20  # labels
FEW = 2**16  # labels: fewer are sorted without a compiler
SPARSE = 8  # a range of integers with fewer labels than one in so many is hashed
SPARSE_BITS = 64  # ... of bits

# Open addressing: the code of a free slot is -1. The multiplier is that of Fibonacci hashing.
_SOURCE = '''\
@kernel
def slot_of(label, keys, codes, bits):
    """Where a label is, or the free slot for it."""
    mask = len(keys) - 1
    slot = np.int64((U(label) * U(11400714819323198485)) >> (U(64) - U(bits)))
    while codes[slot] >= 0 and keys[slot] != label:
        slot = (slot + 1) & mask
    return slot

@kernel
def distinct(labels, keys, codes, bits, found, count):
    """Enter new labels, and append them to ``found``; return their number now."""
    for k in range(len(labels)):
        slot = slot_of(labels[k], keys, codes, bits)
        if codes[slot] < 0:
            keys[slot] = labels[k]
            codes[slot] = count
            found[count] = labels[k]
            count += 1
    return count

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
        out[k] = -1
        if place >> U(6) < U(len(bits)):
            word, bit = bits[place >> U(6)], U(1) << (place & U(63))
            if word & bit:
                out[k] = before[place >> U(6)] + ones(word & (bit - U(1)))
"""

Lookup = Callable[[np.ndarray], np.ndarray]


def number_integers(parts: Iterable[np.ndarray]) -> tuple[np.ndarray, Lookup]:
    """The distinct labels of several arrays in ascending order, and the function that numbers an array of them.

    >>> labels, numbers = number_integers([np.array([7, 5]), np.array([5, 10**12])])
    >>> labels.tolist(), numbers(np.array([10**12, 5])).tolist()
    ([5, 7, 1000000000000], [2, 0])
    """
    parts = [part for part in parts if len(part)]
    if not parts:
        return np.empty(0, np.int64), lambda labels: np.empty(0, np.int64)
    total = sum(map(len, parts))
    if total < FEW:
        found = np.unique(np.concatenate(parts))
        return found, lookup(found)
    low, high = min(int(part.min()) for part in parts), max(int(part.max()) for part in parts)
    if high - low < SPARSE_BITS * total:
        return _by_bits(parts, low, high)
    found = _distinct(parts)
    found.sort()
    return found, lookup(found)


def _by_bits(parts: list[np.ndarray], low: int, high: int) -> tuple[np.ndarray, Lookup]:
    kernel = load(_BITS)
    bits = np.zeros((high - low) // 64 + 1, np.uint64)
    before = np.empty(len(bits), np.int32 if 64 * len(bits) < 2**31 else np.int64)
    for part in parts:
        function_of(kernel, "enter")(part, low, bits)
    found = np.empty(function_of(kernel, "count")(bits, before), np.int64)
    function_of(kernel, "members")(bits, low, found)
    return found, lambda wanted: _on_all_cores(lambda labels, out: kernel(labels, low, bits, before, out), wanted)


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


def _on_all_cores(function: Callable[[np.ndarray, np.ndarray], None], labels: np.ndarray) -> np.ndarray:
    out = np.empty(len(labels), np.int64)
    starts = range(0, len(labels), PIECE)
    run(lambda at: function(labels[at : at + PIECE], out[at : at + PIECE]), list(starts))
    return out


def _distinct(parts: list[np.ndarray]) -> np.ndarray:
    """The distinct labels, in any order; the table grows with them."""
    keys, codes, bits = _table(PIECE)
    found, count = np.empty(len(keys), np.int64), 0
    kernel = load(_SOURCE)
    for piece in (piece for part in parts for piece in _pieces(part)):
        if 2 * (count + len(piece)) > len(keys):
            keys, codes, bits = _table(2 * (count + len(piece)))
            kernel(found[:count], 0, keys, codes, bits)
            found = np.concatenate([found[:count], np.empty(len(keys) - count, np.int64)])
        count = function_of(kernel, "distinct")(piece, keys, codes, bits, found, count)
    return found[:count].copy()


def _table(labels: int) -> tuple[np.ndarray, np.ndarray, int]:
    """An empty table that these labels fill at most half."""
    bits = max(4, (2 * labels - 1).bit_length())
    return np.empty(2**bits, np.int64), np.full(2**bits, -1, np.int64), bits


def _pieces(labels: np.ndarray) -> Iterable[np.ndarray]:
    return (labels[at : at + PIECE] for at in range(0, len(labels), PIECE))
