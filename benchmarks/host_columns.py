"""BFS and PageRank with columns on the host next to the device, and the share of the bus's rate that they reach.

python -m benchmarks host_columns --scale 22 --backend cuda
"""

from __future__ import annotations

import statistics
from functools import partial

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Matrix, agg, algorithms, generators, trace

from .common import Table, interleaved, parser, report, seconds

SECTOR = 32  # bytes: the least that a read over the bus brings
ROUNDS = 20
COPIES = 5


def searched_bytes(A: Matrix, source: int) -> int:
    """What a search reads of the columns: all edges of a frontier that is pushed; in a pull those of the rows that find
    nothing, and a sector of those that do."""
    with trace() as t:
        levels = algorithms.bfs(A, source).to_dense(fill_value=-1)
    degrees = A.reduce_rowwise(agg.count).new().to_dense(fill_value=0)
    total = 0
    for level, step in enumerate(t.steps()):
        found = levels == level + 1
        if step.direction == "push":
            total += 4 * int(degrees[levels == level].sum())
        else:
            missed = (levels < 0) | (levels > level + 1)
            total += SECTOR * int(np.count_nonzero(found)) + 4 * int(degrees[missed].sum())
    return total


def main(arguments: list[str] | None = None) -> int:
    own = {"scale": {"type": int, "default": 22, "help": "of the Kronecker graph"}}
    options = parser("host_columns", __doc__, "backend", "out", trials=5, **own).parse_args(arguments)
    with gb.using(options.backend):
        A = generators.kronecker(options.scale)
        B = A.to(columns="host")
        columns = B._store.indices
        rate = columns.nbytes / min(seconds(columns.copy, options.backend) for _ in range(COPIES))
        source = int(A.reduce_rowwise(agg.count).new().to_dense(fill_value=0).argmax())
        works = {
            "bfs": (partial(algorithms.bfs, source=source), searched_bytes(B, source)),
            f"pagerank, {ROUNDS} rounds": (partial(algorithms.pagerank, iterations=ROUNDS), ROUNDS * columns.nbytes),
        }
        table = Table(
            f"Kronecker {options.scale}, {A.nvals:,} entries, {rate / 1e9:.3g} GB/s over the bus",
            ["work", "device ms", "host ms", "times", "MB needed", "GB/s", "share of the bus"],
        )
        for name, (run, needed) in works.items():
            assert run(A).isclose(run(B), rel_tol=1e-6), f"{name}: the results differ"
            runs = {"device": partial(run, A), "host": partial(run, B)}
            times = interleaved(runs, options.trials, backend=options.backend)
            here, there = (statistics.median(times[where]) for where in runs)
            reached = needed / there
            table.add(name, here * 1e3, there * 1e3, there / here, needed / 1e6, reached / 1e9, reached / rate)
        report(options.out, "host_columns", table, [])
    return 0
