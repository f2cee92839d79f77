"""SciPy's sparse arrays, matrices and ``.npz`` files, and CuPy's arrays of the same interface, ``cupyx``'s."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..api.base import ensure_type
from ..api.matrix import Matrix, TransposedMatrix
from ..api.matrix_formats import compressed_store
from ..api.vector import Vector
from ..backends.registry import current_engine
from ..backends.stores.counting import some
from ..backends.stores.storage import INT32_LIMIT
from ..dtypes import lookup_dtype
from ..exceptions import InvalidValue
from ..foundation.border import border, check_members, check_memory, length_of
from ..foundation.suggestions import type_text
from ..foundation.types import Array, OperatorLike, SciPySparse, Source
from ..ir import recording
from .replacing import replacing
from .text_files import name_of

FORMATS = ("bsr", "csr", "csc", "coo", "lil", "dia", "dok")


def from_scipy_sparse(
    A: SciPySparse, *, dup_op: OperatorLike | None = None, name: str | None = None, copy: bool = True
) -> Any:
    """A Matrix from a SciPy sparse array or matrix of any format, or from one of ``cupyx.scipy.sparse``; a Vector from
    an array of one dimension.

    Stored zeros stay entries. Duplicate positions (possible in "coo", "csr" and "csc") need ``dup_op``. With
    ``copy=False`` the Matrix shares the column indices and values of a "csr" that have the stored types: do not change
    A then; changes of the Matrix change A. Arrays on a CUDA device are always shared.

    Parameters
    ----------
    A : scipy sparse array
        An array of any format; or one of ``cupyx.scipy.sparse`` on backend "cuda".
    dup_op : BinaryOp, optional
        The operator that combines the values of duplicate edges; without it, duplicates raise ValueError.
    name : str, optional
        The name that messages and ``print`` show.
    copy : bool
        Whether to copy arrays that could be shared.

    Examples
    --------
    >>> from scipy.sparse import coo_array
    >>> from grblas_gpu import binary, io
    >>> io.from_scipy_sparse(coo_array(([5, 6], ([0, 1], [1, 0])))).to_dicts()
    {0: {1: 5}, 1: {0: 6}}
    >>> io.from_scipy_sparse(coo_array(([5, 6], ([0, 0], [1, 1]))), dup_op=binary.plus).to_dicts()
    {0: {1: 11}}
    """
    if not hasattr(A, "format") or not hasattr(A, "tocoo"):
        raise TypeError(f"from_scipy_sparse: expected a sparse array or matrix of SciPy or CuPy; got {type_text(A)}")
    dtype = lookup_dtype(A.dtype)
    if len(A.shape) == 1:
        coo = A.tocoo()
        return Vector.from_coo(coo.coords[0], coo.data, dtype, size=A.shape[0], dup_op=dup_op, name=name)
    if len(A.shape) != 2:
        raise ValueError(f"from_scipy_sparse: the array must have one or two dimensions; got {len(A.shape)}")
    nrows, ncols = A.shape
    if A.format in {"csr", "csc"} and dup_op is None:
        by_rows = A.format == "csr"
        outer, inner = (nrows, ncols) if by_rows else (ncols, nrows)
        label, what = ("nrows", "column indices") if by_rows else ("ncols", "row indices")
        # SciPy's arrays may be longer than indptr requires.
        used = int(A.indptr[-1])
        arrays = A.indptr, A.indices[:used], one_if_equal(A.data[:used])
        store, _ = compressed_store(*arrays, dtype, outer, inner, label, what, copy=copy)
        engine = current_engine()
        return Matrix._from_store(engine, dtype, engine.adopt(store if by_rows else store.transposed()), name)
    if A.format in {"csr", "csc", "bsr"}:
        _check_pointers(A)
    if A.format == "dia":
        # Diagonals are stored whole; SciPy's own conversion drops their zeros, as python-graphblas's does.
        A = A.tocsr()
    coo = A.tocoo()
    rows, cols = (coo.row, coo.col) if hasattr(coo, "row") else coo.coords
    return Matrix.from_coo(rows, cols, coo.data, dtype, nrows=nrows, ncols=ncols, dup_op=dup_op, name=name)


def to_scipy_sparse(A: Matrix, format: str = "csr", *, copy: bool = True) -> SciPySparse:
    """A SciPy sparse array from a Matrix, or from a Vector, with one row (one column in "csc").

    With ``copy=False`` a "csr" shares the column indices and, unless the Matrix is iso, the values of a Matrix on the
    host. Do not change them then.

    Parameters
    ----------
    A : Matrix
        The Matrix.
    format : str
        One of SciPy's formats: "csr", "csc", "coo" and others.
    copy : bool
        Whether to copy arrays that could be shared.

    Examples
    --------
    >>> from grblas_gpu import Matrix, io
    >>> io.to_scipy_sparse(Matrix.from_coo([0, 1], [1, 0], [5, 6]), "csc").toarray()
    array([[0, 5],
           [6, 0]])
    """
    import scipy.sparse as sparse

    format = format.lower()
    if format not in FORMATS:
        raise ValueError(f"to_scipy_sparse: Invalid format: {format}; choose one of bsr, csr, csc, coo, lil, dia, dok")
    A = ensure_type(A, (Vector, Matrix, TransposedMatrix))
    if isinstance(A, Vector):
        indices, data = A.to_coo()
        lines = np.array([0, len(data)])
        if format == "csc":
            return sparse.csc_array((data, indices.astype(np.int64), lines), shape=(A.size, 1))
        return sparse.csr_array((data, indices.astype(np.int64), lines), shape=(1, A.size)).asformat(format)
    if isinstance(A, TransposedMatrix):
        # The "csr" of the transpose is the "csc" of the matrix, and vice versa.
        other = {"csr": "csc", "csc": "csr"}.get(format, format)
        return to_scipy_sparse(A.T, other, copy=copy).T.asformat(format)
    if format == "coo" and A._store.form == "hypersparse":
        rows, cols, data = A.to_coo()
        return sparse.coo_array((data, (rows.astype(np.int64), cols.astype(np.int64))), shape=A.shape)
    if format not in {"csr", "csc"}:
        return to_scipy_sparse(A, "csr", copy=copy).asformat(format)
    recording.read("the entries", A)
    by_rows = format == "csr"
    store = A._store if by_rows else A._store.transposed()
    host = A._engine.host
    indptr, indices, values = host(store.indptr), host(store.indices), host(store.values)
    if len(values) != store.nvals:  # iso
        values = np.full(store.nvals, values[0])
    elif copy:
        values = values.copy()
    # SciPy requires one type for both index arrays, the narrower one if it fits.
    index_type = np.int32 if max(store.nvals, A.nrows, A.ncols) <= INT32_LIMIT else np.int64
    indices = indices.astype(index_type, copy=copy)
    make = sparse.csr_array if by_rows else sparse.csc_array
    result = make((values, indices, indptr.astype(index_type)), shape=A.shape)
    result.has_sorted_indices = True
    result.has_canonical_format = True
    return result


def to_cupyx_sparse(A: Matrix, format: str = "csr") -> SciPySparse:
    """A matrix of ``cupyx.scipy.sparse`` ("csr", "csc" or "coo") from a Matrix on backend "cuda".

    All data stays on the device. CuPy has sparse matrices of BOOL, FP32 and FP64 only.

    Parameters
    ----------
    A : Matrix
        The Matrix.
    format : str
        One of SciPy's formats: "csr", "csc", "coo" and others.

    Examples
    --------
    >>> from grblas_gpu import Matrix, io
    >>> io.to_cupyx_sparse(Matrix.from_coo([0], [1], [2.5]).to("cuda")).get().nnz  # doctest: +SKIP
    1
    """
    if format not in {"csr", "csc", "coo"}:
        raise ValueError(f"to_cupyx_sparse: Invalid format: {format}; choose one of csr, csc, coo")
    if not isinstance(A, Matrix):
        raise TypeError(f"to_cupyx_sparse: expected a Matrix; got {type_text(A)}")
    if A.backend != "cuda":
        raise ValueError(f'to_cupyx_sparse: the Matrix is on backend {A.backend!r}; use A.to("cuda")')
    if A.dtype.np_type.char not in "?fdFD":
        raise ValueError(f"to_cupyx_sparse: cupyx has no sparse matrices of {A.dtype.name}; use A.dup(float)")
    import cupy
    from cupyx.scipy.sparse import csr_matrix

    arrays = A.to(form="sparse").device_arrays()
    values = arrays["values"]
    if len(values) != A.nvals:  # iso
        values = cupy.full(A.nvals, values[0])
    return csr_matrix((values, arrays["indices"], arrays["indptr"]), shape=A.shape).asformat(format)


def _check_pointers(A: SciPySparse) -> None:
    """Check the row pointers: SciPy's conversions follow them, even beyond the arrays."""
    pointers, stored = A.indptr, min(len(A.indices), len(A.data))
    lines = A.shape[A.format == "csc"] // (A.blocksize[0] if A.format == "bsr" else 1)
    if len(pointers) != lines + 1:
        raise InvalidValue(f"from_scipy_sparse: indptr must have {lines + 1} elements; got {len(pointers)}")
    if pointers[0] != 0 or pointers[-1] > stored or some(pointers[1:] < pointers[:-1]):
        raise InvalidValue(
            f"from_scipy_sparse: indptr must ascend from 0 to at most the number of indices and values ({stored})"
        )


