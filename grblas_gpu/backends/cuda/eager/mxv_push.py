"""Pushes: every entry of the vector adds to the rows that its column of the matrix leads to."""

from __future__ import annotations

from typing import NamedTuple

import cupy
import numpy as np

from ...programs.reading import EACH
from ...stores.storage import INDEX, Array, MatrixStore, VectorStore
from ..runtime.arrays import two_arrays
from ..runtime.compile import constant, functions
from ..runtime.counters import EDGES, LISTED, TICKET, Slots
from ..runtime.launch import TILES
from ..runtime.workspace import Scratch
from .masks import VectorMask, address, as_flags, clear, collect, list_of
from .mxv_product import Product, index_key
from .mxv_pull import dense_result, fresh_sums
from .mxv_sort import push_sort
from .radix import bits_for, sort_positions
from .rows import OFFSETS, SUM_DEGREES, kernels_on_offsets

SMALL_FRONTIER = 1024  # as in kernels/frontier.cuh
EDGES_PER_TILE = 1024
DENSE_PUSH = 4  # a push that may find more than size / DENSE_PUSH entries writes flags


FLAG = 1  # the bit of a byte that is true
_INDEX = np.dtype(INDEX)


class Frontier(NamedTuple):
    """The entries of the vector: positions (None: all), number (or a bound) and values, and where the values are."""

    indices: Array | None
    length: int
    values: Array
    by_vertex: bool
    count_at: int = 0  # where the device has the number, or 0

    @property
    def arguments(self) -> tuple[int, int, int]:
        return address(self.indices), self.count_at, self.length

    def pieces(self) -> list[str]:
        return [constant("LISTED", self.indices is not None), constant("BY_VERTEX", self.by_vertex)]


def push(
    product: Product,
    m: MatrixStore,
    u: VectorStore,
    mask: VectorMask,
    strategy: str,
    following: Array | None,
    scratch: Scratch,
) -> VectorStore:
    """``m`` holds the columns of the matrix as rows; ``following`` is as for a pull."""
    size = m.ncols
    sort = strategy == "push.sort"
    if sort and u.pending is not None:
        u.nvals  # synchronizes: memory must be sized
    slots = scratch.slots()
    frontier = _frontier(u, sort and not product.structure, slots, scratch)
    flags = mask if mask.indices is None else as_flags(mask, scratch, size)
    if sort:
        offsets = _offsets(m, frontier, scratch)
        result = push_sort(product, m, frontier, offsets, flags, edges_at_most(m, u), slots, scratch)
    else:
        edges = edges_at_most(m, u)
        few = min(edges, size)
        queued = strategy != "push.scan" and (few * DENSE_PUSH <= size or size <= SMALL_FRONTIER)
        result = _scatter(product, m, frontier, flags, edges, queued, following, slots, scratch)
        if strategy == "push.scan":
            result = _in_order(result, edges, slots, scratch)
        if following is not None:
            result.edges = following, slots.published(EDGES)
    if mask.indices is not None:
        clear(mask, scratch, size)
    return result


def edges_at_most(m: MatrixStore, u: VectorStore) -> int:
    """A bound on the entries in the frontier's columns: exact where they were counted with the frontier."""
    if u.edges is not None and u.edges[0] is m.indptr:
        known = u.edges[1].known()
        if known is not None:
            return known
    return min(m.nvals, u.nvals_at_most * m.max_degree)


def _frontier(u: VectorStore, ordered: bool, slots: Slots, scratch: Scratch) -> Frontier:
    if u.kind == "sparse":
        if ordered and not u.ordered:
            in_order, order = sort_positions(u.indices, bits_for(u.size))
            return Frontier(in_order, u.nvals, u.values if len(u.values) == 1 else u.values[order], False)
        indices, values, length, count_at = list_of(u)
        return Frontier(indices, length, values, False, count_at)
    if u.present is None:
        return Frontier(None, u.size, u.values, True)
    indices = cupy.empty(u.nvals_at_most, INDEX)
    count_at = slots.address + 8 * TICKET
    collect(VectorMask(present=u.present), u.size, indices, scratch, count_at)
    return Frontier(indices, len(indices), u.values, True, count_at if u.known_nvals is None else 0)


