"""The hub of every row: the neighbour that has most neighbours itself.

Searches reach hubs first. A pull that reads hubs before the rest of a row decides nearly all rows of a graph with hubs
by one lookup, and reads one short array in order instead of the beginnings of all rows. Finding hubs takes as long as
several searches, so they are found after some searches, and cached with the matrix.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from ..stores.storage import Array, MatrixStore
from . import compile, pool
from .parallel import edge_chunks

WORTHWHILE = 8  # pulls after which hubs are found: that costs as much as about ten pulls, and saves half of each
LONG_ROWS = 4  # entries of a row on average; with fewer there is no choice

FIND = """\
@kernel
def kernel(indptr, indices, hubs, lo, hi):
    for i in range(U(lo), U(hi)):
        most = hub = np.int64(-1)
        for p in range(U(indptr[i]), U(indptr[i + U(1)])):
            k = U(indices[p])
            degree = indptr[k + U(1)] - indptr[k]
            if degree > most:
                most = degree
                hub = np.int64(k)
        hubs[i] = hub
"""

_pulls: WeakKeyDictionary[MatrixStore, int] = WeakKeyDictionary()


def hubs_of(rows: MatrixStore) -> Array:
    """A column for every row, or -1 for one without entries; no elements if hubs were not found."""
    found = rows._hub_neighbours
    return np.empty(0, rows.indices.dtype) if found is None else found


def count_pulls(rows: MatrixStore, pulls: int) -> None:
    """Count pulls over these rows; find the hubs after many."""
    if not pulls or rows._hub_neighbours is not None or rows.nrows != rows.ncols or rows._once is not None:
        return
    _pulls[rows] = pulls = _pulls.get(rows, 0) + pulls
    if pulls >= WORTHWHILE and rows.nvals >= LONG_ROWS * rows.nrows:
        rows._hub_neighbours = _find(rows)
        del _pulls[rows]


def _find(rows: MatrixStore) -> Array:
    hubs = np.empty(rows.nrows, rows.indices.dtype)
    kernel = compile.load(FIND)
    pool.launch(kernel, edge_chunks(rows.indptr), rows.indptr, rows.indices, hubs)
    return hubs
