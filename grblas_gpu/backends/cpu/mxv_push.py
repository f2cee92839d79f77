"""Pushes: every entry of the vector adds to the rows of the entries in its column of the matrix."""

from __future__ import annotations

from functools import partial

import numpy as np

from ...foundation.types import Plan
from ..programs.reading import EACH
from ..stores.counting import places
from ..stores.storage import INDEX, Array, Known, MatrixStore, VectorStore
from . import mxv_source as text, pool, workspace
from .compile import Kernel
from .ewise import in_order
from .masks import BYTE_KIND, BYTES_COMPLEMENT, NO_MASK, ROWS, ROWS_COMPLEMENT, clean, flags_of
from .mxv_call import Call, kernels
from .parallel import PARALLEL_WORK, Chunks

TINY_SIZE = 4096  # up to here the size itself bounds the output well enough, and the mean degree estimates it
DENSE_PUSH = 4  # a push whose edges exceed size / DENSE_PUSH writes a bitmap
KEEP_BITMAP = 100  # a result with more than size / KEEP_BITMAP entries stays a bitmap (the storage rule above us)
TINY_DENSE = 256  # up to here a bitmap is the cheapest result in any case
PART_DEGREE = 8  # shorter lists of neighbours are not worth splitting between threads
KEPT_BYTES = 2**16  # a list up to so long may keep its unused end: not worth a copy


def push(
    call: Call, m: MatrixStore, u: VectorStore, kind: int, allowed: Array, plan: Plan, size: int
) -> VectorStore | None:
    """``m`` holds the columns of the matrix as rows."""
    strategy = plan.strategy
    frontier, u_values, by_position = u.indices, u.values, True
    if frontier is None:
        by_position = False
        frontier = np.arange(u.size, dtype=INDEX) if u.present is None else places(u.present)
    elif not u.ordered and (plan.deterministic or strategy == "push.sort"):
        order = np.argsort(frontier)
        frontier = frontier[order]
        u_values = u_values[order] if len(u_values) > 1 else u_values
    mask = BYTE_KIND[kind]
    dense_values = not by_position and call.second == EACH
    edges, parts, blend = len(frontier) * average_degree(m), 1, False
    if size > TINY_SIZE and len(frontier) <= size // 2:
        at_most = len(frontier) * m.max_degree
        edges = at_most if at_most <= size // DENSE_PUSH else count_edges(m, u, frontier)
    lists = not (strategy == "push.scan" or size <= TINY_DENSE or edges > size // DENSE_PUSH)
    if edges > PARALLEL_WORK and edges > PART_DEGREE * len(frontier):
        parts = pool.threads()
        blend = not lists and _guesswork(mask, kind, allowed, size)
    key = ("push", lists, call.key, dense_values, mask, parts == 1, blend, m.indices.dtype.char)
    kernel = kernels.get(key)
    if kernel is None:
        # The definition, which would do this work instead, looks at every entry of the matrix.
        source = partial(text.push, call.added, dense_values, mask, lists, parts == 1, blend)
        kernel = kernels.find(key, len(m.indices), source)
    arguments: tuple[object, ...] = (m.indptr, m.indices, *call.value_arguments(m.values, u_values), frontier)
    arguments += flags_of(kind, allowed, size)
    ranges = output_ranges(m, frontier, parts) if parts > 1 else None
    if lists:
        result = _push_listing(call, kernel, arguments, ranges, min(size, edges) if size > TINY_SIZE else size, size)
        if strategy == "push.sort":
            result = in_order(result)
    else:
        result = _push_dense(call, kernel, arguments, ranges, size)
    clean(kind, allowed, size)
    return result


def _guesswork(mask: int, kind: int, allowed: Array, size: int) -> bool:
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
        frontier = u.indices if u.present is None else places(u.present)
    assert frontier is not None
    kernel = kernels.ready("edges", len(frontier), text.count_edges)
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


def _push_listing(
    call: Call, kernel: Kernel, arguments: tuple[object, ...], ranges: Chunks | None, capacity: int, size: int
) -> VectorStore:
    """Lists of the entries of each range of outputs, one after the other."""
    constant, dtype = call.constant, call.semiring.return_type.np_type
    arguments += (workspace.flags("seen", size),)
    arguments += () if constant is not None else (workspace.values(dtype, size),)

    def run(part: tuple[int, ...]) -> tuple[Array, ...]:
        length = min(capacity, part[1] - part[0]) if part else capacity
        queue = (np.empty(length, INDEX), *(() if constant is not None else (np.empty(length, dtype),)))
        count = kernel(*arguments, *queue, *part)
        return tuple([array[:count] for array in queue])

    if ranges is None:
        indices, *values = run(())
        if len(indices) * 2 < capacity and capacity * indices.itemsize > KEPT_BYTES:  # the unused end is not kept alive
            indices, *values = (array.copy() for array in (indices, *values))
    else:
        indices, *values = map(np.concatenate, zip(*pool.run(run, ranges), strict=True))
    count = len(indices)
    given = values[0] if constant is None else constant.copy() if count else constant[:0]
    return VectorStore(size, given, indices=indices, ordered=count < 2, nvals=count)


def _push_dense(
    call: Call, kernel: Kernel, arguments: tuple[object, ...], ranges: Chunks | None, size: int
) -> VectorStore:
    present = np.zeros(size, bool)
    arguments += (present,)
    if call.constant is not None:
        values = call.constant.copy()
    else:
        values = np.zeros(size, call.semiring.return_type.np_type)
        arguments += (values,)
    count = sum(pool.launch(kernel, [()] if ranges is None else ranges, *arguments))
    if count * KEEP_BITMAP > size:
        return VectorStore(size, values) if count == size else VectorStore(size, values, present=present, nvals=count)
    indices = np.flatnonzero(present)
    if call.constant is None:
        values = values[indices]
    return VectorStore(size, values if count else values[:0], indices=indices)
