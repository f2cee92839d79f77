"""Two breadth-first searches on a Kronecker graph, with a record of each level; python-graphblas checks the results.

python examples/demo.py --scale 16

Where python-graphblas cannot be installed (Python 3.14), SciPy checks the results.
"""

import argparse
import importlib.metadata
import importlib.util
import statistics
import time

import numpy as np
from bfs_two_libraries import load

import grblas_gpu as gb
from grblas_gpu import algorithms, generators


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=int, default=16, help="2**scale vertices (default: 16)")
    parser.add_argument("--edge-factor", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--source", type=int, help="default: a vertex of largest degree")
    parser.add_argument("--repeat", type=int, default=5, help="timed runs, after one to warm up; the median is shown")
    options = parser.parse_args()

    start = time.perf_counter()
    rows, cols, n = generators.kronecker_edges(options.scale, options.edge_factor, seed=options.seed)
    A = generators.kronecker(options.scale, options.edge_factor, seed=options.seed)
    source = options.source if options.source is not None else int(np.argmax(np.bincount(rows, minlength=n)))
    print(f"Kronecker graph, scale {options.scale}: {n:,} vertices, {len(rows):,} entries, source {source}", end="")
    print(f"  ({time.perf_counter() - start:.1f} s to make)")

    ours = load("grblas_gpu")
    contenders = {
        "algorithms.bfs": lambda: algorithms.bfs(A, source),
        "algorithms.dobfs": lambda: algorithms.dobfs(A, source),
        "the ten lines": lambda: ours(A, source),
    }
    if importlib.util.find_spec("graphblas") is not None:
        import graphblas

        G = graphblas.Matrix.from_coo(rows, cols, True, nrows=n, ncols=n, dtype=bool)
        theirs = load("graphblas")
        judge, expected = "python-graphblas", theirs(G, source).to_coo()
        contenders["the ten lines, python-graphblas"] = lambda: theirs(G, source)
    else:
        judge, expected = "scipy", levels_by_scipy(A, source)
    for name, run in contenders.items():
        check(name, run().to_coo(), expected, judge)  # also the warm-up
    times = medians(contenders, options.repeat)
    for name in ("algorithms.bfs", "algorithms.dobfs"):
        with gb.trace() as trace:
            contenders[name]()
        show_levels(name, trace)

    print(f"\nAll levels equal those of {judge} ({len(expected[0]):,} vertices reached).")
    print(f"\n{'median of ' + str(options.repeat):34}{'ms':>10}")
    for name, seconds in times.items():
        print(f"{name:34}{seconds * 1e3:10.2f}")
    print(f"\n{judge} {importlib.metadata.version(judge)}, grblas_gpu {gb.__version__}")


def levels_by_scipy(A: gb.Matrix, source: int):
    from scipy.sparse.csgraph import shortest_path

    levels = shortest_path(gb.io.to_scipy_sparse(A), unweighted=True, indices=source)
    (reached,) = np.nonzero(np.isfinite(levels))
    return reached, levels[reached].astype(int)


def check(name: str, got, expected, judge: str) -> None:
    order = np.argsort(got[0])
    if not (np.array_equal(got[0][order], expected[0]) and np.array_equal(got[1][order], expected[1])):
        raise SystemExit(f"{name}: the levels differ from those of {judge}")


def medians(contenders, repeat: int) -> dict[str, float]:
    """Median times in seconds. The libraries take turns, so that a slow moment of the machine affects all."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(repeat):
        for name, run in contenders.items():
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(mine) for name, mine in times.items()}


def show_levels(name: str, trace) -> None:
    print(f"\n{name}")
    print(f"{'level':>5} {'frontier':>10} {'edges':>12}  {'strategy':14} {'found':>10} {'ms':>8}  why")
    products = [record for record in trace.records if record.op in ("vxm", "mxv")]
    for level, r in enumerate(products):
        print(
            f"{level:5} {number(r.input_nvals):>10} {number(r.input_edges):>12}  {r.strategy or r.direction or '':14}"
            f" {number(r.output_nvals):>10} {r.seconds * 1e3:8.3f}  {r.reason or ''}"
        )


def number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


if __name__ == "__main__":
    main()
