"""The output step ``c<m, r> = c (+) t`` where a dense output makes it a single loop.

A dense output is updated in place: an object's store belongs to it alone. With an accumulator and a sparse ``t`` the
cost is that of the entries of ``t``.
"""

from __future__ import annotations

from textwrap import indent

import numpy as np

from ...foundation import atomic_updates
from ...foundation.types import Accum
from ..programs.reading import EACH
from ..stores.entries import Store
from ..stores.storage import Array, MaskView, MatrixStore, VectorStore
from . import ewise, pool, workspace
from .compile import Source
from .masks import BYTE_KIND, NO_MASK, NOTHING, OPENED, ROWS, clean, flags_of, resolve
from .operands import Form, Text, reading
from .tier import KernelTable

DENSE_RESULT = 16  # two sparse vectors with more than size / DENSE_RESULT entries are written as dense ones

_table = KernelTable()


def write(c: Store, t: Store, mask: MaskView | None, accum: Accum, replace: bool, masked: bool) -> Store | None:
    """The new store of the output, or None for the definition to decide."""
    if not _table.enabled or (accum is not None and accum.positional is not None):
        return None
    if accum is not None and t.nvals == 0 and not (replace and mask is not None):
        return c
    both_sparse = type(c) is MatrixStore or (c.indices is not None and t.indices is not None)
    if mask is None and both_sparse:
        return ewise.union(c, t, accum, None, c.dtype)
    if type(c) is MatrixStore:
        assert mask is not None
        return ewise.write_masked(c, t, mask, accum, replace, masked)
    if c.size == 0:
        return None
    if both_sparse and (c.nvals + t.nvals) * DENSE_RESULT < c.size:
        return None
    kind, allowed = resolve(mask)
    if kind == NOTHING:
        return VectorStore.empty(c.size, c.dtype) if replace else c
    try:
        return _write_dense(c, t, kind, allowed, accum, replace, masked)
    except BaseException:
        workspace.forget()
        raise


def at_rows(t: VectorStore, rows: Array, ordered: bool) -> VectorStore:
    """The entries of a dense ``t`` at these rows, as a list: the cost is independent of the length of ``t``."""
    rows = rows if t.present is None else rows[t.present[rows]]
    values = t.values.copy() if len(t.values) == 1 else t.values[rows]
    return VectorStore(t.size, values, indices=rows, ordered=ordered)


def _write_dense(
    c: VectorStore, t: VectorStore, kind: int, allowed: Array, accum: Accum, replace: bool, masked: bool
) -> VectorStore | None:
    if accum is not None and t.indices is not None and c.indices is None and (kind == NO_MASK or not replace):
        if masked:
            kind = NO_MASK
        return _update(c, t, kind, allowed, accum)
    if accum is None and kind == ROWS and t.indices is allowed and c.indices is None and not replace:
        return _update(c, t, NO_MASK, allowed, None)  # nothing is closed to t, and nothing else is open
    return _merge(c, t, kind, allowed, accum, replace)


def _text(c: np.dtype, t: np.dtype, t_mode: int, t_at: str, accum: Accum) -> Text:
    """Assignments to ``c_values[i]`` from ``t``, and from both through the accumulator."""
    return Text(Form(accum, (c, t), EACH, t_mode, c), "c_values[i]", f"t_values[{t_at}]", "c_values[i]")


def dense_values(c: VectorStore) -> Array:
    """The output's values one by one, in its own array if it has one."""
    if len(c.values) == c.size:
        return c.values if c.values.flags.writeable else c.values.copy()
    return np.full(c.size, c.values[0]) if len(c.values) else np.zeros(c.size, c.dtype)


def _update_source(c: np.dtype, t: np.dtype, t_mode: int, accum: Accum, full: bool, kind: int) -> Source:
    text = _text(c, t, t_mode, "n", accum)
    has, new = ("True", "") if full else ("c_present[i]", "c_present[i] = True\nadded += 1\n")
    body = text.change("True", has, OPENED[kind], new)
    present, mask = ("" if full else ", c_present"), ("" if kind == NO_MASK else ", mask")
    return text.finish(
        f"def kernel(indices, t_values{mask}{present}, c_values):\n    added = 0\n{text.prologue}"
        "    for n in range(U(len(indices))):\n        i = U(indices[n])\n"
        + indent(body, " " * 8)
        + "    return added\n"
    )


