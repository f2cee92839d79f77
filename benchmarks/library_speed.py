"""Every algorithm of the library on four graphs: results are checked, then timed; other libraries beside it.

    python -m benchmarks.library_speed --scale 12                           # small, a minute on a CPU
    python -m benchmarks.library_speed --out benchmarks/results             # a million vertices each
    python -m benchmarks.library_speed --backend cuda --only "truss|hits"   # some of them, on a device
    python -m benchmarks.library_speed --backend cuda --check-scale 14 --iterated --others -1   # what loops gain
    GRBLAS_GPU_THREADS=1 python -m benchmarks.library_speed --scale 14 --compiled --clock processor   # on a busy one
    python -m benchmarks.library_speed --scale 18 --graphs grid --out benchmarks/results --add   # to what is kept
    python -m benchmarks.library_page                                       # docs/library-speed.md, from what is kept

Graphs of 2**scale vertices: "rmat" (Graph500's Kronecker graph, edge factor 16), "uniform" (16 random neighbours),
"grid" (as many vertices, side by side) and "web" (a Kronecker graph of which every edge leads one way, the other, or
both ways, by a coin). Weights are integers from 1 to 255. Times are whole calls, the fastest of some; medians are
kept, too. SciPy, igraph, NetworKit and NetworkX run where they are installed and have the algorithm
(``library_peers``), on as many threads as we do, in turns with us, the last one only on graphs of at most ``--others``
entries. What other people's CUDA takes is quoted below, with its conditions; it is not measured here.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import grblas_gpu as gb
from grblas_gpu import algorithms, generators
from grblas_gpu.backends.cpu import tier

from . import library_checks as checks
from . import library_peers as peers
from .machine import describe

#: ms on one H200, rmat20_16 (1 M vertices, 31 M entries), whole calls of pylibcugraph 26.10 with its pool allocator.
CUGRAPH = {
    "bfs": 2.4, "pagerank": 6.9, "betweenness, one source": 11.4, "components": 31.8, "triangle count": 103,
    "cores": 364, "truss": 609, "hits": 6.3, "spanning forest": 42, "louvain": 466, "eigenvector": 2.7,
}  # fmt: skip
#: ms on one H200, rmat20_16, kernels only, of the hand-written ECL suite.
ECL = {"spanning forest": 8.3, "independent set": 0.44, "strong components": 3.8, "components": 0.73, "colouring": 11.7}


class Case(NamedTuple):
    """A graph on the backend that is measured, and for checks and others as arrays."""

    name: str
    A: gb.Matrix  # weights
    S: checks.Arrays
    source: int
    directed: bool


class Work(NamedTuple):
    """An algorithm and its check."""

    run: Callable[[Case], Any]
    check: Callable[[Case, Any], None]
    undirected_only: bool = False


def searched(search: Callable[..., Any], **options: Any) -> Work:
    """A breadth-first search."""
    return Work(lambda c: search(c.A, c.source, **options), lambda c, r: checks.levels(c.S, r, c.source))


def symmetric(case: Case) -> checks.Arrays:
    return case.S if not case.directed else checks.undirected(case.S)


def count(case: Case) -> int:
    return algorithms.triangle_count(case.A)


def small_alpha(case: Case) -> float:
    """Small enough to converge: no vertex has more edges in and out. Known to the matrix, so it takes no time."""
    return 0.5 / max(1, case.A._store.max_degree + case.A._store.transposed().max_degree)


a = algorithms
WORKS: dict[str, Work] = {
    "bfs": Work(
        lambda c: a.bfs(c.A, c.source),
        lambda c, r: checks.levels(c.S, r, c.source),
    ),
    "dobfs": searched(a.dobfs),
    "turbobfs": searched(a.turbobfs),
    "xbfs": searched(a.xbfs),
    "xbfs, asynchronous": searched(a.xbfs, asynchronous=True),
    "parents": Work(
        lambda c: a.bfs_parents(c.A, c.source),
        lambda c, r: checks.parents(c.S, r, c.source),
    ),
    "sssp": Work(
        lambda c: a.sssp(c.A, c.source),
        lambda c, r: checks.sssp(c.S, r, c.source),
    ),
    "sssp with parents": Work(
        lambda c: a.sssp(c.A, c.source, predecessors=True), lambda c, r: checks.shortest_paths(c.S, r, c.source)
    ),
    "betweenness, one source": Work(
        lambda c: a.betweenness_centrality(c.A, c.source, normalized=False, directed=True),
        lambda c, r: checks.dependencies(c.S, r, c.source),
    ),
    "pagerank": Work(lambda c: a.pagerank(c.A), lambda c, r: checks.pagerank(c.S, r)),
    "eigenvector": Work(
        lambda c: a.eigenvector_centrality(c.A, weighted=True, tol=1e-5, max_iterations=5000),
        lambda c, r: checks.eigenvector(c.S, r),
        undirected_only=True,
    ),
    "katz": Work(
        lambda c: a.katz(c.A, small_alpha(c), weighted=False),
        lambda c, r: checks.katz((c.S > 0).astype(float), r, small_alpha(c)),
    ),
    "hits": Work(lambda c: a.hits(c.A, tol=1e-5), lambda c, r: checks.hits(c.S, r)),
    "components": Work(
        lambda c: a.connected_components(c.A),
        lambda c, r: checks.components(c.S, r, False),
    ),
    "strong components": Work(
        lambda c: a.strongly_connected_components(c.A),
        lambda c, r: checks.components(c.S, r, True),
    ),
    "spanning forest": Work(
        lambda c: a.minimum_spanning_forest(c.A),
        lambda c, r: checks.forest(c.S, r),
        undirected_only=True,
    ),
    "triangle count": Work(lambda c: a.triangle_count(c.A), lambda c, r: checks.triangles(a.triangles(c.A), r)),
    "triangles": Work(
        lambda c: a.triangles(c.A),
        lambda c, r: checks.triangles(r, count(c)),
    ),
    "clustering": Work(
        lambda c: a.clustering(c.A),
        lambda c, r: checks.coefficients(c.S, r, count(c)),
        undirected_only=True,
    ),
    "cores": Work(lambda c: a.core_number(c.A), lambda c, r: checks.cores(c.S, r)),
    "core": Work(
        lambda c: a.k_core(c.A, 8),
        lambda c, r: checks.core(a.core_number(c.A), r, 8),
    ),
    "truss": Work(lambda c: a.k_truss(c.A, 4), lambda c, r: checks.truss(r, 4)),
    "independent set": Work(
        lambda c: a.maximal_independent_set(c.A),
        lambda c, r: checks.independent(c.S, r),
    ),
    "colouring": Work(
        lambda c: a.vertex_colouring(c.A),
        lambda c, r: checks.colouring(c.S, r),
    ),
    "matching": Work(
        lambda c: a.maximal_matching(c.A),
        lambda c, r: checks.matching(c.S, r),
    ),
    "label propagation": Work(lambda c: a.label_propagation(c.A), lambda c, r: checks.same_component(symmetric(c), r)),
    "louvain": Work(
        lambda c: a.louvain(c.A),
        lambda c, r: checks.communities(c.S, r),
        undirected_only=True,
    ),
    "leiden": Work(lambda c: a.leiden(c.A), lambda c, r: checks.communities(c.S, r), undirected_only=True),
    "jaccard of all edges": Work(
        lambda c: a.jaccard(c.A, c.A),
        lambda c, r: checks.similarity(c.S, r),
    ),
    "1000 random walks of 80": Work(
        lambda c: a.random_walks(c.A, np.arange(1000) % c.A.nrows, 80), lambda c, r: checks.walks(c.S, r)
    ),
    "samples of 10, 5": Work(
        lambda c: a.sample_neighbors(c.A, range(min(1000, c.A.nrows)), [10, 5]),
        lambda c, r: checks.part_of(c.S, r, 10),
    ),
}
#: Algorithms of which nearly all is loops.
LOOPS = frozenset(
    ("bfs", "dobfs", "turbobfs", "xbfs", "xbfs, asynchronous", "parents", "sssp", "sssp with parents")
    + ("betweenness, one source", "pagerank", "eigenvector", "katz", "hits", "components", "strong components")
    + ("spanning forest", "cores", "core", "independent set", "colouring", "matching", "label propagation")
)


KINDS = ("rmat", "uniform", "grid", "web")


def graphs(scale: int, backend: str, wanted: str = "") -> Iterator[Case]:
    n, side = 2**scale, math.isqrt(2**scale)
    makers: dict[str, Callable[[], gb.Matrix]] = {
        "rmat": lambda: generators.kronecker(scale, 16),
        "uniform": lambda: generators.uniform_random(n, 16),
        "grid": lambda: generators.grid_2d(side, side),
        "web": lambda: generators.kronecker(scale, 16, seed=2),
    }
    for name, make in makers.items():
        if not re.search(wanted, name):
            continue
        with gb.using("cpu"):
            pattern = make()
        rows, columns, _ = pattern.to_coo()
        low, high = np.minimum(rows, columns), np.maximum(rows, columns)
        coin = (low * np.uint64(0x9E3779B97F4A7C15) + high * np.uint64(0xBF58476D1CE4E5B9)) >> np.uint64(32)
        weights = (coin % np.uint64(255) + np.uint64(1)).astype(float)
        if name == "web":  # one way, the other way, or both
            keep = np.choose(
                (coin % np.uint64(3)).astype(int), [rows < columns, rows > columns, np.ones(len(rows), bool)]
            )
            rows, columns, weights = rows[keep], columns[keep], weights[keep]
        with gb.using(backend):
            A = gb.Matrix.from_coo(rows, columns, weights, nrows=pattern.nrows, ncols=pattern.nrows)
        source = int(np.bincount(rows.astype(np.int64)).argmax())
        yield Case(name, A, checks.as_scipy(A), source, name == "web")


def ready(result: Any) -> Any:
    """The result, once a device is done with it."""
    for part in result if isinstance(result, tuple) else (result,):
        getattr(part, "nvals", 0)
    return result


PATIENCE = 2000.0  # ms: who has taken that long runs no more
#: Processor time counts what all threads do, and nothing that other programs do meanwhile.
CLOCKS: dict[str, Callable[[], float]] = {"wall": time.perf_counter, "processor": time.process_time}


def in_turns(runs: dict[str, Callable[[], Any]], options: argparse.Namespace) -> dict[str, list[float]]:
    """Milliseconds of each; they take turns, so that a slow moment of the machine hits all."""
    now = CLOCKS[options.clock]
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(options.trials):
        for name, run in runs.items():
            if sum(times[name]) < PATIENCE:
                start = now()
                run()
                times[name].append((now() - start) * 1e3)
    return times


def measure(case: Case, checked: Case, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Rows of one graph; results are checked on ``checked``, which is the same or a smaller one of its kind."""
    slow = {"networkx"} if case.A.nvals > options.others else set()
    graphs = {} if options.others < 0 else peers.prepared(case, [name for name in options.peers if name not in slow])
    for name, work in WORKS.items():
        if not re.search(options.only, name) or (case.directed and work.undirected_only):
            continue
        if options.iterated == "loops" and name not in LOOPS:
            continue
        row: dict[str, Any] = {"graph": case.name, "algorithm": name, "ms": None}
        runs: dict[str, Callable[[], Any]] = {}
        ours = None
        try:
            work.check(checked, ready(work.run(checked)))
            ours = ready(work.run(case))
            runs = our_runs(case, work, bool(options.iterated) and name in LOOPS, options.compiled)
        except algorithms.NotConverged as error:  # the two largest eigenvalues of a large grid are nearly the same
            row["remark"] = f"does not converge: {error}"
        runs |= their_runs(case, name, graphs, ours)
        times = {who: found for who, found in in_turns(runs, options).items() if found}
        yield row | {who: min(found) for who, found in times.items()} | {"medians": medians(times)}


