"""Matrix times full vector by tiles: where entries of a row lead anywhere in a long vector."""

from __future__ import annotations

from typing import Any, NamedTuple

import cupy
import numpy as np

from ...storage import Array, MatrixStore, VectorStore
from ..runtime.arrays import Result
from ..runtime.compile import constant, functions
from ..runtime.counters import EDGES
from ..runtime.launch import RESERVED, shared_bytes_at_most
from ..runtime.workspace import Scratch
from .entry_tiles import SHARED, tiled
from .masks import NO_MASK, address
from .mxv_product import Product, index_key

THREADS = 512  # of a block, as in kernels/pull_tiles.cu
PARTS = 4  # of a block of columns, which blocks of threads take: as in kernels/block_products.cuh
_KERNELS = ("multiply_tiles_kernel", "add_up_windows_kernel")


class TileWords(NamedTuple):
    """The words of ``struct Tiles``, and what has to be kept as long as somebody has them."""

    words: tuple[int, ...]
    kept: tuple[Any, ...]


def tile_words(m: MatrixStore, element: int, product: int) -> TileWords | None:
    """The tiles of a matrix that has been in some products and has no hubs (column_order.py), if they pay for it, with
    room for its products; elements of the vector and products have so many bytes."""
    if m._column_order is not None or shared_bytes_at_most(cupy.cuda.runtime.getDevice()) - RESERVED < SHARED:
        return None
    tiles = tiled(m).tiles(m, element, product)
    if tiles is None:
        return None
    values, products = tiled(m).values(m, tiles), cupy.empty(len(tiles.columns) * product, np.uint8)
    arrays = (tiles.columns, values, tiles.targets, tiles.column_starts, tiles.windows, tiles.first_rows, tiles.places)
    sizes = len(tiles.column_starts) - 1, len(tiles.first_rows) - 1, tiles.width
    return TileWords((*(array.data.ptr for array in arrays), *sizes, products.data.ptr), (*arrays, products))


def pull_tiles(
    product: Product, m: MatrixStore, u: VectorStore, following: Array | None, tiles: TileWords, scratch: Scratch
) -> VectorStore:
    multiply, add_up = functions(
        "pull_tiles.cu",
        (product.key, index_key(m)),
        _KERNELS,
        lambda: [*product.pieces(m), constant("FULL", True), constant("SHORT_ROWS", False), *NO_MASK.pieces()],
    )
    sums, slots = Result(m.nrows, product.dtype), scratch.slots()
    *_, column_blocks, row_blocks, _, _ = tiles.words
    words = (*tiles.words, m.values.data.ptr, u.values.data.ptr, m.ncols)
    scratch.launch_shared(multiply, column_blocks * PARTS, words, THREADS, SHARED)
    words = (*tiles.words, m.indptr.data.ptr, m.nrows, m.nvals, *sums.addresses, address(following))
    scratch.launch_shared(add_up, row_blocks, (*words, slots.address, slots.host), THREADS, SHARED)
    result = sums.store(slots)
    if following is not None:
        result.edges = following, slots.published(EDGES)
    return result
