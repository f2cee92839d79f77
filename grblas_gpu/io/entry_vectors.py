"""The entries of a Matrix as Vectors, for algorithms that work on a list of edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..api.base import ensure_type
from ..api.matrix import Matrix, TransposedMatrix
from ..api.vector import Vector
from ..backends.entries import entries
from ..backends.registry import using
from ..backends.storage import INDEX, MatrixStore, VectorStore
from ..dtypes import INT64, DataType
from ..errors import InvalidValue
from ..ir import recording


def to_vectors(A: Any) -> tuple[Vector, Vector, Vector]:
    """Row, column and value of every entry, as three Vectors on the same backend, in the order of rows and columns.

    On backend "cuda" nothing leaves the device. With gathers, ``v[rows]``, and scatters, ``w(binary.min)[rows] << v``,
    this is a graph as a list of edges.

    Parameters
    ----------
    A : Matrix
        The Matrix.

    Examples
    --------
    >>> from grblas_gpu import Matrix, io
    >>> rows, cols, values = io.to_vectors(Matrix.from_coo([0, 2, 2], [1, 0, 1], [5, 6, 7]))
    >>> rows.to_dense().tolist(), cols.to_dense().tolist(), values.to_dense().tolist()
    ([0, 2, 2], [1, 0, 1], [5, 6, 7])
    """
    A = ensure_type(A, (Matrix, TransposedMatrix))
    if isinstance(A, TransposedMatrix):
        A = A.new()
    recording.read("the entries", A)
    store = A._store
    if not isinstance(store, MatrixStore):  # over the ranks of a job
        rows, cols, values = A.to_coo()
        made = [Vector.from_dense(part).to(A.backend) for part in (rows.astype(INDEX), cols.astype(INDEX), values)]
        return made[0], made[1], made[2]
    # Arrays of their own: an engine may change the values of a Vector in place.
    rows, cols, values = store.row_ids.astype(INDEX), store.indices.astype(INDEX), store.values.copy()
    return _made(A, INT64, rows), _made(A, INT64, cols), _made(A, A.dtype, values)


def from_vectors(rows: Any, cols: Any, values: Any, *, nrows: int, ncols: int) -> Matrix:
    """A Matrix with an entry for each position of three Vectors: its row, its column and its value.

    The Vectors have entries at the same positions, not necessarily at all. On backend "cuda" nothing leaves the device.

    Parameters
    ----------
    rows, cols : Vector
        Of integers: where the entries go. No two go to the same place.
    values : Vector
        What they are.
    nrows, ncols : int
        The shape.

    Examples
    --------
    >>> from grblas_gpu import Matrix, Vector, io
    >>> rows, cols, values = io.to_vectors(Matrix.from_coo([0, 2, 2], [1, 0, 1], [5, 6, 7]))
    >>> some = Vector.from_coo([0, 2], True, size=3)
    >>> parts = [part.dup(mask=some.S) for part in (rows, cols, values)]
    >>> io.from_vectors(*parts, nrows=3, ncols=2).to_dicts()
    {0: {1: 5}, 2: {1: 7}}
    """
    parts = [ensure_type(part, Vector) for part in (rows, cols, values)]
    for part in parts:
        recording.read("the entries", part)
    found = [part.to_coo() if not isinstance(part._store, VectorStore) else entries(part._store) for part in parts]
    if not all(np.array_equal(found[0][0], keys) for keys, _ in found):
        raise InvalidValue("from_vectors: rows, columns and values must have entries at the same positions")
    (_, i), (_, j), (_, x) = found
    with using(parts[2].backend):
        return Matrix.from_coo(i, j, x, nrows=nrows, ncols=ncols, dtype=parts[2].dtype)


def _made(A: Matrix, dtype: DataType, values: Any) -> Vector:
    return Vector._from_store(A._engine, dtype, VectorStore(A.nvals, A._engine.array(values)))
