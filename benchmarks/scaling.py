"""Distributed searches on a few ranks, for the model of how they scale (docs/scaling_model.py): measured, and kept.

    python -m benchmarks scaling                       # 2**15 vertices per rank on 1, 2, 4 and 8 ranks, several grids
    python -m benchmarks scaling --per-rank 12 --roots 4 --out /tmp
    python -m benchmarks scaling --levels --scale 16   # what a level costs, by bits and by products, on several grids
    python -m benchmarks scaling --levels --local cuda --scale 22 --grids 1x1,1x4,2x2
    python -m docs.pages                               # the tables of docs/distributed.md, with the model beside them

Bytes and messages do not depend on the machine; times do, and ranks that share cores say little about a cluster.
``--levels`` runs a job of ``search_levels.py`` for each grid and way to search, else one of ``grblas-gpu graph500``.
"""

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from .common import RESULTS, describe, parser, write

USUAL = "1x1 1x2 1x4 2x2 1x8"  # grids for the default kind of search, by bits
PRODUCTS = "1x4 2x1 2x2 4x1 2x4 4x2 8x1"
Row = dict[str, Any]


def launcher() -> str:
    beside = Path(sys.executable).parent / "mpiexec"
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None:
        raise RuntimeError("no mpiexec: pip install grblas_gpu[mpi]")
    return found


def job(shape: str, words: str, by: str, options: Any, **settings: str) -> Row:
    """The JSON output of a job on this grid."""
    down, across = map(int, shape.split("x"))
    start = [launcher(), "-n", str(down * across), *options.launcher_options.split(), sys.executable, "-m"]
    command = [*start, *words.split()]
    environment = {**os.environ, "GRBLAS_GPU_MPI_SEARCH": by, **settings}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr[-2000:]}")
    print(f"{shape} {by}: done", file=sys.stderr, flush=True)
    return json.loads(done.stdout[done.stdout.index("{") :])


def weak(shape: str, by: str, options: Any) -> Row:
    scale = options.per_rank + int(math.log2(math.prod(map(int, shape.split("x")))))
    words = f"grblas_gpu.cli graph500 --scale {scale} --grid {shape} --roots {options.roots} --local {options.local}"
    return job(shape, f"{words} --json", by, options)


def level(shape: str, by: str, options: Any) -> Row:
    words = f"benchmarks search_levels --json --scale {options.scale} --roots {options.roots} --paths {options.paths}"
    return job(shape, words, by, options, GRBLAS_GPU_MPI_GRID=shape, GRBLAS_GPU_BACKEND=options.local)


def less_disturbed(rows: list[Row]) -> list[Row]:
    """The row with the shorter level for each grid and kind of search, the less disturbed one."""
    best: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        key = (*row["grid"], row["by"])
        clock = "least" if row["local"] == "cuda" else "processor"
        best[key] = min(row, best.get(key, row), key=lambda each: each["level"][clock])
    return list(best.values())


def main(arguments: list[str] | None = None) -> int:
    own: dict[str, Any] = {
        "per_rank": {"type": int, "default": 15, "help": "2**N vertices per rank (default: 15)"},
        "local": {"default": "cpu", "choices": ("cpu", "cuda", "numpy")},
        "levels": {"action": "store_true", "help": "what a level costs, in place of weak scaling"},
        "paths": {"type": int, "default": 15, "help": "searches along a path, with --levels"},
        "grids": {"default": "1x1,1x2,2x1,1x4,2x2", "help": "with --levels, separated by commas"},
        "again": {"action": "store_true", "help": "keep levels that there are, where they were less disturbed"},
        "launcher_options": {"default": "", "help": "for mpiexec, such as --oversubscribe"},
        "out": {"type": Path, "default": RESULTS, "metavar": "FOLDER", "help": "default: benchmarks/results"},
    }
    options = parser("scaling", __doc__, scale=16, roots=16, **own).parse_args(arguments)
    if not options.levels:
        cases = [(shape, "bits") for shape in USUAL.split()] + [(shape, "products") for shape in PRODUCTS.split()]
        kept = {f"{shape.replace('x', ' x ')} {by}": weak(shape, by, options) for shape, by in cases}
        write(options.out, f"scaling.{options.local}", kept)
        return 0
    rows = [level(shape, by, options) for by in ("bits", "products") for shape in options.grids.split(",")]
    file = f"level_costs.{options.local}"
    if options.again:
        rows = less_disturbed(rows + json.loads((options.out / f"{file}.json").read_text(encoding="utf-8"))["rows"])
    write(options.out, file, {**describe(), "scale": options.scale, "rows": rows})
    return 0
