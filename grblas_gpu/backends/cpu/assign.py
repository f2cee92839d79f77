"""``c<m> = scalar``, in place if ``c`` is a vector: the step that every traversal takes. Regions of matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...foundation import atomic_updates
from ...foundation.types import Accum, Assigned
from ...plan.storage_rules import DENSE_LIMIT, SPARSE_BELOW
from ..machine.memory_limits import check_entries
from ..stores.entries import Store, cast, compress, distinct, entries, expand
from ..stores.matrix_storage import SPARSE, from_lines
from ..stores.storage import INDEX, Array, MaskView, MatrixStore, VectorStore, column_type
from ..stores.vector_storage import shortened
from . import buffers, ewise, pool, workspace, write
from .compile import Source
from .extract import extract_matrix
from .masks import BYTES, BYTES_COMPLEMENT, NOTHING, ROWS, resolve
from .parallel import LIGHT_WORK, edge_chunks, even_chunks, lengths
from .tier import KernelTable

SMALL = 4096  # up to this size no list is kept as a list
WIDE = 4  # positions of a masked region for each entry of the matrix and the mask
MERGED = 4096  # entries up to which a merge with all of a matrix costs less than cutting out a region
SKIP = 64  # flags that are skipped at once if none of them is set

_table = KernelTable()

LISTED = """\
@kernel
def kernel(rows{arguments}):
    added = 0
    for t in range(U(len(rows))):
        i = U(rows[t])
{body}    return added
"""

# Branches on unpredictable flags would cost more than writing every value again.
FLAGGED = """\
@kernel
def kernel(mask{arguments}, lo, hi):
    added = 0
    for base in range(U(lo), U(hi), U({skip})):
        stop = min(base + U({skip}), U(hi))
        some = 0
        for i in range(base, stop):
            some += {test}
        if some:
            for i in range(base, stop):
                here = {test}
{body}    return added
"""

# Two lists: entries outside of the mask, and then all of the mask. The flags are restored.
APPENDED = """\
@kernel
def kernel(rows, value, indices, values, flags, out_indices, out_values):
    n = U(0)
    for t in range(U(len(rows))):
        flags[U(rows[t])] = True
    for t in range(U(len(indices))):
        if not flags[U(indices[t])]:
            out_indices[n] = indices[t]
            out_values[n] = values[t]
            n += U(1)
    for t in range(U(len(rows))):
        flags[U(rows[t])] = False
        out_indices[n] = rows[t]
        out_values[n] = value[0]
        n += U(1)
    return np.int64(n)
"""


# C[I, J] = T. Values of entries that T has as well change; 1 if these are all entries of the region and of T. Otherwise
# 0, or -1 for lists that do not ascend. The columns are marked in any case.
REGION_SAME = """\
@kernel
def kernel(indptr, indices, values, rows, columns, inside, t_indptr, t_indices, t_values):
    for k in range(U(1), U(len(rows))):
        if rows[k] <= rows[k - U(1)]:
            return -1
    for k in range(U(len(columns))):
        if k > U(0) and columns[k] <= columns[k - U(1)]:
            return -1
        inside[U(columns[k])] = True
    for k in range(U(len(rows))):
        i, t, t_stop = U(rows[k]), U(t_indptr[k]), U(t_indptr[k + U(1)])
        for p in range(U(indptr[i]), U(indptr[i + U(1)])):
            if inside[U(indices[p])]:
                if t == t_stop or columns[U(t_indices[t])] != indices[p]:
                    return 0
                values[p] = t_values[t]
                t += U(1)
        if t != t_stop:
            return 0
    return 1
"""
# Rows outside of I are copied. Of the others, entries outside of J and those of T are merged.
REGION_COUNTS = """\
@kernel
def kernel(indptr, indices, rows, inside, t_indptr, lengths):
    for k in range(U(len(rows))):
        i = U(rows[k])
        n = np.int64(t_indptr[k + U(1)]) - np.int64(t_indptr[k])
        for p in range(U(indptr[i]), U(indptr[i + U(1)])):
            n += not inside[U(indices[p])]
        lengths[i] = n
