"""The GAP benchmark: six kernels on Kron and Urand (and on graphs of files), by its rules, with independent verifiers.

python -m benchmarks gap --backend cuda --scale 27
python -m benchmarks gap --backend cuda --scale 27 --graph road=road.mtx --only tc
Rules: 64 sources for bfs and sssp, 16 trials for pr, cc and bc (four sources each), three for tc; lengths are integers
from 1 to 255; pr ends when ranks change by less than 1e-4 in sum; tc includes the renumbering of vertices.
Reference: S. Beamer, K. Asanovic, D. Patterson, The GAP benchmark suite, arXiv 1508.03619.
"""

import gc
import re
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Matrix, algorithms, generators
from grblas_gpu.bench import graph500
from grblas_gpu.cli.files import read_graph

from . import cases_gpu, library_checks, speed_checks
from .cases_gpu import Case
from .common import BenchmarkGraph, Table, WrongResult, compiling, first_line, parser, report, seconds, spread

EDGES = 16  # of a vertex in Kron and Urand
WARM_UP = 3  # runs before the timed ones
ENOUGH = 1e-4  # the change of all ranks that ends PageRank
COUNTABLE = 2**30  # entries up to which compiled loops of the host count the triangles in minutes


def lengths(case: Case) -> Matrix:
    return case.weighted if case.A.dtype == gb.dtypes.BOOL else case.A


def ranks(case: Case, sources: list[int]) -> gb.Vector:
    options = {"dangling": "drop", "tol": ENOUGH / case.A.nrows, "max_iterations": 1000, "weighted": False}
    return algorithms.pagerank(case.A, 0.85, **options)


# Verifiers: by the definition at every edge, by products and searches of SciPy or CuPy, or by compiled loops ---------


def check_search(case: Case, parents: Any, sources: list[int]) -> None:
    graph500.check_tree(case.A, sources[0], case.dense(parents, -1, np.int64))


def check_paths(case: Case, distances: Any, sources: list[int]) -> None:
    found, W = case.dense(distances, -1, np.float64), lengths(case)
    speed_checks.check_distances(*case.structure, W._store.values, found, sources[0])


def check_ranks(case: Case, found: Any, sources: list[int]) -> None:
    """One more step changes the ranks by less than the tolerance."""
    x, out = case.dense(found, 0.0, np.float64), case.degrees
    after = 0.15 / len(x) + 0.85 * (case.ones.T @ np.where(out > 0, x / np.maximum(out, 1), 0.0))
    if not float(abs(after - x).sum()) < ENOUGH:
        raise WrongResult("one more step changes the ranks by more than the tolerance")


def check_components(case: Case, labels: Any, sources: list[int]) -> None:
    if case.A.is_symmetric():
        cases_gpu.check_components(case, labels, sources[0])
    else:
        library_checks.components(library_checks.as_scipy(case.A), labels)


def check_scores(case: Case, scores: Any, sources: list[int]) -> None:
    if case.A.is_symmetric():
        searches = [(source, case.levels(source)) for source in dict.fromkeys(sources)]
        speed_checks.check_scores(scores.to_dense(fill_value=0.0), case.ones, case.structure, searches)
    else:
        library_checks.dependencies(library_checks.as_scipy(case.A), scores, sources)


def check_triangles(case: Case, count: int, sources: list[int]) -> None:
    undirected = case.A.pattern(loops=False, undirected=True)._store
    expected = int(speed_checks.count_triangles(*speed_checks.by_degree(undirected.indptr, undirected.indices)))
    if count != expected:
        raise WrongResult(f"{count} triangles instead of {expected}")


class Kernel(NamedTuple):
    """The number of trials, the sources of each, the timed call, and the verifier of its result."""

    trials: int
    sources: int
    run: Callable[[Case, list[int]], Any]
    check: Callable[[Case, Any, list[int]], None]
    prepare: Callable[[Case], Any] = lambda case: None


KERNELS = {
    "bfs": Kernel(64, 1, lambda case, some: algorithms.bfs_parents(case.A, some[0]), check_search),
    "sssp": Kernel(64, 1, lambda case, some: algorithms.sssp(lengths(case), some[0]), check_paths, lengths),
    "pr": Kernel(16, 0, ranks, check_ranks),
    "cc": Kernel(16, 0, lambda case, some: algorithms.connected_components(case.A), check_components),
    "bc": Kernel(16, 4, cases_gpu.betweenness, check_scores),
    # A copy has no prepared order of its vertices: every trial renumbers them
    "tc": Kernel(3, 0, lambda case, some: algorithms.triangle_count(case.A.dup()), check_triangles),
}


def measure(case: Case, name: str, trials: int) -> dict[str, Any]:
    """The seconds of all trials; the results of the first one and of the last one are verified."""
    kernel, sources = KERNELS[name], case.graph.sources(64)
    kernel.prepare(case)
    given = [sources[k * kernel.sources : (k + 1) * kernel.sources] for k in range(min(trials or 64, kernel.trials))]
    with compiling():
        for _ in range(WARM_UP):
            kernel.run(case, given[0])
    times = [seconds(partial(kernel.run, case, some), case.backend) for some in given]
    verified = name != "tc" or case.A.nvals <= COUNTABLE
    for some in {0: given[0], len(given) - 1: given[-1]}.values() if verified else ():
        kernel.check(case, kernel.run(case, some), some or sources)
    row = {"graph": case.graph.name, "kernel": name, "vertices": case.A.nrows, "entries": case.A.nvals}
    taken = {"mean": sum(times) / len(times), **spread(times)}
    return row | {"trials": len(times), "seconds": taken, "verified": verified}


def read(file: str) -> Matrix:
    return read_graph(file).matrix


def main(arguments: list[str] | None = None) -> int:
    files = {"action": "append", "default": [], "metavar": "NAME=FILE", "help": "another graph; may be repeated"}
    trials = {"type": int, "default": 0, "help": "at most so many (default: as in the rules)"}
    command = parser("gap", __doc__, "backend", "only", "out", scale=20, trials=trials, graph=files)
    options = command.parse_args(arguments)
    n = 2**options.scale
    graphs = [BenchmarkGraph(f"kron {options.scale}", generators.kronecker, options.scale, EDGES)]
    graphs += [BenchmarkGraph(f"urand {options.scale}", generators.uniform_random, n, 2 * EDGES)]
    for name, _, file in (text.partition("=") for text in options.graph):
        graphs.append(BenchmarkGraph(name, read, file))
    table = Table(f"GAP, {options.backend}", "graph,kernel,trials,mean s,min,max,remark".split(","))
    rows = []
    for graph in graphs:
        case = Case(graph, options.backend)
        for name in (name for name in KERNELS if re.search(options.only, name)):
            with gb.using(options.backend):
                try:
                    row = measure(case, name, options.trials)
                except (MemoryError, gb.exceptions.OutOfMemory) as error:
                    table.add(graph.name, name, 0, None, None, None, first_line(error))
                    continue
            rows.append(row)
            remark = "" if row["verified"] else "not verified"
            print(f"{graph.name} {name}: {row['seconds']['mean']:.4g} s", file=sys.stderr, flush=True)
            table.add(graph.name, name, row["trials"], *(row["seconds"][key] for key in ("mean", "min", "max")), remark)
        del case
        graph.forget()
        gc.collect()
    table.notes = ["mean of the trials, each a whole call; the first and the last are verified, if not remarked"]
    report(options.out, "gap", table, rows)
    return 0
