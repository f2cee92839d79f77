"""What a level of a search costs, by bits and by products, on several grids: the scaling model's measured numbers.

    python -m benchmarks.level_costs --local cpu --scale 16                 # benchmarks/results/level_costs.cpu.json
    python -m benchmarks.level_costs --local cuda --scale 22 --grids 1x1,1x4,2x2

A job of ``search_levels.py`` for each grid and way to search. A level costs what calls take, and something for each
round of messages; both are those of levels that find one vertex.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .machine import describe
from .scaling_model import BITS, PRODUCTS
from .text_tables import Table

RESULTS = Path(__file__).resolve().parent / "results"
GRIDS = "1x1,1x2,2x1,1x4,2x2"
Row = dict[str, Any]


class Costs(NamedTuple):
    """Of a search one way, in seconds; and undirected edges per second of one rank besides."""

    per_level: float
    per_round: float
    edge_rate: float


def launcher() -> str:
    beside = Path(sys.executable).parent / "mpiexec"
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None:
        raise RuntimeError("no mpiexec: pip install grblas_gpu[mpi]")
    return found


def measure(shape: str, by: str, options: argparse.Namespace) -> Row:
    """One job."""
    down, across = map(int, shape.split("x"))
    words = f"-m {__package__}.search_levels --json --scale {options.scale} --roots {options.roots}"
    command = [launcher(), "-n", str(down * across), *options.launcher_options.split(), sys.executable]
    environment = {
        **os.environ,
        "GRBLAS_GPU_MPI_SEARCH": by,
        "GRBLAS_GPU_MPI_GRID": shape,
        "GRBLAS_GPU_BACKEND": options.local,
    }
    command += [*words.split(), "--paths", str(options.paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def file_of(local: str) -> Path:
    return RESULTS / f"level_costs.{local}.json"


def rows_of(local: str) -> list[Row]:
    """What was measured with this engine; nothing where nobody has, or in an installation without results."""
    file = file_of(local)
    return json.loads(file.read_text(encoding="utf-8"))["rows"] if file.exists() else []


def level_seconds(row: Row) -> float:
    """Of a level that finds one vertex. It runs on one core: processor time is what it takes where nobody else is in
    the way. On a device time passes in which the processor has nothing to do.

    >>> level_seconds({"local": "cpu", "level": {"least": 3e-5, "processor": 2e-5}})
    2e-05
    """
    return row["level"]["least" if row["local"] == "cuda" else "processor"]


def less_disturbed(rows: list[Row], others: list[Row]) -> list[Row]:
    """Of two rows for one grid and way to search that of the shorter level: nobody takes less time than it needs."""
    best: dict[tuple[Any, ...], Row] = {}
    for row in [*rows, *others]:
        key = (*row["grid"], row["by"])
        best[key] = min(row, best.get(key, row), key=level_seconds)
    return list(best.values())


def fitted(rows: list[Row], by: str) -> Costs:
    """Least squares of relative errors, for calls and rounds; computing is what is left of a search of one rank.

    >>> search = {"edges": [10**6], "seconds": [1.2e-3], "levels": 4}
    >>> def row(ranks, rounds, us):
    ...     level = {"processor": us * 1e-6, "rounds": rounds}
    ...     return {"ranks": ranks, "cores": 4, "by": "products", "local": "cpu", "search": search, "level": level}
    >>> costs = fitted([row(1, 0, 50), row(2, 2, 90), row(4, 3, 110)], "products")
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


def table(rows: list[Row], title: str) -> Table:
    columns = "ranks grid by carried bytes messages rounds us/level model search-ms median model".split()
    shown = Table(title, columns)
    for by in (BITS, PRODUCTS):
        costs = fitted(rows, by)
        for row in (row for row in rows if row["by"] == by):
            level, search = modelled(costs, row)
            down, across = row["grid"]
            seconds, each = row["search"]["seconds"], row["level"]
            shown.add(
                row["ranks"],
                f"{down} x {across}",
                by,
                row["transport"],
                int(row["search"]["bytes"]),
                int(row["search"]["messages"]),
                round(each["rounds"]),
                level_seconds(row) * 1e6,
                level * 1e6,
                searched(row)[1] * 1e3,
                statistics.median(seconds) * 1e3,
                search * 1e3,
            )
        shown.notes.append(
            f"{by}: a level {costs.per_level * 1e6:.0f} us, a round {costs.per_round * 1e6:.0f} us more, "
            f"{costs.edge_rate / 1e9:.3g} GTEPS besides"
        )
    return shown


def main() -> None:
    parser = argparse.ArgumentParser(description="What a level of a distributed search costs")
    parser.add_argument("--local", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--scale", type=int, default=16)
    parser.add_argument("--roots", type=int, default=16)
    parser.add_argument("--paths", type=int, default=15, help="searches along a path")
    parser.add_argument("--grids", default=GRIDS, help=f"separated by commas (default: {GRIDS})")
    parser.add_argument("--launcher-options", default="", help="for mpiexec, such as --oversubscribe")
    parser.add_argument("--out", metavar="FILE", help="default: benchmarks/results/level_costs.LOCAL.json")
    parser.add_argument("--table", action="store_true", help="do not measure: what there is")
    parser.add_argument("--again", action="store_true", help="keep rows that there are, where they were less disturbed")
    options = parser.parse_args()
    file = Path(options.out) if options.out else file_of(options.local)
    if not options.table:
        rows = []
        for by in (BITS, PRODUCTS):
            for shape in options.grids.split(","):
                rows.append(measure(shape, by, options))
                print(f"{shape} {by}: done", file=sys.stderr, flush=True)
        if options.again:
            rows = less_disturbed(rows, json.loads(file.read_text(encoding="utf-8"))["rows"])
        file.write_text(json.dumps({**describe(), "scale": options.scale, "rows": rows}, indent=1) + "\n", "utf-8")
    kept = json.loads(file.read_text(encoding="utf-8"))
    print(table(kept["rows"], f"Kronecker {kept['scale']}, {options.local}"))


if __name__ == "__main__":
    main()
