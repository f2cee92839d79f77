"""Ownership of indices: pure arithmetic, no communication.

A line of ``size`` indices is cut into contiguous chunks, one per rank, whose lengths differ by at most one. Rank k
owns chunk k of every vector. The ranks form a grid, row by row, and a matrix is cut along both of its dimensions:

* rank (i, j) has the rows whose chunks belong to the ranks of grid row i (they are contiguous),
* and the columns whose chunks belong to the ranks of grid column j (one piece from each grid row).

So ranks of a grid row exchange the part of a vector for the rows of a block, and ranks of a grid column that for its
columns. Results go back to their owners the same way, without a transposition of the grid. One column of ranks is the
1-D partition by rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...foundation.types import Array
from ..stores.messages import Numbering

ROW_OVER_COLUMN = 4  # ratio of the bytes for another row of ranks to those for another column


class Line(NamedTuple):
    """One dimension, partitioned for a grid of ``across`` x ``down`` ranks.

    >>> line = Line(10, 2, 2)
    >>> line.bounds
    [0, 2, 5, 7, 10]
    >>> line.row_block(1), line.column_pieces(1)
    ((5, 10), [(2, 5), (7, 10)])
    """

    size: int
    down: int  # rows of the grid
    across: int  # columns of the grid

    @property
    def ranks(self) -> int:
        return self.down * self.across

    @property
    def bounds(self) -> list[int]:
        """The start of each chunk, and the end."""
        return [k * self.size // self.ranks for k in range(self.ranks + 1)]

    def chunk(self, rank: int) -> tuple[int, int]:
        """The indices that a rank owns of a vector: from, to."""
        return rank * self.size // self.ranks, (rank + 1) * self.size // self.ranks

    def owner(self, index: Array) -> Array:
        """The rank that owns each index.

        >>> Line(10, 2, 2).owner(np.arange(10)).tolist()
        [0, 0, 1, 1, 1, 2, 2, 3, 3, 3]
        >>> Line(2**60, 3, 3).owner(np.array([0, 2**60 - 1])).tolist()
        [0, 8]
        """
        if (self.size + 1) * self.ranks >= 2**63:  # the product below would overflow
            return np.searchsorted(np.asarray(self.bounds[1:], np.int64, like=index), index, side="right")
        return ((index + 1) * self.ranks - 1) // self.size if self.size else index

    def dealt(self, place: Array) -> Array:
        """The indices that distribute an ordered list to the ranks in turn: item k of each round goes to rank k.

        >>> Line(10, 2, 2).dealt(np.arange(10)).tolist()
        [0, 2, 5, 7, 1, 3, 6, 8, 4, 9]
        """
        rounds, starts = self.size // self.ranks, np.asarray(self.bounds[:-1], np.int64)
        longer = np.flatnonzero(np.diff(self.bounds) > rounds)  # ranks with one more index
        turn, rank = np.divmod(place, self.ranks)
        last = turn == rounds
        rank[last] = longer[rank[last]]
        return starts[rank] + turn

    def row_block(self, i: int) -> tuple[int, int]:
        """The rows of a matrix in grid row i: from, to."""
        return self.chunk(i * self.across)[0], self.chunk((i + 1) * self.across - 1)[1]

    def column_pieces(self, j: int) -> list[tuple[int, int]]:
        """The columns of a matrix in grid column j: a range from each grid row."""
        return [self.chunk(t * self.across + j) for t in range(self.down)]


class Block(NamedTuple):
    """The indices of one dimension of a rank's block: ascending ranges, with consecutive local numbers from 0.

    >>> block = Block([(2, 5), (7, 10)])
    >>> block.size, block.to_global(np.arange(6)).tolist(), block.to_local(np.array([3, 9])).tolist()
    (6, [2, 3, 4, 7, 8, 9], [1, 5])
    """

    pieces: list[tuple[int, int]]

    @property
    def size(self) -> int:
        return sum(high - low for low, high in self.pieces)

    def numbering(self, offset: int = 0) -> Numbering:
        """The map from local indices, beginning at ``offset``, to global ones.

        >>> Block([(2, 5), (7, 10)]).numbering(1)
        Numbering(ends=[4, 7], shifts=[2, 4])
        """
        ends = np.cumsum([high - low for low, high in self.pieces]).tolist()
        shifts = [high - end for (_, high), end in zip(self.pieces, ends, strict=True)]
        return Numbering([end + offset for end in ends], shifts)

    def to_global(self, local: Array) -> Array:
        """Global indices of local ones, in the same order."""
        return self.numbering().to_global(local)

    def to_local(self, index: Array) -> Array:
        """Local indices of global ones that lie in this block."""
        ends = [high for _, high in self.pieces]
        return Numbering(ends, [-shift for shift in self.numbering().shifts]).to_global(index)


def default_shape(ranks: int) -> tuple[int, int]:
    """The grid for a number of ranks: wide, because another row of ranks costs four times what another column does.

    Ranks send bits of the frontier along rows, and found vertices with their parents along columns.
    benchmarks/results/scaling.md has the measurements.

    >>> [default_shape(p) for p in (1, 2, 6, 9, 16, 64, 1024)]
    [(1, 1), (1, 2), (1, 6), (1, 9), (2, 8), (4, 16), (16, 64)]
    """
    divisors = [down for down in range(1, ranks + 1) if ranks % down == 0]
    down = min(divisors, key=lambda down: ROW_OVER_COLUMN * down + ranks // down)
    return down, ranks // down
