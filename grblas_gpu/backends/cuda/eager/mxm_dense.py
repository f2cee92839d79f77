"""Rows of a matrix product with a sum for every column, in windows of columns that fit shared memory."""

from __future__ import annotations

from typing import NamedTuple

import cupy

from ...storage import INDEX, Array, MatrixStore
from ..runtime.launch import RESERVED, processors, run_with_shared, shared_limit
from .mxm_operands import EVERYWHERE, MatrixMask, PatternOnly, Product
from .mxm_programs import Program, Programs, sum_bytes

MOST_WINDOWS = 4  # all products are read again for each


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


def suits(product: Product | PatternOnly, ncols: int, mask: MatrixMask) -> bool:
    """Whether the columns are few enough, and sums may be shared by threads that know nothing of each other."""
    return product.can_share and _windows(ncols, sum_bytes(product), mask).number <= MOST_WINDOWS


class DenseRows:
    def __init__(self, programs: Programs, operands: tuple[MatrixStore, MatrixStore, MatrixMask], rows: Array) -> None:
        self._programs, self._operands, self._rows = programs, operands, rows

    def count(self, counts: Array) -> None:
        a, b, mask = self._operands
        self._run(
            self._programs.dense_count(), 0, (a.indptr, a.indices, b.indptr, b.indices, *mask.arguments), (counts,)
        )

    def fill(self, product: Product | PatternOnly, indptr: Array, indices: Array, values: Array) -> None:
        a, b, mask = self._operands
        factors = (a.indptr, a.indices, a.values, b.indptr, b.indices, b.values, *mask.arguments)
        self._run(self._programs.dense_fill(product), sum_bytes(product), factors, (indptr, indices, values))

    def _run(self, program: Program, word: int, given: tuple, outputs: tuple) -> None:
        rows, ncols = self._rows, self._operands[1].ncols
        if len(rows) == 0:  # nothing to compile for, either
            return
        (kernel,) = program.functions()
        device = cupy.cuda.runtime.getDevice()
        limit = shared_limit(device)
        windows = _windows(ncols, word, self._operands[2])
        threads = 1024 if windows.bytes > limit // 2 else 512 if windows.bytes > limit // 4 else 256
        at_once = max(1, min(2048 // threads, limit // (windows.bytes + RESERVED)))
        blocks = min(len(rows), processors(device) * at_once)
        arguments = (*given, rows, len(rows), cupy.zeros(1, INDEX), ncols, windows.columns, *outputs)
        run_with_shared(kernel, blocks, threads, arguments, windows.bytes)
