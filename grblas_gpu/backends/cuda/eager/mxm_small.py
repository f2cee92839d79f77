"""Rows of a matrix product with few products, which are sorted in registers.

They are made once, where there is room for all their products, and moved to their places when their sizes are known. If
that takes too much memory they are counted first, and made in place.
"""

from __future__ import annotations

from typing import NamedTuple

import cupy

from ...storage import Array, MatrixStore
from ..runtime.launch import BLOCK, launch
from .mxm_bins import CAPACITIES, Bins
from .mxm_operands import MatrixMask, PatternOnly, Product
from .mxm_programs import Programs

MOST_BYTES = 2**35  # for rows that are made before their places are known


class _Made(NamedTuple):
    """Rows with as many places each as their bin has."""

    indices: Array
    values: Array


class SmallRows:
    def __init__(
        self,
        programs: Programs,
        operands: tuple[MatrixStore, MatrixStore, MatrixMask],
        product: Product | PatternOnly,
        bins: Bins,
    ) -> None:
        *self._by_bin, self._constant, self._copy = programs.small(product).functions()
        a, b, mask = operands
        self._factors = (a.indptr, a.indices, a.values, b.indptr, b.indices, b.values, *mask.arguments)
        self._product, self._column = product, programs.column
        self._bins = list(bins.small())
        self._made: list[_Made] = []

    def count(self, counts: Array) -> None:
        """Make the rows, if there is room, and say how many entries each has."""
        self._made = self._workspace()
        for n, (number, rows) in enumerate(self._bins):
            outputs = self._made[n] if self._made else (0, 0)
            self._run(number, rows, (0, counts, *outputs))

    def fill(self, indptr: Array, counts: Array, indices: Array, values: Array) -> None:
        """Write the rows to their places."""
        if self._product.structure:
            self._constant((1,), (32,), (self._factors[2], self._factors[5], values))
        for n, (number, rows) in enumerate(self._bins):
            if not self._made:
                self._run(number, rows, (indptr, 0, indices, values))
                continue
            capacity, made = CAPACITIES[number], self._made[n]
            given = (rows, len(rows), capacity, indptr, counts, *made, indices, values)
            launch(self._copy, len(rows), given, per_block=BLOCK // min(32, capacity))
        self._made = []

    def _run(self, number: int, rows: Array, outputs: tuple) -> None:
        per_block = BLOCK // min(32, CAPACITIES[number])
        launch(self._by_bin[number], len(rows), (*self._factors, rows, len(rows), *outputs), per_block=per_block)

    def _workspace(self) -> list[_Made]:
        """Places for all products, or nothing if there is no room."""
        places = [len(rows) * CAPACITIES[number] for number, rows in self._bins]
        word = 0 if self._product.structure else self._product.dtype.itemsize
        if sum(places) * (self._column.itemsize + word) > MOST_BYTES:
            return []
        try:
            return [
                _Made(cupy.empty(size, self._column), cupy.empty(size if word else 1, self._product.dtype))
                for size in places
            ]
        except cupy.cuda.memory.OutOfMemoryError:
            return []
