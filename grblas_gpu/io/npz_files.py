"""NumPy's ``.npz`` archives in the layout of ``scipy.sparse.save_npz``: each library reads the files of the other."""

from __future__ import annotations

import os

from ..api.matrix import Matrix
from ..foundation.border import border, check_members, check_memory, length_of
from ..foundation.types import OperatorLike, Source
from .replacing import replacing
from .scipy_sparse import from_scipy_sparse, to_scipy_sparse
from .text_files import name_of

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
