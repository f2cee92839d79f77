"""What a changed graph costs: a search after insertions next to one without, and ranks repaired next to ranks anew.

python -m benchmarks changes --scale 22 --backend cuda
"""

import statistics
from collections.abc import Callable

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, agg, algorithms, generators
from grblas_gpu.bench.harness import WARM_UP

from .common import Table, host, interleaved, parser, report

ERROR = 1e-8  # of all ranks together
SKIPPED = 7  # entries, of which one is drawn from


def main(arguments: list[str] | None = None) -> int:
    own = {
        "scale": {"type": int, "default": 20, "help": "of the Kronecker graph"},
        "inserted": {"type": int, "default": 10_000, "help": "edges before a search"},
        "changed": {"type": int, "default": 1000, "help": "edges before ranks are repaired"},
    }
    options = parser("changes", __doc__, "backend", "out", trials=5, **own).parse_args(arguments)
    random = np.random.default_rng(1)
    with gb.using(options.backend):
        A = generators.kronecker(options.scale)
        n, columns = A.nrows, host(A._store.indices[::SKIPPED])
        source = int(A.reduce_rowwise(agg.count).new().to_dense(fill_value=0).argmax())
        tol, exactly = ERROR / n, {"tol": 1e-14 / n, "max_iterations": 1000}

        def drawn(count: int) -> tuple[np.ndarray, np.ndarray]:
            """Edges in both directions, of vertices with edges."""
            u, v = random.choice(columns, (2, count))
            return np.r_[u, v], np.r_[v, u]

        def inserted_and_searched() -> Vector:
            B.update(*edges.pop(), True, dup_op="any")
            return algorithms.bfs(B, source)

        def repaired() -> Vector:
            return algorithms.pagerank(C, start=old, changed=changed, tol=tol, max_iterations=1000)

        def anew() -> Vector:
            return algorithms.pagerank(C, tol=tol, max_iterations=1000)

        def medians(runs: dict[str, Callable[[], object]]) -> list[float]:
            times = interleaved(runs, options.trials, backend=options.backend)
            return [1e3 * statistics.median(times[name]) for name in runs]

        B, C, old = A.dup(), A.dup(), algorithms.pagerank(A, **exactly)
        edges = [drawn(options.inserted) for _ in range(WARM_UP + options.trials + 1)]
        C.update(*drawn(options.changed), True, dup_op="any")
        changed = C.dup(mask=~A.S)
        changed = changed.dup(float)
        title = f"Kronecker {options.scale}, {A.nvals:,} entries"
        table = Table(title, ["work", "edges", "ms", "compared with", "ms", "difference in ms", "times"])
        after, before = medians({"after": inserted_and_searched, "before": lambda: algorithms.bfs(A, source)})
        levels = inserted_and_searched()
        assert levels.isequal(algorithms.bfs(Matrix.from_coo(*B.to_coo(), nrows=n, ncols=n), source)), "levels differ"
        table.add("insert, bfs", options.inserted, after, "bfs", before, after - before, after / before)
        right = algorithms.pagerank(C, **exactly).to_dense()
        mended, new = medians({"repaired": repaired, "anew": anew})
        table.add("pagerank, repaired", options.changed, mended, "anew", new, mended - new, new / mended)
        errors = [abs(run().to_dense() - right).sum() for run in (repaired, anew)]
        assert max(errors) < 3 * ERROR, f"ranks are wrong by {errors}"
        table.notes.append(f"the sum of all errors of ranks is {errors[0]:.1e} repaired, {errors[1]:.1e} anew")
        report(options.out, "changes", table, [])
    return 0
