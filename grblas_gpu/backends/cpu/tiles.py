"""Matrices joined side by side: the entries of every tile go to their places in one array, row by row."""

from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np

from ..stores.entries import cast, expand
from ..stores.storage import INDEX, MatrixStore, column_type
from ..stores.tiles import one_value
from . import buffers, pool
from .parallel import LIGHT_WORK, edge_chunks, lengths
from .tier import KernelTable

MOVE = """\
@kernel
def kernel(indptr, indices, shift, next, out_indices{values}, lo, hi):
    for p in range(U(lo), U(hi)):
        n = U(next[p])
        for t in range(U(indptr[p]), U(indptr[p + U(1)])):
            out_indices[n] = indices[t] + shift
{copy}            n += U(1)
        next[p] = n
"""
COPY = "            out_values[n] = values[t]\n"

_table = KernelTable()


def join_tiles(tiles: list[list[MatrixStore]], dtype: np.dtype) -> MatrixStore | None:
    """One matrix of rows of tiles; None for the definition: tiles above each other are copied as they are."""
    every = [tile for row in tiles for tile in row]
    if not _table.enabled or dtype.kind == "V" or len(every) == len(tiles):
        return None
    work, ncols, iso = sum(tile.nvals for tile in every), sum(tile.ncols for tile in tiles[0]), one_value(every, dtype)
    kind, is_iso = column_type(ncols), iso is not None
    source = MOVE.format(values="" if is_iso else ", values, out_values", copy="" if is_iso else COPY)
    key = "" if is_iso else dtype.char, np.dtype(kind).char
    starts = np.zeros(sum(row[0].nrows for row in tiles) + 1, INDEX)
    np.concatenate([reduce(add, [lengths(tile.indptr) for tile in row]) for row in tiles], out=starts[1:])
    np.cumsum(starts, out=starts)
    places, indices, top = starts[:-1].copy(), buffers.empty(work, kind), 0
    values = buffers.empty(work, dtype) if iso is None else iso
    for row in tiles:
        bottom, left = top + row[0].nrows, 0
        for tile in row:
            types = tile.indptr.dtype.char, tile.indices.dtype.char
            kernel = _table.find((*key, *types), work, lambda: (source, {}))
            parts = edge_chunks(tile.indptr) if tile.nvals > LIGHT_WORK else [(0, tile.nrows)]
            moved = () if is_iso else (np.ascontiguousarray(cast(expand(tile.values, tile.nvals), dtype)), values)
            pool.launch(kernel, parts, tile.indptr, tile.indices, left, places[top:bottom], indices, *moved)
            left += tile.ncols
        top = bottom
    return MatrixStore(len(starts) - 1, ncols, starts, indices, values)
