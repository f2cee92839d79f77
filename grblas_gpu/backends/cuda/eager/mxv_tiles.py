"""Matrix times full vector by tiles: where entries of a row lead anywhere in a long vector."""

from __future__ import annotations

import cupy

from ...storage import Array, MatrixStore, VectorStore
from ..runtime.arrays import Result
from ..runtime.compile import constant, functions
from ..runtime.counters import EDGES
from ..runtime.workspace import Scratch
from .entry_tiles import SHARED, Tiles, tiled
from .masks import NO_MASK, address
from .mxv_product import EACH, Product, index_key

THREADS = 512  # of a block, as in kernels/pull_tiles.cu
PARTS = 4  # of a block of columns: so many blocks of threads take one
_KERNELS = ("multiply_tiles_kernel", "add_up_windows_kernel")


def tiles_of(product: Product, m: MatrixStore) -> Tiles | None:
    """The tiles of a matrix that has been in some products (column_order.py), if it is one for them."""
    if product.vector != EACH or m._column_order is not None or product.vector_type.itemsize > 8:
        return None
    return tiled(m).tiles(m, product.vector_type.itemsize, product.dtype.itemsize)


def pull_tiles(
    product: Product, m: MatrixStore, u: VectorStore, following: Array | None, tiles: Tiles, scratch: Scratch
) -> VectorStore:
    multiply, add_up = functions(
        "pull_tiles.cu",
        (product.key, index_key(m)),
        _KERNELS,
        lambda: [*product.pieces(m), constant("FULL", True), constant("SHORT_ROWS", False), *NO_MASK.pieces()],
    )
    values = tiled(m).values(m, tiles)
    products = cupy.empty(len(tiles.columns), product.dtype)
    sums, slots = Result(m.nrows, product.dtype), scratch.slots()
    arrays = (tiles.columns, values, tiles.targets, tiles.column_starts, tiles.windows, tiles.first_rows, tiles.places)
    column_blocks, row_blocks = len(tiles.column_starts) - 1, len(tiles.first_rows) - 1
    given = (*(array.data.ptr for array in arrays), column_blocks, row_blocks, tiles.width)
    words = (*given, m.values.data.ptr, u.values.data.ptr, m.ncols, PARTS, products.data.ptr)
    scratch.launch_shared(multiply, column_blocks * PARTS, words, THREADS, SHARED)
    words = (*given, m.indptr.data.ptr, m.nrows, m.nvals, products.data.ptr, *sums.addresses, address(following))
    scratch.launch_shared(add_up, row_blocks, (*words, slots.address, slots.host), THREADS, SHARED)
    result = sums.store(slots)
    if following is not None:
        result.edges = following, slots.published(EDGES)
    return result
