"""Matrix: a sparse matrix, and its transpose as a view."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from . import binary, monoid, runs, select, semiring, vector
from .backends import current_engine
from .backends.storage import MatrixStore, column_type
from .base import BaseType, check_same_backend, stands_for
from .conversions import check_bounds, check_size, index_array, integral, output_values, row_order, values_to_array
from .dtypes import FP64, lookup_dtype
from .errors import DimensionMismatch, InvalidObject, InvalidValue, OutOfMemory, OutputNotEmpty
from .expressions import MatrixExpression, MatrixIndexExpr, ScalarExpression, VectorExpression
from .mask import StructuralMask, ValueMask, check_mask
from .operators import get_typed_op
from .scalar import Scalar
from .tensor import Tensor
from .updating import Updater
from .vector import (
    Vector,
    dense_fill,
    duplicate_operator,
    duplicates_error,
    full_value,
    product_operands,
    reduction_operator,
)


class MatrixOperations(Tensor):
    """The operations of a Matrix that work on ``A.T`` too."""

    __slots__ = ()
    ndim = 2
    _nrows: int
    _ncols: int

    @property
    def nrows(self) -> int:
        """The number of rows."""
        return self._nrows

    @property
    def ncols(self) -> int:
        """The number of columns."""
        return self._ncols

    @property
    def shape(self) -> tuple[int, int]:
        return (self._nrows, self._ncols)

    def _comparable_types(self) -> Any:
        return (Matrix, TransposedMatrix)

    def __iter__(self) -> Iterator:
        rows, cols, _ = self.to_coo(values=False)  # type: ignore[attr-defined]
        return zip(rows.flat, cols.flat, strict=True)

    def get(self, row: int, col: int, default: Any = None) -> Any:
        """The value at a position as a Python scalar, or ``default``."""
        expr = self[row, col]
        if not expr._is_scalar:
            raise ValueError(
                "Bad row, col arguments in Matrix.get(...).  "
                "Indices should get a single element, which will be extracted as a Python scalar."
            )
        value = expr.new().value
        return default if value is None else value

    def to_edgelist(self, dtype: Any = None, *, values: bool = True, sort: bool = True) -> tuple[Any, Any]:
        """Positions as an array of (row, column) pairs, and values."""
        rows, cols, vals = self.to_coo(dtype, values=values, sort=sort)  # type: ignore[attr-defined]
        return np.column_stack([rows, cols]), vals

    def mxv(self, other: Any, op: Any = semiring.plus_times) -> VectorExpression:
        """Matrix times Vector.

        >>> A = Matrix.from_coo([0, 0], [1, 2], [10, 20], nrows=3, ncols=3)
        >>> A.mxv(Vector.from_coo([1, 2], [1, 2], size=3)).new().to_dict()
        {0: 50}
        """
        return self._mxv(other, op)

    def _mxv(self, other: Any, op: Any = semiring.plus_times, is_infix: bool = False) -> VectorExpression:
        x, y, op = product_operands(self, other, (Vector,), op, "mxv", is_infix)
        if x._ncols != y._size:
            raise DimensionMismatch(f"mxv: {x.name} has shape {x.shape}, {y.name} has size {y._size}")
        return VectorExpression("mxv", runs.run_mxv, [x, y], op=op, size=x._nrows, masks=True)

    def mxm(self, other: Any, op: Any = semiring.plus_times) -> MatrixExpression:
        """Matrix times Matrix.

        >>> A = Matrix.from_coo([0, 1], [1, 0], [2, 3])
        >>> A.mxm(A).new().to_dicts()
        {0: {0: 6}, 1: {1: 6}}
        """
        return self._mxm(other, op)

    def _mxm(self, other: Any, op: Any = semiring.plus_times, is_infix: bool = False) -> MatrixExpression:
        x, y, op = product_operands(self, other, (Matrix, TransposedMatrix), op, "mxm", is_infix)
        if x._ncols != y._nrows:
            raise DimensionMismatch(f"mxm: {x.name} has shape {x.shape}, {y.name} has shape {y.shape}")
        return MatrixExpression("mxm", runs.run_mxm, [x, y], op=op, nrows=x._nrows, ncols=y._ncols, masks=True)

    def kronecker(self, other: Any, op: Any = binary.times) -> MatrixExpression:
        """The Kronecker product."""
        other = self._expect_type(other, (Matrix, TransposedMatrix), within="kronecker", argname="other", op=op)
        op = get_typed_op(op, self.dtype, other.dtype, kind="binary")
        self._expect_op(op, ("BinaryOp", "Monoid"), within="kronecker", argname="op")
        check_same_backend(self, other, "kronecker")
        nrows, ncols = self._nrows * other._nrows, self._ncols * other._ncols
        return MatrixExpression("kronecker", runs.run_kronecker, [self, other], op=op, nrows=nrows, ncols=ncols)

    def reduce_rowwise(self, op: Any = monoid.plus) -> VectorExpression:
        """The entries of each row combined.

        >>> Matrix.from_coo([0, 0, 2], [0, 1, 1], [1, 2, 5]).reduce_rowwise().new().to_dict()
        {0: 3, 2: 5}
        """
        op = self._line_reduction(op, "reduce_rowwise")
        return VectorExpression("reduce_rowwise", runs.run_reduce_rowwise, [self], op=op, size=self._nrows)

    def reduce_columnwise(self, op: Any = monoid.plus) -> VectorExpression:
        """The entries of each column combined."""
        op = self._line_reduction(op, "reduce_columnwise")
        return VectorExpression("reduce_columnwise", runs.run_reduce_columnwise, [self], op=op, size=self._ncols)

    def _line_reduction(self, op: Any, within: str) -> Any:
        op = get_typed_op(op, self.dtype, kind="binary|aggregator")
        self._expect_op(op, ("BinaryOp", "Monoid", "Aggregator"), within=within, argname="op")
        return op.monoid if op.opclass == "BinaryOp" and op.monoid is not None else op

    def reduce_scalar(self, op: Any = monoid.plus, *, allow_empty: bool = True) -> ScalarExpression:
        """All entries combined with a monoid or aggregator."""
        op = reduction_operator(self, op, "reduce_scalar", allow_empty)
        if op.opclass == "Aggregator" and op.name in {"argmin", "argmax", "first_index", "last_index"}:
            raise ValueError(f"Aggregator {op.name} may not be used with Matrix.reduce_scalar.")
        return ScalarExpression("reduce_scalar", runs.run_reduce, [self], op=op, is_cscalar=not allow_empty)

    def reposition(
        self, row_offset: int, column_offset: int, *, nrows: int | None = None, ncols: int | None = None
    ) -> MatrixExpression:
        """The entries moved by offsets; those that leave the Matrix are dropped."""
        nrows = self._nrows if nrows is None else int(nrows)
        ncols = self._ncols if ncols is None else int(ncols)
        offsets = (int(row_offset), int(column_offset))
        shown = f"{{0.name}}.reposition({row_offset}, {column_offset})"
        return MatrixExpression(
            "reposition",
            runs.run_reposition,
            [self, offsets, (nrows, ncols)],
            nrows=nrows,
            ncols=ncols,
            dtype=self.dtype,
            expr_repr=shown,
        )

    def power(self, n: int, op: Any = semiring.plus_times) -> MatrixExpression:
        """The n-th power of a square Matrix."""
        if self._nrows != self._ncols:
            raise DimensionMismatch(f"power only works for square Matrix; shape is {self.shape}")
        exponent = integral(n)
        if exponent is None:
            raise TypeError(f"n must be a nonnegative integer; got bad type: {type(n)}")
        if exponent < 0:
            raise ValueError(f"n must be a nonnegative integer; got: {exponent}")
        op = get_typed_op(op, self.dtype, kind="semiring")
        self._expect_op(op, "Semiring", within="power", argname="op")
        if exponent == 0 and op.binaryop.monoid is None:
            raise ValueError(
                f"Binary operator of {op} semiring does not have a monoid with an identity. When n=0, the result is a "
                "diagonal matrix with values equal to the identity: the binaryop must be associated with a monoid."
            )
        return MatrixExpression(
            "power",
            runs.run_power,
            [self, exponent],
            op=op,
            nrows=self._nrows,
            ncols=self._ncols,
            dtype=self.dtype,
            expr_repr=f"{{0.name}}.power({exponent}, op={op})",
        )


class Matrix(MatrixOperations, BaseType):
    """A matrix with entries at some of its positions.

    >>> from grblas_gpu import Matrix
    >>> A = Matrix.from_coo([0, 1], [1, 2], [1.5, 2.5], nrows=3, ncols=3)
    >>> A.nvals, A.shape, A.dtype
    (2, (3, 3), FP64)
    """

    __slots__ = ("_nrows", "_ncols", "_store")
    _name_counter = itertools.count()

    def __init__(self, dtype: Any = FP64, nrows: int = 0, ncols: int = 0, *, name: str | None = None) -> None:
        self.dtype = lookup_dtype(dtype)
        self._nrows = check_size(nrows, "nrows")
        self._ncols = check_size(ncols, "ncols")
        self.name = f"M_{next(Matrix._name_counter)}" if name is None else name
        self._engine = current_engine()
        self._store = _empty(self._nrows, self._ncols, self.dtype.np_type)

    @classmethod
    def _from_store(cls, engine: Any, dtype: Any, store: MatrixStore, name: str | None = None) -> Matrix:
        new = object.__new__(cls)
        new.dtype = dtype
        new._nrows, new._ncols = store.nrows, store.ncols
        new.name = f"M_{next(Matrix._name_counter)}" if name is None else name
        new._engine = engine
        new._store = engine.cast(store, dtype.np_type)
        return new

    # ---- properties -----------------------------------------------------------------------------------------

    @property
    def nvals(self) -> int:
        """The number of entries."""
        return self._store.nvals

    _nvals = nvals

    @property
    def T(self) -> TransposedMatrix:
        """The transpose, as a view."""
        return TransposedMatrix(self)

    @property
    def S(self) -> StructuralMask:
        """The mask that is true where there is an entry."""
        return StructuralMask(self)

    @property
    def V(self) -> ValueMask:
        """The mask that is true where there is an entry with a true value."""
        return ValueMask(self)

    def __repr__(self) -> str:
        from .formatting import format_matrix

        return format_matrix(self)

    def __sizeof__(self) -> int:
        store = self._store
        return object.__sizeof__(self) + store.indptr.nbytes + store.indices.nbytes + store.values.nbytes

    def __reduce__(self) -> Any:
        rows, cols, values = self.to_coo()
        return _rebuild, (rows, cols, values, self.dtype, self._nrows, self._ncols, self.name)

    # ---- in and out -----------------------------------------------------------------------------------------

    @classmethod
    def from_coo(
        cls,
        rows: Any,
        columns: Any,
        values: Any = 1.0,
        dtype: Any = None,
        *,
        nrows: int | None = None,
        ncols: int | None = None,
        dup_op: Any = None,
        name: str | None = None,
    ) -> Matrix:
        """A Matrix from row indices, column indices and values (or one value for all of them).

        >>> Matrix.from_coo([0, 1], [1, 0], [5, 6]).to_dicts()
        {0: {1: 5}, 1: {0: 6}}
        """
        row_index = index_array(rows, "row indices")
        col_index = index_array(columns, "column indices")
        array, dtype = values_to_array(values, dtype)
        if nrows is None:
            if row_index.size == 0:
                raise ValueError("No row indices provided. Unable to infer nrows.")
            nrows = int(row_index.max()) + 1
        if ncols is None:
            if col_index.size == 0:
                raise ValueError("No column indices provided. Unable to infer ncols.")
            ncols = int(col_index.max()) + 1
        new = cls(dtype, nrows, ncols, name=name)
        if array.ndim == 0:
            if dup_op is not None:
                raise ValueError(
                    "dup_op must be None if values is a scalar so that all values can be identical.  "
                    "Duplicate indices will be ignored."
                )
            dup_op = binary.any
            array = np.broadcast_to(array, row_index.shape)
        new._store = _entries_of(new, new._nrows, new._ncols, row_index, col_index, array, dup_op)
        return new

    @classmethod
    def from_edgelist(
        cls,
        edgelist: Any,
        values: Any = None,
        dtype: Any = None,
        *,
        nrows: int | None = None,
        ncols: int | None = None,
        dup_op: Any = None,
        name: str | None = None,
    ) -> Matrix:
        """A Matrix from (row, column) or (row, column, value) tuples, or an n x 2 array."""
        found = None
        rows: Any = ()
        cols: Any = ()
        if isinstance(edgelist, np.ndarray):
            if edgelist.ndim != 2:
                raise ValueError(f"edgelist array must have 2 dimensions (nvals x 2); got {edgelist.ndim}")
            if edgelist.shape[1] == 3:
                raise ValueError(
                    "edgelist as NumPy array only supports ``(row, column)``; values must be passed separately."
                )
            if edgelist.shape[1] != 2:
                raise ValueError(
                    f"Last dimension of edgelist array must be length 2 (for row and column); got {edgelist.shape[1]}"
                )
            rows, cols = edgelist[:, 0], edgelist[:, 1]
        else:
            columns = list(zip(*edgelist, strict=True))
            if len(columns) == 2:
                rows, cols = columns
            elif len(columns) == 3:
                rows, cols, found = columns
            elif columns:
                raise ValueError(
                    "Each item in the edgelist must have two or three elements "
                    f"(for row and column index, and maybe values); got {len(columns)}"
                )
        if values is not None and found is not None:
            raise TypeError("Too many sources of values: from `edgelist` triples and from `values=` argument")
        if values is None:
            values = 1.0 if found is None else found
        return cls.from_coo(rows, cols, values, dtype, nrows=nrows, ncols=ncols, dup_op=dup_op, name=name)

    @classmethod
    def from_csr(
        cls,
        indptr: Any,
        col_indices: Any,
        values: Any = 1.0,
        dtype: Any = None,
        *,
        nrows: int | None = None,
        ncols: int | None = None,
        name: str | None = None,
    ) -> Matrix:
        """A Matrix from the compressed sparse row format; rows need not be sorted.

        >>> Matrix.from_csr([0, 1, 2], [1, 0], [5, 6]).to_dicts()
        {0: {1: 5}, 1: {0: 6}}
        """
        store, dtype = _compressed(indptr, col_indices, values, dtype, nrows, ncols, "nrows", "column indices")
        return cls._from_store(current_engine(), dtype, store, name)

    @classmethod
    def from_csc(
        cls,
        indptr: Any,
        row_indices: Any,
        values: Any = 1.0,
        dtype: Any = None,
        *,
        nrows: int | None = None,
        ncols: int | None = None,
        name: str | None = None,
    ) -> Matrix:
        """A Matrix from the compressed sparse column format; columns need not be sorted."""
        store, dtype = _compressed(indptr, row_indices, values, dtype, ncols, nrows, "ncols", "row indices")
        return cls._from_store(current_engine(), dtype, store.transposed(), name)

    @classmethod
    def from_dcsr(
        cls,
        compressed_rows: Any,
        indptr: Any,
        col_indices: Any,
        values: Any = 1.0,
        dtype: Any = None,
        *,
        nrows: int | None = None,
        ncols: int | None = None,
        name: str | None = None,
    ) -> Matrix:
        """A Matrix from the doubly compressed sparse row format."""
        rows, nrows = _decompress(compressed_rows, indptr, nrows)
        if ncols is None and rows.size == 0:
            ncols = 0
        return cls.from_coo(rows, col_indices, values, dtype, nrows=nrows, ncols=ncols, name=name)

    @classmethod
    def from_dcsc(
        cls,
        compressed_cols: Any,
        indptr: Any,
        row_indices: Any,
        values: Any = 1.0,
        dtype: Any = None,
        *,
        nrows: int | None = None,
        ncols: int | None = None,
        name: str | None = None,
    ) -> Matrix:
        """A Matrix from the doubly compressed sparse column format."""
        cols, ncols = _decompress(compressed_cols, indptr, ncols)
        if nrows is None and cols.size == 0:
            nrows = 0
        return cls.from_coo(row_indices, cols, values, dtype, nrows=nrows, ncols=ncols, name=name)

    @classmethod
    def from_scalar(
        cls, value: Any, nrows: int, ncols: int, dtype: Any = None, *, name: str | None = None, **opts: Any
    ) -> Matrix:
        """A Matrix with the same value everywhere (stored once)."""
        value, dtype = full_value(cls, value, dtype)
        new = cls(dtype, nrows, ncols, name=name)
        new << value
        return new

    @classmethod
    def from_dense(
        cls, values: Any, missing_value: Any = None, *, dtype: Any = None, name: str | None = None, **opts: Any
    ) -> Matrix:
        """A Matrix with an entry for every element of an array, or for those that are not ``missing_value``."""
        array, dtype = values_to_array(values, dtype)
        if array.ndim == 0:
            raise TypeError(
                "values must be an array or list, not a scalar. "
                "To create a dense Matrix from a scalar, use `Matrix.from_scalar`."
            )
        if array.ndim == 1:
            raise ValueError("A 2d array or scalar is required to create a dense Matrix")
        if array.ndim > 2:
            raise ValueError(f"values array must be 2d to create dense Matrix with dtype {dtype}")
        nrows, ncols = array.shape
        indptr = np.arange(nrows + 1, dtype=np.int64) * ncols
        cols: Any = np.tile(np.arange(ncols, dtype=column_type(ncols)), nrows)
        store = MatrixStore(nrows, ncols, indptr, cols, np.array(array, dtype.np_type).reshape(-1))
        new = cls._from_store(current_engine(), dtype, store, name)
        if missing_value is not None:
            new << select.valuene(new, missing_value)
        return new

    @classmethod
    def from_dicts(
        cls,
        nested_dicts: Any,
        dtype: Any = None,
        *,
        order: str = "rowwise",
        nrows: int | None = None,
        ncols: int | None = None,
        name: str | None = None,
    ) -> Matrix:
        """A Matrix from a dictionary (or list) of rows, each a dictionary of column to value."""
        by_rows = row_order(order)
        if isinstance(nested_dicts, Sequence):
            dicts: Any = nested_dicts
            outer = np.arange(len(dicts))
            given, label = (nrows, "nrows") if by_rows else (ncols, "ncols")
            if given is not None and given != len(dicts):
                raise ValueError(
                    f"{label} must be None or equal to len(nested_dicts); expected {len(dicts)}, got {given}"
                )
            if by_rows:
                nrows = len(dicts)
            else:
                ncols = len(dicts)
        else:
            dicts = nested_dicts.values()
            outer = np.fromiter(nested_dicts.keys(), np.int64)
        counts = [len(d) for d in dicts]
        major = np.repeat(outer, counts)
        minor = np.fromiter(itertools.chain.from_iterable(dicts), np.int64)
        values: Any = list(itertools.chain.from_iterable(d.values() for d in dicts))
        if dtype is not None:
            values = np.fromiter(values, lookup_dtype(dtype).np_type)
        lines, across = int(outer.max(initial=-1)) + 1, int(minor.max(initial=-1)) + 1
        if nrows is None:
            nrows = lines if by_rows else across
        if ncols is None:
            ncols = across if by_rows else lines
        elif by_rows and across > ncols:
            raise InvalidObject(f"column indices: {across - 1} is out of range for size {ncols}")
        rows, cols = (major, minor) if by_rows else (minor, major)
        return cls.from_coo(rows, cols, values, dtype, nrows=nrows, ncols=ncols, name=name)

    def build(
        self,
        rows: Any,
        columns: Any,
        values: Any,
        *,
        dup_op: Any = None,
        clear: bool = False,
        nrows: int | None = None,
        ncols: int | None = None,
    ) -> None:
        """Fill an empty Matrix with entries."""
        row_index = index_array(rows, "row indices")
        col_index = index_array(columns, "column indices")
        array, _ = values_to_array(values, self.dtype)
        nrows = self._nrows if nrows is None else check_size(nrows, "nrows")
        ncols = self._ncols if ncols is None else check_size(ncols, "ncols")
        if array.shape == () or not row_index.size == col_index.size == array.size:
            raise ValueError(
                "`rows` and `columns` and `values` lengths must match: "
                f"{row_index.size}, {col_index.size}, {array.size}"
            )
        if not clear and self.nvals and row_index.size:
            raise OutputNotEmpty(f"build: {self.name} already has entries; use clear=True to replace them")
        built = _entries_of(self, nrows, ncols, row_index, col_index, array, dup_op)
        if clear or row_index.size:
            self._store = built
        elif (nrows, ncols) != self.shape:
            self._store = self._engine.resize_matrix(self._store, nrows, ncols)
        self._nrows, self._ncols = nrows, ncols

    def to_coo(
        self,
        dtype: Any = None,
        *,
        rows: bool = True,
        columns: bool = True,
        values: bool = True,
        sort: bool = True,
    ) -> tuple[Any, Any, Any]:
        """Row indices, column indices and values as NumPy arrays."""
        row_index, col_index, array = self._engine.tuples(self._store)
        return (
            row_index.astype(np.uint64) if rows else None,
            col_index.astype(np.uint64) if columns else None,
            output_values(array, dtype, self.dtype) if values else None,
        )

    def to_csr(self, dtype: Any = None, *, sort: bool = True) -> tuple[Any, Any, Any]:
        """Row pointers, column indices and values."""
        return _compressed_arrays(self, self._store, dtype)

    def to_csc(self, dtype: Any = None, *, sort: bool = True) -> tuple[Any, Any, Any]:
        """Column pointers, row indices and values."""
        return _compressed_arrays(self, self._store.transposed(), dtype)

    def to_dcsr(self, dtype: Any = None, *, sort: bool = True) -> tuple[Any, Any, Any, Any]:
        """Rows that have entries, their pointers, column indices and values."""
        return _doubly_compressed(*_compressed_arrays(self, self._store, dtype))

    def to_dcsc(self, dtype: Any = None, *, sort: bool = True) -> tuple[Any, Any, Any, Any]:
        """Columns that have entries, their pointers, row indices and values."""
        return _doubly_compressed(*_compressed_arrays(self, self._store.transposed(), dtype))

    def to_dense(self, fill_value: Any = None, dtype: Any = None, **opts: Any) -> np.ndarray:
        """A NumPy array, with ``fill_value`` where there is no entry."""
        fill, dtype = dense_fill(self, fill_value, dtype, self.nvals == self._nrows * self._ncols)
        return self._engine.to_dense(self._store, fill, dtype.np_type)

    def to_dicts(self, order: str = "rowwise") -> dict:
        """A dictionary of rows (or columns), each a dictionary of index to value."""
        outer, indptr, inner, values = self.to_dcsr() if row_order(order) else self.to_dcsc()
        bounds = indptr.tolist()
        keys, items = inner.tolist(), values.tolist()
        return {
            line: dict(zip(keys[start:stop], items[start:stop], strict=True))
            for line, start, stop in zip(outer.tolist(), bounds[:-1], bounds[1:], strict=True)
        }

    def dup(
        self, dtype: Any = None, *, clear: bool = False, mask: Any = None, name: str | None = None, **opts: Any
    ) -> Matrix:
        """A copy, perhaps of another type, or of only the entries that a mask lets through."""
        new = Matrix(self.dtype if dtype is None else dtype, self._nrows, self._ncols, name=name)
        new._engine = self._engine
        if clear:
            return new
        if mask is not None:
            new(mask=mask, **opts) << self
        else:
            new._store = self._engine.cast(self._store.copy(), new.dtype.np_type)
        return new

    def diag(self, k: int = 0, dtype: Any = None, *, name: str | None = None, **opts: Any) -> Vector:
        """The k-th diagonal as a Vector."""
        k = int(k.value) if type(k) is Scalar else int(k)
        found = self.dtype if dtype is None else lookup_dtype(dtype)
        store = self._engine.cast(self._engine.diagonal(self._store, k), found.np_type)
        return Vector._from_store(self._engine, found, store, name)

    def setdiag(self, values: Any, k: int = 0, *, mask: Any = None, accum: Any = None, **opts: Any) -> None:
        """Set the k-th diagonal from a scalar, a Vector or an array."""
        offset = integral(k)
        if offset is None:
            raise TypeError(f"k must be an integer; got bad type: {type(k)}")
        size = _diagonal_size(self, offset)
        line, clears = _diagonal_values(self, values, size, offset, accum)
        shape = self.shape
        if mask is not None:
            mask = _diagonal_mask(self, check_mask(mask), size, offset)
        if clears:
            self(mask=mask, **opts) << select.offdiag(self, offset)
        diagonal = line.diag(offset)
        if diagonal.shape != shape:
            diagonal.resize(*shape)
        self(accum=accum, mask=diagonal.S if mask is None else mask, **opts) << diagonal

    def clear(self) -> None:
        """Remove all entries."""
        self._store = _empty(self._nrows, self._ncols, self.dtype.np_type)

    def resize(self, nrows: int, ncols: int) -> None:
        """Change the shape; entries beyond it are dropped."""
        nrows, ncols = check_size(nrows, "nrows"), check_size(ncols, "ncols")
        self._store = self._engine.resize_matrix(self._store, nrows, ncols)
        self._nrows, self._ncols = nrows, ncols

    def __setitem__(self, keys: Any, expr: Any) -> None:
        Updater(self)[keys] = expr

    def __delitem__(self, keys: Any) -> None:
        del Updater(self)[keys]

    def _as_vector(self, *, name: str | None = None) -> Vector:
        """A Matrix of one column as a Vector."""
        if self._ncols != 1:
            raise ValueError(f"Matrix must have a single column (not {self._ncols}) to be cast to a Vector")
        return Vector._from_store(self._engine, self.dtype, self._engine.extract_column(self._store, 0, None), name)


class TransposedMatrix(MatrixOperations):
    """``A.T``: reads like a Matrix, cannot be written to. The transposed structure is made once and kept by ``A``."""

    __slots__ = ("_matrix", "_nrows", "_ncols", "__weakref__")
    _is_transposed = True
    _role = "transposed"

    def __init__(self, matrix: Matrix) -> None:
        self._matrix = matrix
        self._nrows = matrix._ncols
        self._ncols = matrix._nrows

    @property
    def _engine(self) -> Any:
        return self._matrix._engine

    @property
    def _store(self) -> MatrixStore:
        return self._matrix._store

    @property
    def T(self) -> Matrix:
        return self._matrix

    @property
    def dtype(self) -> Any:
        return self._matrix.dtype

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"{self._matrix.name}.T"

    @property
    def nvals(self) -> int:
        return self._matrix.nvals

    _nvals = nvals

    def __repr__(self) -> str:
        from .formatting import format_matrix

        return format_matrix(self)

    __bool__ = BaseType.__bool__
    __array__ = BaseType.__array__
    _repr_html_ = BaseType._repr_html_

    def _as_expression(self) -> MatrixExpression:
        return MatrixExpression(
            "transpose",
            runs.run_transpose,
            [self],
            nrows=self._nrows,
            ncols=self._ncols,
            dtype=self.dtype,
            expr_repr="{0.name}",
        )

    def new(self, dtype: Any = None, *, mask: Any = None, name: str | None = None, **opts: Any) -> Matrix:
        """The transpose as a new Matrix."""
        return self._as_expression().new(dtype, mask=mask, name=name, **opts)

    def dup(
        self, dtype: Any = None, *, clear: bool = False, mask: Any = None, name: str | None = None, **opts: Any
    ) -> Matrix:
        if clear:
            return Matrix(self.dtype if dtype is None else dtype, self._nrows, self._ncols, name=name)
        return self.new(dtype, mask=mask, name=name, **opts)

    def to_coo(
        self,
        dtype: Any = None,
        *,
        rows: bool = True,
        columns: bool = True,
        values: bool = True,
        sort: bool = True,
    ) -> tuple[Any, Any, Any]:
        cols, row_index, array = self._matrix.to_coo(dtype, rows=columns, columns=rows, values=values, sort=sort)
        return row_index, cols, array

    def diag(self, k: int = 0, dtype: Any = None, *, name: str | None = None, **opts: Any) -> Vector:
        return self._matrix.diag(-k, dtype, name=name, **opts)

    def to_csr(self, dtype: Any = None, *, sort: bool = True) -> Any:
        return self._matrix.to_csc(dtype, sort=sort)

    def to_csc(self, dtype: Any = None, *, sort: bool = True) -> Any:
        return self._matrix.to_csr(dtype, sort=sort)

    def to_dcsr(self, dtype: Any = None, *, sort: bool = True) -> Any:
        return self._matrix.to_dcsc(dtype, sort=sort)

    def to_dcsc(self, dtype: Any = None, *, sort: bool = True) -> Any:
        return self._matrix.to_dcsr(dtype, sort=sort)

    def to_dense(self, fill_value: Any = None, dtype: Any = None, **opts: Any) -> np.ndarray:
        return self._matrix.to_dense(fill_value, dtype, **opts).swapaxes(0, 1)

    def to_dicts(self, order: str = "rowwise") -> dict:
        return self._matrix.to_dicts("columnwise" if row_order(order) else "rowwise")


def _rebuild(rows: Any, cols: Any, values: Any, dtype: Any, nrows: int, ncols: int, name: str) -> Matrix:
    return Matrix.from_coo(rows, cols, values, dtype, nrows=nrows, ncols=ncols, name=name)


def _empty(nrows: int, ncols: int, dtype: Any) -> MatrixStore:
    try:
        return MatrixStore.empty(nrows, ncols, dtype)
    except (MemoryError, ValueError):
        raise OutOfMemory(
            f"a Matrix of shape {nrows} x {ncols} needs {8 * (nrows + 1)} bytes of row pointers, more than there are"
        ) from None


def _entries_of(
    self: Matrix, nrows: int, ncols: int, rows: np.ndarray, cols: np.ndarray, values: np.ndarray, dup_op: Any
) -> MatrixStore:
    if not rows.size == cols.size == values.size:
        raise ValueError(
            f"`rows` and `columns` and `values` lengths must match: {rows.size}, {cols.size}, {values.size}"
        )
    check_bounds(rows, nrows, "row indices")
    check_bounds(cols, ncols, "column indices")
    dup_op = duplicate_operator(self, dup_op)
    try:
        store = self._engine.build_matrix(nrows, ncols, rows, cols, values, dup_op)
    except InvalidValue as error:
        raise duplicates_error(error) from None
    return self._engine.cast(store, self.dtype.np_type)


def _compressed(
    indptr: Any, indices: Any, values: Any, dtype: Any, outer: int | None, inner: int | None, label: str, what: str
) -> tuple[MatrixStore, Any]:
    """A checked CSR store from the arrays of a compressed format."""
    pointers = index_array(indptr, "index pointers")
    index = index_array(indices, what)
    array, found = values_to_array(values, dtype)
    if pointers.size == 0:
        raise InvalidValue("indptr array must not be empty")
    count = pointers.size - 1
    if outer is not None and outer != count:
        raise ValueError(f"{label} must be None or equal to len(indptr) - 1; expected {outer}, got {count}")
    if inner is None:
        inner = int(index.max()) + 1 if index.size else 0
    if pointers[0] != 0 or pointers[-1] != index.size or np.any(np.diff(pointers) < 0):
        raise InvalidValue(f"indptr must rise from 0 to the number of {what} ({index.size})")
    if array.ndim and array.size != index.size:
        raise InvalidValue(f"{what} and values must have the same length: {index.size} != {array.size}")
    if index.size and int(index.max()) >= inner:
        raise InvalidObject(f"{what}: {int(index.max())} is out of range for size {inner}")
    array = np.array(array, found.np_type).reshape(-1)
    store = MatrixStore(count, inner, pointers, index.astype(column_type(inner)), array)
    steps = np.diff(store.indices.astype(np.int64))
    boundary = pointers[1:-1]
    boundary = boundary[(boundary > 0) & (boundary < index.size)]
    steps[boundary - 1] = 1  # order matters only within a row
    if np.any(steps <= 0):
        keys = store.row_ids.astype(np.int64) * inner + store.indices
        order = np.argsort(keys, kind="stable")
        if np.any(np.diff(keys[order]) == 0):
            raise InvalidValue(f"{what} must not repeat within a line")
        array = array if store.iso else array[order]
        store = MatrixStore(count, inner, pointers, store.indices[order], array)
    return store, found


def _decompress(compressed: Any, indptr: Any, size: int | None) -> tuple[np.ndarray, int]:
    """The line of every entry of a doubly compressed format, and the number of lines."""
    pointers = index_array(indptr, "indptr")
    if pointers.size == 0:
        raise InvalidValue("indptr array must not be empty")
    lines = index_array(compressed, "compressed indices")
    if pointers.size == 1:
        return np.empty(0, np.int64), 0 if size is None else size
    return np.repeat(lines, np.diff(pointers)), int(lines.max()) + 1 if size is None else size


def _compressed_arrays(a: Matrix, store: MatrixStore, dtype: Any) -> tuple[Any, Any, Any]:
    values = np.broadcast_to(store.values, (store.nvals,)) if store.iso else store.values
    return store.indptr.astype(np.uint64), store.indices.astype(np.uint64), output_values(values, dtype, a.dtype)


def _doubly_compressed(indptr: Any, indices: Any, values: Any) -> tuple[Any, Any, Any, Any]:
    lines = np.flatnonzero(np.diff(indptr.astype(np.int64)))
    return lines.astype(np.uint64), np.append(indptr[lines], indptr[-1]), indices, values


def _diagonal_size(a: Matrix, k: int) -> int:
    nrows, ncols = a.shape
    if (k < 0 and k <= -nrows) or (k > 0 and k >= ncols):
        raise IndexError(
            f"k={k} is too {'small' if k < 0 else 'large'}; the k'th diagonal is out of range. Valid k for Matrix with "
            f"shape {nrows}x{ncols}: {-nrows} {'<' if nrows else '<='} k {'<' if ncols else '<='} {ncols}"
        )
    return min(nrows + k, ncols) if k < 0 else min(ncols - k, nrows)


def _diagonal_values(a: Matrix, values: Any, size: int, k: int, accum: Any) -> tuple[Vector, bool]:
    """The new diagonal, and whether the old one must be cleared because the new one has gaps."""
    from .base import output_type

    if output_type(values) is Vector:
        line = values
    else:
        if type(values) is not Scalar:
            try:
                values = Scalar.from_value(values, is_cscalar=None, name="")
            except (TypeError, ValueError):
                try:
                    array, dtype = values_to_array(values)
                except Exception:
                    a._expect_type(
                        values,
                        (Scalar, Vector, np.ndarray),
                        within="setdiag",
                        argname="values",
                        extra_message="Literal scalars also accepted.",
                    )
                    raise
                line = Vector.from_dense(array, dtype=dtype)
        if type(values) is Scalar:
            line = Vector.from_scalar(values, size)
    if line._size != size:
        raise DimensionMismatch(
            f"Dimensions not compatible for assigning length {line._size} Vector to {k}'th diagonal of Matrix with "
            f"shape {a._nrows}x{a._ncols}. The Vector should be size {size}."
        )
    return line, accum is None and line._nvals != line._size


def _diagonal_mask(a: Matrix, mask: Any, size: int, k: int) -> Any:
    """A mask for the k-th diagonal of a matrix, from a matrix mask or a vector mask."""
    parent = mask.parent
    if parent.ndim == 2:
        if parent.shape != a.shape:
            raise DimensionMismatch(
                f"Matrix mask in setdiag is the wrong shape; expected shape {a._nrows}x{a._ncols}, "
                f"got {parent._nrows}x{parent._ncols}"
            )
        line = type(mask)(parent.diag(k)).new()
    elif parent._size != size:
        raise DimensionMismatch(
            f"Vector mask in setdiag is the wrong length; expected size {size}, got size {parent._size}."
        )
    else:
        line = mask.new()
    wide = line.diag(k)
    if wide.shape != a.shape:
        wide.resize(*a.shape)
    return wide.S


stands_for(Matrix, Matrix, MatrixExpression, MatrixIndexExpr)
stands_for(TransposedMatrix, TransposedMatrix)
vector.MATRICES = (Matrix, TransposedMatrix)
