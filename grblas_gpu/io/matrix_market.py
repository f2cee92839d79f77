"""Matrix Market files, plain or compressed (.gz, .bz2, .xz), by SciPy's parallel reader (or ``fast_matrix_market``)."""

from __future__ import annotations

import io
import itertools
import os
from collections.abc import Callable

import numpy as np

from ..api.base import ensure_type
from ..api.matrix import Matrix, TransposedMatrix
from ..dtypes import BOOL
from ..exceptions import OutOfMemory
from ..foundation.progress import elapsed
from ..foundation.types import OperatorLike, SciPySparse, Source
from ..operators import registry
from .archives import is_archive, matrix_in
from .graph import Graph
from .reader_input import ReaderInput, plain_entries
from .scipy_sparse import to_scipy_sparse
from .text_files import is_compressed, name_of, opened

_ENGINES = ("auto", "scipy", "fmm", "fast_matrix_market")


def mmread(
    source: Source,
    engine: str = "auto",
    *,
    dup_op: OperatorLike | None = None,
    name: str | None = None,
    **kwargs: object,
) -> Matrix:
    """A Matrix from a Matrix Market file, given by name or open.

    Parameters
    ----------
    source : str, path or open file
        The file; compressed if its name ends in .gz, .bz2 or .xz. From a tar archive (.tar.gz and others) of the
        SuiteSparse Matrix Collection, it reads the matrix with the name of the archive.
    engine : {"auto", "scipy", "fmm", "fast_matrix_market"}
        The parser: SciPy, or the package ``fast_matrix_market``.
    dup_op : operator, optional
        The operator that combines the values of duplicate positions; without it, duplicates are an error.
    name : str, optional
        The name of the Matrix.
    **kwargs
        Options of the reader.

    Returns
    -------
    Matrix
        Of type INT64, UINT64, FP64 or FC64, by the header of the file.
        A file without values ("pattern") gives an iso Matrix of 1.0.

    Raises
    ------
    ValueError
        If the file is malformed, or has a number beyond 64 bits; the message has the number of the line.

    Examples
    --------
    >>> from io import StringIO
    >>> from grblas_gpu import io
    >>> text = "%%MatrixMarket matrix coordinate integer general\\n2 3 2\\n1 2 5\\n2 3 6\\n"
    >>> io.mmread(StringIO(text)).to_dicts()
    {0: {1: 5}, 1: {2: 6}}
    >>> io.mmread(StringIO(text.replace("2 3 6", "2 4 6")))
    Traceback (most recent call last):
    ValueError: <StringIO>: Line 4: Column index out of bounds
    """
    if is_archive(source):
        with matrix_in(source) as file:
            return mmread(file, engine, dup_op=dup_op, name=name, **kwargs)
    with elapsed(f"reading {name_of(source)}"):
        return _read(source, engine, dup_op, name, kwargs)


def _read(
    source: Source, engine: str, dup_op: OperatorLike | None, name: str | None, kwargs: dict[str, object]
) -> Matrix:
    read, options = _function("mmread", engine)
    plain = plain_entries(source) if engine == "auto" and not kwargs and dup_op is None else None
    if plain is not None:
        return _matrix(*plain, source, dup_op, name)
    start = source.tell() if hasattr(source, "tell") else 0
    text = ReaderInput(source)
    try:
        array = read(text, **options | kwargs)
    except (OverflowError, ValueError) as error:
        raise text.fault or ValueError(f"{name_of(source)}: {_with_line(str(error), source, start)}") from None
    except MemoryError as error:
        raise text.fault or OutOfMemory(f"{name_of(source)}: {error}") from None
    if text.fault:
        raise text.fault
    if getattr(array, "format", None) != "coo":
        return Matrix.from_dense(array, name=name)
    return _matrix(array.row, array.col, array.data, array.shape, source, dup_op, name)


def _matrix(
    rows: np.ndarray,
    cols: np.ndarray,
    values: np.ndarray,
    shape: tuple[int, int],
    source: Source,
    dup_op: OperatorLike | None,
    name: str | None,
) -> Matrix:
    if len(values) and values[0] == 1 and bool(np.all(values == 1)):
        values = np.broadcast_to(values[:1], values.shape)  # stored once; still counted by dup_op
    nrows, ncols = shape
    try:
        return Matrix.from_coo(rows, cols, values, nrows=nrows, ncols=ncols, dup_op=dup_op, name=name)
    except ValueError as error:
        raise ValueError(f"{name_of(source)}: {error}") from None


