"""The CPU engine next to python-graphblas (SuiteSparse:GraphBLAS) and a fused loop: is it as fast as we want it to be?

All use the same number of threads, take turns in one process, and are checked before they are timed; medians.

    python -m benchmarks.cpu_speed --runs 3 --output cpu_speed.json
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grblas_gpu as gb
from grblas_gpu.backends.cpu import pool

from .cpu_works import Work, all_works
from .harness import WARM_UP, compiling
from .machine import describe
from .text_tables import Table

BUDGET = 3.0  # seconds for each work and run
TRIALS = (5, 40)  # at least and at most, of each input
PAUSE = 0.02  # seconds before each: the threads of whoever ran before may still be spinning


def measure(work: Work) -> list[dict[str, Any]]:
    """A row for each rival: medians, how many times faster we are, and how many times we want to be."""
    runs: dict[str, Callable[[Any], Any]] = {"ours": work.ours, **{rival.name: rival.run for rival in work.rivals}}
    for given in work.inputs:
        for _ in range(WARM_UP):  # kernels are compiled when they have proved useful
            with compiling():
                work.ours(given)
        work.check(given, work.ours(given), [rival.run(given) for rival in work.rivals])
    one_round = sum(_taken(run, work.inputs[0], work.repeat) for run in runs.values()) * work.repeat
    trials = max(TRIALS[0], min(TRIALS[1], int(BUDGET / (one_round * len(work.inputs)))))
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(trials):
        for given in work.inputs:
            for name, run in runs.items():
                time.sleep(PAUSE)
                times[name].append(_taken(run, given, work.repeat))
    medians = {name: statistics.median(found) * 1e3 for name, found in times.items()}
    return [
        {
            "work": work.name,
            "against": rival.name,
            "ours_ms": medians["ours"],
            "theirs_ms": medians[rival.name],
            "ratio": medians[rival.name] / medians["ours"],
            "asked": rival.asked,
        }
        for rival in work.rivals
    ]


def _taken(run: Callable[[Any], Any], given: Any, times: int) -> float:
    """Seconds of one of so many calls."""
    start = time.perf_counter()
    for _ in range(times):
        run(given)
    return (time.perf_counter() - start) / times


def table(rows: list[dict[str, Any]], title: str) -> Table:
    """What was measured, for people."""
    shown = Table(title, ["work", "against", "ours ms", "theirs ms", "ratio", "asked", "reached"])
    for row in rows:
        reached = "yes" if row["ratio"] >= row["asked"] else "NO"
        shown.add(row["work"], row["against"], row["ours_ms"], row["theirs_ms"], row["ratio"], row["asked"], reached)
    reached = sum(row["ratio"] >= row["asked"] for row in rows)
    shown.notes = [f"ratio: theirs over ours; {reached} of {len(rows)} as asked"]
    return shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1, help="how many times to measure everything")
    parser.add_argument("--small", action="store_true", help="sizes that take seconds")
    parser.add_argument("--only", metavar="TEXT", default="", help="works with this in their names")
    parser.add_argument("--output", metavar="FILE", help="write the numbers as JSON")
    options = parser.parse_args()
    from . import suitesparse

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
        result = {**describe(), "threads": threads, "runs": found}
        Path(options.output).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
