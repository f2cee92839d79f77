"""Joining objects from tiles, and splitting them into tiles."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np

from ...backends.interpreter.operands import matrix_store
from ...backends.registry import using
from ...backends.stores.entries import cast
from ...backends.stores.formats import choose_format
from ...backends.stores.matrix_storage import HYPERSPARSE, SPARSE
from ...backends.stores.storage import MatrixStore, VectorStore
from ...backends.stores.tiles import in_a_line
from ...dtypes import DataType, lookup_dtype
from ...exceptions import DimensionMismatch
from ...foundation.memory import reports_memory
from ...foundation.types import AnyMatrix, DTypeLike
from ...ir import recording
from ...plan.storage_rules import POINTER_LIMIT
from ..base import expect_type
from ..conversions import integral
from ..kinds import output_type
from ..matrix import Matrix, TransposedMatrix
from ..scalar import Scalar
from ..vector import Vector
from .lines import gathered_lines, lines_of

TILES = (Matrix, TransposedMatrix, Vector, Scalar)


def normalize_chunks(chunks: object, shape: tuple[int, ...]) -> list[list[int]]:
    """The sizes of the tiles along every dimension.

    >>> normalize_chunks((5, (5, None)), (10, 20))
    [[5, 5], [5, 15]]
    """
    if isinstance(chunks, np.ndarray):
        chunks = chunks.tolist()
    if not isinstance(chunks, list | tuple):
        size = integral(chunks)
        if size is None:
            raise TypeError(f"chunks argument must be a list, tuple, or numpy array; got: {type(chunks)}")
        chunks = (size,) * len(shape)
    if len(chunks) != len(shape):
        kind = "Vector" if len(shape) == 1 else "Matrix"
        raise ValueError(f"chunks argument must be of length {len(shape)} (one for each dimension of a {kind})")
    return [_sizes(chunk, size) for chunk, size in zip(chunks, shape, strict=True)]


def _sizes(chunk: object, size: int) -> list[int]:
    if chunk is None:
        return [size]
    if (each := integral(chunk) if not isinstance(chunk, np.ndarray) else None) is not None:
        if each <= 0:
            raise ValueError(f"Chunksize must be greater than 0; got: {each}")
        whole, rest = divmod(size, each)
        return [each] * whole + [rest] * bool(rest)
    if isinstance(chunk, np.ndarray):
        if not np.issubdtype(chunk.dtype, np.integer):
            raise TypeError(f"numpy array for chunks must be integer dtype; got {chunk.dtype}")
        if chunk.ndim != 1:
            raise TypeError(f"numpy array for chunks must be 1-dimension; got ndim={chunk.ndim}")
        chunk = chunk.tolist()
    if not isinstance(chunk, list | tuple):
        raise TypeError(f"Chunks for a dimension must be an integer, a list or tuple, or None; got: {type(chunk)}")
    sizes = [None if part is None else integral(part) for part in chunk]
    if any(found is None and part is not None for found, part in zip(sizes, chunk, strict=True)):
        raise TypeError(f"Bad type for element in chunks; expected int or None, but got: {chunk!r}")
    known = [part for part in sizes if part is not None]
    if any(part < 0 for part in known):
        raise ValueError(f"Chunksize must be greater than 0; got: {min(known)}")
    if len(known) < len(sizes) - 1:
        raise TypeError('None value in chunks for "the rest" can only appear once per dimension')
    if len(known) < len(sizes) and sum(known) > size:
        raise ValueError("Chunks are too large; None value in chunks would need to be negative to match size of input")
    return [size - sum(known) if part is None else part for part in sizes]


def _slices(sizes: list[int], whole: int) -> list[slice]:
    if sum(sizes) != whole:
        raise DimensionMismatch(f"chunks of {sum(sizes)} in all for a dimension of {whole}")
    return [slice(end - size, end) for size, end in zip(sizes, accumulate(sizes), strict=True)]


def split_vector(v: Vector, chunks: object, name: str | None) -> list[Vector]:
    [sizes, _] = normalize_chunks([chunks, None], (v._size, 1))
    stem = v.name if name is None else name
    return [v[part].new(name=f"{stem}_{i}") for i, part in enumerate(_slices(sizes, v._size))]


def split_matrix(a: Matrix, chunks: object, name: str | None) -> list[list[Matrix]]:
    rows, cols = (_slices(sizes, n) for sizes, n in zip(normalize_chunks(chunks, a.shape), a.shape, strict=True))
    stem = a.name if name is None else name
    store, engine = a._matrix._store if a._is_transposed else a._store, a._engine
    if type(store) is not MatrixStore or store.form != SPARSE:
        return [[a[i, j].new(name=f"{stem}_{m}x{n}") for n, j in enumerate(cols)] for m, i in enumerate(rows)]
    recording.read("the entries", a._matrix if a._is_transposed else a)
    store = matrix_store(a)
    sides = [
        store if len(cols) == 1 else engine.extract_matrix(store, None, engine.array(np.arange(j.start, j.stop)))
        for j in cols
    ]
    return [
        [
            Matrix._from_store(engine, a.dtype, engine.extract_rows(side, i.start, i.stop), f"{stem}_{m}x{n}")
            for n, side in enumerate(sides)
        ]
        for m, i in enumerate(rows)
    ]


def joined(tiles: object, dtype: DTypeLike | None, name: str | None = None, is_matrix: bool | None = None) -> Any:
    """One Matrix or Vector of tiles, of the type of the first one if none is given."""
    rows, is_matrix = _checked_tiles(tiles, is_matrix)
    first = rows[0][0]
    dtype = lookup_dtype(first.dtype if dtype is None else dtype)
    if is_matrix:
        return _concatenated([[_as_matrix(tile) for tile in row] for row in rows], dtype, name)
    parts: list[Any] = [_as_vector(row[0]) for row in rows]
    engine = parts[0]._engine
    if any(part._engine is not engine or type(part._store) is not VectorStore for part in parts):
        return _concatenated([[part._as_matrix()] for part in parts], dtype)._as_vector(name=name)
    for part in parts:
        recording.read("the entries", part)
    return Vector._from_store(engine, dtype, in_a_line([part._store for part in parts], dtype.np_type), name)


def _checked_tiles(tiles: object, is_matrix: bool | None) -> tuple[list[list[Any]], bool]:
    """Rows of tiles (a Vector is a column, a Scalar one position), and whether they make a Matrix."""
    if not isinstance(tiles, list | tuple):
        raise TypeError(f"tiles argument must be list or tuple; got: {type(tiles)}")
    if not tiles:
        raise ValueError("tiles argument must not be empty")
    rows: list[list[Any]] = []
    for i, row in enumerate(tiles):
        if not isinstance(row, list | tuple):
            if is_matrix or output_type(row) not in (Vector, Scalar):
                raise TypeError(f"tiles must be lists or tuples; got: {type(row)}")
            is_matrix = False
            rows.append([row])
            continue
        if is_matrix is False:
            raise TypeError(f"Bad tile type for concat at position {i}")
        is_matrix = True
        if not row:
            raise ValueError("tiles must not be empty")
        if rows and len(row) != len(rows[0]):
            raise ValueError(f"tiles must all be the same length; got tiles of length {len(rows[0])} and {len(row)}")
        rows.append([_tile(tile, f"Bad tile type for concat at position [{i}, {j}]") for j, tile in enumerate(row)])
    return rows, bool(is_matrix)


def _tile(tile: object, message: str) -> Any:
    dummy = object.__new__(Matrix)  # provides the type for error messages
    return expect_type(dummy, tile, TILES, within="ss.concat", argname="tiles", extra_message=message)


def _as_matrix(tile: Any) -> AnyMatrix:
    return tile if tile.ndim == 2 else tile._as_matrix()


def _as_vector(tile: Any) -> Vector:
    found = _tile(tile, "")
    return found if found.ndim == 1 else found._as_vector()


@reports_memory
def _concatenated(rows: list[list[AnyMatrix]], dtype: DataType, name: str | None = None) -> Matrix:
    """One Matrix of the tiles, whose shapes must match."""
    heights = [row[0]._nrows for row in rows]
    widths = [tile._ncols for tile in rows[0]]
    for row, height in zip(rows, heights, strict=True):
        for tile, width in zip(row, widths, strict=True):
            if tile.shape != (height, width):
                raise DimensionMismatch(f"concat: a tile has shape {tile.shape}, its place has {(height, width)}")
    engine = rows[0][0]._engine
    one_engine = all(tile._engine is engine for row in rows for tile in row)
    if one_engine and all(_has_pointers(tile) for row in rows for tile in row) and sum(heights) <= POINTER_LIMIT:
        for tile in (tile for row in rows for tile in row):
            recording.read("the entries", tile._matrix if tile._is_transposed else tile)
        store = engine.join_tiles([[matrix_store(tile) for tile in row] for row in rows], dtype.np_type)
        return Matrix._from_store(engine, dtype, choose_format(engine, store), name)
    parts = []
    for row, below in zip(rows, accumulate(heights, initial=0), strict=False):
        for tile, right in zip(row, accumulate(widths, initial=0), strict=False):
            i, j, values, _ = lines_of(tile) if one_engine else gathered_lines(tile)
            parts.append((i + below, j + right, cast(values, dtype.np_type)))
    i, j, values = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    with using(engine.name):
        return Matrix.from_coo(i, j, values, dtype, nrows=sum(heights), ncols=sum(widths), name=name)


def _has_pointers(tile: AnyMatrix) -> bool:
    """Whether a tile has row pointers, or few enough rows to create them."""
    store = tile._matrix._store if tile._is_transposed else tile._store
    return type(store) is MatrixStore and store.form != HYPERSPARSE
