"""``push.sort``: list the products, sort them by output, add up each run. Nothing depends on timing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cupy
import numpy as np

from ...stores.storage import INDEX, Array, VectorStore
from ..runtime.compile import constant, using
from ..runtime.counters import LISTED
from ..runtime.launch import TILES, launch
from .mxv_product import Job
from .operating import launch_reduction
from .radix import bits_for, sort

if TYPE_CHECKING:
    from .mxv_push import Frontier

EDGES_PER_TILE = 1024  # as in kernels/frontier.cuh
FEW_EDGES = 2**20  # memory for so many products is taken without asking how many there are
_KERNELS = ("count_open_kernel", "gather_kernel", "count_runs_kernel", "list_runs_kernel")


def push_sort(job: Job, frontier: Frontier, offsets: Array, edges: int) -> VectorStore:
    """``offsets`` says where each vertex's edges start if all are numbered through; there are at most ``edges``."""
    product, m, _, mask, _, slots, scratch = job
    size = m.ncols
    if edges > FEW_EDGES and not frontier.count_at:
        edges = int(offsets[frontier.length])  # synchronizes: memory must be sized
    if edges == 0:
        return VectorStore(size, cupy.empty(0, product.dtype), indices=cupy.empty(0, INDEX))
    key_type = np.dtype(np.uint32 if size < 2**32 else np.uint64)
    count_open, gather, count_runs, list_runs = job.kernels(
        "push_sort.cu",
        _KERNELS,
        (frontier.indices is None, frontier.by_vertex, key_type.char),
        lambda: [constant("FULL", True), *frontier.pieces(), using("Key", key_type)],
    )
    kept = slots.address + 8 * LISTED  # how many products the mask leaves
    keys = cupy.empty(edges, key_type)
    products: int | Array = 0 if product.structure else cupy.empty(edges, product.dtype)
    values = cupy.empty(1 if product.structure else min(edges, size), product.dtype)
    # The output of every product that the mask allows, and the product, in the order of the frontier.
    walk = (m.indptr, m.indices, m.values, 0, frontier.values, *mask.addresses, *frontier.arguments, offsets)
    opened: int | Array = 0
    if mask.closes and not product.structure:  # if the order matters, the mask is read twice
        opened = cupy.empty(-(-edges // EDGES_PER_TILE), INDEX)
        launch(count_open, edges, (*walk, opened, kept, scratch.flags("counted", 8)), EDGES_PER_TILE)
    launch(gather, edges, (*walk, opened, keys, products, values, kept), EDGES_PER_TILE)
    bits = bits_for(size)
    keys, products = sort(keys, None if product.structure else products, bits, count=kept, overwrite=True)

    indices = cupy.empty(min(edges, size), INDEX)
    starts: int | Array = 0 if product.exit_at_first else cupy.empty(len(indices), INDEX)
    launch(count_runs, TILES, (keys, kept, scratch.tile_sums), per_block=1)
    given = (keys, products, kept, scratch.tile_sums)
    launch(list_runs, TILES, (*given, indices, values, starts, slots.address), per_block=1)
    if not product.exit_at_first:
        monoid = product.semiring.monoid
        counts = (kept, edges), (slots.address, len(indices))
        launch_reduction(monoid, products, 1, counts[0], starts, counts[1], values, scratch)
    return VectorStore.counted_list(size, values, indices, slots.counter(), ordered=True)
