"""NumPy's ``.npz`` archives in the layout of ``scipy.sparse.save_npz``: either library reads what the other wrote."""

from __future__ import annotations

import zipfile
import zlib
from typing import Any

from ..api.matrix import Matrix
from ..errors import IndexOutOfBound, InvalidObject, InvalidValue
from .scipy_sparse import from_scipy_sparse, to_scipy_sparse

# What SciPy and the modules below it raise at files that are damaged, or something else.
_UNREADABLE = (
    AttributeError,
    EOFError,
    IndexError,
    KeyError,
    NotImplementedError,
    OverflowError,
    TypeError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
)


def save_npz(file: Any, A: Matrix, *, compressed: bool = True) -> None:
    """Write a Matrix (its name and a single stored value aside) so that ``scipy.sparse.load_npz`` reads it.

    >>> import tempfile, os
    >>> from grblas_gpu import Matrix, io
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "a.npz")
    ...     io.save_npz(path, Matrix.from_coo([0, 1], [1, 0], [5, 6]))
    ...     io.load_npz(path).to_dicts()
    {0: {1: 5}, 1: {0: 6}}
    """
    import scipy.sparse as sparse

    sparse.save_npz(file, to_scipy_sparse(A, "csr", copy=False), compressed=compressed)


def load_npz(file: Any, *, dup_op: Any = None, name: str | None = None) -> Matrix:
    """A Matrix from a file of ``scipy.sparse.save_npz``, of any of its formats; :func:`save_npz` has an example.

    >>> from grblas_gpu import io
    >>> io.load_npz("nowhere.npz")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'nowhere.npz'
    """
    import scipy.sparse as sparse

    try:
        array = sparse.load_npz(file)
    except _UNREADABLE as error:
        raise ValueError(f"{file}: not a sparse matrix of scipy.sparse.save_npz: {error}") from None
    try:
        return from_scipy_sparse(array, dup_op=dup_op, name=name, copy=False)
    except (IndexOutOfBound, InvalidObject, InvalidValue, OverflowError, ValueError) as error:
        raise ValueError(f"{file}: {error}") from None
