"""Weak scaling of the distributed search: measure on a few ranks, fit the model, extrapolate.

    python -m benchmarks.scaling                       # 2**15 vertices per rank on 1, 2, 4 and 8 ranks, several grids
    python -m benchmarks.scaling --per-rank 12 --roots 4

Bytes and messages do not depend on the machine; times do, and ranks that share cores say little about a cluster.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from .level_costs import Costs, launcher, rows_of
from .level_costs import fitted as fitted_costs
from .scaling_model import (
    BITS,
    PRODUCTS,
    Fit,
    Grid,
    Machine,
    bytes_per_vertex,
    fit_results,
    foreign_results,
    messages,
    predict,
    reductions,
    rounds,
    usual,
)
from .text_tables import Table

GRIDS = [usual(*shape) for shape in ((1, 1), (1, 2), (1, 4), (2, 2), (1, 8))] + [
    Grid(*shape, PRODUCTS) for shape in ((1, 4), (2, 1), (2, 2), (4, 1), (2, 4), (4, 2), (8, 1))
]
BOTH = [Grid(*shape, by) for shape in ((2, 8), (2, 16), (4, 16)) for by in (BITS, PRODUCTS)]
LARGE = [usual(1, 8), *BOTH, *(usual(*shape) for shape in ((4, 32), (8, 32), (16, 64), (32, 32), (1, 1024)))]
# H200s with 400 Gb/s of network each and 2 us for a message, which are assumed. What a rank computes, and what levels
# and rounds cost, was measured (level_costs.py).
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


def measure(grid: Grid, per_rank: int, roots: int, local: str) -> dict[str, Any]:
    """One job of ``grblas-gpu graph500``."""
    ranks = grid.ranks
    scale = per_rank + int(math.log2(ranks))
    shape = f"{grid.down}x{grid.across}"
    words = f"-m grblas_gpu.cli graph500 --scale {scale} --grid {shape} --roots {roots} --local {local} --json"
    command = [launcher(), "-n", str(ranks), sys.executable, *words.split()]
    environment = {**os.environ, "GRBLAS_GPU_MPI_SEARCH": grid.by}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr[-2000:]}")
    return json.loads(done.stdout)


def summary(result: dict[str, Any]) -> dict[str, float]:
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


def kept_results(kept: dict[str, Any]) -> dict[Grid, dict[str, Any]]:
    """What ``--out`` has written."""
    return {_grid(name): result for name, result in kept.items()}


def width(size: int) -> int:
    """Bytes of a position below ``size``, as they are sent."""
    return 2 if size <= 2**16 else 4


def tables(results: dict[Grid, dict[str, Any]], per_rank: int) -> list[Table]:
    """What was measured, the model beside it, and the model for large machines."""
    found = {grid: summary(result) for grid, result in results.items()}
    fit = fitted(found)
    columns = "ranks grid by scale bytes/vertex model results/vertex model messages model rounds".split()
    measured = Table(f"One search, 2**{per_rank} vertices per rank", [*columns, "MTEPS (median)"])
    for grid, row in found.items():
        result = results[grid]
        own = fit._replace(pulls=row["pulls"], levels=row["levels"], listed=row["listed"])
        parent = width((grid.across << per_rank) + 1)
        in_bits = grid.by == BITS
        measured.add(
            result["ranks"],
            str(grid),
            grid.by,
            result["scale"],
            row["bytes"],
            bytes_per_vertex(grid, own, width(1 << per_rank), parent),
            row["results"],
            0.0 if in_bits else foreign_results(grid.down, fit.reached, fit.neighbours),
            int(row["messages"]),
            int(messages(grid, own, 1) - reductions(grid, own)),
            rounds(grid),
            result["median_teps"] / 1e6,
        )
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
        table.add(
            grid.ranks,
            str(grid),
            grid.by,
            per_rank + int(math.log2(grid.ranks)),
            row.bytes / 1e6,
            int(row.messages),
            row.computing * 1e3,
            row.sending * 1e3,
            row.waiting * 1e3,
            row.memory / 1e9,
            row.teps / 1e9,
        )
    for by in (BITS, PRODUCTS):
        rank = machine(by)
        table.notes.append(
            f"{by}: {rank.edge_rate / 1e9:.0f} GTEPS, a level {rank.per_level * 1e6:.0f} us, a round "
            f"{rank.per_round * 1e6:.0f} us more"
        )
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description="Weak scaling of the distributed search")
    parser.add_argument("--per-rank", type=int, default=15, help="2**N vertices per rank (default: 15)")
    parser.add_argument("--roots", type=int, default=16)
    parser.add_argument("--local", default="cpu", choices=("cpu", "cuda", "numpy"))
    parser.add_argument("--out", metavar="FILE", help="keep what was measured as JSON")
    parser.add_argument("--measured", metavar="FILE", help="do not measure: what --out has kept")
    options = parser.parse_args()
    results: dict[Grid, dict[str, Any]] = {}
    if options.measured:
        results = kept_results(json.loads(Path(options.measured).read_text(encoding="utf-8")))
    for grid in () if options.measured else GRIDS:
        results[grid] = measure(grid, options.per_rank, options.roots, options.local)
        print(f"{grid} {grid.by}: done", file=sys.stderr, flush=True)
    if options.out:
        kept = {f"{grid} {grid.by}": result for grid, result in results.items()}
        Path(options.out).write_text(json.dumps(kept) + "\n", encoding="utf-8")
    print("\n\n".join(map(str, tables(results, options.per_rank))))


if __name__ == "__main__":
    main()
