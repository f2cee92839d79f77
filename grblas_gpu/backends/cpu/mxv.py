"""Matrix times vector: pulls along the rows of the result, pushes along the columns of the frontier."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..entries import Store, cast
from ..storage import INDEX, Array, MaskView, MatrixStore, VectorStore
from . import mxv_source as text
from . import pool, workspace
from .inline import uses
from .masks import BYTES, BYTES_COMPLEMENT, NO_MASK, NOTHING, ROWS, ROWS_COMPLEMENT, resolve
from .mxv_source import ARRAY, ISO, UNUSED
from .parallel import PARALLEL_WORK, Chunks, edge_chunks, even_chunks
from .tier import KernelTable

TINY_SIZE = 4096  # up to here the size itself bounds the output well enough
DENSE_PUSH = 4  # a push whose edges exceed size / DENSE_PUSH writes a bitmap
KEEP_BITMAP = 100  # a result with more than size / KEEP_BITMAP entries stays a bitmap (the storage rule above us)
LISTED_ROWS = 16  # a sparse mask with more than size / LISTED_ROWS rows is read as bytes
TINY_DENSE = 256  # up to here a bitmap is the cheapest result in any case
MIXED_ABOVE, MIXED_BELOW = 0.03, 0.97  # fills of a bitmap between which its flags are unpredictable
PART_DEGREE = 8  # shorter lists of neighbours are not worth splitting between threads

_table = KernelTable()
_values: dict[Any, tuple[Array | None, int, int, bool, Any]] = {}


def mxv(
    a: MatrixStore,
    u: VectorStore,
    semiring: Any,
    mask: MaskView | None,
    *,
    transposed: bool,
    flip: bool,
    plan: Any,
) -> VectorStore | None:
    """The product, or None when the definitions should compute it."""
    if not _table.enabled:
        return None
    size = a.ncols if transposed else a.nrows
    kind, allowed = resolve(mask)
    if u.nvals == 0 or len(a.indices) == 0 or kind == NOTHING:
        return VectorStore.empty(size, semiring.return_type.np_type)
    call = Call(a, u, semiring, flip, plan.early_exit, size)
    try:
        if plan.strategy.startswith("push"):
            result = _push(call, a if transposed else a.transposed(), u, kind, allowed, plan)
        else:
            result = _pull(call, a.transposed() if transposed else a, u, kind, allowed, plan.strategy)
    except BaseException:
        workspace.forget()
        raise
    return result


class Call:
    """What all strategies need to know about one product."""

    __slots__ = ("constant", "dtype", "early", "flip", "key", "leave", "matrix", "semiring", "size", "types", "vector")

    def __init__(self, a: MatrixStore, u: Store, semiring: Any, flip: bool, early: bool, size: int) -> None:
        self.semiring = semiring
        self.flip = flip
        self.size = size
        a_values, u_values = a.values, u.values
        a_type, u_type = a_values.dtype, u_values.dtype
        self.types = (a_type, u_type)
        a_iso = a_values.tobytes() if len(a_values) == 1 else None
        u_iso = u_values.tobytes() if len(u_values) == 1 else None
        key = (semiring.key, flip, a_type.char, u_type.char, a_iso, u_iso)
        known = _values.get(key)
        if known is None:
            if len(_values) > 4096:
                _values.clear()
            # The semiring stays alive with its key: a user-defined one is told apart by its address.
            known = _values[key] = (*_how_to_read(a_values, u_values, semiring, flip), semiring)
        self.constant, self.matrix, self.vector, can_exit, _ = known
        self.early = early and can_exit
        self.leave = early  # structure alone: a row may end at its first hit
        self.key: Any = None if early else "whole rows"
        if self.constant is None:
            self.key = (semiring.key, flip, a_type.char, self.matrix, u_type.char, self.vector, self.early)

    def terms(self) -> text.Terms | None:
        if self.constant is not None:
            return None
        a_type, u_type = self.types
        return text.Terms(self.semiring, self.flip, self.matrix, a_type, self.vector, u_type, self.early)

    def can_blend(self, u: VectorStore) -> bool:
        """Whether to list present entries before using them: where a branch on presence would often be mispredicted."""
        if self.constant is not None or not MIXED_ABOVE < u.nvals / u.size < MIXED_BELOW:
            return False
        return not (self.early and self.semiring.monoid.any_value)

    def value_arguments(self, a_values: Array, u_values: Array) -> tuple[Array, ...]:
        if self.constant is not None:
            return ()
        if self.matrix != UNUSED:
            return (a_values, u_values) if self.vector != UNUSED else (a_values,)
        return (u_values,) if self.vector != UNUSED else ()


def _how_to_read(a_values: Array, u_values: Array, semiring: Any, flip: bool) -> tuple[Array | None, int, int, bool]:
    """The result's single value if it has one, how to read the operands' values, and whether early exit is possible."""
    op, monoid = semiring.binaryop, semiring.monoid
    left_used, right_used = uses(op, "x"), uses(op, "y")
    a_used, u_used = (right_used, left_used) if flip else (left_used, right_used)
    matrix = UNUSED if not a_used else ISO if len(a_values) == 1 else ARRAY
    vector = UNUSED if not u_used else ISO if len(u_values) == 1 else ARRAY
    can_exit = bool(monoid.any_value) or monoid.terminal is not None
    constant = None
    if op.positional is None and matrix != ARRAY and vector != ARRAY:
        left, right = (u_values, a_values) if flip else (a_values, u_values)
        x = cast(left[:1].copy(), op.type.np_type)
        y = cast(right[:1].copy(), op.type2.np_type)
        z = np.asarray(op.numpy(x, y)).astype(semiring.return_type.np_type)
        again = np.asarray(monoid.binaryop.numpy(z, z))
        if bool((z == again).all()):
            constant = z.reshape(1).copy()
    return constant, matrix, vector, can_exit


# --- pull -----------------------------------------------------------------------------------------------------------


def _pull(call: Call, m: MatrixStore, u: VectorStore, kind: int, allowed: Any, strategy: str) -> VectorStore | None:
    full = u.kind == "full"
    rows: Array | None = None
    if kind == ROWS:
        rows = allowed
        if len(rows) > call.size // LISTED_ROWS and strategy != "pull.compact":
            rows = None
    elif strategy == "pull.compact" and kind in (BYTES, BYTES_COMPLEMENT):
        rows = np.flatnonzero(allowed if kind == BYTES else ~allowed)
    bytes_kind = (
        NO_MASK if rows is not None or kind == NO_MASK else BYTES if kind in (BYTES, ROWS) else BYTES_COMPLEMENT
    )
    shape = "rows" if rows is not None else "edge" if strategy == "pull.edge" else "pull"
    blend = shape == "pull" and u.present is not None and len(m.indices) > TINY_SIZE and call.can_blend(u)
    key = (shape, call.key, full, bytes_kind, blend, m.indices.dtype.char)
    kernel = _table.get(key)
    if kernel is None:
        kernel = _table.find(key, len(m.indices), lambda: _pull_source(shape, call, full, bytes_kind, blend))
        if kernel is None:
            return None
    marked_frontier = marked_mask = None
    u_values = u.values
    arguments: tuple[Any, ...] = (m.indptr, m.indices)
    if shape == "edge":
        arguments = (m.indptr, m.row_ids, m.indices)
    if not full:
        present = u.present
        if present is None:
            present = workspace.flags("frontier", u.size)
            present[u.indices] = True
            marked_frontier = present
            if call.constant is None and call.vector == ARRAY:
                dense = workspace.values(u_values.dtype, u.size)
                dense[u.indices] = u_values
                u_values = dense
        arguments += (present,)
    arguments += call.value_arguments(m.values, u_values)
    if bytes_kind:
        if kind in (ROWS, ROWS_COMPLEMENT):
            marked_mask = workspace.flags("mask", call.size)
            marked_mask[allowed] = True
            arguments += (marked_mask,)
        else:
            arguments += (allowed,)
    if rows is not None:
        # A sparse mask keeps its own order, so its result is as ordered as it is.
        ordered = bool(kind != ROWS or len(rows) < 2 or (rows[1:] > rows[:-1]).all())
        result = _pull_listed(call, kernel, arguments, rows, m, ordered)
    else:
        result = _pull_all(call, kernel, arguments, m, strategy)
    if marked_frontier is not None:
        marked_frontier[u.indices] = False
    if marked_mask is not None:
        marked_mask[allowed] = False
    return result


def _pull_source(shape: str, call: Call, full: bool, mask: int, blend: bool) -> text.Source:
    if shape == "rows":
        return text.pull_rows(call.terms(), full, call.leave)
    if shape == "edge":
        return text.pull_edge(call.terms(), full, mask)
    return text.pull(call.terms(), full, mask, blend, call.leave)


def _pull_all(call: Call, kernel: Any, arguments: tuple[Any, ...], m: MatrixStore, strategy: str) -> VectorStore:
    size = call.size
    present = np.empty(size, bool)
    if call.constant is not None:
        values = call.constant.copy()
        arguments += (present,)
    else:
        values = np.zeros(size, call.semiring.return_type.np_type)
        arguments += (present, values)
    if len(m.indices) < PARALLEL_WORK or pool.threads() == 1:
        count = kernel(*arguments, 0, size)
    else:
        bounds = chunks(m.indptr, strategy)
        count = sum(pool.run(lambda part: kernel(*arguments, *part), bounds))
    if count == size:
        return VectorStore(size, values)
    return VectorStore(size, values, present=present, nvals=count)


def chunks(indptr: Array, strategy: str) -> Chunks:
    """Ranges of rows for the threads: equal rows, equal edges, or many small ones handed out at run time."""
    if strategy == "pull.thread":
        return even_chunks(len(indptr) - 1)
    return edge_chunks(indptr, 16 if strategy == "pull.hybrid" else 4)


def _pull_listed(
    call: Call, kernel: Any, arguments: tuple[Any, ...], rows: Array, m: MatrixStore, ordered: bool
) -> VectorStore:
    count = len(rows)
    indices = np.empty(count, INDEX)
    arguments += (rows, indices)
    values = call.constant
    if values is None:
        values = np.empty(count, call.semiring.return_type.np_type)
        arguments += (values,)
    iso = call.constant is not None
    if count * average_degree(m) < PARALLEL_WORK or pool.threads() == 1:
        found = kernel(*arguments, 0, count)
        indices = indices[:found]
        values = values.copy() if iso else values[:found]
    else:
        parts = even_chunks(count)
        counts = pool.run(lambda part: kernel(*arguments, *part), parts)
        pieces = [slice(lo, lo + n) for (lo, _), n in zip(parts, counts, strict=True)]
        indices = np.concatenate([indices[piece] for piece in pieces])
        values = values.copy() if iso else np.concatenate([values[piece] for piece in pieces])
    if len(indices) == 0:
        values = values[:0]
    return VectorStore(call.size, values, indices=indices, ordered=ordered)


# --- push -----------------------------------------------------------------------------------------------------------


def _push(call: Call, m: MatrixStore, u: VectorStore, kind: int, allowed: Any, plan: Any) -> VectorStore | None:
    """``m`` holds the columns of the matrix as rows."""
    strategy, size = plan.strategy, call.size
    frontier, u_values, by_position = u.indices, u.values, True
    if frontier is None:
        by_position = False
        frontier = np.arange(u.size, dtype=INDEX) if u.present is None else u.present.nonzero()[0]
    elif not u.ordered and (plan.deterministic or strategy == "push.sort"):
        order = np.argsort(frontier)
        frontier = frontier[order]
        u_values = u_values[order] if len(u_values) > 1 else u_values
    mask = NO_MASK if kind == NO_MASK else BYTES if kind in (BYTES, ROWS) else BYTES_COMPLEMENT
    dense_values = not by_position and call.vector == ARRAY
    edges = -1  # not counted: the size bounds the output
    if size > TINY_SIZE:
        at_most = len(frontier) * m.max_degree
        if at_most <= size // DENSE_PUSH:
            edges = at_most
        elif len(frontier) > size // 2 and strategy != "push.sort":  # whose buffers need the true count
            edges = len(frontier) * average_degree(m)
        else:
            edges = _count_edges(m.indptr, frontier)
    if strategy == "push.sort":
        shape = "gather"
    elif strategy == "push.scan" or size <= TINY_DENSE or edges > size // DENSE_PUSH:
        shape = "dense"
    else:
        shape = "queue"
    parts = 1
    if shape != "gather" and edges > PARALLEL_WORK and edges > PART_DEGREE * len(frontier):
        parts = pool.threads()
    key = (shape, call.key, dense_values, mask, parts == 1, m.indices.dtype.char)
    kernel = _table.get(key)
    if kernel is None:
        # The definition, which would do this work instead, looks at every entry of the matrix.
        kernel = _table.find(key, len(m.indices), lambda: _push_source(shape, call, dense_values, mask, parts == 1))
        if kernel is None:
            return None
    arguments: tuple[Any, ...] = (m.indptr, m.indices, *call.value_arguments(m.values, u_values), frontier)
    marked = None
    if mask:
        if kind in (ROWS, ROWS_COMPLEMENT):
            marked = workspace.flags("mask", size)
            marked[allowed] = True
            arguments += (marked,)
        else:
            arguments += (allowed,)
    if shape == "gather":
        if edges < 0:
            edges = _count_edges(m.indptr, frontier)
        result = _push_sorted(call, kernel, arguments, m, frontier, edges)
    elif shape == "dense":
        result = _push_dense(call, kernel, arguments, m, frontier, parts)
    else:
        capacity = size if edges < 0 else min(size, edges)
        result = _push_queue(call, kernel, arguments, m, frontier, parts, capacity)
    if marked is not None:
        marked[allowed] = False
    return result


def _push_source(shape: str, call: Call, dense_values: bool, mask: int, whole: bool) -> text.Source:
    if shape == "gather":
        return text.push_gather(call.terms(), dense_values, mask)
    return (text.push_dense if shape == "dense" else text.push_queue)(call.terms(), dense_values, mask, whole)


def average_degree(m: MatrixStore) -> int:
    return len(m.indices) // max(1, m.nrows) + 1


def _count_edges(indptr: Array, frontier: Array) -> int:
    return int((indptr[frontier + 1] - indptr[frontier]).sum())


def output_ranges(m: MatrixStore, frontier: Array, parts: int) -> list[tuple[int, int]]:
    """Ranges of outputs with about as many edges each, estimated from a sample of the frontier's neighbours."""
    some = frontier[:: len(frontier) // 256 + 1]
    start, degree = m.indptr[some], m.indptr[some + 1] - m.indptr[some]
    start, degree = start[degree > 0], degree[degree > 0]
    sample = np.sort(np.concatenate([m.indices[start + degree * eighth // 8] for eighth in (1, 3, 5, 7)]))
    inner = sample[np.arange(1, parts) * len(sample) // parts].tolist() if len(sample) else []
    cuts = [0, *inner, m.ncols]
    return [(lo, hi) for lo, hi in zip(cuts[:-1], cuts[1:], strict=True) if lo < hi]


def _push_queue(
    call: Call, kernel: Any, arguments: tuple[Any, ...], m: MatrixStore, frontier: Array, parts: int, capacity: int
) -> VectorStore:
    size = call.size
    seen = workspace.flags("seen", size)
    arguments += (seen,)
    if call.constant is None:
        dtype = call.semiring.return_type.np_type
        arguments += (workspace.values(dtype, size),)
    if parts > 1:
        ranges = output_ranges(m, frontier, parts)

        def run(part: tuple[int, int]) -> tuple[Array, Array | None]:
            room = min(capacity, part[1] - part[0])
            queue = np.empty(room, INDEX)
            if call.constant is not None:
                count = kernel(*arguments, queue, *part)
                return queue[:count], None
            values = np.empty(room, dtype)
            count = kernel(*arguments, queue, values, *part)
            return queue[:count], values[:count]

        pieces = pool.run(run, ranges)
        indices = np.concatenate([piece[0] for piece in pieces])
        values = call.constant
        values = np.concatenate([piece[1] for piece in pieces]) if values is None else values.copy()
    else:
        indices = np.empty(capacity, INDEX)
        if call.constant is not None:
            count = kernel(*arguments, indices)
            values = call.constant.copy()
        else:
            values = np.empty(capacity, dtype)
            count = kernel(*arguments, indices, values)
            values = values[:count]
        indices = indices[:count]
        if count * 2 < capacity:  # do not keep the unused part alive
            indices = indices.copy()
            values = values.copy()
    if len(indices) == 0:
        values = values[:0]
    return VectorStore(size, values, indices=indices, ordered=len(indices) < 2)


def _push_dense(
    call: Call, kernel: Any, arguments: tuple[Any, ...], m: MatrixStore, frontier: Array, parts: int
) -> VectorStore:
    size = call.size
    present = np.zeros(size, bool)
    arguments += (present,)
    if call.constant is not None:
        values = call.constant.copy()
    else:
        values = np.zeros(size, call.semiring.return_type.np_type)
        arguments += (values,)
    if parts > 1:
        count = sum(pool.run(lambda part: kernel(*arguments, *part), output_ranges(m, frontier, parts)))
    else:
        count = kernel(*arguments)
    if count * KEEP_BITMAP > size:
        return VectorStore(size, values) if count == size else VectorStore(size, values, present=present, nvals=count)
    indices = np.flatnonzero(present)
    if call.constant is None:
        values = values[indices]
    return VectorStore(size, values if count else values[:0], indices=indices)


def _push_sorted(
    call: Call, kernel: Any, arguments: tuple[Any, ...], m: MatrixStore, frontier: Array, edges: int
) -> VectorStore | None:
    size = call.size
    keys = np.empty(edges, m.indices.dtype)
    if call.constant is not None:
        count = kernel(*arguments, keys)
        indices = np.unique(keys[:count]).astype(INDEX)
        return VectorStore(size, call.constant.copy() if len(indices) else call.constant[:0], indices=indices)
    dtype = call.semiring.return_type.np_type
    add = _table.find(
        ("sums", call.semiring.key, keys.dtype.char, call.early), 10**9, lambda: text.sorted_sums(_required(call))
    )
    products = np.empty(edges, dtype)
    count = kernel(*arguments, keys, products)
    if count == 0:
        return VectorStore.empty(size, dtype)
    keys, order = stable_sort(keys[:count])
    indices, values = np.empty(count, INDEX), np.empty(count, dtype)
    found = add(keys, order, products, indices, values)
    return VectorStore(size, values[:found].copy(), indices=indices[:found].copy())


def _required(call: Call) -> text.Terms:
    terms = call.terms()
    assert terms is not None
    return terms


def stable_sort(keys: Array) -> tuple[Array, Array]:
    """Sorted keys and the order that sorts them; key and number share a word, which sorts faster than an argsort."""
    if len(keys) >= 2**32 or keys.dtype.itemsize > 4:
        order = np.argsort(keys, kind="stable")
        return keys[order], order
    words = keys.astype(np.uint64) << np.uint64(32)
    words |= np.arange(len(keys), dtype=np.uint64)
    words.sort()
    return (words >> np.uint64(32)).astype(keys.dtype), (words & np.uint64(0xFFFFFFFF)).astype(INDEX)