"""
REGION_FILL = """\
@kernel
def kernel(indptr, indices, values, rows, inside, t_indptr, t_indices, t_values, columns,
           starts, out_indices, out_values, k, lo, hi):
    k = U(k)
    for i in range(U(lo), U(hi)):
        n, first, stop = U(starts[i]), U(indptr[i]), U(indptr[i + U(1)])
        if k == U(len(rows)) or i < U(rows[k]):
            for p in range(first, stop):
                out_indices[n] = indices[p]
                out_values[n] = values[p]
                n += U(1)
        else:
            t, t_stop = U(t_indptr[k]), U(t_indptr[k + U(1)])
            k += U(1)
            for p in range(first, stop):
                if inside[U(indices[p])]:
                    continue
                while t < t_stop and columns[U(t_indices[t])] < indices[p]:
                    out_indices[n] = columns[U(t_indices[t])]
                    out_values[n] = t_values[t]
                    n += U(1)
                    t += U(1)
                out_indices[n] = indices[p]
                out_values[n] = values[p]
                n += U(1)
            for t in range(t, t_stop):
                out_indices[n] = columns[U(t_indices[t])]
                out_values[n] = t_values[t]
                n += U(1)
        starts[i + U(1)] = n
"""


def _source(kind: int, full: bool, iso: bool, large: bool) -> Source:
    """The value for a ``large`` output comes in an array: with a scalar LLVM would restore the branch."""
    arguments = ("" if full else ", present") + ("" if iso else ", values, value")
    if kind == ROWS:
        mark = "" if full else " " * 8 + "added += not present[i]\n" + " " * 8 + "present[i] = True\n"
        store = "" if iso else " " * 8 + "values[i] = value\n"
        return LISTED.format(arguments=arguments, body=mark + store), {}
    deep = " " * 16
    mark = "" if full else f"{deep}added += here & (not present[i])\n{deep}present[i] |= here\n"
    store = "" if iso else f"{deep}values[i] = {'value[0]' if large else 'value'} if here else values[i]\n"
    test = "mask[i]" if kind == BYTES else "(not mask[i])"
    return FLAGGED.format(arguments=arguments, test=test, body=mark + store, skip=SKIP), {}


def assign_scalar(c: VectorStore, value: Assigned, mask: MaskView) -> VectorStore | None:
    """The updated ``c``, or a new store; None for the definition to compute."""
    if not _table.enabled or c.size == 0 or (c.indices is not None and c.size > DENSE_LIMIT):  # no flags of that length
        return None
    kind, allowed = resolve(mask)
    if kind == NOTHING:
        return c
    if kind not in (ROWS, BYTES, BYTES_COMPLEMENT):
        return None
    if c.indices is not None:
        given = len(allowed) if kind == ROWS else mask.store.nvals
        # Extending a list copies it: flags as soon as the storage rule would keep them.
        if c.size > SMALL and c.nvals + given < c.size * SPARSE_BELOW:
            return _append(c, value, allowed) if kind == ROWS else None
        c = ewise.as_dense(c)
    full, dtype = c.present is None, c.values.dtype
    iso = len(c.values) == 1 and c.size > 1 and bool(c.values[0] == value)
    if full and iso:
        return c
    large = kind != ROWS and c.size >= LIGHT_WORK
    key = (kind, full, iso, "" if iso else dtype.char, large)
    kernel = _table.find(key, c.size, lambda: _source(kind, full, iso, large))
    try:
        atomic_updates.changing = True
        c = atomic_updates.own(c)
        arguments: tuple[object, ...] = (allowed,) if full else (allowed, c.present)
        if not iso:
            c.values = write.dense_values(c)
            fitting = value if type(value) is dtype.type else dtype.type(value)
            arguments += (c.values, np.array([fitting], dtype) if large else fitting)
        if not large:
            if kind != ROWS:
                arguments += (0, c.size)
            c.edges = c.flags = None
            c.checked = 0
            c.nvals += kernel(*arguments)
        else:
            with atomic_updates.uninterrupted():
                c.nvals += sum(pool.launch(kernel, even_chunks(c.size, 1), *arguments))
                c.edges = None
    except BaseException:
        c.uncount()
        raise
    finally:
        atomic_updates.changing = False
    return c


def assign_scalar_to_matrix(c: MatrixStore, value: Assigned, mask: MaskView) -> Store | None:
    """The mask's entries with this value, over those of ``c``; None for the definition to compute."""
    m = mask.store
    if type(m) is not MatrixStore or m.form != SPARSE or mask.complement or not mask.structure:
        return None
    new = MatrixStore(m.nrows, m.ncols, m.indptr, m.indices, np.array([value], c.dtype))
    return ewise.union(c, new, None, dtype=c.dtype)


