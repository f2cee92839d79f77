"""A matrix from one form to another."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...exceptions import InvalidValue
from ...foundation.types import Array
from ..machine.memory_limits import check_positions
from .entries import filled
from .matrix_storage import BITMAP, FULL, HYPERSPARSE, SPARSE, MatrixStore, hypersparse_from_lines
from .storage import INDEX, VectorStore, natives

FORMS = (SPARSE, HYPERSPARSE, BITMAP, FULL)


def with_form(a: MatrixStore, form: str) -> MatrixStore:
    """The same matrix in another form (full needs an entry everywhere). Arrays that may change in place are its own."""
    if form not in FORMS:
        raise InvalidValue(f"unknown form {form!r}; one of {', '.join(FORMS)}")
    if a.form == form:
        return a
    if form == SPARSE:
        return MatrixStore(a.nrows, a.ncols, a.indptr, a.indices, a.values.copy())
    if form == HYPERSPARSE:
        return hypersparse_from_lines(a.nrows, a.ncols, a.row_ids, a.indices, a.values.copy())
    itemsize = (0 if a.iso else a.dtype.itemsize) + (form == BITMAP)
    positions = check_positions(a.nrows, a.ncols, itemsize, a.stored_values)
    if form == FULL:
        if a.nvals != positions:
            raise InvalidValue(f"{a.nvals} of {positions} positions have an entry: a full matrix has one everywhere")
        return MatrixStore.full(a.nrows, a.ncols, a.stored_values.copy())  # of CSR, too, in this order
    if a.dense is not None:  # it is full
        return MatrixStore.bitmap(a.nrows, a.ncols, filled(positions, True, a.dense), a.dense.copy(), positions)
    native = None if isinstance(a.values, np.ndarray) or a.dtype.kind == "V" else natives[type(a.values)]
    if native is not None and positions:
        present, values = native.bitmap_of(a, positions)
        return MatrixStore.bitmap(a.nrows, a.ncols, present, values, a.nvals)
    keys = a.row_ids.astype(INDEX) * a.ncols + a.indices
    present = filled(positions, False, a.values)
    present[keys] = True
    values = a.values.copy()
    if not a.iso:
        values = np.zeros(positions, a.dtype, like=a.values)
        values[keys] = a.values
    return MatrixStore.bitmap(a.nrows, a.ncols, present, values, a.nvals)


def moved(
    a: MatrixStore, to: Callable[[Array], Array], lines_to: Callable[[Array], Array] | None = None
) -> MatrixStore:
    """The same matrix, in the same form, in the memory that ``to`` brings an array to, and ``lines_to`` offsets."""
    if a.form == FULL:
        return MatrixStore.full(a.nrows, a.ncols, to(a.dense))
    if a.form == BITMAP:
        return MatrixStore.bitmap(a.nrows, a.ncols, to(a.present), to(a.dense), a.nvals)  # synchronizes: counts
    lines_to = lines_to or to
    indices, values = to(a.indices), to(a.values)
    if a.form == HYPERSPARSE:
        return MatrixStore.hypersparse(a.nrows, a.ncols, lines_to(a.rows), lines_to(a.starts), indices, values)
    indptr = lines_to(a.indptr)
    if isinstance(indptr, np.ndarray):
        indptr = indptr.astype(INDEX, copy=False)  # the host has one width
    result = MatrixStore(a.nrows, a.ncols, indptr, indices, values)
    if a._transpose is a:  # it is symmetric
        result._transpose = result
    return result


def flat(a: MatrixStore) -> VectorStore:
    """A bitmap or full matrix as a vector, row after row, in the same memory, for work position by position."""
    size = a.nrows * a.ncols
    if a.present is not None and a.counter is not None and a.known_nvals is None:
        return VectorStore.counted_bitmap(size, a.dense, a.present, a.counter, size)
    return VectorStore(size, a.dense, present=a.present, nvals=a.nvals)
