"""``c<m>[index] (+)= value`` and ``u[index]`` in one loop over the index; lists as bitmaps."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from ...exceptions import IndexOutOfBound
from ...foundation.types import Assigned, TypedOperator
from ...plan.storage_rules import storage_kind
from ..engine import Declined
from ..reference import Definitions
from ..stores.entries import Store, entries, expand, is_iso, values_of
from ..stores.storage import INDEX, Array, MaskView, VectorStore
from . import buffers, ewise, pool, write
from .compile import Source
from .masks import BYTES_COMPLEMENT, NO_MASK, NOTHING, ROWS_COMPLEMENT, resolve
from .parallel import PARALLEL_WORK, even_chunks
from .tier import KernelTable

SMALL = 4096  # up to this size no list is kept as a list
SPARSE = 16  # positions per position of an index: with more, a list stays a list

_table = KernelTable()

# A negative position is a very large unsigned one.
GATHER = """\
@kernel
def kernel(index, size{arguments}, values, lo, hi):
    count = 0
    for p in range(U(lo), U(hi)):
{there}        i = U(index[p])
        if i >= U(size):
            return -np.int64(p) - 1
{body}    return count
"""


def _source(gaps: bool, full: bool, iso: bool) -> Source:
    arguments = ", there" if gaps else ""
    arguments += "" if full else ", u_present"
    arguments += "" if gaps is False and full else ", present"
    arguments += "" if iso else ", u_values"
    there = body = ""
    if gaps:
        there = "        if not there[p]:\n            present[p] = False\n            continue\n"
    if gaps or not full:
        body = (
            f"        here = {'True' if full else 'u_present[i]'}\n        present[p] = here\n        count += here\n"
        )
    if not iso:
        body += "        values[p] = u_values[i]\n"
    return GATHER.format(arguments=arguments, there=there, body=body), {}


def gather(u: VectorStore, index: VectorStore) -> VectorStore | None:
    """``t[p] = u[index[p]]``, or None for the definition to decide."""
    if not _table.enabled or u.size == 0 or index.size == 0 or u.indices is not None or index.indices is not None:
        return None
    gaps, full, iso, size = index.present is not None, u.present is None, len(u.values) == 1, index.size
    positions = expand(index.values, size)
    key = (gaps, full, iso, positions.dtype.char, positions.strides[0] == 0, "" if iso else u.values.dtype.char)
    kernel = _table.find(key, size, lambda: _source(gaps, full, iso))
    values = u.values.copy() if iso else np.empty(size, u.values.dtype)
    present = None if full and not gaps else np.empty(size, bool)
    given = (index.present, u.present, present, None if iso else u.values, values)
    arguments = (positions, u.size, *(array for array in given if array is not None))
    chunks = even_chunks(size) if size > PARALLEL_WORK else [(0, size)]
    counts = pool.launch(kernel, chunks, *arguments)
    for count in counts:
        if count < 0:
            raise IndexOutOfBound(f"Index out of range: index={positions[-count - 1]}, size={u.size}")
    return VectorStore(size, values, present=present, nvals=size if present is None else sum(counts))


def scatter(
    engine: Definitions, c: VectorStore, value: Assigned, index: Array, mask: MaskView | None, accum: TypedOperator
) -> Store | None:
    """``c<m>[index] (+)= value``, one entry after another into a dense output, or in their order into a list.

    None for the definition to decide.
    """
    if not _table.enabled or len(index) == 0:
        return None
    if accum.monoid is None or accum.return_type.np_type != c.dtype or (mask is not None and mask.store is c):
        return None
    is_list, targets = c.indices is not None and c.size > SPARSE * len(index), index
    if type(value) is VectorStore and value.kind == "full":
        values = values_of(value)
    elif type(value) is VectorStore:
        keys, values = entries(value)
        targets = index[keys]
    else:
        values = np.array([value])
    if is_list:
        targets, values = engine.combined_by_key(targets, expand(values, len(targets)), accum)
        return engine.write(c, VectorStore(c.size, values, indices=targets), mask, accum, False)
    c = engine.with_kind(c, "bitmap") if c.indices is not None else c
    if targets is index and np.may_share_memory(targets, c.values):
        targets = targets.copy()
    if np.may_share_memory(values, c.values):
        values = values.copy()
    values = values[:1] if len(values) and values.strides[0] == 0 else values
    t = VectorStore(c.size, values, indices=targets, ordered=False)
    return write.write(c, t, mask, accum, False, False)


def assign_open(c: VectorStore, value: Assigned, index: Array, mask: MaskView, submask: bool) -> VectorStore | None:
    """``c<m>[index] = value`` of a dense vector, for one value; the mask of a region with ``submask``."""
    kind, allowed = resolve(mask)
    if kind == NOTHING:
        return c
    if not _table.enabled or (c.indices is not None and c.size > SMALL):
        return None
    c = c if c.indices is None else ewise.as_dense(c)
    if submask and kind != NO_MASK:
        if kind in (BYTES_COMPLEMENT, ROWS_COMPLEMENT):
            allowed = ~allowed if kind == BYTES_COMPLEMENT else np.isin(np.arange(len(index)), allowed, invert=True)
        index, kind = index[allowed], NO_MASK
    if np.may_share_memory(index, c.values):
        index = index.copy()
    t = VectorStore(c.size, np.array([value], c.dtype), indices=index, ordered=False)
    return write._update(c, t, kind, allowed, None)


MANY, RARE = 4096, 64  # flags of which NumPy lists fewer as fast; and those of which one in so many is set

# There is room for one more: a branch on unpredictable flags costs more than a write.
LISTED = """\
@kernel
def kernel(flags, out):
    n = U(0)
    for i in range(U(len(flags))):
        out[n] = i
        n += U(flags[i])
