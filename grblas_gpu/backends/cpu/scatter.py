"""``c<m>[index] (+)= value`` and ``u[index]`` in one loop over the index."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...exceptions import IndexOutOfBound
from ...foundation.types import Assigned, TypedOperator
from ..stores.entries import Store, entries, expand, values_of
from ..stores.storage import Array, MaskView, VectorStore
from . import pool, write
from .compile import Source
from .parallel import PARALLEL_WORK, even_chunks
from .tier import KernelTable

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
    counts = pool.run(lambda part: kernel(*arguments, *part), chunks)
    for count in counts:
        if count < 0:
            raise IndexOutOfBound(f"Index out of range: index={positions[-count - 1]}, size={u.size}")
    return VectorStore(size, values, present=present, nvals=size if present is None else sum(counts))


def scatter(
    engine: Any, c: VectorStore, value: Assigned, index: Array, mask: MaskView | None, accum: TypedOperator
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