def medians(times: dict[str, list[float]]) -> dict[str, float]:
    return {who: statistics.median(found) for who, found in times.items()}


def our_runs(case: Case, work: Work, iterated: bool, compiled: bool) -> dict[str, Callable[[], Any]]:
    """A call that has run once, and with loops that come back to Python at every step."""

    def run() -> Any:
        return ready(work.run(case))

    def come_back() -> Any:
        with gb.config.set(loops="iterated"):
            return run()

    if compiled:
        before = tier.get_tier()
        tier.set_tier("numba")
        run()
        tier.set_tier(before)
    run()
    if not iterated:
        return {"ms": run}
    come_back()
    return {"ms": run, "iterated": come_back}


def quiet(run: Callable[[Any], Any], graph: Any) -> Any:
    """Without warnings, as of graphs for which a result means little."""
    with warnings.catch_warnings(action="ignore"):
        return run(graph)


def their_runs(case: Case, name: str, graphs: dict[str, Any], ours: Any) -> dict[str, Callable[[], Any]]:
    """Calls of others whose results are right; what does not converge there, either, is left out."""
    runs: dict[str, Callable[[], Any]] = {}
    for who, graph in graphs.items():
        task = peers.task(who, name, case.directed)
        if task is None:
            continue
        try:
            found = quiet(task.run, graph)
        except Exception as error:
            print(f"  {who} has no {name} of {case.name}: {str(error).splitlines()[0]}")
            continue
        if task.shown is not None and ours is not None:
            peers.compare(case, name, ours, task.shown(graph, found))
        runs[who] = partial(quiet, task.run, graph)
    return runs


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=int, default=20, help="of 2**scale vertices (default: 20)")
    parser.add_argument("--backend", choices=("cpu", "cuda", "numpy"), default="cpu")
    parser.add_argument("--graphs", default="", help="a pattern for their names")
    parser.add_argument("--only", default="", help="a pattern for the names of algorithms")
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument(
        "--clock", choices=tuple(CLOCKS), default="wall", help="processor: on a machine that others use"
    )
    parser.add_argument("--others", type=int, default=200_000, help="entries up to which NetworkX runs; -1: nobody")
    parser.add_argument("--peers", nargs="*", default=list(peers.LIBRARIES), help=f"of {', '.join(peers.LIBRARIES)}")
    parser.add_argument("--add", action="store_true", help="to the rows that --out has, in the place of the same ones")
    parser.add_argument("--compiled", action="store_true", help="compile first what so little work would not pay for")
    parser.add_argument("--check-scale", type=int, help="check results on smaller graphs of the same kinds")
    parser.add_argument(
        "--iterated",
        nargs="?",
        choices=("loops", "all"),
        const="loops",
        help="algorithms of loops (or all), and loops also coming back to Python at every step",
    )
    parser.add_argument("--out", type=Path, help="a folder for library_speed.BACKEND.json")
    options = parser.parse_args(arguments)
    rows = []
    small = options.check_scale
    smaller = {} if small is None else {case.name: case for case in graphs(small, options.backend, options.graphs)}
    for case in graphs(options.scale, options.backend, options.graphs):
        print(f"\n{case.name}: {case.A.nrows:,} vertices, {case.A.nvals:,} entries, backend {options.backend}; ms")
        for row in measure(case, smaller.get(case.name, case), options):
            rows.append(row | {"vertices": case.A.nrows, "entries": case.A.nvals})
            elsewhere = "".join(f"  {who} {row[who]:.3g}" for who in ("iterated", *peers.LIBRARIES) if who in row)
            took = f"{row['ms']:12.2f}" if row["ms"] is not None else f"  {row['remark']}"
            print(f"  {row['algorithm']:26}{took}{elsewhere}", flush=True)
            keep(rows, options)
    return 0