def _update(c: VectorStore, t: VectorStore, kind: int, allowed: Array, accum: Accum) -> VectorStore | None:
    """Accumulate a sparse ``t`` into a dense ``c``; without an accumulator its entries replace others."""
    full, t_mode = c.present is None, reading(t.values)
    bytes_kind = BYTE_KIND[kind]
    key = ("update", None if accum is None else accum.key, c.dtype.char, t.values.dtype.char, t_mode, full, bytes_kind)
    kernel = _table.find(key, t.nvals, lambda: _update_source(c.dtype, t.values.dtype, t_mode, accum, full, bytes_kind))
    flags = flags_of(kind, allowed, c.size)
    try:
        atomic_updates.changing = True
        c = _owned(c, accum)
        given = (t.indices, t.values, *flags, *(() if full else (c.present,)))
        before = c.nvals
        c.uncount()
        c.nvals = before + kernel(*given, c.values)
    finally:
        atomic_updates.changing = False
    clean(kind, allowed, c.size)
    return c


def _owned(c: VectorStore, accum: Accum) -> VectorStore:
    """The output's store with one value per entry; a copy when a user's function may fail half-way."""
    values, present = dense_values(c), c.present
    if accum is not None and accum.source is None:
        values = values.copy() if values is c.values else values
        present = None if present is None else present.copy()
    elif values is c.values:
        return atomic_updates.own(c)
    return VectorStore(c.size, values, present=present, nvals=c.nvals)


def _merge_source(
    c: np.dtype, t: np.dtype, t_mode: int, accum: Accum, stays_full: bool, t_full: bool, kind: int, replace: bool
) -> Source:
    text = _text(c, t, t_mode, "i", accum)
    here = "True" if t_full else "t_present[i]"
    has, new, remove = ("True", "", "") if stays_full else ("present", "present = True\n", "present = False\n")
    body = text.change(here, has, OPENED[kind], new, remove, replace)
    present, count = ("", "hi - lo") if stays_full else ("c_present, ", "count")
    if not stays_full:
        body = f"present = c_present[i]\n{body}c_present[i] = present\ncount += present\n"
    arguments = ("" if t_full else "t_present, ") + "t_values" + ("" if kind == NO_MASK else ", mask")
    return text.finish(
        f"def kernel({arguments}, {present}c_values, lo, hi):\n    count = 0\n{text.prologue}"
        "    for i in range(U(lo), U(hi)):\n" + indent(body, " " * 8) + f"    return {count}\n"
    )


def _merge(
    c: VectorStore, t: VectorStore, kind: int, allowed: Array, accum: Accum, replace: bool
) -> VectorStore | None:
    size = c.size
    if t.indices is not None:
        t = ewise.as_dense(t)
    t_full, t_mode, bytes_kind = t.present is None, reading(t.values), BYTE_KIND[kind]
    full = c.present is None and c.indices is None
    stays_full = full and (accum is not None or t_full) and not (replace and bytes_kind)
    form = t_mode, accum, stays_full, t_full, bytes_kind, replace
    key = ("merge", c.dtype.char, t.dtype.char, None if accum is None else accum.key, t_mode, *form[2:])
    kernel = _table.find(key, size, lambda: _merge_source(c.dtype, t.dtype, *form))
    flags = flags_of(kind, allowed, size)
    if c.indices is not None:
        c = ewise.as_dense(c)
    try:
        atomic_updates.changing = True
        c = _owned(c, accum)
        present = c.present
        if present is None and not stays_full:
            present = np.ones(size, bool)
        given = (*(() if t_full else (t.present,)), t.values, *flags, *(() if stays_full else (present,)), c.values)
        parts = ewise.dense_chunks(size, accum)
        if len(parts) == 1:
            c.present = present
            c.uncount()
            c.nvals = count = kernel(*given, 0, size)
            if count == size:
                c.present = None
        else:
            with atomic_updates.uninterrupted():
                count = sum(pool.launch(kernel, parts, *given))
                c.present, c.nvals, c.edges, c.checked = (None if count == size else present), count, None, 0
    finally:
        atomic_updates.changing = False
    clean(kind, allowed, size)
    return c
