"""The entries of some rows of a matrix that pass a test: a kernel counts them in each row, and then writes them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from textwrap import indent
from typing import NamedTuple

import numpy as np

from ..stores.storage import INDEX, Array
from . import buffers, pool
from .compile import Kernel, Source
from .inline import Inliner
from .parallel import Chunks
from .tier import KernelTable


class Test(NamedTuple):
    """The text of a test of entry ``p``, whose row is ``row``, and of what is written of it."""

    lines: str  # set ``keep``
    given: str = ""  # the names of more arguments, each after a comma
    row: str = "t"  # the row number t
    column: str = "indices[p]"
    value: str = ""  # or one stands for all
    prologue: str = ""
    inliner: Inliner = Inliner()
    counting: str = ""  # instead of the loops over the entries from ``first`` to ``last``
    writing: str = ""

    def source(self) -> Source:
        """Filling writes every entry and overwrites the dropped ones: a branch would be unpredictable."""
        loop = "n = U(0)\nfor p in range(first, last):\n" + indent(self.lines + "n += U(keep)\n", "    ")
        copy = f"out_values[n] = {self.value}\n" if self.value else ""
        keep = f"{self.lines}out_indices[n] = {self.column}\n{copy}n += U(keep)\nif n == stop:\n    break\n"
        write = self.writing or "for p in range(first, last):\n" + indent(keep, "    ")
        text = (
            f"@kernel\ndef kernel(indptr, indices{self.given}, fill, starts, out_indices, out_values, lo, hi):\n"
            f"{self.prologue}    for t in range(U(lo), U(hi)):\n        row = U({self.row})\n"
            "        first, last = U(indptr[row]), U(indptr[row + U(1)])\n        if fill:\n"
            "            n, stop = U(starts[t]), U(starts[t + U(1)])\n            if n == stop:\n"
            "                continue\n"
            + indent(write, " " * 12)
            + "        else:\n"
            + indent(self.counting or loop, " " * 12)
            + "            starts[t + U(1)] = n\n"
        )
        return self.inliner.header() + text, self.inliner.functions


def counted(
    table: KernelTable,
    key: Hashable,
    work: int,
    test: Callable[[], Test],
    parts: Chunks,
    arguments: tuple[Array, ...],
    starts: Array | None = None,
) -> tuple[Kernel, Array, int]:
    """The kernel of a test, where the entries that pass it begin in each row, unless that is known, and their number.

    The arguments are pointers and columns of the matrix, and those that the test names.
    """
    kernel = table.find(key, work, lambda: test().source())
    if starts is None:
        starts = buffers.empty(parts[-1][1] + 1, INDEX)
        starts[0], columns = 0, arguments[1]
        pool.launch(kernel, parts, *arguments, False, starts, columns, columns)
        np.cumsum(starts, out=starts)
    return kernel, starts, int(starts[-1])


def written(
    kernel: Kernel,
    starts: Array,
    total: int,
    parts: Chunks,
    arguments: tuple[Array, ...],
    column: np.dtype | type,
    values: Array,
) -> tuple[Array, Array]:
    """Columns and values of the entries; of the given values one may stand for all."""
    indices = buffers.empty(total, column)
    found = values[: min(1, total)].copy() if len(values) == 1 else buffers.empty(total, values.dtype)
    pool.launch(kernel, parts, *arguments, True, starts, indices, found)
    return indices, found
