"""The entries of a Matrix or Vector as Vectors, for algorithms that work on a list of edges or of vertices."""

from __future__ import annotations

import numpy as np

from ..api.base import ensure_type
from ..api.matrix import Matrix, TransposedMatrix
from ..api.vector import Vector
from ..backends.registry import using
from ..backends.stores.counting import every
from ..backends.stores.entries import compress, entries
from ..backends.stores.storage import INDEX, MatrixStore, VectorStore
from ..dtypes import INT64
from ..exceptions import InvalidValue
from ..foundation.types import OperatorLike
from ..ir import recording


def to_vectors(x: Matrix) -> tuple[Vector, ...]:
    """Row, column and value of every entry of a Matrix, as three Vectors on the same backend, in the order of rows and
    columns; of a Vector index and value, as two.

    On backend "cuda" all data stays on the device. Algorithms on lists of edges combine the result with gathers,
    ``v[rows]``, and scatters, ``w(binary.min)[rows] << v``.

    Parameters
    ----------
    x : Matrix or Vector
        The object with the entries.

    Examples
    --------
    >>> from grblas_gpu import Matrix, Vector, io
    >>> rows, cols, values = io.to_vectors(Matrix.from_coo([0, 2, 2], [1, 0, 1], [5, 6, 7]))
    >>> rows.to_dense().tolist(), cols.to_dense().tolist(), values.to_dense().tolist()
    ([0, 2, 2], [1, 0, 1], [5, 6, 7])
    >>> indices, values = io.to_vectors(Vector.from_coo([1, 4], [5, 6], size=9))
    >>> indices.to_dense().tolist(), values.to_dense().tolist()
    ([1, 4], [5, 6])
    """
    x = ensure_type(x, (Matrix, TransposedMatrix, Vector))
    if isinstance(x, TransposedMatrix):
        x = x.new()
    recording.read("the entries", x)
    store, types = x._store, (*[INT64] * x.ndim, x.dtype)
    found: tuple[np.ndarray, ...]
    if isinstance(store, MatrixStore):
        found = (store.row_ids.astype(INDEX), store.indices.astype(INDEX), store.values.copy())
    elif isinstance(store, VectorStore):
        keys, values = entries(store)
        found = (keys.astype(INDEX), compress(values).copy())
    else:  # over the ranks of a job
        with using(x.backend):
            return tuple(Vector.from_dense(part, dtype=own) for part, own in zip(x.to_coo(), types, strict=True))
    # The Vectors get copies: an engine may change the values of a Vector in place.
    return tuple(
        Vector._from_store(x._engine, own, VectorStore(x.nvals, x._engine.array(part)))
        for part, own in zip(found, types, strict=True)
    )


def from_vectors(
    rows: Vector, cols: Vector, values: Vector, *, nrows: int, ncols: int, dup_op: OperatorLike | None = None
) -> Matrix:
    """A Matrix with an entry for each position of three Vectors: its row, its column and its value.

    The Vectors have entries at the same positions, not necessarily at all. On "cuda" all data stays on the device.

    Parameters
    ----------
    rows, cols : Vector
        The positions of the entries, as integers. All positions differ, unless ``dup_op`` is given.
    values : Vector
        The values of the entries.
    nrows, ncols : int
        The shape.
    dup_op : BinaryOp, optional
        The operator that combines the values of duplicate positions.

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
    positions = found[0][0]
    if not all(len(keys) == len(positions) and every(keys == positions) for keys, _ in found[1:]):
        raise InvalidValue(
            "from_vectors: the Vectors of rows, columns and values must have entries at the same positions"
        )
    (_, i), (_, j), (_, x) = found
    with using(parts[2].backend):
        return Matrix.from_coo(i, j, x, nrows=nrows, ncols=ncols, dtype=parts[2].dtype, dup_op=dup_op)
