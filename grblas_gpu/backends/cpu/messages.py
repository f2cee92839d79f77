"""Messages between ranks (:mod:`..messages`) by compiled loops: over the flags of a part to pack it, over the entries
of a message to merge it. Lists are left to the definitions: copies to pack them, the kernels of unions to merge.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..messages import (
    ALL,
    BITS,
    EACH,
    LIST,
    NONE,
    ONE,
    TILE,
    Fields,
    Numbering,
    Parcel,
    code_of,
    fields_of,
    header_of,
    keeps_value,
    new_message,
)
from ..storage import Array, VectorStore
from .inline import Inliner
from .tier import KernelTable

Source = tuple[str, dict[str, Any]]
_BOOL = np.dtype(bool)

_table = KernelTable()


# ---- packing --------------------------------------------------------------------------------------------------------


def _pack_source(stored: np.dtype, sent: np.dtype) -> Source:
    inliner = Inliner()
    value = inliner.load("values[position]", stored, sent)
    return (
        f"""{inliner.header()}
@kernel
def kernel(present, values, low, length, listed, indices, words, ranks, out):
    n = U(0)
    for w in range(U((length + 63) // 64)):
        if len(ranks) and w % U({TILE // 64}) == U(0):
            ranks[w // U({TILE // 64})] = n
        word = U(0)
        for bit in range(min(U(64), U(length) - w * U(64))):
            i = w * U(64) + bit
            position = U(low) + i
            if present[position]:
                word |= U(1) << bit
                if listed:
                    indices[n] = i
                out[n] = {value}
                n += U(1)
        if not listed:
            words[w] = word
""",
        inliner.functions,
    )


def _pack_flags(present: Array, fields: Fields) -> None:
    """Without values: by NumPy's own loops, which take many flags at a time."""
    if fields.how == LIST:
        fields.indices[:] = np.flatnonzero(present)
    elif fields.how == BITS:
        bits = np.packbits(present, bitorder="little")
        fields.bits[: len(bits)] = bits


def pack_parts(u: VectorStore, lengths: list[int], dtype: np.dtype | None, here: int) -> Parcel | None:
    """Of a vector with flags, or a full one; None: the definition does it."""
    if not _table.enabled or u.kind == "sparse" or u.dtype.kind == "V":
        return None
    values, sent = u.values, _BOOL if dtype is None else dtype
    one = dtype is None or len(values) == 1
    kernel: Any = None
    if u.present is not None and not one:
        key = ("pack", values.dtype.char, sent.char)
        kernel = _table.find(key, u.size, lambda: _pack_source(values.dtype, sent))
        if kernel is None:
            return None
    messages, low = [], 0
    for length in lengths:
        present = None if u.present is None else u.present[low : low + length]
        count = length if present is None else int(np.count_nonzero(present))
        code = code_of(count, length, dtype is not None, one)
        message, fields = new_message(code, length, sent, values)
        if present is not None and kernel is None:
            _pack_flags(present, fields)
        elif fields.how != ALL:
            out = fields.indices, fields.bits.view(np.uint64), fields.ranks, fields.values
            kernel(u.present, values, low, length, fields.how == LIST, *out)
        elif not one:
            fields.values[:] = values[low : low + len(fields.values)]
        if one:
            fields.values[:] = values[: len(fields.values)]
        messages.append(message)
        low += length
    return Parcel(messages, here)


# ---- merging --------------------------------------------------------------------------------------------------------


def _merge_source(dtype: np.dtype, op: Any) -> Source:
    inliner = Inliner()
    new = "values[U(k) if each else U(0)]"
    both = "pass"
    if op is not None:
        left = inliner.load("out[position]", dtype, op.type.np_type)
        right = inliner.load(new, dtype, op.type2.np_type)
        result = inliner.load(inliner.call(op, x="left", y="right"), op.return_type.np_type, dtype)
        both = f"left = {left}; right = {right}; out[position] = {result}"

    def add(depth: int) -> str:
        lines = [
            "position = U(first) + U(i)",
            "if present[position]:",
            f"    {both}",
            "else:",
            "    present[position] = True",
            f"    out[position] = {new}",
            "    found += 1",
        ]
        return "\n".join("    " * depth + line for line in lines)

    return (
        f"""{inliner.header()}
PLACES = np.zeros(64, np.int64)
for place in range(64):
    PLACES[(0x03f79d71b4cb0a89 << place & 0xffffffffffffffff) >> 58] = place

@kernel
def kernel(how, each, length, first, indices, words, values, present, out):
    found = 0
    if how == {ALL}:
        for k in range(U(length)):
            i = k
{add(3)}
    elif how == {LIST}:
        for k in range(U(len(indices))):
            i = indices[k]
{add(3)}
    else:
        k = U(0)
        for w in range(U(len(words))):
            left_over = words[w]
            while left_over:
                lowest = left_over & (~left_over + U(1))
                left_over ^= lowest
                i = w * U(64) + U(PLACES[(lowest * U(0x03f79d71b4cb0a89)) >> U(58)])
{add(4)}
                k += U(1)
    return found
""",
        inliner.functions,
    )


def _one_value(messages: list[Fields], dtype: np.dtype) -> Array | None:
    """The value of all entries, if one stands for all of every message, and they are equal; or 1 if none was sent."""
    if all(each.kind == NONE for each in messages):
        return np.ones(1, dtype)
    if any(each.kind != ONE for each in messages):
        return None
    firsts = np.concatenate([each.values for each in messages])
    return firsts[:1] if (firsts == firsts[0]).all() else None


def _merged(
    messages: list[Fields], lengths: list[int], firsts: list[int], size: int, one: Array | None, dtype: Any, op: Any
) -> VectorStore | None:
    present = np.zeros(size, bool)
    if one is not None:
        for message, length, first in zip(messages, lengths, firsts, strict=True):
            _mark(message, present[first : first + length])
        nvals = int(np.count_nonzero(present))
        return VectorStore(size, one) if nvals == size else VectorStore(size, one, present=present, nvals=nvals)
    key = ("merge", dtype.char, None if op is None else op.key)
    kernel = _table.find(key, sum(each.entries for each in messages), lambda: _merge_source(dtype, op))
    if kernel is None:
        return None
    out, nvals = np.zeros(size, dtype), 0
    for message, length, first in zip(messages, lengths, firsts, strict=True):
        given = message.indices, message.bits.view(np.uint64), message.values
        nvals += kernel(message.how, message.kind == EACH, length, first, *given, present, out)
    return VectorStore(size, out) if nvals == size else VectorStore(size, out, present=present, nvals=nvals)


def _mark(message: Fields, present: Array) -> None:
    """Set the flags of a message's entries."""
    if message.how == ALL:
        present[:] = True
    elif message.how == LIST:
        present[message.indices] = True
    else:
        present |= np.unpackbits(message.bits, count=len(present), bitorder="little").view(bool)


def join_parts(sent: list[Array], lengths: list[int], dtype: np.dtype, dense: bool) -> VectorStore | None:
    """None: the definition does it."""
    if not _table.enabled or dtype.kind == "V":
        return None
    messages = [fields_of(each, header_of(each), n, dtype) for each, n in zip(sent, lengths, strict=True)]
    filled = [each for each in messages if each.entries]
    if not filled or (not dense and all(each.how == LIST for each in filled)):
        return None
    firsts = np.cumsum([0, *lengths[:-1]]).tolist()
    return _merged(messages, lengths, firsts, sum(lengths), _one_value(filled, dtype), dtype, None)


def fold_parts(
    sent: list[Array], size: int, dtype: np.dtype, monoid: Any, numbering: list[Numbering] | None
) -> VectorStore | None:
    """None: the definition does it."""
    if not _table.enabled or dtype.kind == "V":
        return None
    messages = [fields_of(each, header_of(each), size, dtype) for each in sent]
    if numbering is not None:
        dtype = np.dtype(np.int64)
        blocks = zip(messages, numbering, strict=True)
        messages = [each._replace(values=block.to_global(each.values.astype(dtype))) for each, block in blocks]
    messages = [each for each in messages if each.entries]
    if all(each.how == LIST for each in messages):
        return None
    one = _one_value(messages, dtype)
    if one is not None and not keeps_value(monoid, one):
        one = None
    count = len(messages)
    return _merged(messages, [size] * count, [0] * count, size, one, dtype, monoid.binaryop)
