"""BFS next to python-graphblas on Kronecker graphs and a grid; import time; the first BFS of a second process.

python benchmarks/bfs.py --scales 16 18
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import graphblas
import numpy as np

import grblas_gpu as gb
from grblas_gpu import algorithms, generators

CHILD = """
import sys, time
start = time.perf_counter()
import numpy as np
numpy_ready = time.perf_counter()
import grblas_gpu as gb
from grblas_gpu import algorithms
ready = time.perf_counter()
rows, cols, n = (np.load(sys.argv[1])[key] for key in ("rows", "cols", "n"))
A = gb.Matrix.from_coo(rows, cols, True, nrows=int(n), ncols=int(n), dtype=bool)
built = time.perf_counter()
algorithms.dobfs(A, int(rows[0])).nvals
first = time.perf_counter()
algorithms.dobfs(A, int(rows[0])).nvals
second = time.perf_counter()
print(numpy_ready - start, ready - numpy_ready, built - ready, first - built, second - first)
"""


def level_bfs(A: Any, source: int) -> Any:
    """The level BFS of the README, on python-graphblas."""
    levels = graphblas.Vector(int, A.nrows)
    frontier = graphblas.Vector.from_coo([source], [True], size=A.nrows)
    depth = 0
    while frontier.nvals:
        levels(frontier.S) << depth
        frontier(~levels.S, replace=True) << graphblas.semiring.lor_land(frontier @ A)
        depth += 1
    return levels


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scales", type=int, nargs="*", default=[16, 18])
    parser.add_argument("--grid", type=int, default=500, help="side of the grid")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    graphs = {f"kronecker {scale}": generators.kronecker_edges(scale) for scale in options.scales}
    graphs[f"grid {options.grid}"] = generators.grid_2d_edges(options.grid)

    print(f"{'milliseconds':16}{'entries':>12}{'bfs':>10}{'dobfs':>10}{'python-graphblas':>18}{'dobfs ratio':>13}")
    for name, (rows, cols, n) in graphs.items():
        A = gb.Matrix.from_coo(rows, cols, True, nrows=n, ncols=n, dtype=bool)
        G = graphblas.Matrix.from_coo(rows, cols, True, nrows=n, ncols=n, dtype=bool)
        source = int(rows[0])
        contenders: list[Callable[[], Any]] = [
            lambda A=A, s=source: algorithms.bfs(A, s),
            lambda A=A, s=source: algorithms.dobfs(A, s),
            lambda G=G, s=source: level_bfs(G, s),
        ]
        reached = {run().nvals for run in contenders}  # warm-up, and a check that they agree
        if len(reached) != 1:
            raise SystemExit(f"{name}: the searches reach different numbers of vertices: {sorted(reached)}")
        bfs, dobfs, theirs = interleaved(contenders, options.repeat)
        print(f"{name:16}{len(rows):12,}{bfs:10.2f}{dobfs:10.2f}{theirs:18.2f}{dobfs / theirs:13.2f}")
    first_use(next(iter(graphs.values())), options.repeat)


def interleaved(contenders: list[Callable[[], Any]], repeat: int) -> list[float]:
    times: list[list[float]] = [[] for _ in contenders]
    for _ in range(repeat):
        for run, mine in zip(contenders, times, strict=True):
            start = time.perf_counter()
            run().nvals
            mine.append((time.perf_counter() - start) * 1e3)
    return [statistics.median(mine) for mine in times]


def first_use(graph: generators.Edges, repeat: int) -> None:
    """Seconds in a fresh process; the very first one fills the cache on disk and is not counted."""
    rows, cols, n = graph
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.npz"
        np.savez(path, rows=rows, cols=cols, n=n)
        command = [sys.executable, "-c", CHILD, str(path)]
        runs = []
        for _ in range(1 + repeat):
            done = subprocess.run(command, env=os.environ, check=True, capture_output=True, text=True)
            runs.append([float(x) for x in done.stdout.split()])
    labels = ("import numpy", "import grblas_gpu", "build the matrix", "first dobfs", "second dobfs")
    print(f"\n{'seconds in a second process':30}median of {repeat}")
    for label, values in zip(labels, zip(*runs[1:], strict=True), strict=True):
        print(f"{label:30}{statistics.median(values):.3f}")


if __name__ == "__main__":
    main()
