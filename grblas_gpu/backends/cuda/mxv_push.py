"""Pushes: every entry of the vector adds to the rows that its column of the matrix leads to."""

from __future__ import annotations

from typing import Any, NamedTuple

import cupy
import numpy as np

from ..storage import INDEX, Array, MatrixStore, VectorStore
from .collect import collect
from .compile import constant, functions, using
from .launch import TILES, launch
from .masks import VectorMask, as_flags, clear
from .mxv_product import EACH, Product
from .mxv_pull import dense_result, fresh_sums
from .scratch import Scratch

SMALL_FRONTIER = 1024  # as in kernels/frontier.cuh
EDGES_PER_TILE = 1024
DENSE_PUSH = 4  # a push whose edges exceed size / DENSE_PUSH writes flags
KEEP_BITMAP = 100  # a result with more than size / KEEP_BITMAP entries stays a bitmap (the storage rule above us)


class Frontier(NamedTuple):
    """The entries of the vector: their positions (None: all), number and values, and where the values are."""

    indices: Array | None
    length: int
    values: Array
    by_vertex: bool

    @property
    def arguments(self) -> tuple[Any, int, int]:
        return (0 if self.indices is None else self.indices), 0, self.length

    def pieces(self) -> list[str]:
        return [constant("LISTED", self.indices is not None), constant("BY_VERTEX", self.by_vertex)]


