"""The CSR arrays of a matrix that is stored in another form."""

from __future__ import annotations

import numpy as np

from ...exceptions import OutOfMemory
from ...foundation.types import MatrixStore
from ...plan.storage_rules import POINTER_LIMIT
from ..machine.memory_limits import ALWAYS, check_bytes, free_bytes
from .counting import places
from .index_types import INDEX, INT32_LIMIT, Array, column_type, natives


def all_pointers(a: MatrixStore) -> Array:
    """The row pointers of CSR, of a hypersparse matrix."""
    needed = 8 * (a.nrows + 1)
    if a.nrows > POINTER_LIMIT or (needed > ALWAYS and needed > free_bytes(a.starts)):
        raise OutOfMemory(
            f"shape {a.nrows} x {a.ncols} needs {needed} bytes of row pointers; this step needs them, where "
            "others go by the entries of a hypersparse Matrix: extract the rows that count first"
        )
    counts = np.zeros(a.nrows + 1, INDEX, like=a.starts)
    assert a.rows is not None
    counts[a.rows + 1] = np.diff(a.starts)
    offset = INDEX if isinstance(counts, np.ndarray) or a.nvals > INT32_LIMIT else np.int32
    return np.cumsum(counts).astype(offset, copy=False)


def of_dense(a: MatrixStore) -> tuple[Array, Array, Array]:
    """CSR of a bitmap or full matrix."""
    dense, nrows, ncols = a.dense, a.nrows, a.ncols
    assert dense is not None
    check_bytes(nrows, ncols, a.nvals * np.dtype(column_type(ncols)).itemsize, dense)
    offset = INDEX if isinstance(dense, np.ndarray) or nrows * ncols > INT32_LIMIT else np.int32
    if a.present is None:
        indptr = np.arange(nrows + 1, dtype=INDEX, like=dense) * ncols
        indices: Array = np.tile(np.arange(ncols, dtype=column_type(ncols), like=dense), nrows)
        return indptr.astype(offset, copy=False), indices, dense if a.nvals else dense[:0]
    if not isinstance(dense, np.ndarray) and dense.dtype.kind != "V" and nrows * ncols:
        found: tuple[Array, Array, Array] = natives[type(dense)].csr_of_bitmap(a)
        return found
    keys = places(a.present)
    indptr = np.searchsorted(keys, np.arange(nrows + 1, dtype=INDEX, like=dense) * ncols)
    indices = (keys % max(1, ncols)).astype(column_type(ncols))
    return indptr.astype(offset, copy=False), indices, dense[: min(1, len(keys))] if a.iso else dense[keys]


def row_of_each(rows: Array, starts: Array) -> Array:
    """Each row as often as it has entries; no row is empty."""
    if isinstance(rows, np.ndarray):
        return np.repeat(rows, np.diff(starts))
    marks = np.zeros(int(starts[-1]), INDEX, like=starts)  # synchronizes
    marks[starts[1:-1]] = 1
    return rows[np.cumsum(marks)]