def assign_region(
    c: MatrixStore,
    value: Assigned,
    index: tuple[Array | None, ...],
    mask: MaskView | None,
    accum: Accum,
    replace: bool,
    submask: bool,
) -> MatrixStore | None:
    """``c<m>[rows, cols] (+)= value``, as the definition has it; None for the definition to compute.

    The region is combined with what is there, and the whole with what a mask of its shape keeps.
    """
    if not _table.enabled or c.form != SPARSE or c.copies > 1:
        return None
    is_scalar = type(value) is not MatrixStore
    if is_scalar and accum is None and not submask:
        index = tuple(None if axis is None else distinct(axis) for axis in index)
    named = is_scalar and mask is not None and not mask.complement  # the open positions
    t: Store | None = value
    if mask is not None and named:
        t = _at_entries(mask, value, None if submask else index)
    elif is_scalar:
        sizes = (n if axis is None else len(axis) for n, axis in zip(c.shape, index, strict=True))
        if mask is not None and math.prod(sizes) > WIDE * (c.nvals + mask.store.nvals):
            return None  # it may leave little of a region that does not fit the memory
        t = _filled(c, value, *index)
    if t is not None and named and not replace and c.nvals <= MERGED:
        return None if (t := _placed(c, t, *index)) is None else _united(c, t, accum)
    if t is not None and (accum is not None or submask or named):
        region = extract_matrix(c, *index)
        if region is None:
            return None
        if mask is not None and submask and not (named and not replace):
            t = ewise.write_masked(region, t, mask, accum, replace, named)
        elif accum is not None or named:
            t = _united(region, t, accum)
    z = None if t is None else _replaced(c, t, *index)
    if mask is None or submask or z is None or (named and not replace):
        return z
    return ewise.write_masked(c, z, mask, None, replace, False)


def _united(x: MatrixStore, y: MatrixStore, accum: Accum) -> Store | None:
    """The entries of both; without an accumulator those of ``y`` replace others."""
    return ewise.union(x, y, accum, None, x.dtype) if x.nvals and y.nvals else x if x.nvals else y


def _placed(c: MatrixStore, t: MatrixStore, rows: Array | None, cols: Array | None) -> MatrixStore | None:
    """The entries of a region of ``c`` at their places in all of it, for ascending rows and columns, else None."""
    if not all(axis is None or bool((axis[1:] > axis[:-1]).all()) for axis in (rows, cols)):
        return None
    indptr, indices = t.indptr, t.indices if cols is None else cols[t.indices].astype(c.indices.dtype)
    if rows is not None:
        indptr = np.zeros(c.nrows + 1, INDEX)
        indptr[rows + 1] = lengths(t.indptr)
        np.cumsum(indptr, out=indptr)
    return MatrixStore(c.nrows, c.ncols, indptr, indices, t.values)


def _at_entries(mask: MaskView, value: Assigned, index: tuple[Array | None, ...] | None) -> MatrixStore | None:
    """A value at the entries that are true in a mask, or in its part at ``index``."""
    m: Any = mask.store
    m = m if index is None else extract_matrix(m, *index)
    if m is None:
        return None
    if not mask.structure:
        m = ewise.opened(m, MaskView(m, False, False))
    return MatrixStore(m.nrows, m.ncols, m.indptr, m.indices, np.asarray(value).reshape(1)[: m.nvals])


