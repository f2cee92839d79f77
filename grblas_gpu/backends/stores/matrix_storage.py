"""A matrix as an engine has it: sparse (CSR), bitmap, full or hypersparse, always by rows.

============  ===========================================================================  =======================
form          arrays of its own                                                            memory
============  ===========================================================================  =======================
sparse        ``indptr`` [nrows + 1], ``indices`` and ``values`` [nvals]                   rows and entries
hypersparse   ``rows`` (those with entries), ``starts`` [len(rows) + 1], and as above       entries
bitmap        ``present`` and ``dense`` [nrows * ncols]                                    positions
full          ``dense`` [nrows * ncols]                                                    positions
============  ===========================================================================  =======================

Values (``values``, ``dense``) are one instead when all are equal (*iso*).

**Code that knows no forms reads CSR**: ``indptr``, ``indices`` and ``values`` of any other form are made on first use,
and cached next to its own arrays. So every operation takes every form, and some read its own arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from operator import methodcaller
from typing import Any
from weakref import ref as weakref

import numpy as np

from ...plan.storage_rules import MANY_ROWS, matrix_form
from . import csr_of_forms
from .counting import counts, how_many, pointers
from .index_types import INDEX, INT32_LIMIT, Array, column_type, natives, order_of_keys
from .vector_storage import Counter

STRIP = 256  # rows that are transposed together
FEW_ENTRIES = 2**15  # of a matrix that NumPy transposes
#: The transpose of a CSR matrix on the host by a kernel, or None; the CPU engine sets it.
transpose_compiled: Callable[[MatrixStore], MatrixStore | None] = lambda a: None  # noqa: E731

SPARSE, HYPERSPARSE, BITMAP, FULL = "sparse", "hypersparse", "bitmap", "full"


@cache
def nothing(dtype: np.dtype) -> Array:
    """An array without elements, shared by all users."""
    return np.empty(0, dtype)


_NO_COLUMNS = nothing(column_type(MANY_ROWS))
_SHORT, _LONG = np.dtype(np.int32), np.dtype(INDEX)  # offsets on a device


class MatrixStore:
    """A matrix in one of four forms. The constructor makes CSR: indices ascend in each row.

    Offsets have 64 bits; on a device, where memory is scarce and kernels are compiled for types, 32 if they fit.

    The transpose (the same matrix in CSC), row numbers, degrees and the range of values are found once and kept.
    """

    __slots__ = (
        "form",
        "nrows",
        "ncols",
        "nvals",
        "dtype",
        "max_degree",
        "counter",
        "indptr",
        "indices",
        "values",
        "dense",
        "present",
        "rows",
        "starts",
        "_turned",
        "_row_ids",
        "_max_column",
        "_filled_rows",
        "_once",
        "value_range",
        "mean_value",
        "_hub_neighbours",
        "_column_order",
        "_entry_groups",
        "_is_diagonal",
        "copies",
        "spared",
        "__weakref__",
    )

    form: str
    nvals: int
    dtype: np.dtype
    max_degree: int  # the most entries of a row
    indptr: Array
    indices: Array
    values: Array
    dense: Array | None
    present: Array | None
    rows: Array | None
    starts: Array
    counter: Counter | None

    def __init__(self, nrows: int, ncols: int, indptr: Array, indices: Array, values: Array) -> None:
        self.form = SPARSE
        self.nrows = nrows
        self.ncols = ncols
        self.nvals = nvals = len(indices)
        if not isinstance(indptr, np.ndarray):
            wanted = _SHORT if nvals <= INT32_LIMIT else _LONG
            if indptr.dtype is not wanted:
                indptr = indptr.astype(wanted, copy=False)
        self.indptr = indptr
        self.indices = indices
        self.values = values
        self.dtype = values.dtype
        self.dense = self.present = self.rows = self.counter = None
        self.copies = 1
        self.spared = 0  # edges that products have pushed or probed instead of making the transpose
        self._once: MatrixStore | None = None
        self._turned: Any = None  # the transpose, or a weak reference to it
        self._row_ids: Array | None = None
        self._max_column: int | None = None
        self._filled_rows: int | None = None
        self._hub_neighbours: Array | None = None
        self._column_order: Any = 0  # on CUDA: see column_order.py there
        self._entry_groups: Array | None = None  # on CUDA: see entry_groups.py there
        self._is_diagonal: bool | None = None

    @classmethod
    def _bare(cls, form: str, nrows: int, ncols: int) -> MatrixStore:
        """Without any arrays."""
        store = cls.__new__(cls)
        store.form, store.nrows, store.ncols = form, nrows, ncols
        store.dense = store.present = store.rows = store.counter = None
        store.copies, store.spared, store._once = 1, 0, None
        store._turned = store._row_ids = store._max_column = store._filled_rows = None
        store._hub_neighbours = store._entry_groups = store._is_diagonal = None
        store._column_order = 0
        return store

    @classmethod
    def full(cls, nrows: int, ncols: int, values: Array) -> MatrixStore:
        """An entry at every position: their values row by row, or one for all."""
        store = cls._bare(FULL, nrows, ncols)
        store.dense, store.nvals = values, nrows * ncols
        return store

    @classmethod
    def bitmap(
        cls, nrows: int, ncols: int, present: Array, values: Array, nvals: int | None = None, counter: Any = None
    ) -> MatrixStore:
        """Flags, row by row, and a value for each, or one for all; entries are counted when ``nvals`` is read."""
        store = cls._bare(BITMAP, nrows, ncols)
        store.present, store.dense, store.counter = present, values, counter
        if nvals is not None:
            store.nvals = nvals
        return store

    @classmethod
    def hypersparse(
        cls, nrows: int, ncols: int, rows: Array, starts: Array, indices: Array, values: Array
    ) -> MatrixStore:
        """Some rows, ascending, each with an entry: those of ``rows[k]`` begin at ``starts[k]``."""
        store = cls._bare(HYPERSPARSE, nrows, ncols)
        store.rows, store.starts, store.indices, store.values = rows, starts, indices, values
        store.nvals = len(indices)
        return store

    @classmethod
    def repeated(cls, once: MatrixStore, copies: int) -> MatrixStore:
        """A matrix several times along the diagonal. Offsets are made for all copies, other arrays at their first read.

        Kernels that support it read the arrays of the one matrix (``once``).
        """
        store = cls._bare(SPARSE, once.nrows * copies, once.ncols * copies)  # without indices and values
        store._once, store.copies, store.nvals = once, copies, copies * once.nvals
        if not isinstance(once.indptr, np.ndarray):
            store.indptr = natives[type(once.indptr)].repeated_offsets(once, copies)
            return store
        starts = np.arange(copies, dtype=INDEX, like=once.indptr)[:, None] * once.nvals + once.indptr[None, :-1]
        whole = np.zeros(1, INDEX, like=starts) + store.nvals
        offset = once.indptr.dtype if store.nvals <= INT32_LIMIT else INDEX
        store.indptr = np.concatenate([starts.reshape(-1), whole]).astype(offset, copy=False)
        return store

    def __getattr__(self, name: str) -> Any:
        """CSR arrays that were not made yet; the number of flags in a bitmap; facts, once."""
        if name == "nvals" and self.present is not None:
            counter = self.counter
            self.nvals = how_many(self.present) if counter is None else counter.read()  # synchronizes
        elif name == "dtype":
            self.dtype = self.stored_values.dtype
        elif name == "max_degree":
            self.max_degree = self._longest_row()
        elif name not in ("indptr", "indices", "values"):
            raise AttributeError(name)
        elif self.form == HYPERSPARSE:
            self.indptr = csr_of_forms.all_pointers(self)
        elif self.dense is not None:
            self.indptr, self.indices, self.values = csr_of_forms.of_dense(self)
        elif name == "indices":
            once = self.once
            firsts = np.arange(self.copies, dtype=INDEX, like=once.indices)[:, None] * once.ncols
            self.indices = (firsts + once.indices[None, :]).reshape(-1).astype(column_type(self.ncols), copy=False)
        elif name == "indptr":  # of a matrix without entries
            self.indptr = np.zeros(self.nrows + 1, INDEX)
        else:
            once = self.once
            self.values = once.values if once.iso else np.tile(once.values, self.copies)
        return getattr(self, name)

    @property
    def structure(self) -> tuple[object, ...]:
        """The objects that identify the structure: the same objects mean the same structure."""
        if self.form != SPARSE:
            return (self,)
        return self.indptr, self.once.indices

    @property
    def once(self) -> MatrixStore:
        """The matrix that is repeated; if none is, this one."""
        return self if self._once is None else self._once

    @classmethod
    def empty(cls, nrows: int, ncols: int, dtype: np.dtype) -> MatrixStore:
        """Without entries. Most are overwritten as a whole, so row pointers are made at their first read."""
        if nrows <= MANY_ROWS and ncols <= MANY_ROWS:  # small ones are made often
            columns = _NO_COLUMNS
        else:
            columns = nothing(column_type(ncols))
            if matrix_form(0, nrows, ncols, SPARSE) == HYPERSPARSE:
                return cls.hypersparse(nrows, ncols, nothing(INDEX), np.zeros(1, INDEX), columns, nothing(dtype))
        store = cls._bare(SPARSE, nrows, ncols)
        store.indices, store.values, store.nvals = columns, nothing(dtype), 0
        return store

    @property
    def known_nvals(self) -> int | None:
        """``nvals`` if it is known without counting flags; otherwise None."""
        try:
            return int(object.__getattribute__(self, "nvals"))  # past __getattr__, which counts
        except AttributeError:
            return None if self.counter is None else self.counter.known()

    @property
    def stored_values(self) -> Array:
        """The array of its own that holds the values."""
        return self.values if self.dense is None else self.dense

    @property
    def iso(self) -> bool:
        """True when one stored value stands for all entries (so a single entry counts as iso)."""
        return len(self.values if self.dense is None else self.dense) == 1

    @property
    def shape(self) -> tuple[int, int]:
        return self.nrows, self.ncols

    @property
    def arrays(self) -> dict[str, Array]:
        """The arrays of its own, by name."""
        if self.dense is not None:
            flags = {} if self.present is None else {"present": self.present}
            return {**flags, "values": self.dense}
        lines = {"indptr": self.indptr} if self.rows is None else {"rows": self.rows, "starts": self.starts}
        return {**lines, "indices": self.indices, "values": self.values}

    def copy(self, copied: Callable[[Array], Array] = methodcaller("copy")) -> MatrixStore:
        nrows, ncols, values = self.nrows, self.ncols, copied(self.stored_values)
        if self.present is not None:
            return MatrixStore.bitmap(nrows, ncols, copied(self.present), values, self.known_nvals, self.counter)
        if self.dense is not None:
            return MatrixStore.full(nrows, ncols, values)
        if self.form == HYPERSPARSE:
            return MatrixStore.hypersparse(nrows, ncols, self.rows, self.starts, self.indices, values)
        new = MatrixStore(nrows, ncols, self.indptr, self.indices, values)
        if self._transpose is self:  # symmetric
            new._transpose = new
        return new

    def uncount(self) -> None:
        """Forget cached properties of the entries before a bitmap or full matrix changes in place."""
        counted = ("nvals",) if self.present is not None else ()
        for name in ("indptr", "indices", "values", "max_degree", "value_range", "mean_value", *counted):
            with suppress(AttributeError):
                delattr(self, name)
        self._turned = self._row_ids = self._max_column = self._filled_rows = None
        self._hub_neighbours = self._entry_groups = self._is_diagonal = None
        self._column_order = 0
        self.counter = None

    @property
    def row_ids(self) -> Array:
        """The row of every entry (COO), for edge-parallel kernels."""
        if self._row_ids is None:
            if self.rows is not None:
                self._row_ids = csr_of_forms.row_of_each(self.rows, self.starts).astype(
                    column_type(self.nrows), copy=False
                )
            elif isinstance(self.indptr, np.ndarray):
                self._row_ids = np.repeat(np.arange(self.nrows, dtype=column_type(self.nrows)), np.diff(self.indptr))
            else:
                self._row_ids = natives[type(self.indptr)].row_ids(self)
        return self._row_ids

    def _longest_row(self) -> int:
        if self.nrows == 0 or self.nvals == 0:
            return 0
        if self.rows is not None:
            return int((self.starts[1:] - self.starts[:-1]).max())  # synchronizes
        if isinstance(self.indptr, np.ndarray):
            return int((self.indptr[1:] - self.indptr[:-1]).max())
        return int(natives[type(self.indptr)].max_degree(self))

    def squared_lengths(self) -> int:
        """The sum of the squares of the rows' lengths."""
        if self.rows is None and not isinstance(self.indptr, np.ndarray):
            return int(natives[type(self.indptr)].squared_lengths(self))
        lengths = np.diff(self.indptr if self.rows is None else self.starts).astype(float)
        return int((lengths * lengths).sum())

    @property
    def max_column(self) -> int:
        """The most entries of a column: of the transpose, if there is one, or counted once."""
        if self._max_column is None:
            if self._transpose is not None:
                return self._transpose.max_degree
            self._max_column = int(counts(self.once.indices, self.ncols).max())  # synchronizes: once
        return self._max_column

    @property
    def filled_rows(self) -> int:
        """How many rows have an entry."""
        if self._filled_rows is None:
            if self.rows is not None:
                self._filled_rows = len(self.rows)
            else:
                self._filled_rows = how_many(self.indptr[1:] > self.indptr[:-1])  # synchronizes: once
        return self._filled_rows

    @property
    def is_diagonal(self) -> bool:
        """Whether every row has one entry, on the diagonal."""
        if self._is_diagonal is None:
            if not self.nrows == self.ncols == self.nvals:
                self._is_diagonal = False
            elif isinstance(self.indices, np.ndarray):
                places = np.arange(self.nrows)
                self._is_diagonal = np.array_equal(self.indices, places) and np.array_equal(self.indptr[:-1], places)
            else:
                self._is_diagonal = natives[type(self.indices)].is_diagonal(self)
        return self._is_diagonal

    @property
    def _transpose(self) -> MatrixStore | None:
        """The transpose, if it is known. One of the two holds the other: a cycle would keep both until the collector
        runs, which does not know how large they are."""
        turned = self._turned
        return turned() if type(turned) is weakref else turned

    @_transpose.setter
    def _transpose(self, other: MatrixStore | None) -> None:
        holds_this = other is not None and (other is self or other._turned is self)
        self._turned = weakref(other) if holds_this else other

    def holding_transpose(self) -> MatrixStore:
        """This store, which holds its transpose from now on, and not the other way round."""
        other = self._transpose
        if other is not None and other is not self:
            other._turned, self._turned = weakref(self), other
        return self

    def transposed(self) -> MatrixStore:
        """The transpose, made once. A symmetric matrix is its own: one structure serves both directions."""
        other = self._transpose
        if other is None:
            once = self._once
            other = transpose_csr(self) if once is None else MatrixStore.repeated(once.transposed(), self.copies)
            same = same_arrays(self, other) if once is None else once.transposed() is once
            if self.nrows == self.ncols and same:
                other = self
            self._transpose = other
            other._transpose = self
        return other

    def __repr__(self) -> str:
        shape = f"{self.nrows}x{self.ncols}"
        return f"MatrixStore({self.form}, {shape}, nvals={self.nvals}, {self.dtype}{', iso' if self.iso else ''})"


