"""What a fresh process waits for: imports, a matrix, and the first and second call of an operation or algorithm.

python -m benchmarks first_use                                  # dobfs; the cache on disk is full already
python -m benchmarks first_use --cold --jobs 8 --only "."       # everything, each with empty caches
python -m benchmarks first_use --cold --only "dobfs|transpose"
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

WANTED, LONGEST = 1.0, 120.0  # seconds, with empty caches
PARTS = ["import numpy", "import grblas_gpu", "build the matrix", "first", "second"]
#: Searches and their sources; other names are those of operations.
SEARCHES: dict[str, tuple[Any, ...]] = {"bfs": (0,), "dobfs": (0,), "betweenness_centrality": ([0, 1],), "pagerank": ()}
SEARCHES |= {"sssp": (0,), "connected_components": (), "triangle_count": ()}


def child(name: str, scale: str, backend: str) -> None:
    """Seconds of each part in this process, for a search on a Kronecker graph or an operation on a small one."""
    clock = [time.perf_counter()]
    import numpy  # noqa: F401

    clock.append(time.perf_counter())
    import grblas_gpu as gb
    from grblas_gpu import algorithms, generators

    clock.append(time.perf_counter())
    from grblas_gpu.bench.machine import synchronize

    from .cases_operations import OPERATIONS, Case, pattern

    rows, cols, n = generators.kronecker_edges(int(scale))
    with gb.using(backend):
        start = time.perf_counter()
        if name in SEARCHES:
            A = gb.Matrix.from_coo(rows, cols, True, nrows=n, ncols=n, dtype=bool)
            calls = [(getattr(algorithms, name), A, *SEARCHES[name])] * 2
        else:
            (operation,) = (each for each in OPERATIONS if each.name == name)
            graph = "rmat20_16" if "rmat20_16" in operation.graphs else operation.graphs[0]
            calls = [(operation.ours, Case(pattern(graph, small=True), "FP32", backend))] * 2
        times = [
            *(after - before for before, after in zip(clock, clock[1:], strict=False)),
            time.perf_counter() - start,
        ]
        for run, *given in calls:
            start = time.perf_counter()
            getattr(run(*given), "nvals", 0)
            synchronize(backend)
            times.append(time.perf_counter() - start)
    print(*times)


def in_a_fresh_process(name: str, options: Any) -> list[float] | str:
    """The seconds in a new process, with empty caches if requested; or the error."""
    code = "import sys; from benchmarks.first_use import child; child(*sys.argv[1:])"
    command = [sys.executable, "-c", code, name, str(options.scale), options.backend]
    with tempfile.TemporaryDirectory() as folder:
        caches = {
            "CUPY_CACHE_DIR": f"{folder}/cupy",
            "GRBLAS_GPU_CACHE_DIR": f"{folder}/own",
            "CUDA_CACHE_DISABLE": "1",
        }
        Path(caches["GRBLAS_GPU_CACHE_DIR"]).mkdir(0o700)
        given: dict[str, Any] = {
            "env": os.environ | (caches if options.cold else {}),
            "timeout": LONGEST,
            "check": True,
        }
        try:
            done = subprocess.run(command, capture_output=True, text=True, **given)
        except subprocess.TimeoutExpired:
            return f"more than {LONGEST:.0f} s"
        except subprocess.CalledProcessError as error:
            return (error.stderr.splitlines() or ["failed"])[-1][:80]
        return [float(word) for word in done.stdout.splitlines()[-1].split()]


def main(arguments: list[str] | None = None) -> int:
    from grblas_gpu.bench.tables import Table

    from .cases_operations import OPERATIONS
    from .common import parser

    own: dict[str, Any] = {
        "cold": {"action": "store_true", "help": "empty caches: everything is compiled"},
        "repeat": {"type": int, "default": 5, "help": "processes, if caches are full, besides one that fills them"},
        "jobs": {"type": int, "default": 1, "help": "so many processes side by side, each compiling on one core"},
        "only": {"default": "^dobfs$", "metavar": "REGEX", "help": "names of searches and operations"},
        "scale": {"type": int, "default": 16, "help": "2**scale vertices of a Kronecker graph, for searches"},
    }
    options = parser("first_use", __doc__, "backend", **own).parse_args(arguments)
    names = [name for name in (*SEARCHES, *(each.name for each in OPERATIONS)) if re.search(options.only, name)]
    table = Table(f"Seconds of a fresh process, {options.backend}", ["operation", *PARTS, "remark"])

    def measured(name: str) -> list[Any]:
        return [in_a_fresh_process(name, options) for _ in range(1 if options.cold else 1 + options.repeat)]

    with ThreadPoolExecutor(options.jobs) as pool:
        for name, runs in zip(names, pool.map(measured, names), strict=True):
            failed = [found for found in runs if isinstance(found, str)]
            if failed:
                table.add(name, *[None] * len(PARTS), failed[0])
                continue
            times = [statistics.median(part) for part in zip(*runs[len(runs) > 1 :], strict=True)]
            table.add(name, *times, f"more than {WANTED:g} s" if options.cold and times[3] > WANTED else "")
    print(table)
    return int(any(row[1] is None for row in table.rows))
