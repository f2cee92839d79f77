"""Conversion from and to objects of python-graphblas. The libraries have separate memory, so values are copied."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from ..api.base import ensure_type
from ..api.matrix import Matrix, TransposedMatrix
from ..api.scalar import Scalar
from ..api.vector import Vector
from ..dtypes import lookup_dtype
from ..foundation.suggestions import needed, type_text
from ..foundation.types import ArrayLike, DTypeLike, GraphblasObject, Tensor

OURS = SimpleNamespace(Matrix=Matrix, Vector=Vector, Scalar=Scalar)


def from_graphblas(x: GraphblasObject, *, name: str | None = None) -> Any:
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
    coordinates = kind == "Matrix" and x.nrows > x.nvals  # it may be hypersparse
    return _copied(x, kind, OURS, lookup_dtype(x.dtype.name), name, coordinates)


def to_graphblas(x: Tensor, *, name: str | None = None) -> GraphblasObject:
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
    kind = "Matrix" if isinstance(x, TransposedMatrix) else type(x).__name__
    coordinates = kind == "Matrix" and x._store.form == "hypersparse"
    return _copied(x, kind, graphblas, x.dtype.name, name, coordinates)


def _copied(x: Any, kind: str, library: object, dtype: DTypeLike | None, name: str | None, coordinates: bool) -> Any:
    """The object of a library with the entries of x; a Matrix by ``coordinates``, or by compressed rows."""
    new, name = getattr(library, kind), x.name if name is None else name
    if kind == "Scalar":
        return new.from_value(x.value, dtype, name=name) if x.nvals else new(dtype, name=name)
    if kind == "Matrix" and not coordinates:
        *places, values = x.to_csr()
        return new.from_csr(*places, _stored_once(x, values), dtype, ncols=x.ncols, name=name)
    shape = {"size": x.size} if kind == "Vector" else {"nrows": x.nrows, "ncols": x.ncols}
    *places, values = x.to_coo()
    return new.from_coo(*places, _stored_once(x, values), dtype, **shape, name=name)


def _stored_once(x: GraphblasObject | Tensor, values: np.ndarray) -> ArrayLike:
    """One value if SuiteSparse stores an iso object."""
    try:
        iso = x.ss.is_iso
    except AttributeError:  # python-graphblas without SuiteSparse's extensions
        return values
    return values[0] if iso and len(values) else values