def _filled(c: MatrixStore, value: Assigned, rows: Array | None, cols: Array | None) -> MatrixStore:
    """A value at every position of a region, by rows."""
    nrows, ncols = c.nrows if rows is None else len(rows), c.ncols if cols is None else len(cols)
    count = check_entries(nrows * ncols, like=c.values)
    indices: Array = np.tile(np.arange(ncols, dtype=column_type(ncols)), nrows)
    indptr = np.arange(0, count + 1, max(1, ncols), dtype=INDEX) if count else np.zeros(nrows + 1, INDEX)
    return MatrixStore(nrows, ncols, indptr, indices, np.asarray(value).reshape(1)[:count])


def replace_column(c: MatrixStore, col: int, line: VectorStore) -> MatrixStore | None:
    """``c`` with one column replaced."""
    if not _table.enabled:
        return None
    rows, values = entries(line)
    t = from_lines(c.nrows, 1, rows, np.zeros(len(rows), INDEX), compress(values))
    return _replaced(c, t, None, np.array([col]))


def _replaced(c: MatrixStore, t: MatrixStore, rows: Array | None, cols: Array | None) -> MatrixStore | None:
    """``c[rows, cols] = t`` for ascending rows and columns, else None."""
    if t.form != SPARSE or t.copies > 1:
        return None
    types = (c.indptr.dtype.char, c.indices.dtype.char, t.indptr.dtype.char, t.indices.dtype.char)
    work = c.nvals + t.nvals
    compare = _table.find(("region", *types, c.dtype.char), work, lambda: (REGION_SAME, {}))
    rows = np.arange(c.nrows) if rows is None else rows
    columns, inside = np.arange(c.ncols) if cols is None else cols, np.zeros(c.ncols, bool)
    old, new = (np.ascontiguousarray(expand(x.values, x.nvals)) for x in (c, t))
    other = t.indptr, t.indices, cast(new, c.dtype)
    starts, indices, values = c.indptr, c.indices, buffers.copy(old)
    same = compare(starts, indices, values, rows, columns, inside, *other)
    if same < 0:
        return None
    if not same:
        starts, indices, values = _spliced(c, old, rows, columns, inside, *other)
    if c.iso and (t.nvals == 0 or (t.iso and bool(old[0] == other[2][0]))):
        values = values[:1].copy()
    return MatrixStore(c.nrows, c.ncols, starts, indices, values)


def _spliced(
    c: MatrixStore, old: Array, rows: Array, columns: Array, inside: Array, *other: Array
) -> tuple[Array, Array, Array]:
    """The arrays of a matrix with other entries in a region."""
    work, types = c.nvals + len(other[1]), [each.dtype.char for each in (c.indptr, c.indices, *other)]
    fill = _table.also(("region fill", *types), work, lambda: (REGION_FILL, {}))
    starts, parts, most = np.zeros(c.nrows + 1, INDEX), [(0, c.nrows)], work
    if c.nvals > LIGHT_WORK // 4:
        count = _table.also(("region counts", *types[:3]), work, lambda: (REGION_COUNTS, {}))
        starts[1:] = lengths(c.indptr)
        count(c.indptr, c.indices, rows, inside, other[0], starts[1:])
        np.cumsum(starts, out=starts)
        parts, most = edge_chunks(c.indptr), int(starts[-1])
    indices, values = buffers.empty(most, c.indices.dtype), buffers.empty(most, c.dtype)
    given = (c.indptr, c.indices, old, rows, inside, *other, columns, starts)
    pool.run(lambda part: fill(*given, indices, values, rows.searchsorted(part[0]), *part), parts)
    return starts, shortened(indices, int(starts[-1])), shortened(values, int(starts[-1]))


def _append(c: VectorStore, value: Assigned, rows: Array) -> VectorStore | None:
    """Lists stay lists."""
    kernel = _table.find(c.dtype.char, c.nvals + len(rows), lambda: (APPENDED, {}))
    most = c.nvals + len(rows)
    indices, values = np.empty(most, INDEX), np.empty(most, c.dtype)
    given = np.array([value], c.dtype)
    flags = workspace.flags("mask", c.size)
    before = c.values if len(c.values) == c.nvals else np.full(c.nvals, c.values[0])
    count = kernel(rows, given, c.indices, before, flags, indices, values)
    if len(c.values) <= 1 and bool((c.values == value).all()):
        values = given
    return VectorStore(c.size, values[:count], indices=indices[:count], ordered=count < 2)
