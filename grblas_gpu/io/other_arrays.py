"""Awkward Arrays, and arrays of the library sparse (PyData)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..api.base import ensure_type
from ..api.matrix import Matrix, TransposedMatrix
from ..api.vector import Vector
from ..exceptions import GraphblasException
from ..foundation.suggestions import needed, type_text
from ..foundation.types import AwkwardArray, OperatorLike, PydataSparse

AWKWARD_FORMATS = ("csr", "csc", "hypercsr", "hypercsc")


def to_awkward(A: Matrix | Vector, format: str | None = None) -> AwkwardArray:
    """A Matrix or Vector as an Awkward Array, a record for each entry with ``indices`` and ``values``.

    It has the parameters "format" and "shape", which :func:`from_awkward` reads. In "hyper" formats, ``data`` holds
    the nonempty rows or columns, and ``offset_labels`` their numbers.

    Parameters
    ----------
    A : Matrix or Vector
        The object to convert.
    format : str, optional
        "csr" (the default), "csc", "hypercsr" or "hypercsc" for a Matrix; "vec" for a Vector.

    Examples
    --------
    >>> from grblas_gpu import Vector, io
    >>> io.to_awkward(Vector.from_coo([1], [5], size=3)).values.tolist()  # doctest: +SKIP
    [5]
    """
    A = ensure_type(A, (Matrix, TransposedMatrix, Vector))
    kind = "Vector" if A.ndim == 1 else "Matrix"
    format = ("vec" if A.ndim == 1 else "csr") if format is None else format.lower()
    if format not in (("vec",) if A.ndim == 1 else AWKWARD_FORMATS):
        raise ValueError(f"to_awkward: Invalid format for {kind}: {format}")
    awkward = needed("awkward", "io.to_awkward")
    if A.ndim == 1:
        indices, values = A.to_coo()
        array = awkward.zip({"values": values, "indices": indices.astype(np.int64)})
    else:
        way = {"csr": A.to_csr, "csc": A.to_csc, "hypercsr": A.to_dcsr, "hypercsc": A.to_dcsc}[format]
        *labels, indptr, indices, values = way()
        content = awkward.contents.RecordArray(
            [awkward.contents.NumpyArray(indices.astype(np.int64)), awkward.contents.NumpyArray(values)],
            ["indices", "values"],
        )
        lists = awkward.contents.ListOffsetArray(awkward.index.Index64(indptr.astype(np.int64)), content)
        array = awkward.Array(lists)
        if labels:
            array = awkward.Array(
                awkward.contents.RecordArray(
                    [lists, awkward.contents.NumpyArray(labels[0].astype(np.int64))], ["data", "offset_labels"]
                )
            )
    array = awkward.with_parameter(array, "format", format)
    return awkward.with_parameter(array, "shape", list(A.shape))


def from_awkward(A: AwkwardArray, *, name: str | None = None) -> Any:
    """A Matrix or Vector from an Awkward Array of :func:`to_awkward` or of its equivalent in python-graphblas.

    Parameters
    ----------
    A : awkward.Array
        With the parameters "format" and "shape".
    name : str, optional
        The name that messages and ``print`` show.

    Examples
    --------
    >>> from grblas_gpu import Vector, io
    >>> io.from_awkward(io.to_awkward(Vector.from_coo([1], [5], size=3))).to_dict()  # doctest: +SKIP
    {1: 5}
    """
    if not hasattr(A, "layout"):
        raise TypeError(f"from_awkward: expected an Awkward Array; got {type_text(A)}")
    parameters = A.layout.parameters
    if missing := {"format", "shape"} - parameters.keys():
        raise ValueError(f"from_awkward: Missing parameters: {', '.join(sorted(missing))}; to_awkward sets them")
    format, shape = parameters["format"], parameters["shape"]
    if len(shape) == 1:
        if format != "vec":
            raise ValueError(f"from_awkward: Invalid format for Vector: {format}")
        return Vector.from_coo(np.asarray(A["indices"]), np.asarray(A["values"]), size=shape[0], name=name)
    if format not in AWKWARD_FORMATS:
        raise ValueError(f"from_awkward: Invalid format for Matrix: {format}")
    lists = A["data"] if format.startswith("hyper") else A
    indptr = np.asarray(lists["values"].layout.offsets.data)
    parts = [indptr, *(np.asarray(lists[part].layout.content.data) for part in ("indices", "values"))]
    if format.startswith("hyper"):
        parts.insert(0, np.asarray(A["offset_labels"].layout.data))
    make: dict[str, Callable[..., Matrix]] = {
        "csr": Matrix.from_csr,
        "csc": Matrix.from_csc,
        "hypercsr": Matrix.from_dcsr,
        "hypercsc": Matrix.from_dcsc,
    }
    return make[format](*parts, nrows=shape[0], ncols=shape[1], name=name)


SPARSE_FORMATS = ("coo", "dok", "gcxs")


def from_pydata_sparse(
    s: PydataSparse, *, dup_op: OperatorLike | None = None, name: str | None = None
) -> Vector | Matrix:
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
        raise TypeError(f"from_pydata_sparse only accepts objects of sparse (sparse.pydata.org); got {type_text(s)}")
    if s.ndim not in (1, 2):
        raise GraphblasException(f"from_pydata_sparse: the array must have one or two dimensions; got {s.ndim}")
    coo = s.asformat("coo")
    coords, values = np.asarray(coo.coords), np.asarray(coo.data)
    if s.ndim == 1:
        return Vector.from_coo(coords[0], values, size=s.shape[0], dup_op=dup_op, name=name)
    return Matrix.from_coo(coords[0], coords[1], values, nrows=s.shape[0], ncols=s.shape[1], dup_op=dup_op, name=name)


def to_pydata_sparse(A: Matrix, format: str = "coo") -> PydataSparse:
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
    if format.lower() not in SPARSE_FORMATS:
        raise ValueError(f"to_pydata_sparse: Invalid format: {format}; choose one of {', '.join(SPARSE_FORMATS)}")
    sparse = needed("sparse", "io.to_pydata_sparse")
    *places, values = A.to_coo()
    return sparse.COO(np.array(places, np.int64), values, shape=A.shape).asformat(format.lower())
