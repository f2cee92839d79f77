"""What a fresh process waits for: imports, the first search, the second. The cache on disk is full already.

python benchmarks/first_use.py --scale 16
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from grblas_gpu import generators

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
LABELS = ("import numpy", "import grblas_gpu", "build the matrix", "first dobfs", "second dobfs")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=int, default=16, help="2**scale vertices of a Kronecker graph")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    rows, cols, n = generators.kronecker_edges(options.scale)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.npz"
        np.savez(path, rows=rows, cols=cols, n=n)
        command = [sys.executable, "-c", CHILD, str(path)]
        runs = []
        for _ in range(1 + options.repeat):  # the very first one fills the cache and is not counted
            done = subprocess.run(command, env=os.environ, check=True, capture_output=True, text=True)
            runs.append([float(x) for x in done.stdout.split()])
    print(f"{'seconds in a second process':30}median of {options.repeat}")
    for label, values in zip(LABELS, zip(*runs[1:], strict=True), strict=True):
        print(f"{label:30}{statistics.median(values):.3f}")


if __name__ == "__main__":
    main()