def push(
    product: Product,
    m: MatrixStore,
    u: VectorStore,
    mask: VectorMask,
    strategy: str,
    deterministic: bool,
    scratch: Scratch,
) -> VectorStore:
    """``m`` holds the columns of the matrix as rows."""
    size = m.ncols
    sort = strategy == "push.sort" or not product.can_scatter or (deterministic and product.timing_matters)
    frontier = _frontier(u, sort and not product.structure, scratch)
    flags = as_flags(mask, scratch, size)
    if sort:
        result = _push_sort(product, m, frontier, flags, scratch)
    elif strategy == "push.scan":
        result = _in_order(_push_dense(product, m, frontier, flags, scratch), scratch)
    elif frontier.length * (m.nvals // max(1, m.nrows) + 1) > size // DENSE_PUSH:
        result = _push_dense(product, m, frontier, flags, scratch)
    else:
        result = _push_queue(product, m, frontier, flags, scratch)
    clear(mask, scratch, size)
    return result


def _frontier(u: VectorStore, ordered: bool, scratch: Scratch) -> Frontier:
    if u.indices is not None:
        if u.ordered or not ordered:
            return Frontier(u.indices, u.nvals, u.values, False)
        order = cupy.argsort(u.indices)
        return Frontier(u.indices[order], u.nvals, u.values if len(u.values) == 1 else u.values[order], False)
    if u.present is None:
        return Frontier(None, u.size, u.values, True)
    indices = cupy.empty(u.nvals, INDEX)
    collect(VectorMask(present=u.present), u.size, indices, scratch)
    return Frontier(indices, u.nvals, u.values, True)


def _offsets(m: MatrixStore, frontier: Frontier, scratch: Scratch) -> Array:
    """Where each vertex's edges start, if all are numbered through; the last one is their number."""
    first_pass, second_pass = functions(
        "frontier_offsets.cu",
        (frontier.indices is None, m.indices.dtype.char),
        ["sum_degrees_kernel", "offsets_kernel"],
        lambda: [*_structural_pieces(m.indices.dtype), *frontier.pieces()],
    )
    offsets = cupy.empty(frontier.length + 1, INDEX)
    sums = scratch.tile_sums
    launch(first_pass, TILES, (m.indptr, *frontier.arguments, sums), per_block=1)
    launch(second_pass, TILES, (m.indptr, *frontier.arguments, sums, offsets), per_block=1)
    return offsets


def _structural_pieces(column: np.dtype) -> list[str]:
    """For kernels that look at degrees only: any product will do."""
    flags = ("STRUCTURE", "EXIT_AT_FIRST", "FULL")
    return [
        *(using(name, np.dtype(bool)) for name in ("MatrixValue", "VectorValue", "Left", "Right", "Value")),
        using("Column", column),
        *(constant(name, True) for name in flags),
        *(constant(name, False) for name in ("FLIP", "HAS_TERMINAL")),
        *(constant(name, 0) for name in ("MATRIX", "VECTOR", "NATIVE")),
        "DEVICE bool multiply(bool, bool, int64, int64, int64, int64) { return true; }",
        "DEVICE bool add(bool, bool) { return true; }",
        "DEVICE bool terminal() { return true; }",
        *VectorMask().pieces(),
    ]


def _scatter_kernels(
    product: Product, m: MatrixStore, frontier: Frontier, mask: VectorMask, queued: bool
) -> tuple[Any, ...]:
    small = frontier.length <= SMALL_FRONTIER
    by_vertex = frontier.by_vertex and product.vector == EACH  # otherwise it makes no difference
    frontier = frontier._replace(by_vertex=by_vertex)
    return functions(
        "push_scatter.cu",
        (product.key, m.indices.dtype.char, mask.key, frontier.indices is None, by_vertex, queued, small),
        ["push_scatter_kernel", "push_finish_kernel"],
        lambda: [
            *product.pieces(m.indices.dtype),
            constant("FULL", True),
            *mask.pieces(),
            *frontier.pieces(),
            constant("QUEUED", queued),
            constant("SMALL", small),
        ],
    )


def _scatter(
    kernel: Any,
    m: MatrixStore,
    frontier: Frontier,
    mask: VectorMask,
    outputs: tuple[Any, ...],
    scratch: Scratch,
) -> None:
    offsets = 0 if frontier.length <= SMALL_FRONTIER else _offsets(m, frontier, scratch)
    scratch.reset_counters()
    operands = (m.indptr, m.indices, m.values, 0, frontier.values, *mask.arguments)
    arguments = (*operands, *frontier.arguments, offsets, *outputs, scratch.counters)
    launch(kernel, _likely_edges(m, frontier), arguments, per_block=EDGES_PER_TILE)


def _likely_edges(m: MatrixStore, frontier: Frontier) -> int:
    """How many edges to start threads for: no more than there can be."""
    return min(m.nvals, frontier.length * m.max_degree)


def _push_queue(
    product: Product, m: MatrixStore, frontier: Frontier, mask: VectorMask, scratch: Scratch
) -> VectorStore:
    size = m.ncols
    scatter, finish = _scatter_kernels(product, m, frontier, mask, queued=True)
    touched = scratch.flags("touched", size)
    queue = scratch.values("queue", m.indices.dtype, min(size, m.nvals))
    sums: Any = 0
    if not product.structure:
        if product.exit_at_first:
            sums = scratch.values("sums", product.dtype, size)
        else:
            sums = scratch.sums(product.dtype, product.initial, size)
    single: Any = cupy.empty(1, product.dtype) if product.structure else 0
    _scatter(scatter, m, frontier, mask, (touched, sums, queue, single), scratch)
    count = scratch.count()
    indices = cupy.empty(count, INDEX)
    values = single[: min(count, 1)] if product.structure else cupy.empty(count, product.dtype)
    if count:
        launch(finish, count, (queue, 0, count, touched, sums, indices, values))
    return VectorStore(size, values, indices=indices, ordered=count < 2)


def _push_dense(
    product: Product, m: MatrixStore, frontier: Frontier, mask: VectorMask, scratch: Scratch
) -> VectorStore:
    scatter, _ = _scatter_kernels(product, m, frontier, mask, queued=False)
    present, values = fresh_sums(product, m.ncols)
    single = values if product.structure else 0
    _scatter(scatter, m, frontier, mask, (present, values, 0, single), scratch)
    return dense_result(m.ncols, present, values, scratch.count())


def _in_order(result: VectorStore, scratch: Scratch) -> VectorStore:
    """A bitmap with few entries as an ordered list."""
    if result.present is None or result.nvals * KEEP_BITMAP > result.size:
        return result
    iso, values = len(result.values) == 1, result.values
    indices = cupy.empty(result.nvals, INDEX)
    out = None if iso else cupy.empty(result.nvals, values.dtype)
    if result.nvals:
        collect(VectorMask(present=result.present), result.size, indices, scratch, None if iso else values, out)
    return VectorStore(result.size, values[: min(1, result.nvals)] if out is None else out, indices=indices)


def _push_sort(product: Product, m: MatrixStore, frontier: Frontier, mask: VectorMask, scratch: Scratch) -> VectorStore:
    size = m.ncols
    offsets = _offsets(m, frontier, scratch)
    edges = scratch.number_at(offsets.data.ptr + 8 * frontier.length)  # synchronizes: memory must be sized
    if edges == 0:
        return VectorStore(size, cupy.empty(0, product.dtype), indices=cupy.empty(0, INDEX))
    packed = not product.structure and size < 2**32 and edges < 2**32
    key_type = np.dtype(np.uint64) if packed else np.dtype(np.uint32 if size < 2**32 else np.int64)
    gather, count_runs, list_runs, add_runs = functions(
        "push_sort.cu",
        (
            product.key,
            m.indices.dtype.char,
            mask.key,
            frontier.indices is None,
            frontier.by_vertex,
            packed,
            key_type.char,
        ),
        ["gather_kernel", "count_runs_kernel", "list_runs_kernel", "add_runs_kernel"],
        lambda: [
            *product.pieces(m.indices.dtype),
            constant("FULL", True),
            *mask.pieces(),
            *frontier.pieces(),
            constant("PACKED", packed),
            using("Key", key_type),
        ],
    )
    keys = cupy.empty(edges, key_type)
    products = 0 if product.structure else cupy.empty(edges, product.dtype)
    single: Any = cupy.empty(1, product.dtype) if product.structure else 0
    operands = (m.indptr, m.indices, m.values, 0, frontier.values, *mask.arguments)
    launch(gather, edges, (*operands, *frontier.arguments, offsets, size, keys, products, single), EDGES_PER_TILE)
    order: Any = 0
    if packed or product.structure:
        keys.sort()
    else:
        order = cupy.argsort(keys, kind="stable")
        keys = keys[order]
    starts = cupy.empty(min(edges, size), INDEX)
    number = scratch.counters[2:3]
    launch(count_runs, TILES, (keys, edges, size, scratch.tile_sums), per_block=1)
    launch(list_runs, TILES, (keys, edges, size, scratch.tile_sums, starts, number), per_block=1)
    runs = scratch.number_at(number.data.ptr)  # synchronizes: the result must be sized
    indices = cupy.empty(runs, INDEX)
    values = single[: min(runs, 1)] if product.structure else cupy.empty(runs, product.dtype)
    if runs:
        launch(add_runs, runs, (keys, order, products, edges, size, starts, 0, runs, indices, values))
    return VectorStore(size, values, indices=indices)
