"""What a level of a distributed search costs: some searches on each transport, and levels that find next to nothing.

    mpiexec -n 4 python -m benchmarks.search_levels --scale 22 --roots 16 --validate 2

``overhead`` is the time of a level of searches along a path, whose frontiers have one vertex. GRBLAS_GPU_MPI_SEARCH and
GRBLAS_GPU_MPI_GRID say how ranks search.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import numpy as np

from grblas_gpu import trace
from grblas_gpu.distributed import DistMatrix, hybrid_bfs, validate_tree
from grblas_gpu.distributed.graph500 import choose_roots, finish

PATH = 400  # vertices


def say(engine: Any, *words: object) -> None:
    if engine.grid.rank == 0:
        print(*words, flush=True)


def slowest(engine: Any, seconds: float) -> float:
    return float(engine.grid.everyone.gather_small(np.array([seconds])).max())


def timed(engine: Any, A: Any, root: int) -> tuple[float, Any]:
    """Seconds of the slowest rank, and the tree."""
    engine.grid.everyone.add_up([0])
    begun = time.perf_counter()
    parents = hybrid_bfs(A, root)
    parents.nvals
    finish(engine)
    return slowest(engine, time.perf_counter() - begun), parents


def use(engine: Any, transport: str) -> None:
    """From the next search on."""
    engine.exchanges.clear()
    engine.transport = transport


def overhead(engine: Any, times: int) -> tuple[float, float]:
    """Seconds of a level with next to nothing to do: the least and the median of some searches."""
    ends = np.arange(PATH - 1)
    mine = ends if engine.grid.rank == 0 else ends[:0]
    path = DistMatrix.from_parts(mine, mine + 1, nrows=PATH, ncols=PATH, undirected=True)
    hybrid_bfs(path, 0)
    seconds = [timed(engine, path, 0)[0] / PATH for _ in range(times)]
    return min(seconds), statistics.median(seconds)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=int, default=18)
    parser.add_argument("--roots", type=int, default=16)
    parser.add_argument("--validate", type=int, default=2, help="how many of the trees")
    parser.add_argument("--paths", type=int, default=9, help="searches along a path")
    parser.add_argument("--transports", default="", help="others than the usual one, separated by commas")
    options = parser.parse_args()
    begun = time.perf_counter()
    A: Any = DistMatrix.kronecker(options.scale)
    engine = A._engine
    degrees = engine.degrees(A._store)
    made = time.perf_counter() - begun
    say(engine, f"scale {options.scale}, {engine.grid}, {engine.local.name}: made in {made:.1f} s")
    begun = time.perf_counter()
    roots = choose_roots(engine, degrees, A.nrows, options.roots, 1)
    hybrid_bfs(A, roots[0])
    say(engine, f"prepared in {time.perf_counter() - begun:.1f} s")
    with trace() as t:
        hybrid_bfs(A, roots[0])
    say(engine, t)
    for transport in [engine.transport, *filter(None, options.transports.split(","))]:
        if transport != engine.transport:
            use(engine, transport)
            hybrid_bfs(A, roots[0])
        seconds, rates = [], []
        for root in roots:
            taken, parents = timed(engine, A, root)
            edges = engine.grid.everyone.add_up([degrees.edges(parents._store.part)])[0] // 2
            seconds.append(taken)
            rates.append(edges / taken)
        least, usual = overhead(engine, options.paths)
        say(
            engine,
            f"{transport or 'products'}: median {1e3 * statistics.median(seconds):.3f} ms,",
            f"least {1e3 * min(seconds):.3f} ms,",
            f"median {statistics.median(rates) / 1e9:.2f} GTEPS,",
            f"a level of next to nothing takes {1e6 * least:.0f} us (median {1e6 * usual:.0f})",
        )
    for root in roots[: options.validate]:
        result = validate_tree(A, root, hybrid_bfs(A, root))
        say(engine, "tree of root", root, "valid" if result.ok else f"WRONG: {result}")


if __name__ == "__main__":
    main()
