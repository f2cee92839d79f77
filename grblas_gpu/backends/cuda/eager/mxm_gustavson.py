"""Gustavson's method: row by row of the left factor, the rows of the right one added up, in two passes, count and fill.

How a row is made depends on the number of its products. Few are sorted in registers, many are added to a sum for every
column, or to a hash table where there are very many columns (``mxm_hashed.py``).
"""

from __future__ import annotations

from typing import NamedTuple

import cupy
import numpy as np

from ....foundation.types import Kernel, Kernels
from ...stores.storage import INDEX, Array, MatrixStore
from ..runtime import workspace as scratch_arrays
from ..runtime.launch import BLOCK, RESERVED, launch, processors, run_with_shared, shared_limit
from .mxm_hashed import HashedRows
from .mxm_operands import EVERYWHERE, MatrixMask, PatternOnly, Product, path_offsets
from .mxm_programs import CAPACITIES, Multiplication, Result, row_products, sum_bytes
from .rows import carries, chunks_of

MOST_SORTED = CAPACITIES[-1]  # products of a row
MOST_KEY_BITS = 64 - 9  # of a column in kernels/mxm_sorted.cu
MOST_BYTES = 2**35  # for rows that are made before their places are known
MOST_WINDOWS = 4  # of columns: all products are read again for each
_DENSE, _HASHED, _BINS = 7, 10, 11  # as in kernels/mxm_bins.cu


def gustavson(a: MatrixStore, b: MatrixStore, product: Product | PatternOnly, mask: MatrixMask) -> MatrixStore:
    """``a b`` at the positions that a mask allows."""
    job = Multiplication(a, b, product, mask, b.ncols)
    policies = _policies(job)
    counts = cupy.zeros(a.nrows, INDEX)
    for policy in policies:
        policy.count(counts)
    indptr = cupy.zeros(a.nrows + 1, INDEX)
    np.cumsum(counts, out=indptr[1:])
    nvals = int(indptr[-1])  # synchronizes
    indices = cupy.empty(nvals, job.column)
    values = cupy.empty(1 if product.structure and nvals else nvals, product.dtype)
    for policy in policies if nvals else ():
        policy.fill(Result(indptr, counts, indices, values))
    return MatrixStore(a.nrows, b.ncols, indptr, indices, values)


def _policies(job: Multiplication) -> list[SortedRows | DenseRows | HashedRows]:
    """The rows that have products, by what makes them."""
    kernels, mask_indptr = row_products(job.a, job.b, job.mask)
    products = count_products(job.a, job.b, kernels)
    *_, count_bins, list_bins = kernels
    most_sorted = MOST_SORTED if job.ncols.bit_length() <= MOST_KEY_BITS else 0
    rule = (most_sorted, int(dense_suits(job.product, job.ncols, job.mask)))
    given = (products, mask_indptr, len(products), *rule)
    counters = cupy.zeros(_BINS, INDEX)
    launch(count_bins, len(products), (*given, counters))
    sizes = counters.get()  # synchronizes: memory must be sized
    ends = np.cumsum(sizes)
    rows = cupy.empty(int(ends[-1]), INDEX)
    launch(list_bins, len(products), (*given, cupy.asarray((ends - sizes).astype(INDEX)), rows))
    bounds = [0, *ends.tolist()]
    small = {number: rows[bounds[number] : bounds[number + 1]] for number in range(_DENSE) if sizes[number]}
    dense, hashed = rows[bounds[_DENSE] : bounds[_HASHED]], rows[bounds[_HASHED] :]
    found: list[SortedRows | DenseRows | HashedRows] = []
    if small:
        found.append(SortedRows(job, small))
    if len(dense):
        found.append(DenseRows(job, dense))
    if len(hashed):
        found.append(HashedRows(job, hashed, products))
    return found


