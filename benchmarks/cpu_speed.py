"""The CPU engine next to python-graphblas (SuiteSparse:GraphBLAS) and a fused loop: is it as fast as we want it to be?

All use the same number of threads, take turns in one process, and are checked before they are timed; medians.

    python -m benchmarks cpu_speed --runs 3 --output cpu_speed.json
"""

from __future__ import annotations

import statistics
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grblas_gpu as gb
from grblas_gpu.backends.cpu import pool
from grblas_gpu.bench.harness import WARM_UP, compiling

from .common import Table, describe, parser, seconds, write

if TYPE_CHECKING:
    from .cases_cpu import Work

BUDGET = 3.0  # seconds for each work and run
TRIALS = (5, 40)  # least and most of each input
PAUSE = 0.02  # seconds before each: threads of the previous library may still spin


def measure(work: Work) -> list[dict[str, Any]]:
    """A row for each rival: medians, our speed-up, and the speed-up that we want."""
    runs = {"ours": work.ours, **{rival.name: rival.run for rival in work.rivals}}
    for given in work.inputs:
        for _ in range(WARM_UP):  # kernels are compiled after some calls
            with compiling():
                work.ours(given)
        work.check(given, work.ours(given), [rival.run(given) for rival in work.rivals])
    one_round = sum(seconds(partial(run, work.inputs[0]), times=work.repeat) for run in runs.values()) * work.repeat
    trials = max(TRIALS[0], min(TRIALS[1], int(BUDGET / (one_round * len(work.inputs)))))
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(trials):
        for given in work.inputs:
            for name, run in runs.items():
                time.sleep(PAUSE)
                times[name].append(seconds(partial(run, given), times=work.repeat))
    medians = {name: statistics.median(found) * 1e3 for name, found in times.items()}

    def row(name: str, target: float) -> dict[str, Any]:
        found = {"work": work.name, "against": name, "ours_ms": medians["ours"], "theirs_ms": medians[name]}
        return {**found, "ratio": medians[name] / medians["ours"], "target": target}

    return [row(rival.name, rival.target) for rival in work.rivals]


def table(rows: list[dict[str, Any]], title: str) -> Table:
    """The measurements as a table."""
    shown = Table(title, ["work", "against", "ours ms", "theirs ms", "ratio", "target", "reached"])
    for row in rows:
        shown.add(*row.values(), "yes" if row["ratio"] >= row["target"] else "NO")
    reached = shown.column("reached").count("yes")
    shown.notes = [f"ratio: theirs over ours; {reached} of {len(rows)} reach the target"]
    return shown


def main(arguments: list[str] | None = None) -> int:
    runs = {"type": int, "default": 1, "help": "how many times to measure everything"}
    only = {"metavar": "TEXT", "default": "", "help": "works with this in their names"}
    output = {"metavar": "FILE", "type": Path, "help": "write the numbers as JSON"}
    options = parser("cpu_speed", __doc__, "small", runs=runs, only=only, output=output).parse_args(arguments)
    from . import suitesparse
    from .cases_cpu import all_works

    threads = pool.threads()
    suitesparse.set_threads(threads)
    found: list[list[dict[str, Any]]] = [[] for _ in range(options.runs)]
    with gb.using("cpu"):
        for group in all_works(options.small, threads):
            works = [work for work in group() if options.only.lower() in work.name.lower()]
            for rows in found:
                for work in works:
                    print(f"  {time.strftime('%H:%M:%S')} {work.name}", file=sys.stderr)
                    rows += measure(work)
    for number, rows in enumerate(found, 1):
        print(table(rows, f"The CPU engine, {threads} threads, run {number} of {options.runs}"), end="\n\n")
    if options.output:
        write(options.output.parent, options.output.stem, {**describe(), "threads": threads, "runs": found})
    return 0
