"""Random operations, loops, algorithms and files for a given time, with bounded memory, disk and handles.

python tests/soak --minutes 60
"""

import argparse
import contextlib
import gc
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
from fault_operations import MATRICES, VECTORS, matrix, vector

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, algorithms, binary, generators, io, semiring

WARM_UP = 0.25  # of the time: kernels are compiled, pools fill
MEMORY, HANDLES, THREADS, DISK = 100 * 2**20, 20, 4, 2**20  # how much more may be in use at the end than after that
SIZES = (50, 3000, 20_000)


def operation(source: random.Random, folder: Path) -> str:
    size = source.choice(SIZES)
    if source.random() < 0.6:
        name = source.choice([name for name in VECTORS if size > 2000 or name not in ("resize", "assign a region")])
        VECTORS[name](
            *(vector(source.randrange(9), size, source.choice((0, size // 50, size // 2, size))) for _ in "wum")
        )
        return f"vectors: {name}"
    name = source.choice(list(MATRICES))
    MATRICES[name](matrix(min(size, 3000)), *(vector(source.randrange(9), min(size, 3000), size // 60) for _ in "wu"))
    return f"matrices: {name}"


def loop(source: random.Random, folder: Path) -> str:
    A = matrix(source.choice((50, 3000))).pattern()
    levels, frontier = Vector(int, A.nrows), Vector.from_coo([source.randrange(A.nrows)], [True], size=A.nrows)
    with gb.config.set(loops=source.choice(("recorded", "iterated", "auto"))):
        for depth in gb.loop(frontier):
            levels(frontier.S) << depth
            frontier(~levels.S, replace=True) << semiring.lor_land(frontier @ A)
    return "loop"


def algorithm(source: random.Random, folder: Path) -> str:
    A = generators.kronecker(source.choice((5, 8, 10)), seed=source.randrange(5))
    name = source.choice("bfs connected_components pagerank triangle_count sssp core_numbers".split())
    found = getattr(algorithms, name, None)
    if found is None:
        return "algorithm: none of that name"
    found(A, 0) if name in ("bfs", "sssp") else found(A)
    return f"algorithm: {name}"


def file(source: random.Random, folder: Path) -> str:
    A = matrix(source.choice((50, 3000)), source.randrange(5))
    write, read, suffix = source.choice(
        [
            (io.save, io.load, ".grb"),
            (io.mmwrite, io.mmread, ".mtx"),
            (io.save_npz, io.load_npz, ".npz"),
            (io.write_edgelist, lambda path: io.read_edgelist(path, nrows=A.nrows, ncols=A.ncols), ".txt"),
        ]
    )
    path = folder / f"{source.randrange(3)}{suffix}"
    write(path, A)
    found: Matrix = read(path)
    assert found.nvals == A.nvals
    path.write_bytes(path.read_bytes()[: source.randrange(200)])
    with contextlib.suppress(ValueError):
        read(path)
    return f"file: {suffix}"


def failure(source: random.Random, folder: Path) -> str:
    """Exceptions must not keep anything either."""
    for wrong in (
        lambda: Vector(int, 3) << Vector(int, 4),
        lambda: Matrix.from_coo([5], [5], 1, nrows=2),
        lambda: binary.nothing,
    ):
        with contextlib.suppress(Exception):
            wrong()
    return "failure"


KINDS: list[Callable[[random.Random, Path], str]] = [operation, operation, operation, loop, algorithm, file, failure]


def in_use(folder: Path) -> dict[str, int]:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    disk = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    handles = len(os.listdir("/proc/self/fd"))
    return {
        "memory": pages * os.sysconf("SC_PAGE_SIZE"),
        "handles": handles,
        "threads": threading.active_count(),
        "disk": disk,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    source, done = random.Random(options.seed), Counter[str]()
    start = time.monotonic()
    end, before = start + 60 * options.minutes, None
    np.seterr(all="ignore")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        while time.monotonic() < end:
            done[source.choice(KINDS)(source, folder)] += 1
            if before is None and time.monotonic() - start > WARM_UP * 60 * options.minutes:
                before = in_use(folder)
        after = in_use(folder)
    assert before is not None
    print(f"{sum(done.values())} steps of {len(done)} kinds in {options.minutes:g} minutes")
    allowed, failed = {"memory": MEMORY, "handles": HANDLES, "threads": THREADS, "disk": DISK}, False
    for what, most in allowed.items():
        grown = after[what] - before[what]
        failed |= grown > most
        print(
            f"{what}: {before[what]} after warming up, {after[what]} at the end{', TOO MUCH' if grown > most else ''}"
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
