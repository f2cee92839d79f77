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

import json
import math
import statistics
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from grblas_gpu.bench.tables import Table

RESULTS = Path(__file__).resolve().parents[1] / "benchmarks" / "results"
EDGES = 16  # undirected edges per vertex, Graph500


class Fit(NamedTuple):
    """What is measured: results per vertex, and the share of vertices in lists."""

    reached: float  # of all vertices, those that are found at all
    neighbours: float  # candidates for a parent that such a vertex has
    listed: float  # of all vertices, those that travel in frontiers of pushes
    pulls: float  # levels that pull
    levels: float


BITS, PRODUCTS = "bits", "products"  # GRBLAS_GPU_MPI_SEARCH
MOST_RANKS = 16  # the most ranks in several rows that search by bits by default


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
    """A grid with the default kind of search."""
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


# What was measured: a level that finds one vertex, and searches --------------------------------------------------

Row = dict[str, Any]


class Costs(NamedTuple):
    """Of a search one way, in seconds; and undirected edges per second of one rank besides."""

    per_level: float
    per_round: float
    edge_rate: float


def rows_of(local: str) -> list[Row]:
    """The measurements of this engine; an empty list without a file of results."""
    file = RESULTS / f"level_costs.{local}.json"
    return json.loads(file.read_text(encoding="utf-8"))["rows"] if file.exists() else []


def level_seconds(row: Row) -> float:
    """The time of a level that finds one vertex. On a CPU it runs on one core, and processor time excludes waits for
    other programs. On a device the processor also waits, and elapsed time counts.

    >>> level_seconds({"local": "cpu", "level": {"least": 3e-5, "processor": 2e-5}})
    2e-05
    """
    return row["level"]["least" if row["local"] == "cuda" else "processor"]


def fitted_costs(rows: list[Row], by: str) -> Costs:
    """Least squares of relative errors, for calls and rounds; computing is what is left of a search of one rank.

    >>> search = {"edges": [10**6], "seconds": [1.2e-3], "levels": 4}
    >>> def row(ranks, rounds, us):
    ...     level = {"processor": us * 1e-6, "rounds": rounds}
    ...     return {"ranks": ranks, "cores": 4, "by": "products", "local": "cpu", "search": search, "level": level}
    >>> costs = fitted_costs([row(1, 0, 50), row(2, 2, 90), row(4, 3, 110)], "products")
    >>> round(costs.per_level * 1e6), round(costs.per_round * 1e6), round(costs.edge_rate / 1e6)
    (50, 20, 1000)
    """
    # Ranks that share a core look for messages while those who would send them wait for it.
    rows = [row for row in rows if row["by"] == by and row["ranks"] <= row["cores"]]
    wanted = np.array([level_seconds(row) for row in rows])
    terms = np.array([[1.0, row["level"]["rounds"]] for row in rows])
    scaled = terms / wanted[:, np.newaxis]
    if not terms[:, 1].any():  # one rank: it has only levels
        scaled[:, 1] = 0
    (per_level, per_round), *_ = np.linalg.lstsq(scaled, np.ones(len(rows)), rcond=None)
    (alone,) = [row for row in rows if row["ranks"] == 1]
    edges, seconds = searched(alone)
    left = seconds - alone["search"]["levels"] * level_seconds(alone)
    return Costs(float(per_level), float(per_round), edges / max(left, seconds / 10))  # a device computes meanwhile


