"""Matrix times vector: the planner's strategy, by its kernel. Pushes are in ``mxv_push.py``.

In a pull every open row of the result looks for its products.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ...foundation.types import Plan, TypedSemiring
from ...plan.storage_rules import DENSE_LIMIT
from ..programs.reading import EACH
from ..stores.storage import INDEX, Array, Known, MaskView, MatrixStore, VectorStore
from . import mxv_source as text, pool, workspace
from .compile import Kernel
from .masks import BYTE_KIND, BYTES, NO_MASK, NOTHING, ROWS, ROWS_COMPLEMENT, clean, flags_of, resolve
from .mxv_call import Call, kernels, prepared
from .mxv_push import TINY_DENSE, push
from .parallel import PARALLEL_WORK, Chunks, edge_chunks, even_chunks

BLEND_EDGES = 4096  # a smaller matrix is not worth another kernel


def mxv(
    a: MatrixStore,
    u: VectorStore,
    semiring: TypedSemiring,
    mask: MaskView | None,
    transposed: bool,
    flip: bool,
    plan: Plan,
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
    try:
        if plan.strategy.startswith("push"):
            result = push(call, a if transposed else a.transposed(), u, kind, allowed, plan, size)
        else:
            result = _pull(call, a.transposed() if transposed else a, u, kind, allowed, plan.strategy, size)
    except BaseException:
        workspace.forget()
        raise
    return result


# --- pull -----------------------------------------------------------------------------------------------------------


def _pull(
    call: Call, m: MatrixStore, u: VectorStore, kind: int, allowed: Array, strategy: str, size: int
) -> VectorStore | None:
    full, constant = u.kind == "full", call.constant
    rows = _open_rows(kind, allowed, size) if strategy == "pull.compact" else None
    bytes_kind = BYTE_KIND[kind] if rows is None else NO_MASK
    probes = rows is None and constant is not None and call.leave and not full
    blend = not probes and not full and len(m.indices) > BLEND_EDGES and call.can_blend(m, u)
    key = ("pull", rows is None, probes, call.key, full, bytes_kind, blend, m.indices.dtype.char)
    kernel = kernels.get(key)
    if kernel is None:
        if probes:
            source = partial(text.pull_probing, bytes_kind)
        elif rows is not None:
            source = partial(text.pull_rows, call.added, full, blend, call.leave)
        else:
            source = partial(text.pull, call.added, full, bytes_kind, blend, call.leave)
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
        result = _pull_all(call, kernel, arguments, m, strategy, size, probes)
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
    call: Call, kernel: Kernel, arguments: tuple[object, ...], m: MatrixStore, strategy: str, size: int, probes: bool
) -> VectorStore:
    present = np.empty(size, bool)
    if call.constant is not None:
        values = call.constant.copy()
        arguments += (present,)
    else:
        values = np.zeros(size, call.semiring.return_type.np_type)
        arguments += (present, values)
    parts = [(0, size)] if len(m.indices) < PARALLEL_WORK or pool.threads() == 1 else chunks(m.indptr, strategy)
    found = pool.launch(kernel, parts, *arguments)
    count = sum(part[0] for part in found) if probes else sum(found)
    result = VectorStore.known(size, values, None, None if count == size else present, count)
    if probes:
        result.edges = m.indptr, Known(sum(part[1] for part in found))
    return result


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