def transpose_csr(a: MatrixStore) -> MatrixStore:
    """The transpose, in the form that suits it; of a square matrix in its own, so that the two can be compared."""
    if a.dense is not None:
        return _transposed_dense(a)
    square = a.nrows == a.ncols
    if a.form == HYPERSPARSE or (not square and matrix_form(a.nvals, a.ncols, a.nrows, SPARSE) == HYPERSPARSE):
        order = order_of_keys(a.indices, a.ncols)
        values = a.values.copy() if a.iso else a.values[order]
        make = hypersparse_from_lines if square else from_lines
        return make(a.ncols, a.nrows, a.indices[order], a.row_ids[order], values)
    if not isinstance(a.indices, np.ndarray):
        return natives[type(a.indices)].transpose(a)
    if (by_engine := transpose_compiled(a)) is not None:
        return by_engine
    if a.nvals <= FEW_ENTRIES and a.ncols <= 2**16:  # SciPy's checks would take longer; 16 bits are sorted by counting
        order = np.argsort(a.indices.astype(np.uint16), kind="stable")
        values = a.values.copy() if a.iso else a.values[order]
        return from_lines(a.ncols, a.nrows, a.indices[order], a.row_ids[order], values)
    from scipy.sparse import csr_array

    iso = a.iso
    # SciPy moves the values along; for those of an iso matrix a byte per entry stands in, for records their places.
    records = not iso and a.values.dtype.kind == "V"
    data = np.empty(a.nvals, np.int8) if iso else np.arange(a.nvals) if records else a.values
    csc = csr_array((data, a.indices, a.indptr), shape=(a.nrows, a.ncols)).tocsc()
    values = a.values.copy() if iso else a.values[csc.data] if records else csc.data
    indices = csc.indices.astype(column_type(a.nrows), copy=False)
    return MatrixStore(a.ncols, a.nrows, csc.indptr.astype(INDEX, copy=False), indices, values)


