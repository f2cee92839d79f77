"""BFS and PageRank with columns on the host next to the device, and the share of the bus's rate that they reach.

python -m benchmarks host_columns --scale 22 --backend cuda
python -m benchmarks host_columns --scale 27 --backend cuda --limit 4    # GiB of the device: a graph that does not fit
"""

import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Matrix, agg, algorithms, generators, trace
from grblas_gpu.bench.verify import check_levels

from .common import Table, interleaved, parser, report, seconds

SECTOR = 32  # bytes: the least that a read over the bus brings
ROUNDS = 20
COPIES, COPIED = 5, 2**28  # and columns in each


def searched_bytes(A: Matrix, source: int) -> int:
    """What a search reads of the columns: all edges of a frontier that is pushed; in a pull those of the rows that find
    nothing, and a sector of those that do."""
    with trace() as t:
        levels = algorithms.bfs(A, source).to_dense(fill_value=-1).astype(np.int8)
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


def limit_memory(gigabytes: float) -> None:
    import cupy

    cupy.get_default_memory_pool().set_limit(size=int(gigabytes * 2**30))


@contextmanager
def no_limit(backend: str) -> Iterator[None]:
    """Without the limit of memory: a verification keeps what the library does not."""
    if backend == "cpu":
        yield
        return
    import cupy

    before = cupy.get_default_memory_pool().get_limit()
    limit_memory(0)
    yield
    cupy.get_default_memory_pool().free_all_blocks()
    limit_memory(before / 2**30)


def main(arguments: list[str] | None = None) -> int:
    own = {
        "scale": {"type": int, "default": 22, "help": "of the Kronecker graph"},
        "limit": {"type": float, "default": 0, "help": "GiB of the device for a graph that is on the host alone"},
    }
    options = parser("host_columns", __doc__, "backend", "out", trials=5, **own).parse_args(arguments)
    if options.limit and options.backend == "cuda":
        limit_memory(options.limit)
    with gb.using(options.backend):
        start = time.perf_counter()
        A = generators.kronecker(options.scale)
        built = time.perf_counter() - start
        B = A if A.ss.nbytes_on_host else A.to(columns="host")
        places = {"host": B} if options.limit else {"device": A, "host": B}
        columns = B._store.indices
        part = columns[:COPIED]
        rate = part.nbytes / min(seconds(part.copy, options.backend) for _ in range(COPIES))
        source = int(B.reduce_rowwise(agg.count).new().to_dense(fill_value=0).argmax())
        levels = algorithms.bfs(B, source).to_dense(fill_value=-1).astype(np.int8)
        print(f"built in {built:.3g} s; a search reaches {np.count_nonzero(levels >= 0):,} vertices")
        with no_limit(options.backend):
            check_levels(B._store.indptr, columns, B._engine.array(levels), source)
        works = {
            "bfs": (partial(algorithms.bfs, source=source), searched_bytes(B, source)),
            f"pagerank, {ROUNDS} rounds": (partial(algorithms.pagerank, iterations=ROUNDS), ROUNDS * columns.nbytes),
        }
        if options.limit:  # vectors of ranks would take as much as there is
            works.popitem()
        table = Table(
            f"Kronecker {options.scale}, {A.nvals:,} entries, {rate / 1e9:.3g} GB/s over the bus",
            ["work", "device ms", "host ms", "times", "MB needed", "GB/s", "share of the bus"],
        )
        for name, (run, needed) in works.items():
            assert A is B or run(A).isclose(run(B), rel_tol=1e-6), f"{name}: the results differ"
            times = interleaved(
                {where: partial(run, graph) for where, graph in places.items()}, options.trials, backend=options.backend
            )
            there, here = (1e3 * statistics.median(times.get(where, [0])) for where in ("host", "device"))
            reached = needed / there * 1e3
            ratio = there / here if here else None
            table.add(name, here or None, there, ratio, needed / 1e6, reached / 1e9, reached / rate)
        report(options.out, "host_columns", table, [])
    return 0