def one_if_equal(values: Array) -> Array | np.generic:
    """Values on the host; if all are equal, a view of one of them, so that the engine stores it once."""
    if not isinstance(values, np.ndarray) or values.ndim == 0 or len(values) < 2:
        return values
    if values[0] == values[-1] and bool(np.all(values == values[0])):
        return values[:1].reshape(())
    return values


MOST_INDEX = 2**60  # the largest size of a matrix


def save_npz(file: object, A: Matrix, *, compressed: bool = True) -> None:
    """Write a Matrix, without its name, so that ``scipy.sparse.load_npz`` reads it; iso values are written in full.

    Parameters
    ----------
    file : str, path or open file
        The file.
    A : Matrix
        The Matrix.
    compressed : bool
        Whether to compress.

    Examples
    --------
    >>> import tempfile, os
    >>> from grblas_gpu import Matrix, io
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "a.npz")
    ...     io.save_npz(path, Matrix.from_coo([0, 1], [1, 0], [5, 6]))
    ...     io.load_npz(path).to_dicts()
    {0: {1: 5}, 1: {0: 6}}
    """
    import scipy.sparse as sparse

    if A.dtype._is_udt:
        raise TypeError(f"save_npz: a .npz file stores numbers, not records of dtype {A.dtype}; use pickle")
    array = to_scipy_sparse(A, "coo" if A._store.form == "hypersparse" else "csr", copy=False)
    if not isinstance(file, (str, os.PathLike)):
        sparse.save_npz(file, array, compressed=compressed)
        return
    name = os.fspath(file)
    with replacing(name if name.endswith(".npz") else f"{name}.npz") as path, open(path, "wb") as target:
        sparse.save_npz(target, array, compressed=compressed)


