"""The entries of an object line by line: a Vector is one line, a Matrix has its rows or its columns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...backends.registry import using
from ..conversions import row_order
from ..matrix import Matrix
from ..vector import Vector


class Lines(NamedTuple):
    """Entries in order: by line, and by index in each line. Arrays are on the host."""

    line: np.ndarray
    index: np.ndarray  # type: ignore[assignment]  # a tuple has a method of this name
    values: np.ndarray

    @property
    def starts(self) -> np.ndarray:
        """Where each line that has entries begins, and the number of entries."""
        first = np.ones(len(self.line), bool)
        first[1:] = self.line[1:] != self.line[:-1]
        return np.append(np.flatnonzero(first), len(self.line))

    @property
    def place(self) -> np.ndarray:
        """The place of every entry in its line: 0, 1, ..."""
        starts = self.starts
        return np.arange(len(self.line)) - np.repeat(starts[:-1], np.diff(starts))

    @property
    def length(self) -> np.ndarray:
        """For every entry, how many its line has."""
        lengths = np.diff(self.starts)
        return np.repeat(lengths, lengths)

    def take(self, chosen: Any) -> Lines:
        return Lines(self.line[chosen], self.index[chosen], self.values[chosen])


def lines_of(x: Any, order: str = "rowwise") -> Lines:
    if x.ndim == 1:
        index, values = x.to_coo()
        return Lines(np.zeros(len(index), np.int64), index, values)
    line, index, values = x.to_coo() if row_order(order) else x.T.to_coo()
    if not row_order(order):
        by_column = np.lexsort((index, line))
        line, index, values = line[by_column], index[by_column], values[by_column]
    return Lines(line, index, values)


def from_lines(x: Any, entries: Lines, dtype: Any, order: str, size: int, name: str | None) -> Any:
    """An object like ``x`` of these entries; ``size`` is how long its lines are."""
    with using(x.backend):
        if x.ndim == 1:
            return Vector.from_coo(entries.index, entries.values, dtype, size=size, name=name)
        if row_order(order):
            shape = {"nrows": x.nrows, "ncols": size}
            return Matrix.from_coo(entries.line, entries.index, entries.values, dtype, **shape, name=name)
        shape = {"nrows": size, "ncols": x.ncols}
        return Matrix.from_coo(entries.index, entries.line, entries.values, dtype, **shape, name=name)


def line_size(x: Any, order: str) -> int:
    """How long the lines are."""
    return x.shape[0] if x.ndim == 1 or not row_order(order) else x.shape[1]
