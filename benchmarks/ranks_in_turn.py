"""Ranks of one machine next to one process with as many threads as it has cores: the same searches, in turn.

    python -m benchmarks ranks_in_turn --scale 18 --ranks 2,4 --rounds 15

All jobs hold the graph from the start, and one at a time searches, the others asleep. On a machine that others use,
too, the ratio of two medians of one round says more than any time.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .common import parser
from .scaling import launcher

ROOTS = 16
NAP = 0.02  # seconds between polls for a file


def job(folder: Path, scale: int) -> None:
    """Search whenever it is this job's turn, until the folder is removed."""
    from grblas_gpu.distributed import DistMatrix
    from grblas_gpu.distributed.graph500 import choose_roots

    from .search_levels import timed

    A = DistMatrix.kronecker(scale)
    engine = A._engine
    roots = choose_roots(engine, engine.degrees(A._store), A.nrows, ROOTS, 1)

    def search(some: list[int], file: Path) -> None:
        seconds = [timed(engine, A, root)[0] for root in some]
        if engine.grid.rank == 0:
            (folder / "new").write_text(json.dumps(seconds), encoding="utf-8")
            (folder / "new").rename(file)

    search(roots[:3], folder / "ready")
    number = 0
    while folder.exists():
        if (folder / f"go-{number}").exists():
            timed(engine, A, roots[0])
            search(roots, folder / f"done-{number}")
            number += 1
        else:
            time.sleep(NAP)


def told(file: Path, process) -> list[float]:
    while not file.exists():
        if process.poll() is not None:
            raise RuntimeError(f"a job ended with {process.returncode}")
        time.sleep(NAP)
    return json.loads(file.read_text(encoding="utf-8"))


def main(arguments: list[str] | None = None) -> int:
    ranks = {"default": "2,4", "help": "separated by commas"}
    hidden = {"type": Path, "help": "for the jobs that this starts"}
    options = parser("ranks_in_turn", __doc__, scale=18, rounds=15, ranks=ranks, job=hidden).parse_args(arguments)
    if options.job is not None:
        job(options.job, options.scale)
        return 0
    command = [sys.executable, "-m", "benchmarks", "ranks_in_turn", "--scale", str(options.scale), "--job"]
    found: dict[int, list[list[float]]] = {1: [], **{int(count): [] for count in options.ranks.split(",")}}
    with tempfile.TemporaryDirectory() as scratch:
        folders, jobs = {count: Path(scratch) / str(count) for count in found}, {}
        for count, folder in folders.items():
            folder.mkdir()
            jobs[count] = subprocess.Popen([launcher(), "-n", str(count), *command, str(folder)])
            told(folder / "ready", jobs[count])
        for number in range(options.rounds):
            for count, folder in folders.items():
                (folder / f"go-{number}").touch()
                found[count].append(told(folder / f"done-{number}", jobs[count]))
    for process in jobs.values():
        process.wait()
    medians = {count: [statistics.median(seconds) for seconds in rounds] for count, rounds in found.items()}
    for count, rounds in found.items():
        ratio = statistics.median(mine / one for mine, one in zip(medians[count], medians[1], strict=True))
        quickest = statistics.median(min(seconds) for seconds in zip(*rounds, strict=True))
        median = f"{count} rank{'s' * (count > 1)}: median {1e3 * statistics.median(medians[count]):.2f} ms"
        print(f"{median}, {ratio:.3f} of one process (median of {options.rounds} rounds),", end=" ")
        print(f"quickest of each root {1e3 * quickest:.2f} ms")
    return 0
