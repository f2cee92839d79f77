"""How a search over many ranks scales, on paper: bytes, messages, memory and time, from a few measured numbers.

Notation: a grid of ``down`` x ``across`` ranks, each of which owns ``vertices`` of the graph.

* By bits: in every level each rank sends a bit per vertex that it owns to all others, with what it counted. That is
  all: what a rank finds is at home.
* By products: in a pull every rank sends a bit per vertex that it owns to the others of its grid row (the frontier)
  and of its grid column (what is unvisited). In a push it sends the frontier as a list, to its grid row.
* A block sends a vertex that it found, with a parent, to the owner. A vertex is found by up to ``down`` blocks: if it
  has ``neighbours`` candidates for a parent, spread evenly, at least one is in a given block with probability
  1 - (1 - 1/down) ** neighbours. One of the blocks is the owner's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

EDGES = 16  # undirected edges per vertex, Graph500


class Fit(NamedTuple):
    """What is measured: results per vertex, and the share of vertices in lists."""

    reached: float  # of all vertices, those that are found at all
    neighbours: float  # candidates for a parent that such a vertex has
    listed: float  # of all vertices, those that travel in frontiers of pushes
    pulls: float  # levels that pull
    levels: float


BITS, PRODUCTS = "bits", "products"  # GRBLAS_GPU_MPI_SEARCH
MOST_RANKS = 16  # of several rows that search by bits, if nobody says otherwise


class Grid(NamedTuple):
    """Ranks, and how they search.

    >>> usual(2, 8).by, usual(4, 16).by, usual(1, 64).by
    ('bits', 'products', 'bits')
    """

    down: int
    across: int
    by: str

    @property
    def ranks(self) -> int:
        return self.down * self.across

    def __str__(self) -> str:
        return f"{self.down} x {self.across}"


def usual(down: int, across: int) -> Grid:
    """A grid that searches as it does if nobody says otherwise."""
    return Grid(down, across, BITS if down == 1 or down * across <= MOST_RANKS else PRODUCTS)


class Machine(NamedTuple):
    """A rank and its share of the network."""

    name: str
    edge_rate: float  # undirected edges per second of one rank alone, as in TEPS
    bandwidth: float  # bytes per second, out of a rank
    per_message: float  # seconds
    per_level: float  # seconds of calls and launches that nothing hides
    per_round: float  # seconds of calls for a round of messages, besides
    memory: float  # bytes


def foreign_results(down: int, reached: float, neighbours: float) -> float:
    """Results per owned vertex that travel.

    >>> foreign_results(1, 0.5, 4.0), round(foreign_results(2, 0.5, 4.0), 3)
    (0.0, 0.469)
    """
    return reached * (down - 1) * (1 - (1 - 1 / down) ** neighbours)


def bytes_per_vertex(grid: Grid, fit: Fit, position: int = 4, parent: int = 4) -> float:
    """What a rank sends in a search, for each vertex that it owns.

    >>> round(bytes_per_vertex(usual(1, 8), Fit(0.5, 4, 0.0, 2, 6)), 2)
    5.25
    """
    if grid.by == BITS:
        return fit.levels / 8 * (grid.ranks - 1)
    down, across, _ = grid
    bits = fit.pulls / 8 * (across - 1 + down - 1)
    lists = position * fit.listed * (across - 1)
    found = foreign_results(down, fit.reached, fit.neighbours)
    places = min(position * found, fit.pulls / 8 * (down - 1))  # a list or a bit map
    return bits + lists + places + parent * found


def messages(grid: Grid, fit: Fit, each: int = 2) -> float:
    """Messages that a rank sends in a search. By bits: ``each`` to every other rank (bits and counts; in shared memory
    one write). By products: frontiers, results and a reduction in each level; and the mask in a pull.

    >>> messages(usual(1, 2), Fit(0.5, 4, 0.0, 2, 6)), messages(Grid(2, 2, PRODUCTS), Fit(0.5, 4, 0.0, 2, 6))
    (12.0, 26.0)
    """
    if grid.by == BITS:
        return float(fit.levels * each * (grid.ranks - 1))
    a_level = (grid.across - 1) + (grid.down - 1) + _doublings(grid)
    return float(fit.levels * a_level + fit.pulls * (grid.down - 1))


def reductions(grid: Grid, fit: Fit) -> float:
    """Of these messages, those of reductions, which a trace does not count.

    >>> reductions(usual(1, 4), Fit(0.5, 4, 0.0, 2, 6)), reductions(Grid(2, 2, PRODUCTS), Fit(0.5, 4, 0.0, 2, 6))
    (0.0, 12.0)
    """
    return 0.0 if grid.by == BITS else float(fit.levels * _doublings(grid))


def _doublings(grid: Grid) -> int:
    return (grid.ranks - 1).bit_length()


def rounds(grid: Grid) -> int:
    """Exchanges of a level that wait for one another, where it pulls.

    >>> rounds(usual(2, 8)), rounds(usual(4, 16)), rounds(usual(1, 1))
    (1, 3, 0)
    """
    return 0 if grid.ranks == 1 else 1 if grid.by == BITS else 2 + (grid.down > 1)


def memory_per_vertex(grid: Grid, entries: float = 2 * EDGES, index: int = 4, pointer: int = 4) -> float:
    """Bytes of a rank for each vertex that it owns: a block in both directions, and the vectors of a search.

    A block has the rows of ``across`` ranks and the columns of ``down``: their pointers weigh more than the entries
    when the grid is large. Several rows that search by bits have the entries that lead to their vertices besides.

    >>> memory_per_vertex(usual(1, 1)), memory_per_vertex(Grid(16, 64, PRODUCTS)), memory_per_vertex(usual(2, 8))
    (290, 680, 525)
    """
    if grid.by == BITS:
        block: float = 0 if grid.down == 1 else index * entries + pointer * grid.across
        return block + 2 * index * entries + pointer * (grid.ranks + 1) + 25 + grid.ranks
    down, across, _ = grid
    vectors = 24 + across + down  # parents, frontier and result; flags of the operand and of the mask
    return 2 * index * entries + pointer * (across + down) + vectors


class Prediction(NamedTuple):
    """A search of one rank, in seconds; and what all ranks reach together."""

    bytes: float
    messages: float
    computing: float
    sending: float
    waiting: float  # messages and levels, however short
    memory: float
    teps: float

    @property
    def seconds(self) -> float:
        return self.computing + self.sending + self.waiting


def predict(machine: Machine, fit: Fit, grid: Grid, vertices: int) -> Prediction:
    """A search with so many vertices on every rank."""
    index = 4 if vertices * (grid.ranks if grid.by == BITS else max(grid.down, grid.across)) < 2**31 else 8
    sent = vertices * bytes_per_vertex(grid, fit)
    count = messages(grid, fit)
    computing = vertices * EDGES / machine.edge_rate
    sending = sent / machine.bandwidth
    a_level = machine.per_level + rounds(grid) * machine.per_round
    waiting = count * machine.per_message + fit.levels * a_level
    memory = vertices * memory_per_vertex(grid, index=index)
    teps = vertices * grid.ranks * EDGES / (computing + sending + waiting)
    return Prediction(sent, count, computing, sending, waiting, memory, teps)


def fit_results(downs: list[int], found: list[float]) -> tuple[float, float]:
    """``reached`` and ``neighbours`` of least squares: results per vertex on grids with so many rows.

    >>> reached, neighbours = fit_results([2, 4, 8], [foreign_results(d, 0.6, 3.0) for d in (2, 4, 8)])
    >>> round(reached, 2), round(neighbours, 1)
    (0.6, 3.0)
    """
    best = (float("inf"), 0.0, 0.0)
    wanted = np.array(found)
    for neighbours in np.arange(1.0, 40.0, 0.1):
        shape = np.array([foreign_results(down, 1.0, float(neighbours)) for down in downs])
        reached = float(shape @ wanted / (shape @ shape))
        error = float(((reached * shape - wanted) ** 2).sum())
        best = min(best, (error, reached, float(neighbours)))
    return best[1], best[2]
