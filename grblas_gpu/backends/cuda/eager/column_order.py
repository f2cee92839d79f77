"""Columns of a matrix numbered by their entries, for products with full vectors.

In graphs with hubs most entries are in few columns. Elements of the vector that many entries are multiplied by lie far
apart, and each brings along a cache line that is otherwise of little use. So the vector is written once in the order of
the columns' entries, most of them first, and the entries of the matrix have a copy of their columns that are numbered
that way. Entries stay where they are: sums are the same to the last bit.
"""

from __future__ import annotations

from typing import NamedTuple

import cupy
import numpy as np

from ....foundation.memory import free_on_device as free_bytes
from ...stores.counting import counts
from ...stores.storage import Array, MatrixStore
from ..runtime.host_memory import is_on_host
from ..runtime.reporting import sized

LEAST_COLUMNS = 2**17  # all of a shorter vector is in the caches anyway
LEAST_DEGREE = 8  # entries for each element that has to be written, and for each row: short ones are added up otherwise
HUBS = 2**14  # columns whose elements a processor's first cache can hold ...
LEAST_SHARE = 0.25  # ... if they have so much of all entries, this pays
BEFORE = 4  # products that a matrix has been in: finding the order takes as long as some of them save


class ColumnOrder(NamedTuple):
    """The column that has each number, and the number of the column of every entry."""

    columns: Array
    indices: Array


def column_order(a: MatrixStore, products: int) -> ColumnOrder | None:
    """The order of its columns, kept with the matrix, where it pays; ``products`` are about to be computed with it."""
    if a.ncols < LEAST_COLUMNS or a.nvals < LEAST_DEGREE * max(a.ncols, a.nrows) or a.copies > 1:
        return None
    known = a._column_order
    if isinstance(known, int):  # of products so far
        a._column_order = known = known + products
        if known > BEFORE:
            a._column_order = known = _order(a)
            return known
        return None
    return known


@sized
def _order(a: MatrixStore) -> ColumnOrder | None:
    if is_on_host(a.indices) or 4 * a.indices.nbytes > free_bytes():  # it is not worth memory that others will want
        return None
    entries = counts(a.indices, a.ncols) if a._transpose is None else cupy.diff(a._transpose.indptr)
    columns = cupy.argsort(-entries.astype(np.int64))
    if int(cupy.asnumpy(entries[columns[:HUBS]]).sum()) < LEAST_SHARE * a.nvals:  # synchronizes
        return None
    numbers = cupy.empty(a.ncols, a.indices.dtype)
    numbers[columns] = cupy.arange(a.ncols, dtype=a.indices.dtype)
    return ColumnOrder(columns.astype(a.indices.dtype), numbers[a.indices])
