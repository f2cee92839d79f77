"""``c<m> = scalar`` on a dense vector through a dense mask, in place: the step that every traversal takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..storage import MaskView, VectorStore
from . import pool
from .masks import BYTES, BYTES_COMPLEMENT, resolve
from .parallel import PARALLEL_WORK, even_chunks
from .tier import KernelTable

Source = tuple[str, dict[str, Any]]

_table = KernelTable()


def _source(kind: int, full: bool, iso: bool) -> Source:
    test = "mask[i]" if kind == BYTES else "not mask[i]"
    store = "" if iso else "            values[i] = value[0]\n"
    mark = "" if full else "            added += not present[i]\n            present[i] = True\n"
    arguments = "mask" + ("" if full else ", present") + ("" if iso else ", values, value")
    text = (
        f"@kernel\ndef kernel({arguments}, lo, hi):\n    added = 0\n    for i in range(U(lo), U(hi)):\n"
        f"        if {test}:\n{mark}{store}"
        "    return added\n"
    )
    return text, {}


def assign_scalar(c: VectorStore, value: Any, mask: MaskView) -> VectorStore | None:
    """The updated ``c``, or None for the definition to decide."""
    if not _table.enabled or c.indices is not None or c.size == 0:
        return None
    kind, allowed = resolve(mask)
    if kind not in (BYTES, BYTES_COMPLEMENT):
        return None
    full = c.present is None
    iso = len(c.values) == 1 and c.size > 1 and bool(c.values[0] == value)
    if full and iso:
        return c
    key = (kind, full, iso, "" if iso else c.dtype.char)
    kernel = _table.find(key, c.size, lambda: _source(kind, full, iso))
    if kernel is None:
        return None
    values = c.values
    if not iso and len(values) == c.size and not values.flags.writeable:
        values = values.copy()
    elif not iso and len(values) != c.size:
        values = np.full(c.size, values[0]) if len(values) else np.zeros(c.size, c.dtype)
    arguments: tuple[Any, ...] = (allowed,) if full else (allowed, c.present)
    if not iso:
        arguments += (values, np.array([value], c.dtype))
    parts = [(0, c.size)] if c.size < PARALLEL_WORK else even_chunks(c.size, 2)
    added = sum(pool.run(lambda part: kernel(*arguments, *part), parts))
    c.values = values
    c.nvals += added
    return c