def count_products(a: MatrixStore, b: MatrixStore, kernels: Kernels) -> Array:
    """How many products each row of a product has."""
    count, add_carries, *_ = kernels
    scratch = scratch_arrays.current()
    nrows, entries, kept = a.nrows, a.nvals, carries(scratch)
    products = cupy.empty(nrows, INDEX)
    chunks, offsets = chunks_of(entries + nrows), path_offsets(a)
    pattern, sums = (a.indices.data.ptr, b.indptr.data.ptr), (nrows, entries, products.data.ptr, *kept)
    scratch.launch(count, chunks, (offsets.data.ptr, *pattern, *sums), BLOCK // 32)
    if chunks > 1:
        scratch.launch(add_carries, chunks, (offsets.data.ptr, *sums))
    return products


class SortedRows:
    """Rows with few products, which are sorted in registers.

    They are made once, where there is room for all their products, and moved to their places when their sizes are
    known. If that takes too much memory they are counted first, and made in place.
    """

    def __init__(self, job: Multiplication, rows: dict[int, Array]) -> None:
        """``rows``: by the numbers of their capacities."""
        wide = job.ncols.bit_length() > (31 if job.product.structure else 23)
        *self._by_capacity, self._copy = job.functions("mxm_sorted.cu", WIDE_KEYS=wide)
        self._job, self._rows = job, rows
        self._made: dict[int, tuple[Array, Array]] = {}

    def count(self, counts: Array) -> None:
        self._made = self._workspace()
        for number in self._rows:
            self._run(number, (0, counts, *self._made.get(number, (0, 0))))

    def fill(self, result: Result) -> None:
        indptr, counts, *outputs = result
        for number, rows in self._rows.items():
            if number in self._made:
                capacity = CAPACITIES[number]
                given = (rows, len(rows), capacity, indptr, counts, *self._made[number], *outputs)
                launch(self._copy, len(rows), given, per_block=BLOCK // min(32, capacity))
            else:
                self._run(number, (indptr, 0, *outputs))
        self._made = {}

    def _run(self, number: int, outputs: tuple) -> None:
        rows, per_block = self._rows[number], BLOCK // min(32, CAPACITIES[number])
        given = (*self._job.arguments, rows, len(rows), *outputs)
        launch(self._by_capacity[number], len(rows), given, per_block=per_block)

    def _workspace(self) -> dict[int, tuple[Array, Array]]:
        """Places for all products, or nothing if there is no room."""
        product, column = self._job.product, self._job.column
        places = {number: len(rows) * CAPACITIES[number] for number, rows in self._rows.items()}
        word = 0 if product.structure else product.dtype.itemsize
        if sum(places.values()) * (column.itemsize + word) > MOST_BYTES:
            return {}
        try:
            return {
                number: (cupy.empty(size, column), cupy.empty(size if word else 1, product.dtype))
                for number, size in places.items()
            }
        except cupy.cuda.memory.OutOfMemoryError:
            return {}


class Windows(NamedTuple):
    """How the columns of a result are cut: the number of windows, and the columns and bytes of one."""

    number: int
    columns: int
    bytes: int

    @classmethod
    def of(cls, ncols: int, word: int, bitmaps: int, limit: int) -> Windows:
        """Windows of equal size, so few that each fits; a column takes so many bytes of sums, and bits.

        >>> Windows.of(32768, 4, 1, 200_000)
        Windows(number=1, columns=32768, bytes=135168)
        >>> Windows.of(32768, 8, 1, 200_000)
        Windows(number=2, columns=16384, bytes=133120)
        """
        most = limit * 8 // (8 * word + bitmaps) // 32 * 32
        number = -(-ncols // most)
        columns = (-(-ncols // number) + 31) // 32 * 32
        return cls(number, columns, columns * word + columns // 8 * bitmaps)


def _windows(ncols: int, word: int, mask: MatrixMask) -> Windows:
    bitmaps = 1 if mask.where == EVERYWHERE else 2
    return Windows.of(ncols, word, bitmaps, shared_limit(cupy.cuda.runtime.getDevice()))


def dense_suits(product: Product | PatternOnly, ncols: int, mask: MatrixMask) -> bool:
    """Whether the columns are few enough, and threads may add to a sum in any order."""
    return product.can_share and _windows(ncols, sum_bytes(product), mask).number <= MOST_WINDOWS


class DenseRows:
    """Rows with a sum for every column, in windows of columns that fit shared memory."""

    def __init__(self, job: Multiplication, rows: Array) -> None:
        self._job, self._rows = job, rows
        self._count, self._fill = job.functions("mxm_dense.cu")

    def count(self, counts: Array) -> None:
        self._run(self._count, 0, (counts,))

    def fill(self, result: Result) -> None:
        self._run(self._fill, sum_bytes(self._job.product), (result.indptr, result.indices, result.values))

    def _run(self, kernel: Kernel, word: int, outputs: tuple) -> None:
        rows, ncols = self._rows, self._job.ncols
        device = cupy.cuda.runtime.getDevice()
        limit = shared_limit(device)
        windows = _windows(ncols, word, self._job.mask)
        threads = 1024 if windows.bytes > limit // 2 else 512 if windows.bytes > limit // 4 else 256
        at_once = max(1, min(2048 // threads, limit // (windows.bytes + RESERVED)))
        blocks = min(len(rows), processors(device) * at_once)
        work = (rows, len(rows), cupy.zeros(1, INDEX), ncols, windows.columns)
        run_with_shared(kernel, blocks, threads, (*self._job.arguments, *work, *outputs), windows.bytes)
