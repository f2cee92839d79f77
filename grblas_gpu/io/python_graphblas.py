"""Conversion from and to objects of python-graphblas. The libraries have separate memory, so values are copied."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..api.base import ensure_type
from ..api.matrix import Matrix, TransposedMatrix
from ..api.scalar import Scalar
from ..api.vector import Vector
from ..dtypes import lookup_dtype
from ..foundation.suggestions import needed, type_text


def from_graphblas(x: Any, *, name: str | None = None) -> Any:
    """A Matrix, Vector or Scalar from python-graphblas's object (or expression) of the same kind.

    Parameters
    ----------
    x : Vector or Matrix
        The object to convert.
    name : str, optional
        The name that messages and ``print`` show.

    Examples
    --------
    >>> import graphblas
    >>> from grblas_gpu import io
    >>> io.from_graphblas(graphblas.Vector.from_coo([0, 2], [5, 6])).to_dict()
    {0: 5, 2: 6}
    """
    if type(x).__module__.partition(".")[0] != "graphblas":
        raise TypeError(f"from_graphblas: expected an object of python-graphblas; got {type_text(x)}")
    kind = type(x).__name__
    if kind not in {"Matrix", "Vector", "Scalar"}:
        if not hasattr(x, "new"):
            raise TypeError(f"from_graphblas: expected a Matrix, Vector or Scalar; got {type_text(x)}")
        return from_graphblas(x.new(), name=name)
    name = x.name if name is None else name
    dtype = lookup_dtype(x.dtype.name)
    if kind == "Scalar":
        return Scalar.from_value(x.value, dtype, name=name) if x.nvals else Scalar(dtype, name=name)
    if kind == "Vector":
        indices, values = x.to_coo()
        return Vector.from_coo(indices, _stored_once(x, values), dtype, size=x.size, name=name)
    if x.nrows > x.nvals:  # it may be hypersparse
        rows, cols, values = x.to_coo()
        values = _stored_once(x, values)
        return Matrix.from_coo(rows, cols, values, dtype, nrows=x.nrows, ncols=x.ncols, name=name)
    indptr, cols, values = x.to_csr()
    return Matrix.from_csr(indptr, cols, _stored_once(x, values), dtype, ncols=x.ncols, name=name)


def to_graphblas(x: Any, *, name: str | None = None) -> Any:
    """A Matrix, Vector or Scalar of python-graphblas from ours.

    Parameters
    ----------
    x : Vector or Matrix
        The object to convert.
    name : str, optional
        The name that messages and ``print`` show.

    Examples
    --------
    >>> from grblas_gpu import Vector, io
    >>> v = io.to_graphblas(Vector.from_coo([0, 2], [5, 6]))
    >>> type(v).__module__, v.to_dict()
    ('graphblas.core.vector', {0: 5, 2: 6})
    """
    graphblas = needed("graphblas", "io.to_graphblas", "python-graphblas")
    x = ensure_type(x, (Matrix, TransposedMatrix, Vector, Scalar))
    name = x.name if name is None else name
    dtype = x.dtype.name
    if isinstance(x, Scalar):
        return graphblas.Scalar.from_value(x.value, dtype, name=name)
    if isinstance(x, Vector):
        indices, values = x.to_coo()
        if not len(indices):
            return graphblas.Vector(dtype, x.size, name=name)
        return graphblas.Vector.from_coo(indices, values, dtype, size=x.size, name=name)
    if x.nvals == 0:
        return graphblas.Matrix(dtype, x.nrows, x.ncols, name=name)
    if x._store.form == "hypersparse":
        rows, cols, values = x.to_coo()
        return graphblas.Matrix.from_coo(rows, cols, values, dtype, nrows=x.nrows, ncols=x.ncols, name=name)
    indptr, cols, values = x.to_csr()
    return graphblas.Matrix.from_csr(indptr, cols, values, dtype, ncols=x.ncols, name=name)


def _stored_once(x: Any, values: np.ndarray) -> Any:
    """One value if SuiteSparse stores an iso object."""
    try:
        iso = x.ss.is_iso
    except AttributeError:  # python-graphblas without SuiteSparse's extensions
        return values
    return values[0] if iso and len(values) else values
