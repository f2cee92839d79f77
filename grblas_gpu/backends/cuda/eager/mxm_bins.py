"""The rows of a matrix product by the number of their products: which kernel makes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cupy
import numpy as np

from ...storage import INDEX, Array, MatrixStore
from ..runtime import workspace as scratch_arrays
from ..runtime.launch import BLOCK, launch
from .mxm_programs import Program
from .rows import LEAST_CHUNK, carries, chunks_of, warps_for

CAPACITIES = (8, 16, 32, 64, 128, 256, 512)  # of small rows, in products; as in kernels/mxm_bins.cu and mxm_small.cu
MOST_SMALL = CAPACITIES[-1]
_DENSE, _HASHED, _BINS = 7, 10, 11  # as in kernels/mxm_bins.cu


def count_products(program: Program, a: MatrixStore, b: MatrixStore) -> Array:
    """How many products each row of ``a b`` has."""
    count, add_carries, *_ = program.functions()
    scratch = scratch_arrays.current()
    nrows, entries, kept = a.nrows, a.nvals, carries(scratch)
    products = cupy.empty(nrows, INDEX)
    pattern = (a.indptr.data.ptr, a.indices.data.ptr, b.indptr.data.ptr)
    words = (*pattern, nrows, entries, products.data.ptr, *kept)
    scratch.launch(count, warps_for(entries, nrows), words, BLOCK // 32)
    if entries > LEAST_CHUNK:
        scratch.launch(add_carries, chunks_of(entries), (a.indptr.data.ptr, entries, products.data.ptr, *kept))
    return products


class Bins:
    """The rows that have products, in lists; ``mask_indptr`` are the offsets of a mask that has to allow them, or 0."""

    def __init__(
        self, program: Program, products: Array, mask_indptr: Any, ncols: int, most_small: int, dense: bool
    ) -> None:
        *_, count_bins, list_bins = program.functions()
        self.products, nrows = products, len(products)
        rule = (most_small, int(dense))
        counters = cupy.zeros(_BINS, INDEX)
        launch(count_bins, nrows, (products, mask_indptr, nrows, *rule, counters))
        sizes = counters.get()  # synchronizes: memory must be sized
        self._ends = np.cumsum(sizes).tolist()
        self._list = cupy.empty(self._ends[-1], INDEX)
        #: The most entries of rows that are hashed, 0 for others; or None if there are no such rows.
        self.at_most = cupy.empty(nrows, INDEX) if sizes[_HASHED] else None
        firsts = cupy.asarray((np.cumsum(sizes) - sizes).astype(INDEX))
        most = 0 if self.at_most is None else self.at_most
        launch(list_bins, nrows, (products, mask_indptr, nrows, ncols, *rule, firsts, self._list, most))

    def small(self) -> Iterator[tuple[int, Array]]:
        """For each bin that is not empty its number and its rows."""
        for number in range(len(CAPACITIES)):
            rows = self._rows(number, number + 1)
            if len(rows):
                yield number, rows

    def dense(self) -> Array:
        """Rows with a sum for every column, the longest first."""
        return self._rows(_DENSE, _HASHED)

    def _rows(self, first: int, stop: int) -> Array:
        return self._list[self._ends[first - 1] if first else 0 : self._ends[stop - 1]]
