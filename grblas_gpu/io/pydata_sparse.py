"""Arrays of PyData Sparse (https://sparse.pydata.org), which the functions import when they need it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..api.base import ensure_type
from ..api.matrix import Matrix, TransposedMatrix
from ..api.vector import Vector
from ..exceptions import GraphblasException
from ..foundation.suggestions import needed, type_text
from ..foundation.types import OperatorLike

FORMATS = ("coo", "dok", "gcxs")


def from_pydata_sparse(s: Any, *, dup_op: OperatorLike | None = None, name: str | None = None) -> Vector | Matrix:
    """A Matrix (two dimensions) or Vector (one) from an array of PyData Sparse.

    Parameters
    ----------
    s : sparse.SparseArray
        In any of its formats.
    dup_op : BinaryOp, optional
        The operator that combines values at the same position.
    name : str, optional
        The name that messages and ``print`` show.

    Examples
    --------
    >>> import sparse  # doctest: +SKIP
    >>> from grblas_gpu import io  # doctest: +SKIP
    >>> io.from_pydata_sparse(sparse.eye(2)).to_dicts()  # doctest: +SKIP
    {0: {0: 1.0}, 1: {1: 1.0}}
    """
    if not hasattr(s, "asformat") or not hasattr(s, "fill_value"):
        raise TypeError(f"from_pydata_sparse only accepts objects from the `sparse` library; got {type_text(s)}")
    if s.ndim not in (1, 2):
        raise GraphblasException(f"from_pydata_sparse: the array must have one or two dimensions; got {s.ndim}")
    coo = s.asformat("coo")
    coords, values = np.asarray(coo.coords), np.asarray(coo.data)
    if s.ndim == 1:
        return Vector.from_coo(coords[0], values, size=s.shape[0], dup_op=dup_op, name=name)
    return Matrix.from_coo(coords[0], coords[1], values, nrows=s.shape[0], ncols=s.shape[1], dup_op=dup_op, name=name)


def to_pydata_sparse(A: Matrix, format: str = "coo") -> Any:
    """A Matrix or Vector as an array of PyData Sparse; positions without an entry are 0 there.

    Parameters
    ----------
    A : Matrix or Vector
        The object to convert.
    format : str
        "coo", "dok" or "gcxs".

    Examples
    --------
    >>> from grblas_gpu import Vector, io
    >>> io.to_pydata_sparse(Vector.from_coo([1], [5], size=3)).todense()  # doctest: +SKIP
    array([0, 5, 0])
    """
    A = ensure_type(A, (Matrix, TransposedMatrix, Vector))
    if format.lower() not in FORMATS:
        raise ValueError(f"to_pydata_sparse: Invalid format: {format}; choose one of {', '.join(FORMATS)}")
    sparse = needed("sparse", "io.to_pydata_sparse")
    *places, values = A.to_coo()
    return sparse.COO(np.array(places, np.int64), values, shape=A.shape).asformat(format.lower())