def _transposed_dense(a: MatrixStore) -> MatrixStore:
    def turned(flat: Array) -> Array:
        table = flat.reshape(a.nrows, a.ncols)
        if not isinstance(flat, np.ndarray):
            return table.T.copy().reshape(-1)
        result = np.empty((a.ncols, a.nrows), flat.dtype)
        for row in range(0, a.nrows, STRIP):  # some rows at a time stay in the cache
            result[:, row : row + STRIP] = table[row : row + STRIP].T
        return result.reshape(-1)

    assert a.dense is not None
    values = a.dense.copy() if len(a.dense) != a.nrows * a.ncols else turned(a.dense)
    if a.present is None:
        return MatrixStore.full(a.ncols, a.nrows, values)
    return MatrixStore.bitmap(a.ncols, a.nrows, turned(a.present), values, a.nvals)


def from_lines(nrows: int, ncols: int, rows: Array, cols: Array, values: Array) -> MatrixStore:
    """A matrix from the row and column of every entry, in order: CSR, or hypersparse where pointers would dominate."""
    cols = cols.astype(column_type(ncols), copy=False)
    few = nrows <= MANY_ROWS and ncols <= INT32_LIMIT  # the usual case
    if few or matrix_form(len(rows), nrows, ncols, SPARSE) != HYPERSPARSE:
        return MatrixStore(nrows, ncols, pointers(rows, nrows), cols, values)
    return hypersparse_from_lines(nrows, ncols, rows, cols, values)


def hypersparse_from_lines(nrows: int, ncols: int, rows: Array, cols: Array, values: Array) -> MatrixStore:
    first = np.zeros(len(rows), bool, like=rows)
    first[:1] = True
    first[1:] = rows[1:] != rows[:-1]
    begins = np.flatnonzero(first).astype(INDEX, copy=False)
    starts = np.concatenate([begins, np.zeros(1, INDEX, like=begins) + len(rows)])
    return MatrixStore.hypersparse(nrows, ncols, rows[begins].astype(INDEX, copy=False), starts, cols, values)


def same_arrays(a: MatrixStore, b: MatrixStore) -> bool:
    """Whether two matrices of one shape have the same entries, stored alike."""
    if a.form != b.form or len(a.stored_values) != len(b.stored_values):
        return False
    pairs = zip(a.arrays.values(), b.arrays.values(), strict=True)
    native = natives.get(type(a.stored_values))
    return all(np.array_equal(x, y) for x, y in pairs) if native is None else native.same(*pairs)