def _offsets(m: MatrixStore, frontier: Frontier, scratch: Scratch) -> Array:
    """Where each vertex's edges start, if all are numbered through; the last one is their number."""
    kernels = kernels_on_offsets(m.indptr.dtype)
    offsets = cupy.empty(frontier.length + 1, INDEX)
    given = (m.indptr.data.ptr, *frontier.arguments, scratch.tile_sums.data.ptr)
    scratch.launch(kernels[SUM_DEGREES], TILES, given, per_block=1)
    scratch.launch(kernels[OFFSETS], TILES, (*given, offsets.data.ptr), per_block=1)
    return offsets


def _scatter(
    product: Product,
    m: MatrixStore,
    frontier: Frontier,
    mask: VectorMask,
    edges: int,
    queued: bool,
    following: Array | None,
    slots: Slots,
    scratch: Scratch,
) -> VectorStore:
    """A list of the sums that were touched (``queued``), or a bitmap."""
    size = m.ncols
    small = frontier.length <= SMALL_FRONTIER
    by_vertex = frontier.by_vertex and product.second == EACH  # otherwise it makes no difference
    scatter, finish = functions(
        "push_scatter.cu",
        (product.key, index_key(m), mask.key, frontier.indices is None, by_vertex, queued, small),
        ["push_scatter_kernel", "push_finish_kernel"],
        lambda: [
            *product.pieces(m),
            constant("FULL", True),
            *mask.pieces(),
            *frontier._replace(by_vertex=by_vertex).pieces(),
            constant("QUEUED", queued),
            constant("SMALL", small),
        ],
    )
    sums = 0
    if queued:
        length = min(edges, size)
        found, values = two_arrays(length, _INDEX, 1 if product.structure else length, product.dtype)
        marks, bit = scratch.marks(size)
        if not product.exit_at_first:
            sums = scratch.sums(product.dtype, product.initial, size).data.ptr
        outputs = (marks.data.ptr, bit, sums, found.data.ptr, values.data.ptr)
    else:
        found, values = fresh_sums(product, size)
        outputs = (found.data.ptr, FLAG, values.data.ptr, 0, values.data.ptr)
    offsets = None if small else _offsets(m, frontier, scratch)  # kept until the kernel has been launched
    operands = (m.indptr.data.ptr, m.indices.data.ptr, m.values.data.ptr, 0, frontier.values.data.ptr, *mask.addresses)
    counted = (address(offsets), *outputs, address(following), slots.address, slots.host)
    scratch.launch(scatter, edges, (*operands, *frontier.arguments, *counted), EDGES_PER_TILE)
    if not queued:
        return dense_result(size, found, values, slots)
    if not product.exit_at_first:
        scratch.launch(finish, length, (found.data.ptr, slots.address, 0, sums, values.data.ptr))
    return VectorStore.counted_list(size, values, found, slots.published())


def _in_order(result: VectorStore, edges: int, slots: Slots, scratch: Scratch) -> VectorStore:
    """A bitmap that can only have few entries as an ordered list."""
    most = min(edges, result.size)
    if most * DENSE_PUSH > result.size > SMALL_FRONTIER:
        return result
    values = result.values
    iso = len(values) == 1
    indices = cupy.empty(most, INDEX)
    out = values if iso else cupy.empty(most, values.dtype)
    given = () if iso else (values, out)
    flags = VectorMask(present=result.present)
    collect(flags, result.size, indices, scratch, slots.address + 8 * LISTED, *given)
    return VectorStore.counted_list(result.size, out, indices, slots.published(), ordered=True)
