"""Matrices joined side by side and on top of each other: offsets give the place of every entry, without a sort."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add

import numpy as np

from .entries import Store, cast, compress, entries, expand
from .storage import INDEX, INT32_LIMIT, Array, MatrixStore, VectorStore, column_type

FEW = 8  # parts; more of them CuPy puts together by a single kernel ...
LONG = 2**21  # ... if they are shorter than that on average: bytes


def joined(tiles: list[list[MatrixStore]], dtype: np.dtype) -> MatrixStore:
    """Rows of tiles that fit together."""
    return _above([_beside(row, dtype) if len(row) > 1 else row[0] for row in tiles], dtype)


def in_a_line(parts: list[VectorStore], dtype: np.dtype) -> VectorStore:
    """Vectors one after another."""
    size = sum(part.size for part in parts)
    if all(part.kind == "full" for part in parts):
        return VectorStore(size, _values(parts, dtype))
    iso, indices, values, before = one_value(parts, dtype), [], [], 0
    for part in parts:
        index, value = entries(part)
        indices.append(index + before)
        values.append(cast(value, dtype))
        before += part.size
    return VectorStore(size, _in_a_row(values) if iso is None else iso, indices=_in_a_row(indices))


def _above(tiles: list[MatrixStore], dtype: np.dtype) -> MatrixStore:
    nrows, ncols, entries = sum(tile.nrows for tile in tiles), tiles[0].ncols, sum(tile.nvals for tile in tiles)
    offset = _offset_type(tiles, entries)
    offsets = np.empty(nrows + 1, offset, like=tiles[0].indptr)
    offsets[: tiles[0].nrows + 1] = tiles[0].indptr
    row, before = tiles[0].nrows, tiles[0].nvals
    for tile in tiles[1:]:
        own = tile.indptr.astype(offset, copy=False)
        np.add(own[1:], before, out=offsets[row + 1 : row + tile.nrows + 1])
        row, before = row + tile.nrows, before + tile.nvals
    return MatrixStore(nrows, ncols, offsets, _in_a_row([tile.indices for tile in tiles]), _values(tiles, dtype))


def _beside(tiles: list[MatrixStore], dtype: np.dtype) -> MatrixStore:
    nrows, ncols, entries = tiles[0].nrows, sum(tile.ncols for tile in tiles), sum(tile.nvals for tile in tiles)
    offset, kind = _offset_type(tiles, entries), column_type(ncols)
    offsets: list[Array] = [tile.indptr.astype(offset, copy=False) for tile in tiles]
    iso = one_value(tiles, dtype)
    columns: Array = np.empty(entries, kind, like=tiles[0].indices)
    values = np.empty(entries, dtype, like=tiles[0].values) if iso is None else iso
    before = 0
    for number, tile in enumerate(tiles):
        # Before an entry come the entries of the same row in tiles on the left, and none of tiles on the right.
        shift = reduce(add, [own[1:] for own in offsets[:number]] + [own[:-1] for own in offsets[number + 1 :]])
        places = np.arange(tile.nvals, dtype=INDEX, like=tile.indices) + shift[tile.row_ids]
        columns[places] = tile.indices.astype(kind, copy=False) + before
        if iso is None:
            values[places] = cast(expand(tile.values, tile.nvals), dtype)
        before += tile.ncols
    return MatrixStore(nrows, ncols, reduce(add, offsets), columns, values)


def _offset_type(tiles: list[MatrixStore], entries: int) -> type[np.integer]:
    return INDEX if isinstance(tiles[0].indptr, np.ndarray) or entries > INT32_LIMIT else np.int32


def one_value(tiles: Sequence[Store], dtype: np.dtype) -> Array | None:
    """The value that stands for all, if there is one."""
    filled = [tile for tile in tiles if tile.nvals] or tiles[:1]
    first = filled[0].values
    if all(tile.iso for tile in filled) and all(_same(first, tile.values) for tile in filled[1:]):
        return compress(cast(first, dtype).copy())
    return None


def _values(tiles: Sequence[Store], dtype: np.dtype) -> Array:
    """The values of one tile after the other, or one where it stands for all."""
    iso = one_value(tiles, dtype)
    return _in_a_row([cast(expand(tile.values, tile.nvals), dtype) for tile in tiles]) if iso is None else iso


def _in_a_row(parts: list[Array]) -> Array:
    """``np.concatenate``, but by copies: CuPy's is a kernel that moves one element at a time, at half their speed."""
    dtype, count = parts[0].dtype, sum(map(len, parts))
    is_short = len(parts) > FEW and count * dtype.itemsize < LONG * len(parts)
    if is_short or dtype.kind == "V" or any(part.dtype != dtype for part in parts):
        return np.concatenate(parts)
    whole, place = np.empty(count, dtype, like=parts[0]), 0
    for part in filter(len, parts):
        whole[place : place + len(part)] = part
        place += len(part)
    return whole


def _same(one: Array, other: Array) -> bool:
    return one is other or (one.dtype == other.dtype and bool(one[0] == other[0]))  # synchronizes
