"""Pushes: every entry of the vector adds to the rows of the entries in its column of the matrix."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..programs.reading import EACH
from ..stores.storage import INDEX, Array, Known, MatrixStore, VectorStore
from . import mxv_source as text
from . import pool, workspace
from .masks import BYTES, BYTES_COMPLEMENT, NO_MASK, ROWS, ROWS_COMPLEMENT
from .mxv_call import Call, kernels
from .parallel import PARALLEL_WORK, Chunks

TINY_SIZE = 4096  # up to here the size itself bounds the output well enough
DENSE_PUSH = 4  # a push whose edges exceed size / DENSE_PUSH writes a bitmap
KEEP_BITMAP = 100  # a result with more than size / KEEP_BITMAP entries stays a bitmap (the storage rule above us)
TINY_DENSE = 256  # up to here a bitmap is the cheapest result in any case
PART_DEGREE = 8  # shorter lists of neighbours are not worth splitting between threads
KEPT_BYTES = 2**16  # a list up to so long may keep its unused end: not worth a copy


def push(
    call: Call, m: MatrixStore, u: VectorStore, kind: int, allowed: Any, plan: Any, size: int
) -> VectorStore | None:
    """``m`` holds the columns of the matrix as rows."""
    strategy = plan.strategy
    frontier, u_values, by_position = u.indices, u.values, True
    if frontier is None:
        by_position = False
        frontier = np.arange(u.size, dtype=INDEX) if u.present is None else u.present.nonzero()[0]
    elif not u.ordered and (plan.deterministic or strategy == "push.sort"):
        order = np.argsort(frontier)
        frontier = frontier[order]
        u_values = u_values[order] if len(u_values) > 1 else u_values
    mask = kind if kind <= BYTES_COMPLEMENT else BYTES if kind == ROWS else BYTES_COMPLEMENT
    dense_values = not by_position and call.second == EACH
    edges, parts, blend = -1, 1, False  # edges are not counted: the size bounds the output
    if size > TINY_SIZE:
        at_most = len(frontier) * m.max_degree
        if at_most <= size // DENSE_PUSH:
            edges = at_most
        elif len(frontier) > size // 2 and strategy != "push.sort":  # whose buffers need the true count
            edges = len(frontier) * average_degree(m)
        else:
            edges = count_edges(m, u, frontier)
    if strategy == "push.sort":
        shape = "gather"
    elif strategy == "push.scan" or size <= TINY_DENSE or edges > size // DENSE_PUSH:
        shape = "dense"
    else:
        shape = "queue"
    if edges > PARALLEL_WORK and shape != "gather" and edges > PART_DEGREE * len(frontier):
        parts = pool.threads()
        blend = shape == "dense" and _guesswork(mask, kind, allowed, size)
    key = (shape, call.key, dense_values, mask, parts == 1, blend, m.indices.dtype.char)
    kernel = kernels.get(key)
    if kernel is None:
        # The definition, which would do this work instead, looks at every entry of the matrix.
        source = partial(_push_source, shape, call, dense_values, mask, parts == 1, blend)
        kernel = kernels.find(key, len(m.indices), source)
        if kernel is None:
            return None
    arguments: tuple[Any, ...] = (m.indptr, m.indices, *call.value_arguments(m.values, u_values), frontier)
    marked = None
    if kind != mask:  # a list
        marked = workspace.flags("mask", size)
        marked[allowed] = True
        arguments += (marked,)
    elif mask:
        arguments += (allowed,)
    if shape == "gather":
        if edges < 0:
            edges = count_edges(m, u, frontier)
        result = _push_sorted(call, kernel, arguments, m, edges, size)
    elif shape == "dense":
        result = _push_dense(call, kernel, arguments, m, frontier, parts, size)
    else:
        capacity = size if edges < 0 else min(size, edges)
        result = _push_queue(call, kernel, arguments, m, frontier, parts, capacity, size)
    if marked is not None:
        marked[allowed] = False
    return result


def _push_source(shape: str, call: Call, dense_values: bool, mask: int, whole: bool, blend: bool) -> text.Source:
    if shape == "gather":
        return text.push_gather(call.added, dense_values, mask)
    if shape == "dense":
        return text.push_dense(call.added, dense_values, mask, whole, blend)
    return text.push_queue(call.added, dense_values, mask, whole)


def _guesswork(mask: int, kind: int, allowed: Any, size: int) -> bool:
    """Whether a branch on the mask would often be mispredicted: edges lead to the same few rows repeatedly, so a mask
    that leaves most rows open may close half of the edges, and one that closes most rows nearly all."""
    if mask == NO_MASK:
        return False
    listed = len(allowed) if kind in (ROWS, ROWS_COMPLEMENT) else int(np.count_nonzero(allowed))
    return (size - listed if mask == BYTES_COMPLEMENT else listed) * 2 > size


def average_degree(m: MatrixStore) -> int:
    return len(m.indices) // max(1, m.nrows) + 1


def count_edges(m: MatrixStore, u: VectorStore, frontier: Array | None = None) -> int:
    """Entries of ``m`` in the rows of u's entries (which are ``frontier``, if known); cached in ``u``."""
    indptr = m.indptr
    if u.edges is not None and u.edges[0] is indptr:
        return u.edges[1].known()
    if frontier is None:
        frontier = u.indices if u.present is None else u.present.nonzero()[0]
    assert frontier is not None
    kernel = kernels.get("edges") or kernels.find("edges", len(frontier), text.count_edges)
    edges = int((indptr[frontier + 1] - indptr[frontier]).sum()) if kernel is None else kernel(indptr, frontier)
    u.edges = indptr, Known(edges)
    return edges


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
    call: Call,
    kernel: Any,
    arguments: tuple[Any, ...],
    m: MatrixStore,
    frontier: Array,
    parts: int,
    capacity: int,
    size: int,
) -> VectorStore:
    constant = call.constant
    arguments += (workspace.flags("seen", size),)
    if constant is None:
        arguments += (workspace.values(call.semiring.return_type.np_type, size),)
    if parts > 1:
        indices, values = _push_parts(call, kernel, arguments, output_ranges(m, frontier, parts), capacity)
        count = len(indices)
    else:
        indices = np.empty(capacity, INDEX)
        if constant is not None:
            count = kernel(*arguments, indices)
            values = constant.copy()
        else:
            values = np.empty(capacity, call.semiring.return_type.np_type)
            count = kernel(*arguments, indices, values)
            values = values[:count]
        indices = indices[:count]
        if count * 2 < capacity and capacity * indices.itemsize > KEPT_BYTES:  # do not keep the unused part alive
            indices, values = indices.copy(), values if constant is not None else values.copy()
    if count == 0:
        values = values[:0]
    return VectorStore(size, values, indices=indices, ordered=count < 2, nvals=count)