def searched(row: Row) -> tuple[int, float]:
    """Edges and seconds of one of the searches: of the quickest where others use the cores, too, else of the middle."""
    search = row["search"]
    pairs = zip(search["edges"], search["seconds"], strict=True)
    ordered = sorted(pairs, key=lambda pair: pair[1] / max(pair[0], 1))
    return ordered[len(ordered) // 2 if row["local"] == "cuda" else 0]


def modelled(costs: Costs, row: Row) -> tuple[float, float]:
    """Seconds of a level that finds one vertex, and of a search: all ranks of one machine have its cores together."""
    level = costs.per_level + row["level"]["rounds"] * costs.per_round
    turns = max(1.0, row["ranks"] / row["cores"])  # ranks that share a core make their calls one after the other
    edges, _ = searched(row)
    return level, edges / costs.edge_rate + row["search"]["levels"] * level * turns


def levels_table(rows: list[Row], title: str) -> Table:
    columns = "ranks grid by carried bytes messages rounds us/level model search-ms median model".split()
    shown = Table(title, columns)
    for by in (BITS, PRODUCTS):
        costs = fitted_costs(rows, by)
        for row in (row for row in rows if row["by"] == by):
            level, search = modelled(costs, row)
            down, across = row["grid"]
            ranks = row["ranks"], f"{down} x {across}", by, row["transport"]
            sent = int(row["search"]["bytes"]), int(row["search"]["messages"]), round(row["level"]["rounds"])
            times = searched(row)[1] * 1e3, statistics.median(row["search"]["seconds"]) * 1e3, search * 1e3
            shown.add(*ranks, *sent, level_seconds(row) * 1e6, level * 1e6, *times)
        shown.notes.append(
            f"{by}: a level {costs.per_level * 1e6:.0f} us, a round {costs.per_round * 1e6:.0f} us more, "
            f"{costs.edge_rate / 1e9:.3g} GTEPS besides"
        )
    return shown


# Weak scaling, and the model for large machines ---------------------------------------------------------------------

BOTH = [Grid(*shape, by) for shape in ((2, 8), (2, 16), (4, 16)) for by in (BITS, PRODUCTS)]
LARGE = [usual(1, 8), *BOTH, *(usual(*shape) for shape in ((4, 32), (8, 32), (16, 64), (32, 32), (1, 1024)))]
# H200s with 400 Gb/s of network each and 2 us for a message, which are assumed. What a rank computes, and what levels
# and rounds cost, was measured (benchmarks/scaling.py).
NAME, BANDWIDTH, PER_MESSAGE, MEMORY = "H200, 50 GB/s each", 50e9, 2e-6, 141e9
# Where there are no results of a GPU: Kronecker 22 on one rank took 0.53 ms, 26 us of it for each of seven levels;
# products: 001.figure4 in benchmarks/results/papers.md.
SEEN = {BITS: Costs(26e-6, 0.0, 184e9), PRODUCTS: Costs(0.0, 0.0, 40e9)}


def machine(by: str) -> Machine:
    """A rank with a GPU of its own. Rounds are calls of the host, as measured with CPU ranks;
    so are levels by products, where no GPU has been measured.
    """
    host = fitted_costs(rows_of("cpu"), by)
    device = fitted_costs(rows_of("cuda"), by) if rows_of("cuda") else SEEN[by]
    per_level = device.per_level or host.per_level
    return Machine(NAME, device.edge_rate, BANDWIDTH, PER_MESSAGE, per_level, host.per_round, MEMORY)


def summary(result) -> dict[str, float]:
    """Averages over the ranks of one search."""
    owned = result["vertices"]
    levels = result["levels"]
    pushed = [level for level in levels if level["direction"] == "push"]
    return {
        "bytes": sum(level["bytes_all"] for level in levels) / owned,
        "results": sum(level["results_all"] for level in levels) / owned,
        "messages": sum(level["messages_most"] for level in levels),
        "levels": len(levels),
        "pulls": len(levels) - len(pushed),
        "listed": sum(level["frontier"] for level in pushed) / owned,
    }


def fitted(found: dict[Grid, dict[str, float]]) -> Fit:
    """The model's numbers from all measurements."""
    many = {grid: row for grid, row in found.items() if grid.down > 1 and grid.by == PRODUCTS}
    reached, neighbours = fit_results([grid.down for grid in many], [row["results"] for row in many.values()])
    means = {name: sum(row[name] for row in found.values()) / len(found) for name in ("listed", "pulls", "levels")}
    return Fit(reached, neighbours, **means)


def _grid(name: str) -> Grid:
    """
    >>> _grid("2 x 4 products")
    Grid(down=2, across=4, by='products')
    """
    down, _, across, by = name.split()
    return Grid(int(down), int(across), by)


def kept_results(kept):
    """What ``--out`` has written."""
    return {_grid(name): result for name, result in kept.items()}


def width(size: int) -> int:
    """Bytes of a position below ``size``, as they are sent."""
    return 2 if size <= 2**16 else 4


def tables(results, per_rank: int) -> list[Table]:
    """The measurements next to the model, and the model for large machines."""
    found = {grid: summary(result) for grid, result in results.items()}
    fit = fitted(found)
    columns = "ranks grid by scale bytes/vertex model results/vertex model messages model rounds".split()
    measured = Table(f"One search, 2**{per_rank} vertices per rank", [*columns, "MTEPS (median)"])
    for grid, row in found.items():
        result = results[grid]
        own = fit._replace(pulls=row["pulls"], levels=row["levels"], listed=row["listed"])
        size = bytes_per_vertex(grid, own, width(1 << per_rank), width((grid.across << per_rank) + 1))
        found_by_others = 0.0 if grid.by == BITS else foreign_results(grid.down, fit.reached, fit.neighbours)
        sent = int(row["messages"]), int(messages(grid, own, 1) - reductions(grid, own)), rounds(grid)
        cells = [result["ranks"], str(grid), grid.by, result["scale"], row["bytes"], size, row["results"]]
        measured.add(*cells, found_by_others, *sent, result["median_teps"] / 1e6)
    measured.notes.append(
        f"fit: {fit.reached:.2f} of the vertices found, {fit.neighbours:.1f} candidates each, {fit.listed:.3f} listed, "
        f"{fit.pulls:.1f} of {fit.levels:.1f} levels pull; messages without the reductions, of bits in shared memory"
    )
    return [measured, *(extrapolated(fit, scale) for scale in (21, 25))]


def extrapolated(fit: Fit, per_rank: int) -> Table:
    """The model for grids of a cluster."""
    columns = "ranks grid by scale MB/rank messages compute-ms send-ms wait-ms GB/rank GTEPS".split()
    table = Table(f"{NAME}, 2**{per_rank} vertices per rank (a model)", columns)
    for grid in LARGE:
        row = predict(machine(grid.by), fit, grid, 1 << per_rank)
        ranks = grid.ranks, str(grid), grid.by, per_rank + int(math.log2(grid.ranks))
        times = row.computing * 1e3, row.sending * 1e3, row.waiting * 1e3
        table.add(*ranks, row.bytes / 1e6, int(row.messages), *times, row.memory / 1e9, row.teps / 1e9)
    for by in (BITS, PRODUCTS):
        rank = machine(by)
        table.notes.append(
            f"{by}: {rank.edge_rate / 1e9:.0f} GTEPS, a level {rank.per_level * 1e6:.0f} us, a round "
            f"{rank.per_round * 1e6:.0f} us more"
        )
    return table
