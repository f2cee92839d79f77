"""What an engine computes with: arrays and sizes, nothing else.

A *store* holds the entries of one vector or matrix. Objects (``Vector``, ``Matrix``) own exactly one store each and
replace it when they change, so an operation that fails half-way leaves its output as it was. A store is shared by no
two objects. Index arrays (``indices``, ``indptr``) never change once made and may be shared between stores; ``present``
and ``values`` belong to one store, and an engine may update those of the output in place once nothing can fail.

Values are stored once when all of them are equal (*iso*): ``values`` then has length 1 and kernels read no array.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any  # numpy.ndarray or cupy.ndarray

INDEX = np.int64
INT32_LIMIT = 2**31 - 1


def column_type(ncols: int) -> type:
    """The narrowest type for column indices: 32 bits while they fit."""
    return np.int32 if ncols <= INT32_LIMIT else np.int64


class VectorStore:
    """A vector as *sparse* (``indices``), *bitmap* (``present``) or *full* (neither).

    ============  ==================  ==================  ===============================
    kind          ``indices``         ``present``         ``values``
    ============  ==================  ==================  ===============================
    sparse        int64[nvals]        None                [nvals], or [1] when iso
    bitmap        None                bool[size]          [size], or [1] when iso
    full          None                None                [size], or [1] when iso
    ============  ==================  ==================  ===============================

    ``ordered`` says whether the indices of a sparse store ascend; they are unique in any case.
    """

    __slots__ = ("size", "indices", "present", "values", "nvals", "ordered")

    def __init__(
        self,
        size: int,
        values: Array,
        *,
        indices: Array | None = None,
        present: Array | None = None,
        nvals: int | None = None,
        ordered: bool = True,
    ) -> None:
        self.size = size
        self.values = values
        self.indices = indices
        self.present = present
        self.ordered = ordered
        if nvals is None:
            if indices is not None:
                nvals = len(indices)
            elif present is not None:
                nvals = int(np.count_nonzero(present))
            else:
                nvals = size
        self.nvals: int = nvals

    @classmethod
    def empty(cls, size: int, dtype: np.dtype) -> VectorStore:
        return cls(size, np.empty(0, dtype), indices=np.empty(0, INDEX))

    @property
    def kind(self) -> str:
        if self.indices is not None:
            return "sparse"
        return "full" if self.present is None else "bitmap"

    @property
    def dtype(self) -> np.dtype:
        return self.values.dtype

    @property
    def iso(self) -> bool:
        """True when one stored value stands for all entries (so a single entry counts as iso)."""
        return len(self.values) == 1

    def copy(self) -> VectorStore:
        return VectorStore(
            self.size,
            self.values.copy(),
            indices=self.indices,
            present=None if self.present is None else self.present.copy(),
            nvals=self.nvals,
            ordered=self.ordered,
        )

    def __repr__(self) -> str:
        return (
            f"VectorStore({self.kind}, size={self.size}, nvals={self.nvals}, {self.dtype}{', iso' if self.iso else ''})"
        )


class MatrixStore:
    """A matrix in CSR: ``indptr`` int64[nrows + 1], ``indices`` (ascending in each row), ``values`` or one iso value.

    The transpose (the same matrix in CSC), row numbers and degrees are made on first use and kept.
    """

    __slots__ = ("nrows", "ncols", "indptr", "indices", "values", "_transpose", "_row_ids", "_max_degree")

    def __init__(self, nrows: int, ncols: int, indptr: Array, indices: Array, values: Array) -> None:
        self.nrows = nrows
        self.ncols = ncols
        self.indptr = indptr
        self.indices = indices
        self.values = values
        self._transpose: MatrixStore | None = None
        self._row_ids: Array | None = None
        self._max_degree: int | None = None

    @classmethod
    def empty(cls, nrows: int, ncols: int, dtype: np.dtype) -> MatrixStore:
        return cls(nrows, ncols, np.zeros(nrows + 1, INDEX), np.empty(0, column_type(ncols)), np.empty(0, dtype))

    @property
    def dtype(self) -> np.dtype:
        return self.values.dtype

    @property
    def nvals(self) -> int:
        return len(self.indices)

    @property
    def iso(self) -> bool:
        """True when one stored value stands for all entries (so a single entry counts as iso)."""
        return len(self.values) == 1

    def copy(self) -> MatrixStore:
        return MatrixStore(self.nrows, self.ncols, self.indptr, self.indices, self.values.copy())

    @property
    def row_ids(self) -> Array:
        """The row of every entry (COO), for edge-parallel kernels."""
        if self._row_ids is None:
            from .entries import repeat

            rows: Array = np.arange(self.nrows, dtype=column_type(self.nrows), like=self.indptr)
            self._row_ids = repeat(rows, np.diff(self.indptr))
        return self._row_ids

    @property
    def max_degree(self) -> int:
        if self._max_degree is None:
            self._max_degree = int(np.diff(self.indptr).max()) if self.nrows else 0
        return self._max_degree

    def transposed(self) -> MatrixStore:
        """The transpose, made once. A symmetric matrix is its own: one structure serves both directions."""
        if self._transpose is None:
            other = transpose_csr(self)
            if self.nrows == self.ncols and same_arrays(self, other):
                other = self
            else:
                other._transpose = self
            self._transpose = other
        return self._transpose

    def __repr__(self) -> str:
        shape = f"{self.nrows}x{self.ncols}"
        return f"MatrixStore({shape}, nvals={self.nvals}, {self.dtype}{', iso' if self.iso else ''})"


class MaskView:
    """A mask as an engine sees it: a store, whether only its structure counts, and whether it is complemented."""

    __slots__ = ("store", "structure", "complement")

    def __init__(self, store: VectorStore | MatrixStore, structure: bool, complement: bool) -> None:
        self.store = store
        self.structure = structure
        self.complement = complement


def transpose_csr(a: MatrixStore) -> MatrixStore:
    """CSR of the transpose, by SciPy's counting sort (or, on other arrays, by a stable sort)."""
    if not isinstance(a.indices, np.ndarray):
        order = np.argsort(a.indices, kind="stable")
        cols = a.indices[order]
        indptr = np.searchsorted(cols, np.arange(a.ncols + 1, dtype=cols.dtype, like=cols)).astype(INDEX)
        rows = a.row_ids[order].astype(column_type(a.nrows))
        return MatrixStore(a.ncols, a.nrows, indptr, rows, a.values.copy() if a.iso else a.values[order])
    from scipy.sparse import csr_array

    iso = a.iso
    # SciPy moves the values along with the indices; for an iso matrix a byte per entry stands in.
    data = np.empty(a.nvals, np.int8) if iso else a.values
    csc = csr_array((data, a.indices, a.indptr), shape=(a.nrows, a.ncols)).tocsc()
    values = a.values.copy() if iso else csc.data
    indices = csc.indices.astype(column_type(a.nrows), copy=False)
    return MatrixStore(a.ncols, a.nrows, csc.indptr.astype(INDEX, copy=False), indices, values)


def same_arrays(a: MatrixStore, b: MatrixStore) -> bool:
    return (
        len(a.values) == len(b.values)
        and bool(np.array_equal(a.indptr, b.indptr))
        and bool(np.array_equal(a.indices, b.indices))
        and bool(np.array_equal(a.values, b.values))
    )
