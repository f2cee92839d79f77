"""The two moves of a product: *expand* brings the operand to the blocks that need it, *fold* brings results home.

Pushing, a rank gets the entries of its operand from the ranks of its grid row (or column) as lists; pulling, as bit
maps, and with them what the mask leaves open. Results are combined before they are sent, so every target travels once
from each block that found it.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from ..entries import entries, is_iso, true_keys, values_of
from ..storage import MaskView, VectorStore
from .described import Described
from .packing import (
    Packed,
    as_bytes,
    flags,
    pack,
    pack_code_of_all,
    pack_flags,
    unpack,
    unpack_flags,
)
from .wire import Pending, Wire

Array = Any  # numpy.ndarray or cupy.ndarray


class Expanding:
    """Parts on their way that have these sizes in bytes: described by codes, or bits (None)."""

    def __init__(self, pending: Pending, codes: list[int] | None, sizes: list[int]) -> None:
        self.pending, self.codes, self.sizes = pending, codes, sizes


def start_expand(wire: Wire, part: VectorStore, lengths: list[int], with_values: bool, dense: bool, full: bool) -> Any:
    """Start to bring the parts of all ranks of ``wire`` together; the result of ``finish_expand`` is one store.

    It takes one round: values of a vector that is known to be full, bits for a block that wants flags (``dense``), or
    lists with what describes them.
    """
    if wire.size == 1:
        return part
    if full:
        codes = [pack_code_of_all(length, with_values) for length in lengths]
        if not with_values:  # there is nothing to send
            return [Packed(code, np.zeros(0, np.uint8, like=part.values)) for code in codes]
        sizes = [length * part.dtype.itemsize for length in lengths]
        return Expanding(wire.start_gather(as_bytes(values_of(part)), sizes), codes, sizes)
    if dense and not with_values:
        keys = None if part.present is not None else entries(part)[0]
        data = pack_flags(part.present if keys is None else flags(keys, part.size))
        sizes = [-(-length // 8) for length in lengths]
        return Expanding(wire.start_gather(data, sizes), None, sizes)
    keys, values = entries(part)
    packed = pack(keys, values if with_values else None, lengths[wire.rank])
    return Described(wire, [packed] * wire.size)


def finish_expand(started: Any, lengths: list[int], dtype: np.dtype, dense: bool) -> VectorStore:
    """The operand of a block: a list, or (``dense``) flags and values for every position."""
    if isinstance(started, VectorStore):
        return started
    if isinstance(started, Expanding):
        data = started.pending.wait()
        if started.codes is None:
            present = join_bits(data, started.sizes, lengths)
            one = np.asarray([1], dtype, like=data)
            return VectorStore(len(present), one, present=present, nvals=int(np.count_nonzero(present)))  # synchronizes
        ends = np.cumsum(started.sizes).tolist()
        places = zip(started.codes, ends, started.sizes, strict=True)
        parts = [Packed(code, data[end - size : end]) for code, end, size in places]
    else:
        parts = started.wait() if isinstance(started, Described) else started
    found, start = [], 0
    for part, length in zip(parts, lengths, strict=True):
        keys, values = unpack(*part, length, dtype)
        found.append((keys + start, values))
        start += length
    return store_of(found, start, dtype, dense)


def store_of(found: list[tuple[Array, Array | None]], size: int, dtype: np.dtype, dense: bool) -> VectorStore:
    """One store of entries that ascend from part to part; without values they are all one (structure counts)."""
    keys = np.concatenate([part for part, _ in found])
    values = join_values([values for part, values in found if len(part)], dtype, keys)
    if len(keys) == size and size:
        return VectorStore(size, values[:1].copy() if is_iso(values) else values)
    if not dense:
        return VectorStore(size, values[:1].copy() if is_iso(values) else values, indices=keys)
    if is_iso(values):
        spread = values[:1].copy()
    else:
        spread = np.zeros(size, dtype, like=keys)
        spread[keys] = values
    return VectorStore(size, spread, present=flags(keys, size), nvals=len(keys))


def join_values(parts: list[Any], dtype: np.dtype, like: Array) -> Array:
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


def open_flags(part: VectorStore, view: MaskView) -> Array:
    """For each position of a part: may the output be written there?"""
    if part.indices is None and part.present is not None and view.structure:
        inside = part.present
    else:
        inside = flags(true_keys(MaskView(part, view.structure, False)), part.size)
    return ~inside if view.complement else inside


def start_expand_mask(wire: Wire, part: VectorStore, view: MaskView, lengths: list[int]) -> Pending | MaskView:
    """Start to bring together what the mask leaves open, as bits."""
    if wire.size == 1:
        return MaskView(part, view.structure, view.complement)
    return wire.start_gather(pack_flags(open_flags(part, view)), [-(-length // 8) for length in lengths])


def finish_expand_mask(started: Pending | MaskView, lengths: list[int]) -> MaskView:
    if isinstance(started, MaskView):
        return started
    present = join_bits(started.wait(), [-(-length // 8) for length in lengths], lengths)
    true = np.asarray([True], bool, like=present)
    return MaskView(VectorStore(len(present), true, present=present, nvals=int(np.count_nonzero(present))), True, False)


def join_bits(data: Array, sizes: list[int], lengths: list[int]) -> Array:
    """Flags for every position, out of the bit maps of several ranks."""
    found, place = [], 0
    for size, length in zip(sizes, lengths, strict=True):
        found.append(unpack_flags(data[place : place + -(-length // 8)], length))
        place += size
    return np.concatenate(found)


def fold(
    wire: Wire, result: VectorStore, lengths: list[int], monoid: Any, engine: Any, shift: Any = None
) -> VectorStore:
    """Send the parts of a block's result to their owners and combine what arrives here, in the order of the ranks.

    ``shift(values, rank)`` turns values that count positions within the sender's block into global ones.
    """
    if wire.size == 1:
        if shift is None:
            return result
        keys, values = entries(result)
        return VectorStore(result.size, shift(values, 0), indices=keys)
    keys, values = entries(result)
    ends = np.cumsum(lengths)
    cuts = [0, *np.searchsorted(keys, np.asarray(ends, np.int64, like=keys)).tolist()]  # synchronizes
    parts: list[Packed] = []
    for low, high, end, length in zip(cuts[:-1], cuts[1:], ends.tolist(), lengths, strict=True):
        parts.append(pack(keys[low:high] - (end - length), values[low:high], length))
    mine = lengths[wire.rank]
    wire.traffic.results += len(keys) - (cuts[wire.rank + 1] - cuts[wire.rank])
    found = []
    for rank, part in enumerate(Described(wire, parts).wait()):
        keys, got = unpack(*part, mine, values.dtype)
        if len(keys):
            found.append((keys, got if shift is None else shift(got, rank)))
    return combine(found, mine, values.dtype if shift is None else np.dtype(np.int64), monoid, engine)


def combine(found: list[tuple[Array, Array]], size: int, dtype: np.dtype, monoid: Any, engine: Any) -> VectorStore:
    """The entries of several results as one, equal positions combined."""
    if not found:
        return engine.empty_vector(size, dtype)
    stores = [VectorStore(size, got[:1].copy() if is_iso(got) else got, indices=keys) for keys, got in found]
    if len(stores) == 1:
        return stores[0]
    firsts = [store.values[:1] for store in stores]
    if all(store.iso for store in stores) and _keeps_value(monoid, np.concatenate(firsts)):
        present = np.zeros(size, bool, like=stores[0].indices)
        for keys, _ in found:
            present[keys] = True
        return VectorStore(size, firsts[0], present=present, nvals=int(np.count_nonzero(present)))  # synchronizes
    return reduce(lambda x, y: engine.ewise_add(x, y, monoid.binaryop), stores)


def _keeps_value(monoid: Any, values: Array) -> bool:
    """Whether these are all one value, and combining it with itself gives it again: then only structure matters."""
    if hasattr(values, "get"):
        values = values.get()  # synchronizes
    if not (values == values[0]).all():
        return False
    return bool(monoid.any_value or monoid.binaryop.numpy(values[:1], values[:1])[0] == values[0])
