"""The row of every entry, and of every group of entries the row and the column that it begins with.

A pull by entries passes over groups without reading them: what it has to know of each is in one place, 32 groups in a
cache line or two, where the rows of their first and last entries would be a line of their own each.
"""

from __future__ import annotations

import cupy
import numpy as np

from ...stores.storage import Array, MatrixStore
from ..runtime.reporting import sized

GROUP = 128  # entries, as in kernels/loop_pull_plain.cuh
PIECE = 32  # arrays begin at multiples of so many elements


@sized
def rows_and_groups(a: MatrixStore) -> Array:
    """The rows of all entries, and behind them the groups' rows, and behind these their columns; kept with the matrix.

    The last of both are those of the entry after the last whole group, or of the last one.
    """
    if a._entry_groups is None:
        rows = a.row_ids
        firsts = cupy.arange(a.nvals // GROUP + 1, dtype=np.int64) * GROUP
        firsts[-1] = min(len(firsts) * GROUP - GROUP, max(a.nvals - 1, 0))
        size, groups = _padded(a.nvals), _padded(len(firsts))
        words = groups * a.indices.itemsize // rows.itemsize  # of the rows' type, for columns
        everything = cupy.empty(size + groups + max(words, 1), rows.dtype)
        everything[: a.nvals] = rows
        if a.nvals:
            everything[size : size + len(firsts)] = rows[firsts]
            everything[size + groups :].view(a.indices.dtype)[: len(firsts)] = a.indices[firsts]
        a._entry_groups, a._row_ids = everything, everything[: a.nvals]
    return a._entry_groups


def _padded(length: int) -> int:
    return -(-length // PIECE) * PIECE