def _push_parts(
    call: Call, kernel: Any, arguments: tuple[Any, ...], ranges: Chunks, capacity: int
) -> tuple[Array, Array]:
    """A thread for each range of outputs; the lists that they make, one after the other."""

    def run(part: tuple[int, int]) -> tuple[Array, Array | None]:
        length = min(capacity, part[1] - part[0])
        queue = np.empty(length, INDEX)
        if call.constant is not None:
            count = kernel(*arguments, queue, *part)
            return queue[:count], None
        values = np.empty(length, call.semiring.return_type.np_type)
        count = kernel(*arguments, queue, values, *part)
        return queue[:count], values[:count]

    pieces = pool.run(run, ranges)
    indices = np.concatenate([piece[0] for piece in pieces])
    constant = call.constant
    return indices, np.concatenate([piece[1] for piece in pieces]) if constant is None else constant.copy()


def _push_dense(
    call: Call, kernel: Any, arguments: tuple[Any, ...], m: MatrixStore, frontier: Array, parts: int, size: int
) -> VectorStore:
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
    call: Call, kernel: Any, arguments: tuple[Any, ...], m: MatrixStore, edges: int, size: int
) -> VectorStore | None:
    keys = np.empty(edges, m.indices.dtype)
    if call.constant is not None:
        count = kernel(*arguments, keys)
        indices = np.unique(keys[:count]).astype(INDEX)
        return VectorStore(size, call.constant.copy() if len(indices) else call.constant[:0], indices=indices)
    dtype = call.semiring.return_type.np_type
    key = ("sums", call.semiring.key, keys.dtype.char, call.early)
    add = kernels.also(key, edges, lambda: text.sorted_sums(call))
    products = np.empty(edges, dtype)
    count = kernel(*arguments, keys, products)
    if count == 0:
        return VectorStore.empty(size, dtype)
    keys, order = stable_sort(keys[:count])
    indices, values = np.empty(count, INDEX), np.empty(count, dtype)
    found = add(keys, order, products, indices, values)
    return VectorStore(size, values[:found].copy(), indices=indices[:found].copy())


def stable_sort(keys: Array) -> tuple[Array, Array]:
    """Sorted keys and the order that sorts them; key and number share a word, which sorts faster than an argsort."""
    if len(keys) >= 2**32 or keys.dtype.itemsize > 4:
        order = np.argsort(keys, kind="stable")
        return keys[order], order
    words = keys.astype(np.uint64) << np.uint64(32)
    words |= np.arange(len(keys), dtype=np.uint64)
    words.sort()
    return (words >> np.uint64(32)).astype(keys.dtype), (words & np.uint64(0xFFFFFFFF)).astype(INDEX)
