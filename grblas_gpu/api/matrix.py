"""Matrix: a sparse matrix, and its transpose as a view."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from .. import select
from ..backends.registry import get_engine
from ..backends.stores.storage import MatrixStore
from ..dtypes import FP64, lookup_dtype
from ..exceptions import OutputNotEmpty
from ..foundation.memory import reports_memory
from ..foundation.types import ArrayLike, DataType, DTypeLike, Engine, MaskLike, MaybeDType, OperatorLike, Value
from ..ir import ops, recording
from . import kinds
from .arithmetic import NothingInPlace
from .base import BaseType
from .changes import delete_elements
from .computed import ComputedMatrix
from .conversions import check_size, index_array, integral, output_values, row_order, shown_values, values_to_array
from .dense_arrays import dense_fill
from .diagonals import diagonal_mask, diagonal_size, diagonal_values
from .expressions import MatrixExpression
from .kinds import stands_for
from .mask import check_mask
from .matrix_formats import compressed_arrays, doubly_compressed, empty_store, entries_of, shared_array
from .matrix_graphs import MatrixGraphs
from .matrix_operations import MatrixOperations
from .scalar import Scalar, whole_number
from .sizes import numbers_of
from .vector import Vector


class Matrix(MatrixGraphs):
    """A matrix with entries at some of its positions; a new one has none.

    Parameters
    ----------
    dtype : dtype
        The type of the values, in any spelling: ``"FP64"``, ``float``, ``gb.INT8``, NumPy's.
    nrows : int
        The number of rows, up to 2**60.
    ncols : int
        The number of columns, up to 2**60.
    name : str, optional
        The name that messages and ``print`` show.

    Raises
    ------
    ValueError
        No type has the given name.
    OverflowError
        A size is negative.

    Examples
    --------
    >>> from grblas_gpu import Matrix
    >>> A = Matrix.from_coo([0, 1], [1, 2], [1.5, 2.5], nrows=3, ncols=3)
    >>> A.nvals, A.shape, A.dtype
    (2, (3, 3), FP64)
    """

    __slots__ = ("_prepared",)
    __networkx_backend__ = __networkx_plugin__ = "graphblas"  # as in python-graphblas, for graphblas-algorithms
    _prefix, _sizes, _name_counter = "M", ("nrows", "ncols"), itertools.count()
    ss = kinds.StorageOf("MatrixStorage")

    def __init__(self, dtype: DTypeLike = FP64, nrows: int = 0, ncols: int = 0, *, name: str | None = None) -> None:
        self._begin_empty(dtype, (nrows, ncols), name)
        if recording.active and (recorder := recording.current()) is not None:
            with recording.paused():  # a body may create one on any engine
                self._store = empty_store(self._engine, numbers_of(self._shape), self.dtype.np_type)
            recorder.new(self)
        else:
            self._store = empty_store(self._engine, self._shape, self.dtype.np_type)

    # ---- properties -----------------------------------------------------------------------------------------

    @property
    def T(self) -> TransposedMatrix:
        """The transpose, as a view.

        >>> Matrix.from_coo([0, 0], [1, 2], [5, 6]).T.to_dicts()
        {1: {0: 5}, 2: {0: 6}}
        """
        return TransposedMatrix(self)

    def __reduce__(self) -> tuple[object, ...]:
        recording.read("the entries", self)
        if getattr(self._store, "form", None) == "full":  # a full matrix has entries everywhere: export values only
            return Matrix._deserialize, ({**self.ss.export("fullr"), "dtype": self.dtype}, self.name)
        return super().__reduce__()

    # ---- in and out -----------------------------------------------------------------------------------------

    @reports_memory
    def build(
        self,
        rows: ArrayLike,
        columns: ArrayLike,
        values: ArrayLike | Value,
        *,
        dup_op: OperatorLike | None = None,
        clear: bool = False,
        nrows: int | None = None,
        ncols: int | None = None,
    ) -> None:
        """Fill an empty Matrix with entries.

        Parameters
        ----------
        rows : array_like of int
            The row of every entry, from 0.
        columns : array_like of int
            The column of every entry, from 0.
        values : array_like or scalar
            The values, or one value for all entries, which is stored once.
        dup_op : BinaryOp, optional
            The operator that combines duplicates; without it, duplicates raise a ValueError.
        clear : bool
            Whether to remove existing entries first; otherwise existing entries raise OutputNotEmpty.
        nrows : int, optional
            A new number of rows.
        ncols : int, optional
            A new number of columns.

        Raises
        ------
        OutputNotEmpty
            The object has entries, and ``clear`` is not set.
        IndexOutOfBound
            An index is out of range.
        ValueError
            A position occurs twice without ``dup_op``, or lengths differ.

        Examples
        --------
        >>> A = Matrix(int, 2, 2)
        >>> A.build([0, 1], [1, 0], [5, 6])
        >>> A.to_dicts()
        {0: {1: 5}, 1: {0: 6}}
        """
        recording.refuse(f"build of {self.name}")
        row_index = index_array(rows, "row indices", self._engine, copy=False, signs=False)
        col_index = index_array(columns, "column indices", self._engine, copy=False, signs=False)
        array, _ = values_to_array(values, self.dtype, self._engine)
        nrows = self._nrows if nrows is None else check_size(nrows, "nrows")
        ncols = self._ncols if ncols is None else check_size(ncols, "ncols")
        if array.shape == () or not row_index.size == col_index.size == array.size:
            raise ValueError(
                "`rows` and `columns` and `values` lengths must match: "
                f"{row_index.size}, {col_index.size}, {array.size}"
            )
        if not clear and self.nvals and row_index.size:
            raise OutputNotEmpty(f"build: {self.name} already has entries; use clear=True to replace them")
        built = entries_of(self, (nrows, ncols), row_index, col_index, array, dup_op)
        if not (clear or row_index.size):
            same = (nrows, ncols) == self.shape
            built = self._store if same else self._engine.resize_matrix(self._store, nrows, ncols)
        self._store, self._shape = built, (nrows, ncols)

    @reports_memory
    def update(  # type: ignore[override]
        self,
        expr: object,
        columns: ArrayLike | None = None,
        values: ArrayLike | Value | None = None,
        *,
        dup_op: OperatorLike | None = None,
        **opts: object,
    ) -> None:
        """Set many elements, at the cost of the changes: ``A.update(rows, columns, values)``. Others stay.

        As with ``A[i, j] = x``, the changes wait until an operation reads the Matrix. With one argument,
        ``A.update(expr)`` is ``A << expr``.

        Parameters
        ----------
        expr : array_like of int
            The rows; or an expression, as the only argument.
        columns : array_like of int
            The columns.
        values : array_like or scalar
            The new values, or one for all.
        dup_op : BinaryOp, optional
            The operator that combines values given for one position; without it, duplicates raise a ValueError.
        **opts : keywords
            With an expression: fields of a :class:`~grblas_gpu.Descriptor`.

        Raises
        ------
        DimensionMismatch
            An expression, given as in python-graphblas, has another shape.
        IndexOutOfBound
            An index is out of range.
        ValueError
            A position occurs twice without ``dup_op``, or lengths differ.

        Examples
        --------
        >>> A = Matrix.from_coo([0, 1], [1, 0], [5, 6])
        >>> A.update([0, 1], [1, 1], [7, 8])
        >>> A.nvals, A.to_dicts()
        (3, {0: {1: 7}, 1: {0: 6, 1: 8}})
        """
        self._update_or_set((expr, columns), values, dup_op, opts)

    @reports_memory
    def delete(self, rows: ArrayLike, columns: ArrayLike) -> None:
        """Remove many elements, at the cost of the changes; positions without an element may be among them.

        Parameters
        ----------
        rows : array_like of int
            The rows.
        columns : array_like of int
            The columns.

        Raises
        ------
        IndexOutOfBound
            An index is out of range.
        ValueError
            Lengths differ.

        Examples
        --------
        >>> A = Matrix.from_coo([0, 1], [1, 0], [5, 6])
        >>> A.delete([0, 1], [1, 1])
        >>> A.to_dicts()
        {1: {0: 6}}
        """
        delete_elements(self, (rows, columns))

    @reports_memory
    def to_coo(
        self, dtype: Any = None, *, rows: bool = True, columns: bool = True, values: bool = True, sort: bool = True
    ) -> tuple[Any, Any, Any]:
        """Row indices, column indices and values as NumPy arrays.

        Parameters
        ----------
        dtype : dtype, optional
            The type of the returned values; by default their own.
        rows : bool
            Whether to return rows; None otherwise.
        columns : bool
            Whether to return columns; None otherwise.
        values : bool
            Whether to return values; None otherwise.
        sort : bool
            Whether indices must be in order.

        Examples
        --------
        >>> rows, columns, values = Matrix.from_coo([1, 0], [0, 1], [6, 5]).to_coo()
        >>> rows.tolist(), columns.tolist(), values.tolist()
        ([0, 1], [1, 0], [5, 6])
        """
        recording.read("the entries", self)
        row_index, col_index, array = self._engine.tuples(self._store)
        return (
            row_index.astype(np.uint64) if rows else None,
            col_index.astype(np.uint64) if columns else None,
            output_values(array, dtype, self.dtype) if values else None,
        )

    @reports_memory
    def to_csr(self, dtype: DTypeLike | None = None, *, sort: bool = True) -> tuple[np.ndarray, ...]:
        """Row pointers, column indices and values.

        Parameters
        ----------
        dtype : dtype, optional
            The type of the returned values; by default their own.
        sort : bool
            Whether indices must be in order.

        Examples
        --------
        >>> indptr, columns, values = Matrix.from_coo([0, 0, 2], [1, 2, 0], [5, 6, 7]).to_csr()
        >>> indptr.tolist(), columns.tolist(), values.tolist()
        ([0, 2, 2, 3], [1, 2, 0], [5, 6, 7])
        """
        recording.read("the entries", self)
        return compressed_arrays(self, self._store, dtype)

    @reports_memory
    def to_csc(self, dtype: DTypeLike | None = None, *, sort: bool = True) -> tuple[np.ndarray, ...]:
        """Column pointers, row indices and values.

        Parameters
        ----------
        dtype : dtype, optional
            The type of the returned values; by default their own.
        sort : bool
            Whether indices must be in order.

        Examples
        --------
        >>> indptr, rows, values = Matrix.from_coo([0, 0, 2], [1, 2, 0], [5, 6, 7]).to_csc()
        >>> indptr.tolist(), rows.tolist(), values.tolist()
        ([0, 1, 2, 3], [2, 0, 0], [7, 5, 6])
        """
        recording.read("the entries", self)
        return compressed_arrays(self, self._store.transposed(), dtype)

    @reports_memory
    def to_dcsr(self, dtype: DTypeLike | None = None, *, sort: bool = True) -> tuple[np.ndarray, ...]:
        """Rows that have entries, their pointers, column indices and values.

        Parameters
        ----------
        dtype : dtype, optional
            The type of the returned values; by default their own.
        sort : bool
            Whether indices must be in order.

        Examples
        --------
        >>> arrays = Matrix.from_coo([0, 0, 2], [1, 2, 0], [5, 6, 7]).to_dcsr()
        >>> [array.tolist() for array in arrays]
        [[0, 2], [0, 2, 3], [1, 2, 0], [5, 6, 7]]
        """
        recording.read("the entries", self)
        return doubly_compressed(self, self._store, dtype)

    @reports_memory
    def to_dcsc(self, dtype: DTypeLike | None = None, *, sort: bool = True) -> tuple[np.ndarray, ...]:
        """Columns that have entries, their pointers, row indices and values.

        Parameters
        ----------
        dtype : dtype, optional
            The type of the returned values; by default their own.
        sort : bool
            Whether indices must be in order.

        Examples
        --------
        >>> arrays = Matrix.from_coo([0, 2, 0], [0, 0, 2], [5, 6, 7]).to_dcsc()
        >>> [array.tolist() for array in arrays]
        [[0, 2], [0, 2, 3], [0, 2, 0], [5, 6, 7]]
        """
        recording.read("the entries", self)
        return doubly_compressed(self, self._store.transposed(), dtype)

    @reports_memory
    def to_dense(
        self, fill_value: object = None, dtype: DTypeLike | None = None, *, copy: bool = True, **opts: object
    ) -> np.ndarray:
        """A NumPy array, with ``fill_value`` where there is no entry.

        With ``copy=False``, the array of a full Matrix on the host is the Matrix's own memory, if the types are equal.
        Changes of the array then change the Matrix, until the Matrix changes itself.

        Parameters
        ----------
        fill_value : scalar, optional
            The value of positions without an entry; required unless every position has one.
        dtype : dtype, optional
            The type of the returned values; by default their own.
        copy : bool
            Whether to copy memory that could be shared.
        **opts : keywords
            Fields of a :class:`~grblas_gpu.Descriptor`: ``direction``, ``strategy``, ``deterministic`` and
            others.

        Raises
        ------
        TypeError
            A position has no entry, and there is no ``fill_value``.
        OutOfMemory
            The result does not fit in memory; no object changes.

        Examples
        --------
        >>> Matrix.from_coo([0, 1], [1, 0], [5, 6]).to_dense(fill_value=0)
        array([[0, 5],
               [6, 0]])
        """
        recording.read("the entries", self)
        fill, found = dense_fill(self, fill_value, dtype, self.nvals == self._nrows * self._ncols)
        if not copy:
            shared = shared_array(self, found)
            if isinstance(shared, np.ndarray):
                return shared
        return shown_values(self._engine.to_dense(self._store, fill, found.np_type))

    def _columns(self) -> dict[str, np.ndarray]:
        rows, cols, values = self.to_coo()
        return {"row": rows, "column": cols, "value": values}

    @reports_memory
    def to_dicts(self, order: str = "rowwise") -> dict[int, dict[int, Any]]:
        """A dictionary of rows (or columns), each a dictionary of index to value.

        Parameters
        ----------
        order : {"rowwise", "columnwise"}
            Whether the outer keys are rows or columns.

        Raises
        ------
        ValueError
            ``order`` is neither of the two.

        Examples
        --------
        >>> A = Matrix.from_coo([0, 0, 1], [0, 1, 0], [5, 6, 7])
        >>> A.to_dicts(), A.to_dicts(order="columnwise")
        ({0: {0: 5, 1: 6}, 1: {0: 7}}, {0: {0: 5, 1: 7}, 1: {0: 6}})
        """
        outer, indptr, inner, values = self.to_dcsr() if row_order(order) else self.to_dcsc()
        bounds = indptr.tolist()
        keys, items = inner.tolist(), values.tolist()
        return {
            line: dict(zip(keys[start:stop], items[start:stop], strict=True))
            for line, start, stop in zip(outer.tolist(), bounds[:-1], bounds[1:], strict=True)
        }

    def to(self, backend: str | None = None, *, form: str | None = None, columns: str | None = None) -> Matrix:
        """This Matrix on another backend or in another storage format: itself if nothing changes, else a copy.

        The format stays until the Matrix changes; then the library selects one. A Matrix that is larger than the memory
        of a device can have its columns and values in the memory of the host (:doc:`/storage`).

        Parameters
        ----------
        backend : str, optional
            "auto", "cpu", "cuda", "numpy" or "mpi"; by default the current one.
        form : str, optional
            "sparse" (compressed rows), "hypersparse" (only rows that have entries), "bitmap" or "full", which needs an
            entry everywhere.
        columns : str, optional
            "host" or "device": where columns and values of a sparse Matrix on backend "cuda" lie.

        Raises
        ------
        ValueError
            No backend has this name, or ``columns`` is neither of the two.
        RuntimeError
            The backend is not available: CuPy, a device or MPI is missing.
        InvalidValue
            No format has this name, or a position of a full matrix has no entry.

        Examples
        --------
        >>> A = Matrix.from_dense([[1, 2], [3, 4]]).to(form="sparse")
        >>> list(A.device_arrays())
        ['indptr', 'indices', 'values']
        """
        there: Matrix = self._with_columns(backend, columns) if columns or backend is None else super().to(backend)
        if form is None:
            return there
        recording.read("the entries", self)
        return there._in_form(form)

    @reports_memory
    def _with_columns(self, backend: str | None, columns: str | None) -> Matrix:
        if columns is None:
            return self
        if columns not in ("host", "device"):
            raise ValueError(f'to: columns is "host" or "device"; got {columns!r}')
        recording.read("the entries", self)
        engine = self._engine if backend is None else get_engine(backend)
        with recording.paused():
            given = self._store if engine is self._engine else self._engine.export(self._store)
            return Matrix._from_store(engine, self.dtype, engine.with_columns(given, columns), self.name)

    @reports_memory
    def _in_form(self, form: str) -> Matrix:
        with recording.paused():
            store = self._engine.with_form(self._store, form)
            return self if store is self._store else Matrix._from_store(self._engine, self.dtype, store)

    @reports_memory
    def diag(
        self, k: int | Scalar = 0, dtype: DTypeLike | None = None, *, name: str | None = None, **opts: object
    ) -> Vector:
        """The k-th diagonal as a Vector.

        Parameters
        ----------
        k : int
            The number of the diagonal: 0 is the main diagonal, positive numbers are above it.
        dtype : dtype, optional
            The type of the Vector; by default the same.
        name : str, optional
            The name that messages and ``print`` show.
        **opts : keywords
            Fields of a :class:`~grblas_gpu.Descriptor`: ``direction``, ``strategy``, ``deterministic`` and
            others.

        Examples
        --------
        >>> A = Matrix.from_dense([[1, 2], [3, 4]])
        >>> A.diag().to_dict(), A.diag(1).to_dict()
        ({0: 1, 1: 4}, {0: 2})
        """
        recording.read("the entries", self)
        k = whole_number(k)
        found = self.dtype if dtype is None else lookup_dtype(dtype)
        store = self._engine.diagonal(self._store, k)
        if found is not self.dtype:
            store = self._engine.cast(store, found.np_type)
        return Vector._from_store(self._engine, found, store, name)

    def setdiag(
        self,
        values: ArrayLike | Value,
        k: int = 0,
        *,
        mask: MaskLike | None = None,
        accum: OperatorLike | None = None,
        **opts: Any,
    ) -> None:
        """Set the k-th diagonal from a scalar, a Vector or an array.

        Parameters
        ----------
        values : Vector, array or scalar
            The values of the diagonal.
        k : int
            The number of the diagonal: 0 is the main diagonal, positive numbers are above it.
        mask : Mask, optional
            The positions to write: ``m.S``, ``m.V``, ``~m.S`` or ``~m.V``.
        accum : BinaryOp, optional
            The operator that combines old and new values; without it, new values replace old ones.
        **opts : keywords
            Fields of a :class:`~grblas_gpu.Descriptor`: ``direction``, ``strategy``, ``deterministic`` and
            others.

        Raises
        ------
        DimensionMismatch
            The shapes do not match.

        Examples
        --------
        >>> A = Matrix.from_dense([[1, 2], [3, 4]])
        >>> A.setdiag(0)
        >>> A.to_dicts()
        {0: {0: 0, 1: 2}, 1: {0: 3, 1: 0}}
        """
        recording.refuse(f"setdiag of {self.name}")
        offset = integral(k)
        if offset is None:
            raise TypeError(f"k must be an integer; got bad type: {type(k)}")
        size = diagonal_size(self, offset)
        line, clears = diagonal_values(self, values, size, offset, accum)
        shape = self.shape
        if mask is not None:
            mask = diagonal_mask(self, check_mask(mask), size, offset)
        if clears:
            self(mask=mask, **opts) << select.offdiag(self, offset)
        diagonal = line.diag(offset)
        if diagonal.shape != shape:
            diagonal.resize(*shape)
        self(accum=accum, mask=diagonal.S if mask is None else mask, **opts) << diagonal

    @reports_memory
    def resize(self, nrows: int, ncols: int) -> None:
        """Change the shape and drop entries outside of it.

        Parameters
        ----------
        nrows : int
            The number of rows; entries beyond are dropped.
        ncols : int
            The number of columns; entries beyond are dropped.

        Raises
        ------
        OverflowError
            A size is negative.

        Examples
        --------
        >>> A = Matrix.from_coo([0, 2], [1, 0], [5, 6])
        >>> A.resize(2, 3)
        >>> A.shape, A.to_dicts()
        ((2, 3), {0: {1: 5}})
        """
        recording.refuse(f"resize of {self.name}")
        nrows, ncols = check_size(nrows, "nrows"), check_size(ncols, "ncols")
        store = self._engine.resize_matrix(self._store, nrows, ncols)
        self._store, self._shape = store, (nrows, ncols)  # no call in between, so no interrupt

    def _as_vector(self, *, name: str | None = None) -> Vector:
        """A Matrix of one column as a Vector."""
        if self._ncols != 1:
            raise ValueError(f"Matrix must have a single column (not {self._ncols}) to be cast to a Vector")
        recording.read("the entries", self)
        return Vector._from_store(self._engine, self.dtype, self._engine.extract_column(self._store, 0, None), name)


def _of_transpose(name: str) -> Callable[..., tuple[np.ndarray, ...]]:
    def method(self: TransposedMatrix, dtype: DTypeLike | None = None, *, sort: bool = True) -> tuple[np.ndarray, ...]:
        return getattr(self._matrix, name)(dtype, sort=sort)

    return method


class TransposedMatrix(MatrixOperations, NothingInPlace):
    """``A.T``: a read-only Matrix. The transposed structure is computed once and kept by ``A``."""

    __slots__ = ("_matrix", "_shape", "__weakref__")
    __networkx_backend__ = __networkx_plugin__ = "graphblas"
    _is_transposed: Literal[True] = True
    _role = "transposed"
    __hash__ = None  # type: ignore[assignment]  # ``A.T`` is another object every time

    def __init__(self, matrix: Matrix) -> None:
        self._matrix = matrix
        self._shape = matrix._shape[::-1]

    def __setstate__(self, state: tuple[None, dict[str, Matrix]]) -> None:
        """Pickles of python-graphblas hold sizes, too."""
        TransposedMatrix.__init__(self, state[1]["_matrix"])

    @property
    def _engine(self) -> Engine:
        return self._matrix._engine

    @property
    def _store(self) -> MatrixStore:
        return self._matrix._store

    @property
    def T(self) -> Matrix:
        return self._matrix

    @property
    def dtype(self) -> DataType:
        return self._matrix.dtype

    @property
    def name(self) -> str:
        return f"{self._matrix.name}.T"

    @property
    def nvals(self) -> int:
        return self._matrix.nvals

    _nvals = nvals

    __bool__ = BaseType.__bool__
    __array__ = BaseType.__array__
    _repr_html_ = BaseType._repr_html_
    _name_html = BaseType._name_html

    def _as_expression(self) -> MatrixExpression:
        return MatrixExpression("transpose", ops.TRANSPOSE, [self], self._shape, dtype=self.dtype, expr_repr="{0.name}")

    def new(
        self, dtype: MaybeDType = None, *, mask: MaskLike | None = None, name: str | None = None, **opts: object
    ) -> Matrix:
        """The transpose as a new Matrix."""
        return self._as_expression().new(dtype, mask=mask, name=name, **opts)

    def dup(
        self,
        dtype: DTypeLike | None = None,
        *,
        clear: bool = False,
        mask: MaskLike | None = None,
        name: str | None = None,
        **opts: object,
    ) -> Matrix:
        if clear:
            return Matrix(self.dtype if dtype is None else dtype, *self._shape, name=name)
        return self.new(dtype, mask=mask, name=name, **opts)

    def to_coo(
        self,
        dtype: DTypeLike | None = None,
        *,
        rows: bool = True,
        columns: bool = True,
        values: bool = True,
        sort: bool = True,
    ) -> tuple[Any, Any, Any]:
        cols, row_index, array = self._matrix.to_coo(dtype, rows=columns, columns=rows, values=values, sort=sort)
        return row_index, cols, array

    def diag(
        self, k: int | Scalar = 0, dtype: DTypeLike | None = None, *, name: str | None = None, **opts: object
    ) -> Vector:
        return self._matrix.diag(-whole_number(k), dtype, name=name, **opts)

    to_csr, to_csc = _of_transpose("to_csc"), _of_transpose("to_csr")
    to_dcsr, to_dcsc = _of_transpose("to_dcsc"), _of_transpose("to_dcsr")

    def to_dense(self, fill_value: Value | None = None, dtype: DTypeLike | None = None, **opts: Any) -> np.ndarray:
        return self._matrix.to_dense(fill_value, dtype, **opts).swapaxes(0, 1)

    def to_dicts(self, order: str = "rowwise") -> dict:
        return self._matrix.to_dicts("columnwise" if row_order(order) else "rowwise")


kinds.Matrix, kinds.TransposedMatrix = Matrix, TransposedMatrix
kinds.MATRICES = (Matrix, TransposedMatrix)
kinds.COLLECTIONS = (Vector, Matrix, TransposedMatrix)
stands_for(Matrix, Matrix, ComputedMatrix)
stands_for(TransposedMatrix, TransposedMatrix)