"""


def listed(flags: Array) -> Array | None:
    """The positions of flags that are set; None where NumPy lists them as fast."""
    if len(flags) < MANY or flags.dtype != bool or not flags.flags.carray:
        return None
    count = int(np.count_nonzero(flags))
    kernel = None if count * RARE < len(flags) else _table.ready("listed", len(flags), lambda: (LISTED, {}))
    if kernel is None:
        return None
    out = np.empty(count + 1, INDEX)
    with suppress(Declined):
        kernel(flags, out)
        return out[:count]
    return None


# Positions are cleared block by block, while they are in the cache.
BITMAP = """\
@kernel
def kernel(indices{given}, present{out}, n, last, lo, hi):
    n, last, at = U(n), U(last), U(lo)
    for base in range(U(lo), U(hi), U(4096)):
        stop = min(base + U(4096), U(hi))
        for i in range(base, stop):
            present[i] = False
{clear}        while n < last:
            i = U(indices[n])
            if i >= stop:
                break
            if i < at:
                return False
            at = i + U(1)
            present[i] = True
{move}            n += U(1)
    return n == last
"""
_MOVED = {
    "given": ", given",
    "out": ", out",
    "clear": "            out[i] = 0\n",
    "move": "            out[i] = given[n]\n",
}


def bitmap(size: int, indices: Array, values: Array) -> VectorStore | None:
    """A list as a bitmap in one pass over the positions, or None if the indices do not ascend."""
    iso, width = len(values) == 1, values.dtype.itemsize
    if not iso and width not in (1, 2, 4, 8):  # moved as unsigned numbers
        raise Declined
    text = BITMAP.format(**(dict.fromkeys(_MOVED, "") if iso else _MOVED))
    kernel = _table.find(("bitmap", 0 if iso else width, indices.dtype.char), size, lambda: (text, {}))
    present, moved = buffers.empty(size, bool), () if iso else (values.view(f"u{width}"),)
    out = tuple(buffers.empty(size, each.dtype) for each in moved)
    parts = even_chunks(size) if size > PARALLEL_WORK else [(0, size)]
    begins = indices.searchsorted([lo for lo, _ in parts[1:]]) if len(parts) > 1 else []
    borders = [0, *np.maximum.accumulate(begins), len(indices)]

    def run(k: int) -> bool:
        return kernel(indices, *moved, present, *out, borders[k], borders[k + 1], *parts[k])

    if not all(pool.run(run, range(len(parts)))):
        return None
    return VectorStore(size, out[0].view(values.dtype) if out else values.copy(), present=present, nvals=len(indices))


def with_kind(u: VectorStore, kind: str) -> VectorStore | None:
    return bitmap(u.size, u.indices, u.values) if kind == "bitmap" and u.indices is not None and u.ordered else None


def build_vector(
    self: Definitions, size: int, index: Array, values: Array, dup_op: TypedOperator | None
) -> VectorStore:
    """Entries from coordinates in any order; many in order become a bitmap at once."""
    if storage_kind(len(index), size, "sparse") == "bitmap":
        with suppress(Declined):
            found = bitmap(size, index, values[:1] if is_iso(values) else np.ascontiguousarray(values))
            if found is not None:
                return found
    return Definitions.build_vector(self, size, index, values, dup_op)