def load_npz(file: Source, *, dup_op: OperatorLike | None = None, name: str | None = None) -> Matrix:
    """A Matrix from a file of ``scipy.sparse.save_npz``, of any of its formats; :func:`save_npz` has an example.

    Parameters
    ----------
    file : str, path or open file
        The file.
    dup_op : BinaryOp, optional
        The operator that combines the values of duplicate edges; without it, duplicates raise ValueError.
    name : str, optional
        The name that messages and ``print`` show.

    Examples
    --------
    >>> from grblas_gpu import io
    >>> io.load_npz("nowhere.npz")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'nowhere.npz'
    """
    import scipy.sparse as sparse

    if isinstance(file, (str, os.PathLike)):
        with open(file, "rb") as opened:  # errors of the operating system are raised here
            return load_npz(opened, dup_op=dup_op, name=name)
    called, start = name_of(file), file.tell()
    with border(called, foreign="not a sparse matrix of scipy.sparse.save_npz: "):
        check_members(file, called)
        file.seek(start)
        array = sparse.load_npz(file)
        if max(array.shape, default=0) > MOST_INDEX:
            raise ValueError(f"the matrix has shape {array.shape}; sizes above 2**60 are not supported")
        if array.format != "coo":  # "coo" takes memory for its entries only, in both libraries
            check_memory(called, 8 * max(array.shape, default=0), length_of(file))
        return from_scipy_sparse(array, dup_op=dup_op, name=name, copy=False)
