"""Matrix times vector: the planner's strategy, by its kernel. Pushes are in ``mxv_push.py``.

In a pull every open row of the result looks for its products.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial

import numpy as np

from ...foundation import atomic_updates
from ...foundation.types import Plan, TypedOperator, TypedSemiring
from ...plan.storage_rules import DENSE_LIMIT
from ..programs.reading import EACH
from ..stores.storage import INDEX, Array, Known, MaskView, MatrixStore, VectorStore
from . import mxv_source as text, pool, workspace
from .compile import Kernel
from .masks import BYTE_KIND, BYTES, NO_MASK, NOTHING, ROWS, ROWS_COMPLEMENT, clean, flags_of, resolve
from .mxv_call import Call, kernels, prepared
from .mxv_push import TINY_DENSE, push
from .parallel import PARALLEL_WORK, Chunks, edge_chunks, even_chunks

Into = tuple[VectorStore, TypedOperator] | None  # a dense output that the product is added to, and how
BLEND_EDGES = 4096  # a smaller matrix is not worth another kernel


def mxv(
    a: MatrixStore,
    u: VectorStore,
    semiring: TypedSemiring,
    mask: MaskView | None,
    transposed: bool,
    flip: bool,
    plan: Plan,
    into: Into = None,
) -> VectorStore | None:
    """The product, or None when the definitions should compute it."""
    if not kernels.enabled or a.rows is not None:  # hypersparse
        return None
    size = a.ncols if transposed else a.nrows
    if (size > DENSE_LIMIT or u.size > DENSE_LIMIT) and max(size, u.size) > len(a.indices):
        return None  # no scratch of such a length for a few entries
    kind, allowed = resolve(mask, TINY_DENSE)
    if u.nvals == 0 or len(a.indices) == 0 or kind == NOTHING:
        return VectorStore.empty(size, semiring.return_type.np_type)
    call = prepared(a.values, u.values, semiring, flip, plan.early_exit)
    if into is not None and call.constant is not None:
        return None
    try:
        if plan.strategy.startswith("push"):
            result = push(call, a if transposed else a.transposed(), u, kind, allowed, plan, size)
        else:
            result = _pull(call, a.transposed() if transposed else a, u, kind, allowed, plan.strategy, size, into)
    except BaseException:
        workspace.forget()
        raise
    return result


def pull_into(
    c: VectorStore,
    accum: TypedOperator,
    a: MatrixStore,
    u: VectorStore,
    semiring: TypedSemiring,
    mask: MaskView | None,
    transposed: bool,
    flip: bool,
    plan: Plan,
) -> bool | None:
    """A product without arrays of its own; None where it has to be kept: user-defined functions may fail half-way."""
    values, built_in = c.values, semiring.cacheable and accum.source is not None and accum.positional is None
    if not built_in or plan.strategy == "pull.compact" or c is u or atomic_updates.multithreaded:
        return None
    if len(values) != c.size or not values.flags.writeable:
        return None
    return mxv(a, u, semiring, mask, transposed, flip, plan, (c, accum)) is c or None


# --- pull -----------------------------------------------------------------------------------------------------------


def _pull(
    call: Call, m: MatrixStore, u: VectorStore, kind: int, allowed: Array, strategy: str, size: int, into: Into
) -> VectorStore | None:
    full, constant = u.kind == "full", call.constant
    rows = _open_rows(kind, allowed, size) if strategy == "pull.compact" else None
    bytes_kind = BYTE_KIND[kind] if rows is None else NO_MASK
    probes = rows is None and constant is not None and call.leave and not full
    blend = not probes and not full and len(m.indices) > BLEND_EDGES and call.can_blend(m, u)
    key: tuple[Hashable, ...] = ("pull", rows is None, probes, call.key, full, bytes_kind, blend, m.indices.dtype.char)
    form = None
    if into is not None:
        out, accum = into
        form = out.dtype, out.present is None, accum
        key += out.dtype.char, out.present is None, accum.key
    kernel = kernels.get(key)
    if kernel is None:
        if probes:
            source = partial(text.pull_probing, bytes_kind)
        elif rows is not None:
            source = partial(text.pull_rows, call.added, full, blend, call.leave)
        else:
            source = partial(text.pull, call.added, full, bytes_kind, blend, call.leave, form)
        kernel = kernels.find(key, len(m.indices), source)
    marked_frontier = None
    u_values = u.values
    arguments: tuple[object, ...] = (m.indptr, m.indices)
    if not full:
        present = u.present
        if present is None:
            present = workspace.flags("frontier", u.size)
            present[u.indices] = True
            marked_frontier = present
            if constant is None and call.second == EACH:
                dense = workspace.values(u_values.dtype, u.size)
                dense[u.indices] = u_values
                u_values = dense
        arguments += (present,)
    arguments += call.value_arguments(m.values, u_values)
    if rows is not None:
        # A sparse mask keeps its own order, so its result is as ordered as it is.
        ordered = bool(kind != ROWS or len(rows) < 2 or (rows[1:] > rows[:-1]).all())
        result = _pull_listed(call, kernel, arguments, rows, m, ordered, size)
    else:
        arguments += flags_of(kind, allowed, size)
        result = _pull_all(call, kernel, arguments, m, strategy, size, probes, into)
    if marked_frontier is not None:
        marked_frontier[u.indices] = False
    if bytes_kind:
        clean(kind, allowed, size)
    return result


def _open_rows(kind: int, allowed: Array, size: int) -> Array:
    if kind == ROWS:
        return allowed
    if kind == NO_MASK:
        return np.arange(size)
    closed = allowed if kind != ROWS_COMPLEMENT else np.isin(np.arange(size), allowed)
    return np.flatnonzero(closed if kind == BYTES else ~closed)


def _pull_all(
    call: Call,
    kernel: Kernel,
    arguments: tuple[object, ...],
    m: MatrixStore,
    strategy: str,
    size: int,
    probes: bool,
    into: Into,
) -> VectorStore:
    parts = [(0, size)] if len(m.indices) < PARALLEL_WORK or pool.threads() == 1 else chunks(m.indptr, strategy)
    if into is not None:
        return _accumulate(into[0], kernel, parts, arguments)
    present = np.empty(size, bool)
    if call.constant is not None:
        values = call.constant.copy()
        arguments += (present,)
    else:
        values = np.zeros(size, call.semiring.return_type.np_type)
        arguments += (present, values)
    found = pool.launch(kernel, parts, *arguments)
    count = sum(part[0] for part in found) if probes else sum(found)
    result = VectorStore.known(size, values, None, None if count == size else present, count)
    if probes:
        result.edges = m.indptr, Known(sum(part[1] for part in found))
    return result


def _accumulate(c: VectorStore, kernel: Kernel, parts: Chunks, arguments: tuple[object, ...]) -> VectorStore:
    arguments += (c.values,) if c.present is None else (c.present, c.values)
    before = c.nvals
    try:
        atomic_updates.changing = True
        c.uncount()
        if len(parts) == 1:
            c.nvals = before + kernel(*arguments, *parts[0])
        else:
            with atomic_updates.uninterrupted():
                c.nvals = before + sum(pool.launch(kernel, parts, *arguments))
        if c.nvals == c.size:
            c.present = None
    finally:
        atomic_updates.changing = False
    return c


def chunks(indptr: Array, strategy: str) -> Chunks:
    """Ranges of rows for the threads: equal rows, equal edges, or many small ones handed out at run time."""
    if strategy == "pull.thread":
        return even_chunks(len(indptr) - 1)
    return edge_chunks(indptr, 16 if strategy == "pull.hybrid" else 4)


def _pull_listed(
    call: Call, kernel: Kernel, arguments: tuple[object, ...], rows: Array, m: MatrixStore, ordered: bool, size: int
) -> VectorStore:
    count = len(rows)
    indices = np.empty(count, INDEX)
    arguments += (rows, indices)
    values = call.constant
    if values is None:
        values = np.empty(count, call.semiring.return_type.np_type)
        arguments += (values,)
    iso = call.constant is not None
    parts = _listed_chunks(rows, m)
    if len(parts) == 1:
        found = kernel(*arguments, 0, count)
        indices = indices[:found]
        values = values.copy() if iso else values[:found]
    else:
        counts = pool.launch(kernel, parts, *arguments)
        pieces = [slice(lo, lo + n) for (lo, _), n in zip(parts, counts, strict=True)]
        indices = np.concatenate([indices[piece] for piece in pieces])
        values = values.copy() if iso else np.concatenate([values[piece] for piece in pieces])
    if len(indices) == 0:
        values = values[:0]
    return VectorStore(size, values, indices=indices, ordered=ordered)


def _listed_chunks(rows: Array, m: MatrixStore) -> Chunks:
    """Ranges of a list of rows for the threads: a list may well be one of the longest rows."""
    if len(rows) * m.max_degree < PARALLEL_WORK or pool.threads() == 1:
        return [(0, len(rows))]
    edges = np.zeros(len(rows) + 1, INDEX)
    np.cumsum(m.indptr[rows + 1] - m.indptr[rows], out=edges[1:])
    return edge_chunks(edges) if edges[-1] > PARALLEL_WORK else [(0, len(rows))]