def keep(rows: list[dict[str, Any]], options: argparse.Namespace) -> None:
    """After every row: who stops it has what there was."""
    if options.out:
        file, made = options.out / f"library_speed.{options.backend}.json", describe()
        there = json.loads(file.read_text())["rows"] if options.add and file.exists() else []
        quoted = {"cugraph, H200, rmat20_16, whole calls": CUGRAPH, "ECL, H200, rmat20_16, kernels only": ECL}
        found: dict[str, Any] = {
            "machine": made,
            "backend": options.backend,
            "clock": options.clock,
            "threads": peers.threads(),
        }
        commit = (made["commit"] or "unknown")[:7] + "+" * (made["commit"] or "").endswith("+")
        found["rows"] = merged(there, [row | {"commit": commit} for row in rows])
        found["quoted"] = quoted
        file.write_text(json.dumps(found, indent=1) + "\n")


def merged(there: list[dict[str, Any]], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows in the order of algorithms, a new one in the place of an old one of the same graph and algorithm."""
    found = {(row["graph"], row["algorithm"]): row for row in [*there, *rows]}
    order = list(WORKS)
    return sorted(found.values(), key=lambda row: (KINDS.index(row["graph"]), order.index(row["algorithm"])))


if __name__ == "__main__":
    raise SystemExit(main())
