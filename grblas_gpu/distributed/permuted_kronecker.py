"""Kronecker graphs by all ranks together: each generates a share of the edges, and a chunk of the permutation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..backends.mpi.engine import MpiBackend
from ..backends.mpi.grid import Grid
from ..backends.mpi.routing import answer, route
from ..foundation.types import Array
from ..generators.kronecker_graphs import A, B, C, quadrant_limits, recipe_edges
from ..generators.randomness import HALF, Stream

PIECE = 2**20  # edges that a rank generates at a time


def kronecker_pieces(engine: MpiBackend, scale: int, edge_factor: int, seed: int) -> Iterator[tuple[Array, Array]]:
    """This rank's share of the edges, before loops and repetitions are dropped; each rank has equally many pieces."""
    if not 0 <= scale <= 40:
        raise ValueError(f"kronecker: scale must be from 0 to 40, got {scale}")
    if edge_factor < 0:
        raise ValueError(f"kronecker: edge_factor must not be negative, got {edge_factor}")
    grid, n, m = engine.grid, 1 << scale, edge_factor << scale
    numbers = Permutation(grid, n, seed)
    limits = quadrant_limits(A, B, C)
    like = engine.local.array(np.zeros(0, np.uint64))
    share = -(-m // grid.size)
    first, last = min(m, grid.rank * share), min(m, (grid.rank + 1) * share)
    for start in range(0, share, PIECE):
        low, high = min(last, first + start), min(last, first + start + PIECE)
        counters = np.arange(low, high, dtype=np.uint64, like=like)
        ends = [engine.local.host(end).astype(np.int64) for end in recipe_edges(scale, seed, limits, counters)]
        yield numbers.of(ends[0]), numbers.of(ends[1])


class Permutation:
    """``Stream(seed, 1).permutation(n)``, numbers in the order of their hashes; each rank has a chunk."""

    def __init__(self, grid: Grid, n: int, seed: int) -> None:
        self.grid, self.line = grid, grid.line(n)
        low, high = self.line.chunk(grid.rank)
        numbers = np.arange(low, high, dtype=np.uint64)
        hashes = Stream(seed, 1).bits(numbers)
        # Hashes are spread evenly: each rank sorts a part of their range.
        part = ((hashes >> HALF) * np.uint64(grid.size) >> HALF).astype(np.int64)
        hashes, numbers = route(grid.everyone, part, hashes, numbers)
        ordered = numbers[np.argsort(hashes)].astype(np.int64)
        counts = grid.everyone.gather_small(np.array([len(ordered)], np.int64))[:, 0]
        places = np.arange(len(ordered), dtype=np.int64) + int(counts[: grid.rank].sum())
        places, ordered = route(grid.everyone, self.line.owner(places), places, ordered)
        self.low = low
        self.here = np.empty(high - low, np.int64)
        self.here[places - low] = ordered

    def of(self, index: np.ndarray) -> np.ndarray:
        """The permuted numbers; collective."""
        owners = self.line.owner(index)
        return answer(self.grid.everyone, owners, index, lambda vertices: self.here[vertices - self.low])
