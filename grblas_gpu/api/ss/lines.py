"""The entries of an object line by line: a Vector is one line, a Matrix has its rows or its columns.

The arrays are those of the engine, so that nothing leaves a device; NumPy functions dispatch on their arguments.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np

from ...backends.registry import using
from ...backends.stores.entries import entries as sorted_entries, expand, repeat, runs
from ...backends.stores.formats import choose_format
from ...backends.stores.matrix_storage import SPARSE, column_type, from_lines as store_of_lines
from ...backends.stores.storage import INDEX, Array, MatrixStore, VectorStore
from ...dtypes import lookup_dtype
from ...foundation.types import AnyTensor, DTypeLike, Tensor
from ...ir import recording
from ..conversions import row_order
from ..matrix import Matrix
from ..vector import Vector

Kind = TypeVar("Kind", Vector, Matrix)


class Lines(NamedTuple):
    """Entries in order: by line, and by index in each line; the pointers of all lines, if they are known."""

    line: Array
    index: Array
    values: Array
    pointers: Array | None = None

    @property
    def ends(self) -> Array:
        """The start of each line, at least of those that have entries, and the number of entries."""
        if self.pointers is not None:
            return self.pointers
        starts = runs(self.line)
        return np.concatenate([starts, np.zeros(1, starts.dtype, like=starts) + len(self.line)])

    @property
    def lengths(self) -> Array:
        """The number of entries of each of these lines."""
        return np.diff(self.ends)

    @property
    def place(self) -> Array:
        """The number of every entry in its line: 0, 1, ..."""
        return np.arange(len(self.line), dtype=INDEX, like=self.line) - repeat(self.ends[:-1], self.lengths)

    @property
    def length(self) -> Array:
        """For every entry, the number of entries in its line."""
        lengths = self.lengths
        return repeat(lengths, lengths)

    def take(self, chosen: object) -> Lines:
        return Lines(self.line[chosen], self.index[chosen], self.values[chosen])


def lines_of(x: AnyTensor, order: str = "rowwise") -> Lines:
    """The entries by line, as new arrays in the memory of the engine."""
    recording.read("the entries", x._matrix if x._is_transposed else x)
    store, by_rows = x._store, row_order(order)
    if type(store) is VectorStore:
        index, values = sorted_entries(store)
        return Lines(np.zeros(len(index), INDEX, like=index), index.copy(), values.copy())
    if type(store) is not MatrixStore:  # distributed over the ranks of a job
        return gathered_lines(x, order)
    if by_rows == x._is_transposed:
        store = store.transposed()
    values = expand(store.values, store.nvals)
    pointers = store.indptr if store.form == SPARSE else None
    return Lines(store.row_ids.astype(INDEX), store.indices.astype(INDEX), values.copy(), pointers)


def gathered_lines(x: AnyTensor, order: str = "rowwise") -> Lines:
    """The entries by line in host memory, for any engine."""
    rows, cols, values = x._engine.tuples(x._store)
    if x.ndim == 1:
        return Lines(np.zeros(len(rows), INDEX), rows.astype(INDEX), values)
    if row_order(order) != x._is_transposed:
        return Lines(rows.astype(INDEX), cols.astype(INDEX), values)
    return Lines(cols.astype(INDEX), rows.astype(INDEX), values).take(np.lexsort((rows, cols)))


def host_lines(x: AnyTensor, order: str = "rowwise") -> Lines:
    """The entries by line, with the arrays that ``to_coo`` returns."""
    if x.ndim == 1:
        index, values = x.to_coo()
        return Lines(np.zeros(len(index), np.int64), index, values)
    line, index, values = x.to_coo() if row_order(order) else x.T.to_coo()
    if not row_order(order):
        by_column = np.lexsort((index, line))
        line, index, values = line[by_column], index[by_column], values[by_column]
    return Lines(line, index, values)


def from_lines(
    x: Kind, entries: Lines, dtype: DTypeLike, order: str, size: int, name: str | None, in_order: bool = True
) -> Any:
    """An object of the kind of ``x`` with these entries; ``size`` is the length of its lines."""
    engine, kind = x._engine, type(x._store)
    if in_order and kind is VectorStore:
        store = VectorStore(size, entries.values, indices=entries.index)
        return Vector._from_store(engine, lookup_dtype(dtype), store, name)
    if in_order and kind is MatrixStore:
        count, (line, index, values, pointers) = x.shape[not row_order(order)], entries
        if pointers is None:
            made = store_of_lines(count, size, line, index, values)
        else:
            made = MatrixStore(count, size, pointers, index.astype(column_type(size), copy=False), values)
        made = choose_format(engine, made if row_order(order) else made.transposed())
        return Matrix._from_store(engine, lookup_dtype(dtype), made, name)
    with using(x.backend):
        if x.ndim == 1:
            return Vector.from_coo(entries.index, entries.values, dtype, size=size, name=name)
        if row_order(order):
            return Matrix.from_coo(
                entries.line, entries.index, entries.values, dtype, nrows=x.nrows, ncols=size, name=name
            )
        return Matrix.from_coo(entries.index, entries.line, entries.values, dtype, nrows=size, ncols=x.ncols, name=name)


def line_size(x: Tensor, order: str) -> int:
    """The length of the lines."""
    return x.shape[0] if x.ndim == 1 or not row_order(order) else x.shape[1]
