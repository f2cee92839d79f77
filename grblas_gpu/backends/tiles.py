"""Matrices beside and above each other as one: every entry has its place from the offsets, and nothing is sorted."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from .entries import cast, compress, expand
from .storage import INDEX, INT32_LIMIT, Array, MatrixStore, column_type


def joined(tiles: list[list[MatrixStore]], dtype: np.dtype) -> MatrixStore:
    """Rows of tiles that fit together."""
    return _above([_beside(row, dtype) if len(row) > 1 else row[0] for row in tiles], dtype)


def _above(tiles: list[MatrixStore], dtype: np.dtype) -> MatrixStore:
    nrows, ncols, entries = sum(tile.nrows for tile in tiles), tiles[0].ncols, sum(tile.nvals for tile in tiles)
    offset, before = _offset_type(tiles, entries), 0
    offsets: list[Array] = []
    for tile in tiles:
        own = tile.indptr.astype(offset, copy=False)
        offsets.append(own[1:] + before if offsets else own)
        before += tile.nvals
    columns = np.concatenate([tile.indices for tile in tiles])
    return MatrixStore(nrows, ncols, np.concatenate(offsets), columns, _values(tiles, dtype))


def _beside(tiles: list[MatrixStore], dtype: np.dtype) -> MatrixStore:
    nrows, ncols, entries = tiles[0].nrows, sum(tile.ncols for tile in tiles), sum(tile.nvals for tile in tiles)
    offset, kind = _offset_type(tiles, entries), column_type(ncols)
    offsets: list[Any] = [tile.indptr.astype(offset, copy=False) for tile in tiles]
    places, columns, before = [], [], 0
    for number, tile in enumerate(tiles):
        # Of the same row there is before an entry all that tiles on the left have, and nothing of those on the right.
        shift = reduce(add, [own[1:] for own in offsets[:number]] + [own[:-1] for own in offsets[number + 1 :]])
        places.append(np.arange(tile.nvals, dtype=INDEX, like=tile.indices) + shift[tile.row_ids])
        columns.append(tile.indices.astype(kind) + before)
        before += tile.ncols
    order = np.empty(entries, INDEX, like=places[0])
    order[np.concatenate(places)] = np.arange(entries, dtype=INDEX, like=places[0])
    values = _values(tiles, dtype)
    values = values if len(values) < entries else values[order]
    return MatrixStore(nrows, ncols, reduce(add, offsets), np.concatenate(columns)[order], values)


def _offset_type(tiles: list[MatrixStore], entries: int) -> Any:
    return INDEX if isinstance(tiles[0].indptr, np.ndarray) or entries > INT32_LIMIT else np.int32


def _values(tiles: list[MatrixStore], dtype: np.dtype) -> Array:
    """The values of one tile after the other, or one where it stands for all."""
    filled = [tile for tile in tiles if tile.nvals] or tiles[:1]
    first = filled[0].values
    if all(tile.iso for tile in filled) and all(_same(first, tile.values) for tile in filled[1:]):
        return compress(cast(first, dtype).copy())
    return np.concatenate([cast(expand(tile.values, tile.nvals), dtype) for tile in filled])


def _same(one: Array, other: Array) -> bool:
    return one is other or (one.dtype == other.dtype and bool(one[0] == other[0]))  # synchronizes
