"""The vertices of a distributed search as positions in one bit map, in which every rank has its own range.

A rank's vertices begin at a multiple of ``stride`` positions, so that its bits are whole words of memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...foundation.types import Array
from ..stores.storage import MatrixStore

WORD = 64  # bits; ranges of positions are whole words of this length, and so of any shorter one
LIMIT = 2**31  # positions have 32 bits


class Layout(NamedTuple):
    """
    >>> layout = Layout([0, 70, 140, 210], 1)
    >>> layout.stride, layout.position(71), layout.ranks
    (128, 129, 3)
    """

    bounds: list[int]  # where the vertices of each rank begin, and the end
    rank: int

    @property
    def ranks(self) -> int:
        return len(self.bounds) - 1

    @property
    def stride(self) -> int:
        """Positions of each rank."""
        most = max(high - low for low, high in zip(self.bounds[:-1], self.bounds[1:], strict=True))
        return max(1, -(-most // WORD)) * WORD

    @property
    def fits(self) -> bool:
        return self.ranks * self.stride < LIMIT

    @property
    def length(self) -> int:
        """Bytes of a rank's bits."""
        return self.stride // 8

    @property
    def size(self) -> int:
        """The vertices of this rank."""
        return self.bounds[self.rank + 1] - self.bounds[self.rank]

    def position(self, vertex: int) -> int:
        owner = int(np.searchsorted(self.bounds, vertex, side="right")) - 1
        return owner * self.stride + vertex - self.bounds[owner]

    def positions(self) -> np.ndarray:
        """Of all vertices, in their order."""
        parts = zip(self.bounds[:-1], self.bounds[1:], strict=True)
        return np.concatenate(
            [np.arange(high - low, dtype=np.int32) + k * self.stride for k, (low, high) in enumerate(parts)]
        ).astype(np.int32)


def lists_to_pull(part: MatrixStore, degrees: Array, layout: Layout) -> tuple[Array, Array]:
    """For every vertex of this rank the start of its list, and positions of the vertices with an edge to it.

    ``part`` has all rows of a matrix and the columns of this rank; ``degrees`` are the entries of those rows on all
    ranks. A list begins with the vertices that have most edges: a search has most probably found them.
    """
    falling = np.argsort(-degrees)
    places = np.empty_like(falling)
    places[falling] = np.arange(len(falling), dtype=falling.dtype, like=falling)
    kept = part._row_ids
    # One number for each entry, whose order is that of the lists.
    keys = part.indices.astype(np.uint64)
    keys <<= np.uint64(32)
    keys |= places.astype(np.uint64)[part.row_ids]
    part._row_ids = kept
    keys.sort()
    firsts = np.arange(part.ncols + 1, dtype=np.uint64, like=keys) << np.uint64(32)
    starts = np.searchsorted(keys, firsts)
    keys &= np.uint64(0xFFFFFFFF)
    by_place = np.asarray(layout.positions(), like=keys)[falling]
    return starts.astype(np.int64), by_place[keys.astype(np.int64)]


def closed_bits(starts: np.ndarray, stride: int) -> np.ndarray:
    """A bit for every position of this rank that cannot be reached: no edge leads there, or it is no vertex."""
    closed = np.ones(stride, bool)
    closed[: len(starts) - 1] = starts[1:] == starts[:-1]
    return np.packbits(closed, bitorder="little")
