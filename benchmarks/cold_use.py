"""What the first use of an operation takes in a fresh process whose kernel caches are empty, its operands included.

Imports and a matrix of CSR arrays are there before.

python -m benchmarks.cold_use --jobs 8
python -m benchmarks.cold_use --only "dobfs|transpose"
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grblas_gpu as gb
from grblas_gpu import algorithms

from .machine import has_cuda
from .operation_cases import GRAPHS, OPERATIONS, Case
from .text_tables import Table

WANTED = 1.0  # seconds
LONGEST = 120.0
SEARCHES: dict[str, Callable[[gb.Matrix], Any]] = {
    "bfs": lambda A: algorithms.bfs(A, 0),
    "dobfs": lambda A: algorithms.dobfs(A, 0),
    "betweenness_centrality": lambda A: algorithms.betweenness_centrality(A, sources=[0, 1]),
    "pagerank": algorithms.pagerank,
    "sssp": lambda A: algorithms.sssp(A, 0),
    "connected_components": algorithms.connected_components,
    "triangle_count": algorithms.triangle_count,
}


def first_calls(name: str, backend: str) -> list[float]:
    """Seconds of the first call and of the second, in this process."""
    with gb.using(backend):
        operation = next((each for each in OPERATIONS if each.name == name), None)
        graph = "rmat20_16" if operation is None or "rmat20_16" in operation.graphs else operation.graphs[0]
        case = Case(GRAPHS[graph].small(), "FP32", backend)
        run = (lambda: SEARCHES[name](case.A)) if operation is None else (lambda: operation.ours(case))
        return [_seconds(run, backend), _seconds(run, backend)]


def _seconds(run: Callable[[], Any], backend: str) -> float:
    start = time.perf_counter()
    run()
    if backend == "cuda":
        import cupy

        cupy.cuda.runtime.deviceSynchronize()
    return time.perf_counter() - start


def in_a_fresh_process(name: str, backend: str) -> list[float] | str:
    """The same there, with empty caches; or what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        caches = {
            "CUPY_CACHE_DIR": f"{folder}/cupy",
            "GRBLAS_GPU_CACHE_DIR": f"{folder}/own",
            "CUDA_CACHE_DISABLE": "1",
        }
        os.mkdir(caches["GRBLAS_GPU_CACHE_DIR"], 0o700)
        command = [sys.executable, "-m", __spec__.name, "--backend", backend, "--child", name]
        try:
            done = subprocess.run(
                command, env={**os.environ, **caches}, capture_output=True, text=True, timeout=LONGEST, check=True
            )
        except subprocess.TimeoutExpired:
            return f"more than {LONGEST:.0f} s"
        except subprocess.CalledProcessError as error:
            return (error.stderr.splitlines() or ["failed"])[-1][:80]
        found: list[float] = json.loads(done.stdout.splitlines()[-1])
        return found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.cold_use", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--backend", choices=["cpu", "cuda"], default="cuda" if has_cuda() else "cpu")
    parser.add_argument("--only", metavar="REGEX", default="", help="operations whose name has a match")
    parser.add_argument(
        "--jobs", type=int, default=1, help="so many processes side by side, each compiling on one core"
    )
    parser.add_argument("--child", metavar="NAME", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        print(json.dumps(first_calls(options.child, options.backend)))
        return 0
    names = [name for name in (*SEARCHES, *(each.name for each in OPERATIONS)) if re.search(options.only, name)]
    with ThreadPoolExecutor(options.jobs) as pool:
        found = list(pool.map(lambda name: in_a_fresh_process(name, options.backend), names))
    table = Table(f"First use with empty caches, {options.backend}", ["operation", "first s", "second s", "remark"])
    for name, times in zip(names, found, strict=True):
        if isinstance(times, str):
            table.add(name, None, None, times)
        else:
            table.add(name, *times, "" if times[0] <= WANTED else f"more than {WANTED:g} s")
    print(table)
    return 1 if any(isinstance(times, str) for times in found) else 0


if __name__ == "__main__":
    sys.exit(main())
