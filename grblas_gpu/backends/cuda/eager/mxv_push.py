"""Pushes: every entry of the vector adds to the rows that its column of the matrix leads to."""

from __future__ import annotations

from typing import NamedTuple

import cupy
import numpy as np

from ...programs.reading import EACH
from ...stores.storage import INDEX, Array, VectorStore
from ..runtime.compile import constant
from ..runtime.counters import LISTED, TICKET
from ..runtime.launch import TILES
from ..runtime.workspace import memory_of_two
from .masks import VectorMask, address, collect, list_of
from .mxv_product import Job
from .mxv_pull import dense_result, fresh_sums
from .mxv_sort import push_sort
from .radix import bits_for, sort_positions
from .rows import OFFSETS, SUM_DEGREES, kernels_on_offsets

SMALL_FRONTIER = 1024  # as in kernels/frontier.cuh
EDGES_PER_TILE = 1024
DENSE_PUSH = 4  # a push that may find more than size / DENSE_PUSH entries writes flags


FLAG = 1  # the bit of a byte that is true
_INDEX, _array = np.dtype(INDEX), cupy.ndarray


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


def push(job: Job, strategy: str) -> VectorStore:
    m, u, size = job.m, job.u, job.m.ncols
    sort = strategy == "push.sort"
    if sort and u.pending is not None:
        u.nvals  # synchronizes: memory must be sized
    frontier = _frontier(job, sort and not job.product.structure)
    edges = None  # a bound on the entries in the frontier's columns, or their number if counted with the frontier
    if u.edges is not None and u.edges[0] is m.indptr:
        edges = u.edges[1].known()
    if edges is None:
        edges = min(m.nvals, frontier.length * m.max_degree)
    if sort:
        return push_sort(job, frontier, _offsets(job, frontier), edges)
    scan = strategy == "push.scan"
    queued = not scan and (min(edges, size) * DENSE_PUSH <= size or size <= SMALL_FRONTIER)
    result = _scatter(job, frontier, edges, queued)
    return _in_order(job, result, edges) if scan else result


def _frontier(job: Job, ordered: bool) -> Frontier:
    u = job.u
    listed = list_of(u)
    if listed is not None:
        if ordered and not u.ordered:
            in_order, order = sort_positions(u.indices, bits_for(u.size))
            return Frontier(in_order, u.nvals, u.values if len(u.values) == 1 else u.values[order], False)
        indices, values, length, count_at = listed
        return Frontier(indices, length, values, False, count_at)
    if u.present is None:
        return Frontier(None, u.size, u.values, True)
    indices = cupy.empty(u.nvals_at_most, INDEX)
    count_at = job.slots.address + 8 * TICKET
    collect(VectorMask(present=u.present), u.size, indices, job.scratch, count_at)
    return Frontier(indices, len(indices), u.values, True, count_at if u.known_nvals is None else 0)


def _offsets(job: Job, frontier: Frontier) -> Array:
    """Where each vertex's edges start, if all are numbered through; the last one is their number."""
    indptr, scratch = job.m.indptr, job.scratch
    kernels = kernels_on_offsets(indptr.dtype)
    offsets = cupy.empty(frontier.length + 1, INDEX)
    given = (indptr.data.ptr, *frontier.arguments, scratch.tile_sums.data.ptr)
    scratch.launch(kernels[SUM_DEGREES], TILES, given, per_block=1)
    scratch.launch(kernels[OFFSETS], TILES, (*given, offsets.data.ptr), per_block=1)
    return offsets


def _scatter(job: Job, frontier: Frontier, edges: int, queued: bool) -> VectorStore:
    """A list of the sums that were touched (``queued``), or a bitmap."""
    product, m, _, mask, following, slots, scratch = job
    size = m.ncols
    small = frontier.length <= SMALL_FRONTIER
    by_vertex = frontier.by_vertex and product.second == EACH  # otherwise it makes no difference
    scatter, finish = job.kernels(
        "push_scatter.cu",
        ["push_scatter_kernel", "push_finish_kernel"],
        (frontier.indices is None, by_vertex, queued, small),
        lambda: [
            constant("FULL", True),
            *frontier._replace(by_vertex=by_vertex).pieces(),
            constant("QUEUED", queued),
            constant("SMALL", small),
        ],
    )
    offsets = None if small else _offsets(job, frontier)  # kept until the kernel has been launched
    operands = (m.indptr.data.ptr, m.indices.data.ptr, m.values.data.ptr, 0, frontier.values.data.ptr, *mask.addresses)
    given = (*operands, *frontier.arguments, 0 if offsets is None else offsets.data.ptr)
    counted = (address(following), slots.address, slots.host)
    if not queued:
        present, sums = fresh_sums(product, size)
        outputs = (present.data.ptr, FLAG, sums.data.ptr, 0, sums.data.ptr)
        scratch.launch(scatter, edges, (*given, *outputs, *counted), EDGES_PER_TILE)
        return dense_result(size, present, sums, slots)
    length = min(edges, size)
    value_count = 1 if product.structure else length
    found, values = memory_of_two(length * _INDEX.itemsize, value_count * product.dtype.itemsize)
    marks, bit = scratch.marks(size)
    sums_at = 0 if product.exit_at_first else scratch.sums(product.dtype, product.initial, size).data.ptr
    outputs = (marks.data.ptr, bit, sums_at, found.ptr, values.ptr)
    scratch.launch(scatter, edges, (*given, *outputs, *counted), EDGES_PER_TILE)
    if not product.exit_at_first:
        scratch.launch(finish, length, (found.ptr, slots.address, 0, sums_at, values.ptr))
    arrays = _array((value_count,), product.dtype, values), _array((length,), _INDEX, found)
    return VectorStore.counted_list(size, *arrays, slots.published())


def _in_order(job: Job, result: VectorStore, edges: int) -> VectorStore:
    """A bitmap that can only have few entries as an ordered list."""
    slots = job.slots
    most = min(edges, result.size)
    if most * DENSE_PUSH > result.size > SMALL_FRONTIER:
        return result
    values = result.values
    iso = len(values) == 1
    indices = cupy.empty(most, INDEX)
    out = values if iso else cupy.empty(most, values.dtype)
    given = () if iso else (values, out)
    flags = VectorMask(present=result.present)
    collect(flags, result.size, indices, job.scratch, slots.address + 8 * LISTED, *given)
    return VectorStore.counted_list(result.size, out, indices, slots.published(), ordered=True)
