"""Random draws from rows of a graph, for all rows at once. Used by ``hops.py``.

Method: Floyd's method draws k of d places: one of the first d - k + 1, then one of the first d - k + 2, and so on; a
place that was drawn before is replaced by the last one of the range. Weighted draws use the exponential race: edge e
finishes at time -log(random) / weight, and the first edges are drawn. Invariant: the entries of a row are drawn without
replacement. Cost: O(k) steps for all rows together, for any degrees; by weight a sort of the entries of these rows.
References: J. Bentley, R. Floyd, Programming pearls: a sample of brilliance, Communications of the ACM 1987;
P. Efraimidis, P. Spirakis, Weighted random sampling with a reservoir, Information Processing Letters 2006.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import Matrix, generators
from ..foundation.types import Array

Stream = generators.randomness.Stream


class Rows(NamedTuple):
    """Some rows of a graph: the positions at which each begins, its length, and the columns at all positions."""

    first: Array
    length: Array
    targets: Array
    weights: Array

    @classmethod
    def of(cls, A: Matrix, vertices: Array) -> Rows:
        """
        >>> rows = Rows.of(Matrix.from_coo([0, 0, 2], [1, 2, 0], [5, 6, 7]), np.array([2, 0]))
        >>> rows.length.tolist(), rows.until(np.array([9, 5])).length.tolist()
        ([1, 2], [1, 1])
        """
        arrays = A.device_arrays()
        if "rows" in arrays:  # hypersparse: all pointers may not fit into the memory
            arrays = A[vertices, :].new().to(form="sparse").device_arrays()
            vertices = np.arange(len(vertices), like=vertices)
        elif "indptr" not in arrays:
            arrays = A.to(form="sparse").device_arrays()
        first = arrays["indptr"][vertices].astype(np.int64)
        length = arrays["indptr"][vertices + 1].astype(np.int64) - first
        return cls(first, length, arrays["indices"], np.broadcast_to(arrays["values"], arrays["indices"].shape))

    def until(self, limits: Array) -> Rows:
        """Without the entries of each row whose values are above its limit."""
        row, place = self.entries()
        some = np.flatnonzero(self.weights[place] <= limits[row])
        place, length = place[some], np.diff(_bounds(row[some], len(self.length)))
        return Rows(np.cumsum(length) - length, length, self.targets[place], self.weights[place])

    def entries(self) -> tuple[Array, Array]:
        """Every entry of these rows: the number of its row, and its position."""
        ends = np.cumsum(self.length)
        row = np.repeat(np.arange(len(ends), like=ends), self.length)
        return row, np.arange(len(row), like=ends) + (self.first - ends + self.length)[row]

    def take(self, some: Array) -> Rows:
        return self._replace(first=self.first[some], length=self.length[some])

    def some(self, fanout: int, stream: Stream, vertices: Array) -> tuple[Array, Array]:
        """At most ``fanout`` entries of every row: the number of the row, and the position of the entry."""
        short, long = np.flatnonzero(self.length <= fanout), np.flatnonzero(self.length > fanout)
        row, place = self.take(short).entries()
        if not len(long):
            return short[row], place
        first, length, vertices = self.first[long], self.length[long], vertices[long].astype(np.uint64)
        chosen = np.zeros((fanout, len(long)), np.int64, like=place) - 1
        for k in range(fanout):
            last = length - fanout + k
            # number = one of 0 to last
            number = stream.below((last + 1).astype(np.uint64), vertices + np.uint64(k << 40)).astype(np.int64)
            chosen[k] = np.where((chosen == number).any(axis=0), last, number)
        every = np.broadcast_to(long, chosen.shape).ravel()
        return np.concatenate([short[row], every]), np.concatenate([place, (first + chosen).ravel()])

    def some_by_weight(self, fanout: int, stream: Stream, vertices: Array) -> tuple[Array, Array]:
        """At most ``fanout`` entries of every row, by weight: the number of the row, and the position of the entry."""
        row, place = self.entries()
        weight = self.weights[place].astype(np.float64)
        some = np.flatnonzero(weight)
        row, place, weight = row[some], place[some], weight[some]
        if not len(row):
            return row, place
        # share = (random bits / 2^11 + 1) / 2^53, from above 0 to 1
        counters = ((place - self.first[row]) << 32) + vertices[row]
        bits = stream.bits(counters.astype(np.uint64))
        share = ((bits >> np.uint64(11)).astype(np.float64) + 1.0) * 2.0**-53
        time, rows = -np.log(share) / weight, len(self.first)
        # sort only candidates below a time bound; a row with too few of them sorts all its entries
        sums = np.concatenate([np.zeros(1, like=weight), np.cumsum(weight)])
        early = time * np.diff(sums[_bounds(row, rows)])[row] <= 4.0 * (fanout + 4)
        short = np.diff(_bounds(row[early], rows)) < fanout
        some = np.flatnonzero(early | short[row])
        row, place, time = row[some], place[some], time[some]
        order = np.lexsort(np.stack([time, row.astype(np.float64)]))
        row, place = row[order], place[order]
        rank = np.arange(len(row), like=row) - np.searchsorted(row, row)
        taken = np.flatnonzero(rank < fanout)
        return row[taken], place[taken]


def _bounds(row: Array, rows: int) -> Array:
    """Where each row begins among ascending row numbers, and their end; on a device nothing is compiled for it."""
    return np.searchsorted(row, np.arange(rows + 1, like=row))
