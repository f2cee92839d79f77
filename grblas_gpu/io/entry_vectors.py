"""The entries of a Matrix as Vectors, for algorithms that work on a list of edges."""

from __future__ import annotations

from typing import Any

from ..api.base import ensure_type
from ..api.matrix import Matrix, TransposedMatrix
from ..api.vector import Vector
from ..backends.storage import INDEX, MatrixStore, VectorStore
from ..dtypes import INT64, DataType
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


def _made(A: Matrix, dtype: DataType, values: Any) -> Vector:
    return Vector._from_store(A._engine, dtype, VectorStore(A.nvals, A._engine.array(values)))
