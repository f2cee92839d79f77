"""Ranks of one machine next to one process with as many threads as it has cores: the same searches, in turn.

    python -m benchmarks.ranks_in_turn --scale 18 --ranks 2,4 --rounds 15

All jobs hold the graph from the start, and one at a time searches, the others asleep. On a machine that others use,
too, the ratio of two medians of one round says more than any time.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from grblas_gpu.distributed import DistMatrix
from grblas_gpu.distributed.graph500 import choose_roots

from .search_levels import timed

ROOTS = 16
NAP = 0.02  # seconds between looks for a file


def job(folder: Path, scale: int) -> None:
    """Search whenever it is this job's turn, until there is no folder any more."""
    A: Any = DistMatrix.kronecker(scale)
    engine = A._engine
    roots = choose_roots(engine, engine.degrees(A._store), A.nrows, ROOTS, 1)
    for root in roots[:3]:
        timed(engine, A, root)
    tell(engine, folder / "ready", [])
    number = 0
    while folder.exists():
        if not (folder / f"go-{number}").exists():
            time.sleep(NAP)
            continue
        timed(engine, A, roots[0])
        tell(engine, folder / f"done-{number}", [timed(engine, A, root)[0] for root in roots])
        number += 1


def tell(engine: Any, file: Path, seconds: list[float]) -> None:
    if engine.grid.rank == 0:
        (file.parent / "new").write_text(json.dumps(seconds), encoding="utf-8")
        (file.parent / "new").rename(file)


def told(file: Path, process: Any) -> list[float]:
    while not file.exists():
        if process.poll() is not None:
            raise RuntimeError(f"a job ended with {process.returncode}")
        time.sleep(NAP)
    return json.loads(file.read_text(encoding="utf-8"))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=int, default=18)
    parser.add_argument("--ranks", default="2,4", help="separated by commas")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--job", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job is not None:
        job(options.job, options.scale)
        return
    launcher = shutil.which("mpiexec") or str(Path(sys.executable).parent / "mpiexec")
    command = [sys.executable, "-m", "benchmarks.ranks_in_turn", "--scale", str(options.scale), "--job"]
    found: dict[int, list[list[float]]] = {1: [], **{int(ranks): [] for ranks in options.ranks.split(",")}}
    with tempfile.TemporaryDirectory() as scratch:
        folders = {ranks: Path(scratch) / str(ranks) for ranks in found}
        jobs = {}
        for ranks, folder in folders.items():
            folder.mkdir()
            jobs[ranks] = subprocess.Popen([launcher, "-n", str(ranks), *command, str(folder)])
            told(folder / "ready", jobs[ranks])
        for number in range(options.rounds):
            for ranks, folder in folders.items():
                (folder / f"go-{number}").touch()
                found[ranks].append(told(folder / f"done-{number}", jobs[ranks]))
    for process in jobs.values():
        process.wait()
    medians = {ranks: [statistics.median(seconds) for seconds in rounds] for ranks, rounds in found.items()}
    for ranks, rounds in found.items():
        ratio = statistics.median(mine / one for mine, one in zip(medians[ranks], medians[1], strict=True))
        quickest = statistics.median(min(seconds) for seconds in zip(*rounds, strict=True))
        print(
            f"{ranks} rank{'s' * (ranks > 1)}: median {1e3 * statistics.median(medians[ranks]):.2f} ms,",
            f"{ratio:.3f} of one process (median of {options.rounds} rounds),",
            f"quickest of each root {1e3 * quickest:.2f} ms",
        )


if __name__ == "__main__":
    main()