def mmwrite(
    target: Source,
    matrix: Matrix,
    engine: str = "auto",
    *,
    comment: str = "",
    field: str | None = None,
    precision: int | None = None,
    symmetry: str | None = None,
    **kwargs: object,
) -> None:
    """Write a Matrix to a Matrix Market file, compressed if its name ends in .gz, .bz2 or .xz.

    ``field`` is "real", "complex", "integer" or "pattern" (default: by the type; "pattern" for BOOL if all are true).
    ``symmetry`` is "general", "symmetric", "hermitian" or "skew-symmetric" (default: one of the first three).

    Parameters
    ----------
    target : str, path or open file
        The file to write; compressed if the name ends in .gz, .bz2 or .xz.
    matrix : Matrix or Graph
        The Matrix to write. The file has no place for the labels of a Graph.
    engine : {"auto", "scipy", "fmm", "fast_matrix_market"}
        The writer: SciPy, or the package ``fast_matrix_market``.
    comment : str
        Comment lines at the beginning of the file.
    field : {"real", "complex", "integer", "pattern"}, optional
        The format of the values; by default that of their type.
    precision : int, optional
        The number of digits of floats; by default as many as the value needs.
    symmetry : {"general", "symmetric", "hermitian", "skew-symmetric"}, optional
        The symmetry in the header, which determines the half in the file; detected by default.
    **kwargs : keywords
        Options of the writer.

    Examples
    --------
    >>> from io import BytesIO
    >>> from grblas_gpu import Matrix, io
    >>> file = BytesIO()
    >>> io.mmwrite(file, Matrix.from_coo([0, 1], [1, 2], [5, 6]))
    >>> print(file.getvalue().decode().splitlines()[2:])
    ['2 3 2', '1 2 5', '2 3 6']
    """
    write, _ = _function("mmwrite", engine)
    matrix = ensure_type(matrix.matrix if isinstance(matrix, Graph) else matrix, (Matrix, TransposedMatrix))
    array = to_scipy_sparse(matrix, "coo")
    if matrix.dtype == BOOL:
        field = ("pattern" if array.data.all() else "integer") if field is None else field
        array = array.astype(np.int8)
    if symmetry is None:  # SciPy's own test is a loop over entries in Python
        stored = matrix.T if isinstance(matrix, TransposedMatrix) else matrix
        symmetry = "symmetric" if stored.is_symmetric() else "hermitian" if _is_hermitian(stored) else "general"
    arguments = {"comment": comment, "field": field, "precision": precision, "symmetry": symmetry}
    if isinstance(target, (str, os.PathLike)) and not is_compressed(target):
        target = f"{os.fspath(target).removesuffix('.mtx')}.mtx"  # as SciPy does
    with opened(target, "wb") as file:  # SciPy does not notice when it cannot open a file
        plain = io.BytesIO() if is_compressed(target) else file  # its writer seeks, which a compressed file cannot
        write(plain, array, **arguments, **kwargs)
        if plain is not file:
            file.write(plain.getbuffer())


def _is_hermitian(matrix: Matrix) -> bool:
    """Whether the transpose has the conjugate entries."""
    if matrix.dtype.np_type.kind != "c" or matrix.nrows != matrix.ncols:
        return False
    return matrix.isequal(registry.builtin("unary", "conj")(matrix.T).new())


def _function(which: str, engine: str) -> tuple[Callable[..., SciPySparse], dict[str, bool]]:
    """``mmread`` or ``mmwrite`` of the engine, and its options for sparse arrays."""
    engine = engine.lower()
    if engine not in _ENGINES:
        raise ValueError(f'Bad engine value: {engine!r}. Must be "auto", "scipy", "fmm", or "fast_matrix_market"')
    if engine in {"fmm", "fast_matrix_market"}:
        try:
            import fast_matrix_market
        except ImportError:
            raise ImportError(
                f'mmread, mmwrite: engine="{engine}" needs fast_matrix_market; engine="auto" is as fast, with SciPy'
            ) from None
        return getattr(fast_matrix_market, which), {}
    import scipy.io  # since 1.12 with the parallel parser of fast_matrix_market

    return getattr(scipy.io, which), {"spmatrix": False} if which == "mmread" else {}


def _with_line(message: str, source: Source, start: int) -> str:
    """The message with a line number: SciPy leaves it out when the file ends early or its size line is wrong."""
    if message.startswith("Line "):
        return message
    try:
        if hasattr(source, "seek"):
            source.seek(start)
        with opened(source, "rb") as file:
            first, last = 0, 0
            for number, line in zip(itertools.count(1), file, strict=False):
                last = number
                if not first and line.strip() and line.lstrip()[:1] not in ("%", b"%"):
                    first = number
    except Exception:  # a file that cannot be read twice
        return message
    return f"Line {last if message.startswith('Truncated') or not first else first}: {message}"
