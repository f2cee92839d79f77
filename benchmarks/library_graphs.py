"""The four graphs on which ``library_speed`` runs every algorithm, in any size, and what some algorithms need of one.

"rmat" is Graph500's Kronecker graph (edge factor 16), "uniform" has 16 random neighbours a vertex, "grid" as many
vertices side by side, and "web" is a Kronecker graph of which every edge leads one way, the other, or both ways, by a
coin. Weights are integers from 1 to 255.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

import grblas_gpu as gb
from grblas_gpu import algorithms, generators

from . import library_checks as checks

KINDS: dict[str, Callable[[int], gb.Matrix]] = {
    "rmat": lambda scale: generators.kronecker(scale, 16),
    "uniform": lambda scale: generators.uniform_random(2**scale, 16),
    "grid": lambda scale: generators.grid_2d(math.isqrt(2**scale), math.isqrt(2**scale)),
    "web": lambda scale: generators.kronecker(scale, 16, seed=2),
}
SMALL = 11  # 2**11 vertices: for what needs a number for every pair of them, or a search from every one


@dataclass(eq=False)  # one is the same as itself only
class Case:
    """A graph on the backend that is measured, and for checks and others as arrays."""

    name: str
    scale: int
    A: gb.Matrix  # weights
    source: int  # one that has most edges
    directed: bool

    @cached_property
    def S(self) -> checks.Arrays:
        return checks.as_scipy(self.A)

    @cached_property
    def small(self) -> Case:
        """A graph of the same kind with few vertices."""
        return self if self.scale <= SMALL else graph(self.name, SMALL, self.A.backend)

    @cached_property
    def target(self) -> int:
        """The last of those vertices with most edges to them that the source reaches."""
        degrees = self.A.reduce_columnwise(gb.agg.count).new().to_dense(0)
        degrees[self.source] = 0
        degrees[algorithms.bfs(self.A, self.source).to_dense(-1) < 0] = 0
        return int(np.flatnonzero(degrees == degrees.max())[-1])

    @cached_property
    def forward(self) -> gb.Matrix:
        """Its edges from a lower vertex to a higher one: there is no cycle."""
        return gb.select.triu(self.A, 1).new()

    @cached_property
    def connected(self) -> gb.Matrix:
        """The largest of its parts in which every vertex reaches every other."""
        part = algorithms.strongly_connected_components(self.A).to_dense()
        return algorithms.induced_subgraph(self.A, np.flatnonzero(part == np.bincount(part).argmax())).matrix

    @cached_property
    def two_sides(self) -> gb.Matrix:
        """Its edges between an even vertex and an odd one."""
        rows, columns, weights = self.A.to_coo()
        between = (rows + columns) % 2 == 1
        n = self.A.nrows
        with gb.using(self.A.backend):
            return gb.Matrix.from_coo(rows[between], columns[between], weights[between], nrows=n, ncols=n)

    @cached_property
    def pairs(self) -> np.ndarray:
        """10,000 pairs of vertices, some of them more than once."""
        return np.random.default_rng(1).integers(self.A.nrows, size=(10_000, 2))

    @cached_property
    def sixteenths(self) -> np.ndarray:
        """Sixteen parts of the vertices."""
        return np.arange(self.A.nrows) % 16

    @cached_property
    def half(self) -> np.ndarray:
        """Every second vertex."""
        return self.some(-(-self.A.nrows // 2))

    def some(self, count: int) -> np.ndarray:
        """So many vertices, if there are, spread over all."""
        return np.arange(0, self.A.nrows, max(1, self.A.nrows // count))[:count]


def graph(name: str, scale: int, backend: str) -> Case:
    """A graph of that kind with 2**scale vertices."""
    with gb.using("cpu"):
        pattern = KINDS[name](scale)
    rows, columns, _ = pattern.to_coo()
    low, high = np.minimum(rows, columns), np.maximum(rows, columns)
    coin = (low * np.uint64(0x9E3779B97F4A7C15) + high * np.uint64(0xBF58476D1CE4E5B9)) >> np.uint64(32)
    weights = (coin % np.uint64(255) + np.uint64(1)).astype(float)
    if name == "web":  # one way, the other way, or both
        keep = np.choose((coin % np.uint64(3)).astype(int), [rows < columns, rows > columns, np.ones(len(rows), bool)])
        rows, columns, weights = rows[keep], columns[keep], weights[keep]
    with gb.using(backend):
        A = gb.Matrix.from_coo(rows, columns, weights, nrows=pattern.nrows, ncols=pattern.nrows)
    return Case(name, scale, A, int(np.bincount(rows.astype(np.int64)).argmax()), name == "web")
