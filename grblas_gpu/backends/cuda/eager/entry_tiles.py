"""A matrix in tiles, for products with full vectors: entries that lead anywhere in a long vector.

Every element that such an entry asks for is a sector of the second-level cache, which is what limits these products
(kernels/block_products.cuh). So entries are put in order of blocks of columns, whose elements fit into shared memory,
and their products go to windows for blocks of rows, which fit there, too. That takes two bytes for each entry twice, a
copy of the values, and memory for the products.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import cupy
import numpy as np

from ...entries import repeat
from ...storage import Array, MatrixStore
from ..runtime.reporting import free_bytes, sized
from .radix import bits_for, sort_positions

SHARED = 96 * 1024  # bytes for elements or products: two blocks fit into a processor
GROUP = 4  # entries, as in kernels/block_products.cuh
LEAST_VECTOR = 2**23  # bytes: most of a shorter one is in the first caches
LEAST_DEGREE = 8  # entries for each element that is read and for each row
LONGEST = 127  # entries of a row: of longer ones sums could differ in their last bits
LEAST_TILE = 16  # entries on average; of fewer, too many groups would not be full
LEAST_SPREAD = 0.5  # of the tiles have entries: else elements that are asked for together lie together
BYTES = 40  # for each entry, while tiles are made
MOST_ENTRIES = 2**31 - 2**24


class Tiles(NamedTuple):
    """As in kernels/block_products.cuh; and which entry each place of the tiles is for."""

    columns: Array
    targets: Array
    column_starts: Array
    windows: Array
    first_rows: Array
    places: Array
    entries: Array
    width: int


class Tiled:
    """What is known of a matrix: its tiles for elements and products of some sizes, and its values in their order."""

    def __init__(self, a: MatrixStore) -> None:
        even = LEAST_DEGREE * max(a.nrows, a.ncols) <= a.nvals <= MOST_ENTRIES and a.max_degree <= LONGEST
        self._even = even
        self._tiles: dict[tuple[int, int], Tiles | None] = {}
        self._values: tuple[Any, Any, Any] = (None, None, None)

    def tiles(self, a: MatrixStore, element: int, product: int) -> Tiles | None:
        """For elements and products of so many bytes, if they pay."""
        if not self._even or a.ncols * element < LEAST_VECTOR:
            return None
        key = element, product
        if key not in self._tiles:
            self._tiles[key] = _tiles(a, SHARED // element, SHARED // product)
        return self._tiles[key]

    def values(self, a: MatrixStore, tiles: Tiles) -> Array:
        """The values in the order of the tiles; one that stands for all as it is."""
        if len(a.values) == 1:
            return a.values
        of, order, values = self._values
        if of is not a.values or order is not tiles.entries:
            values = a.values[tiles.entries]
            self._values = a.values, tiles.entries, values
        return values


def tiled(a: MatrixStore) -> Tiled:
    """What is known of tiles of this matrix, kept with it."""
    if a._entry_tiles is None:
        a._entry_tiles = Tiled(a)
    return a._entry_tiles


@sized
def _tiles(a: MatrixStore, width: int, window: int) -> Tiles | None:
    nrows, ncols, nvals = a.nrows, a.ncols, a.nvals
    column_blocks = -(-ncols // width)
    # A window has room for the entries of its rows, for the last row, and for groups that are not full.
    step = window - LONGEST - (GROUP - 1) * column_blocks
    if step < window // 2 or BYTES * nvals > free_bytes():
        return None
    row_blocks = -(-nvals // step)
    if nvals < LEAST_TILE * column_blocks * row_blocks:
        return None
    numbers = cupy.arange(row_blocks + 1, dtype=np.int64)
    first_rows = np.searchsorted(a.indptr[:-1], (numbers * step).astype(a.indptr.dtype)).astype(np.int64)
    first_rows[-1] = nrows
    begins = a.indptr[first_rows].astype(np.int64)  # the first entry of each block of rows
    row_block = np.searchsorted(begins[1:-1], cupy.arange(nvals, dtype=np.int64), side="right").astype(np.uint32)
    tile = (a.indices // width).astype(np.uint32) * np.uint32(row_blocks) + row_block
    lengths = np.bincount(tile, minlength=column_blocks * row_blocks)
    if int(np.count_nonzero(lengths)) < LEAST_SPREAD * len(lengths):  # synchronizes
        return None
    groups = (lengths + GROUP - 1) // GROUP
    starts = _before(groups)  # of the tiles, block by block of columns
    targets_of = _before(groups.reshape(column_blocks, row_blocks).T.ravel())
    windows = _closed(targets_of[::column_blocks], groups)
    targets_of = targets_of.reshape(row_blocks, column_blocks).T.ravel()
    tile, order = sort_positions(tile, bits_for(len(lengths)))
    rank = cupy.arange(nvals, dtype=np.int64) - _before(lengths)[tile]
    slots = GROUP * starts[tile] + rank
    total = int(groups.sum())
    entries = cupy.zeros(GROUP * total, np.uint32)
    entries[slots] = order
    columns = cupy.zeros(GROUP * total, np.uint16)
    columns[slots] = (a.indices[order] % width).astype(np.uint16)
    places = cupy.empty(nvals, np.uint16)
    places[order] = (GROUP * (targets_of[tile] - windows[tile % row_blocks]) + rank).astype(np.uint16)
    targets = (cupy.arange(total, dtype=np.int64) + repeat(targets_of - starts, groups)).astype(np.uint32)
    column_starts = _closed(starts[::row_blocks], groups)
    return Tiles(
        columns,
        targets,
        column_starts.astype(np.uint32),
        windows.astype(np.uint32),
        first_rows,
        places,
        entries,
        width,
    )


def _before(lengths: Array) -> Array:
    return np.cumsum(lengths) - lengths


def _closed(starts: Array, lengths: Array) -> Array:
    """With where the last one ends."""
    return np.concatenate([starts, lengths.sum().reshape(1)])
