"""Construction of a Matrix: from coordinates, compressed formats, dense arrays, dictionaries."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial
from typing import Any, Self

import numpy as np

from .. import select
from ..backends.registry import current_engine
from ..backends.stores.storage import MatrixStore
from ..dtypes import lookup_dtype
from ..exceptions import InvalidObject
from ..foundation.memory import reports_memory
from ..foundation.types import ArrayLike, DTypeLike, MaybeDType, OperatorLike, Value
from .arrow_streams import Table
from .collection import Collection
from .conversions import (
    dense_values,
    given_array,
    index_array,
    is_device_array,
    one_value,
    own_values,
    row_order,
    size_of,
    values_to_array,
)
from .matrix_formats import compressed_store, decompress, entries_of
from .vector_construction import full_value


class MatrixConstruction(Collection):
    """The ``Matrix.from_...`` methods."""

    __slots__ = ()

    @classmethod
    @reports_memory
    def from_coo(
        cls,
        rows: ArrayLike,
        columns: ArrayLike,
        values: object = 1.0,
        dtype: DTypeLike | None = None,
        *,
        nrows: int | None = None,
        ncols: int | None = None,
        dup_op: OperatorLike | None = None,
        name: str | None = None,
    ) -> Self:
        """A Matrix from row indices, column indices and values (or one value for all of them).

        Parameters
        ----------
        rows : array_like of int
            The row of every entry, from 0.
        columns : array_like of int
            The column of every entry, from 0.
        values : array_like or scalar
            The values, or one value for all entries, which is stored once.
        dtype : dtype, optional
            The type of the values, in any spelling: ``"FP64"``, ``float``, ``gb.INT8``, NumPy's; by default
            their own.
        nrows : int, optional
            The number of rows; by default one more than the largest row index.
        ncols : int, optional
            The number of columns; by default one more than the largest column index.
        dup_op : BinaryOp, optional
            How to combine the values of a position that is there twice; without it, duplicates raise a ValueError.
        name : str, optional
            The name that messages and ``print`` show.

        Raises
        ------
        IndexOutOfBound
            An index is out of range.
        ValueError
            A position occurs twice without ``dup_op``, lengths differ, or there is no index to infer a
            size from.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> Matrix.from_coo([0, 1], [1, 0], [5, 6]).to_dicts()
        {0: {1: 5}, 1: {0: 6}}
        """
        inferred = nrows is None or ncols is None  # then all indices are read anyway
        checked = partial(index_array, copy=False, signs=inferred, narrow=current_engine().reads_narrow_positions)
        row_index, col_index = checked(rows, "row indices"), checked(columns, "column indices")
        array, dtype = values_to_array(values, dtype)
        nrows = size_of(row_index, "row indices", "nrows") if nrows is None else nrows
        ncols = size_of(col_index, "column indices", "ncols") if ncols is None else ncols
        new = cls(dtype, nrows, ncols, name=name)
        if array.ndim == 0:
            array, dup_op = one_value(array, row_index, dup_op)
        new._store = entries_of(new, new.shape, row_index, col_index, array, dup_op)
        return new

    @classmethod
    def from_arrow(
        cls,
        table: object,
        row: str | int = "row",
        column: str | int = "column",
        value: str | int | None = "value",
        *,
        dtype: DTypeLike | None = None,
        nrows: int | None = None,
        ncols: int | None = None,
        dup_op: OperatorLike | None = None,
        name: str | None = None,
    ) -> Self:
        """A Matrix from a table with a row for every entry, of any library with ``__arrow_c_stream__``.

        Parameters
        ----------
        table : object with ``__arrow_c_stream__``
            A table of pyarrow, Polars, pandas 3, DuckDB, cuDF and others.
        row : str or int
            The column with the row of every entry, by name or number.
        column : str or int
            The column with the column of every entry.
        value : str, int or None
            The column with the values; with None, all values are True.
        dtype : dtype, optional
            The type of the values; by default their own.
        nrows : int, optional
            The number of rows; by default up to the largest row.
        ncols : int, optional
            The number of columns; by default up to the largest column.
        dup_op : BinaryOp, optional
            The operator that combines duplicates; without it, duplicates raise a ValueError.
        name : str, optional
            The name of the Matrix.

        Examples
        --------
        >>> import pandas as pd
        >>> from grblas_gpu import Matrix
        >>> Matrix.from_arrow(pd.DataFrame({"row": [0, 2], "column": [1, 0], "value": [5, 6]})).to_dicts()
        {0: {1: 5}, 2: {0: 6}}
        """
        wanted = [row, column] if value is None else [row, column, value]
        with Table(table, "Matrix.from_arrow") as arrow:
            found = list(arrow.batches(wanted))
            for place, each in zip(wanted, found[0] if found else (), strict=False):
                if not isinstance(each, np.ndarray):
                    raise TypeError(f"Matrix.from_arrow: the column {place!r} has no numbers")
            parts: list[np.ndarray] = [np.concatenate(column) for column in zip(*found, strict=True)]
        if not found:
            parts = [np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)][: len(wanted)]
            nrows, ncols = nrows or 0, ncols or 0
        rows, columns, values = (*parts, True)[:3]
        return cls.from_coo(rows, columns, values, dtype, nrows=nrows, ncols=ncols, dup_op=dup_op, name=name)

    @classmethod
    @reports_memory
    def from_edgelist(
        cls,
        edgelist: Any,
        values: ArrayLike | Value | None = None,
        dtype: DTypeLike | None = None,
        *,
        nrows: int | None = None,
        ncols: int | None = None,
        dup_op: OperatorLike | None = None,
        name: str | None = None,
    ) -> Self:
        """A Matrix from (row, column) or (row, column, value) tuples, or an n x 2 array.

        Parameters
        ----------
        edgelist : array_like or iterable of tuples
            (row, column) pairs, or (row, column, value) triples.
        values : array_like or scalar
            The values, or one value for all entries, which is stored once.
        dtype : dtype, optional
            The type of the values; by default their own.
        nrows : int, optional
            The number of rows; by default one more than the largest row index.
        ncols : int, optional
            The number of columns; by default one more than the largest column index.
        dup_op : BinaryOp, optional
            The operator that combines duplicates; without it, duplicates raise a ValueError.
        name : str, optional
            The name that messages and ``print`` show.

        Raises
        ------
        IndexOutOfBound
            An index is out of range.
        ValueError
            An item does not have two or three parts, a position occurs twice without ``dup_op``, or there is
            nothing to infer a size from.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> Matrix.from_edgelist([(0, 1, 5), (1, 0, 6)]).to_dicts()
        {0: {1: 5}, 1: {0: 6}}
        >>> Matrix.from_edgelist([(0, 1), (1, 0)], True).to_dicts()
        {0: {1: True}, 1: {0: True}}
        """
        found = None
        rows: ArrayLike = ()
        cols: ArrayLike = ()
        if isinstance(edgelist, np.ndarray) or is_device_array(edgelist):
            edgelist = given_array(edgelist)
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
    @reports_memory
    def from_csr(
        cls,
        indptr: ArrayLike,
        col_indices: ArrayLike,
        values: ArrayLike | Value = 1.0,
        dtype: Any = None,
        *,
        nrows: int | None = None,
        ncols: int | None = None,
        name: str | None = None,
    ) -> Self:
        """A Matrix from the compressed sparse row format; rows need not be sorted.

        On backend "cuda", arrays on the device (CuPy's, or any with ``__cuda_array_interface__`` or DLPack) stay there.
        The Matrix shares the memory of arrays that have the stored types: int32 pointers (int64 from 2**31 entries on),
        int32 column indices (int64 from 2**31 columns on) and values. Changes of a shared array change the Matrix, and
        vice versa.

        Parameters
        ----------
        indptr : array_like of int
            The start of each row among the indices, and the end of the last row.
        col_indices : array_like of int
            The column of every entry.
        values : array_like or scalar
            The values, or one value for all entries, which is stored once.
        dtype : dtype, optional
            The type of the values; by default their own.
        nrows : int, optional
            The number of rows; by default that of ``indptr``.
        ncols : int, optional
            The number of columns; by default one more than the largest column index.
        name : str, optional
            The name that messages and ``print`` show.

        Raises
        ------
        InvalidValue
            ``indptr`` does not rise from 0 to the number of indices.
        IndexOutOfBound
            An index is out of range.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> Matrix.from_csr([0, 1, 2], [1, 0], [5, 6]).to_dicts()
        {0: {1: 5}, 1: {0: 6}}
        """
        store, dtype = compressed_store(indptr, col_indices, values, dtype, nrows, ncols, "nrows", "column indices")
        engine = current_engine()
        return cls._from_store(engine, dtype, engine.adopt(store), name)

    @classmethod
    @reports_memory
    def from_csc(
        cls,
        indptr: ArrayLike,
        row_indices: ArrayLike,
        values: ArrayLike | Value = 1.0,
        dtype: Any = None,
        *,
        nrows: int | None = None,
        ncols: int | None = None,
        name: str | None = None,
    ) -> Self:
        """A Matrix from the compressed sparse column format; columns need not be sorted.

        Parameters
        ----------
        indptr : array_like of int
            The start of each column among the indices, and the end of the last column.
        row_indices : array_like of int
            The row of every entry.
        values : array_like or scalar
            The values, or one value for all entries, which is stored once.
        dtype : dtype, optional
            The type of the values; by default their own.
        nrows : int, optional
            The number of rows; by default one more than the largest row index.
        ncols : int, optional
            The number of columns; by default that of ``indptr``.
        name : str, optional
            The name that messages and ``print`` show.

        Raises
        ------
        InvalidValue
            ``indptr`` does not rise from 0 to the number of indices.
        IndexOutOfBound
            An index is out of range.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> Matrix.from_csc([0, 1, 2], [1, 0], [5, 6]).to_dicts()
        {0: {1: 6}, 1: {0: 5}}
        """
        store, dtype = compressed_store(indptr, row_indices, values, dtype, ncols, nrows, "ncols", "row indices")
        engine = current_engine()
        return cls._from_store(engine, dtype, engine.adopt(store.transposed().holding_transpose()), name)

    @classmethod
    @reports_memory
    def from_dcsr(
        cls,
        compressed_rows: object,
        indptr: ArrayLike,
        col_indices: ArrayLike,
        values: ArrayLike | Value = 1.0,
        dtype: DTypeLike | None = None,
        *,
        nrows: int | None = None,
        ncols: int | None = None,
        name: str | None = None,
    ) -> Self:
        """A Matrix from the doubly compressed sparse row format.

        Parameters
        ----------
        compressed_rows : array_like of int
            The rows that have entries.
        indptr : array_like of int
            The start of each of these rows among the indices, and the end of the last one.
        col_indices : array_like of int
            The column of every entry.
        values : array_like or scalar
            The values, or one value for all entries, which is stored once.
        dtype : dtype, optional
            The type of the values; by default their own.
        nrows : int, optional
            The number of rows; by default one more than the largest row index.
        ncols : int, optional
            The number of columns; by default one more than the largest column index.
        name : str, optional
            The name that messages and ``print`` show.

        Raises
        ------
        ValueError
            Lengths differ, or ``indptr`` does not rise from 0 to the number of indices.
        IndexOutOfBound
            An index is out of range.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> Matrix.from_dcsr([0, 7], [0, 2, 3], [1, 2, 0], [5, 6, 7], nrows=9).to_dicts()
        {0: {1: 5, 2: 6}, 7: {0: 7}}
        """
        rows, nrows = decompress(compressed_rows, indptr, nrows)
        if ncols is None and rows.size == 0:
            ncols = 0
        return cls.from_coo(rows, col_indices, values, dtype, nrows=nrows, ncols=ncols, name=name)

    @classmethod
    @reports_memory
    def from_dcsc(
        cls,
        compressed_cols: object,
        indptr: ArrayLike,
        row_indices: ArrayLike,
        values: ArrayLike | Value = 1.0,
        dtype: DTypeLike | None = None,
        *,
        nrows: int | None = None,
        ncols: int | None = None,
        name: str | None = None,
    ) -> Self:
        """A Matrix from the doubly compressed sparse column format.

        Parameters
        ----------
        compressed_cols : array_like of int
            The columns that have entries.
        indptr : array_like of int
            The start of each of these columns among the indices, and the end of the last one.
        row_indices : array_like of int
            The row of every entry.
        values : array_like or scalar
            The values, or one value for all entries, which is stored once.
        dtype : dtype, optional
            The type of the values; by default their own.
        nrows : int, optional
            The number of rows; by default one more than the largest row index.
        ncols : int, optional
            The number of columns; by default one more than the largest column index.
        name : str, optional
            The name that messages and ``print`` show.

        Raises
        ------
        ValueError
            Lengths differ, or ``indptr`` does not rise from 0 to the number of indices.
        IndexOutOfBound
            An index is out of range.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> Matrix.from_dcsc([0, 7], [0, 2, 3], [1, 2, 0], [5, 6, 7], ncols=9).to_dicts()
        {0: {7: 7}, 1: {0: 5}, 2: {0: 6}}
        """
        cols, ncols = decompress(compressed_cols, indptr, ncols)
        if nrows is None and cols.size == 0:
            nrows = 0
        return cls.from_coo(row_indices, cols, values, dtype, nrows=nrows, ncols=ncols, name=name)

    @classmethod
    @reports_memory
    def from_scalar(
        cls, value: object, nrows: int, ncols: int, dtype: MaybeDType = None, *, name: str | None = None, **opts: object
    ) -> Self:
        """A Matrix with the same value everywhere (stored once).

        Parameters
        ----------
        value : scalar
            The value of every entry, stored once.
        nrows : int
            The number of rows.
        ncols : int
            The number of columns.
        dtype : dtype, optional
            The type of the values; by default their own.
        name : str, optional
            The name that messages and ``print`` show.
        **opts : keywords
            Fields of a :class:`~grblas_gpu.Descriptor`: ``direction``, ``strategy``, ``deterministic`` and
            others.

        Raises
        ------
        OverflowError
            A size is negative.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> Matrix.from_scalar(7, 2, 3).to_dense()
        array([[7, 7, 7],
               [7, 7, 7]])
        """
        value, dtype = full_value(cls, value, dtype)
        new = cls(dtype, nrows, ncols, name=name)
        new << value
        return new

    @classmethod
    @reports_memory
    def from_dense(
        cls,
        values: ArrayLike | Value,
        missing_value: Value | None = None,
        *,
        dtype: DTypeLike | None = None,
        copy: bool = True,
        name: str | None = None,
        **opts: object,
    ) -> Self:
        """A Matrix with an entry for every element of an array, or for those that are not ``missing_value``.

        With ``copy=False`` the Matrix shares the memory of a writable, row-major NumPy array of the stored type. On
        backend "cuda" it always shares the memory of an array on the device. Changes of a shared array change the
        Matrix, and vice versa.

        Parameters
        ----------
        values : array_like
            An array of two dimensions.
        missing_value : scalar, optional
            Positions with this value get no entry.
        dtype : dtype, optional
            The type of the values; by default their own.
        copy : bool
            Whether to copy a NumPy array that could be shared.
        name : str, optional
            The name that messages and ``print`` show.
        **opts : keywords
            Fields of a :class:`~grblas_gpu.Descriptor`: ``direction``, ``strategy``, ``deterministic`` and
            others.

        Raises
        ------
        ValueError
            The array does not have two dimensions.
        OutOfMemory
            The result does not fit in memory; no object changes.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> Matrix.from_dense([[0, 5], [6, 0]], missing_value=0).to_dicts()
        {0: {1: 5}, 1: {0: 6}}
        """
        array, dtype = dense_values(values, dtype, "Matrix", 2)
        nrows, ncols = array.shape
        store = MatrixStore.full(nrows, ncols, own_values(array, dtype.np_type, copy).reshape(-1))
        engine = current_engine()
        new = cls._from_store(engine, dtype, engine.adopt(store), name)
        if missing_value is not None:
            new << new.select(select.valuene, missing_value)
        return new

    @classmethod
    @reports_memory
    def from_dicts(
        cls,
        nested_dicts: Any,
        dtype: DTypeLike | None = None,
        *,
        order: str = "rowwise",
        nrows: int | None = None,
        ncols: int | None = None,
        name: str | None = None,
    ) -> Self:
        """A Matrix from a dictionary (or list) of rows, each a dictionary of column to value.

        Parameters
        ----------
        nested_dicts : dict of dicts
            ``{row: {column: value}}``, or ``{column: {row: value}}`` with ``order="columnwise"``.
        dtype : dtype, optional
            The type of the values; by default their own.
        order : {"rowwise", "columnwise"}
            Whether the outer keys are rows or columns.
        nrows : int, optional
            The number of rows; by default one more than the largest row index.
        ncols : int, optional
            The number of columns; by default one more than the largest column index.
        name : str, optional
            The name that messages and ``print`` show.

        Raises
        ------
        IndexOutOfBound
            An index is out of range.
        ValueError
            ``order`` is neither of the two.

        Examples
        --------
        >>> from grblas_gpu import Matrix
        >>> Matrix.from_dicts({0: {1: 5}, 1: {0: 6}}).to_dense(fill_value=0)
        array([[0, 5],
               [6, 0]])
        """
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
        values: list | np.ndarray = list(itertools.chain.from_iterable(d.values() for d in dicts))
        if dtype is not None and not lookup_dtype(dtype)._is_udt:
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
