"""Every algorithm of the library on four graphs: results are checked, then timed; other libraries beside it.

    python -m benchmarks.library_speed --scale 12                           # small, a minute on a CPU
    python -m benchmarks.library_speed --out benchmarks/results             # a million vertices each
    python -m benchmarks.library_speed --backend cuda --only "truss|hits"   # some of them, on a device
    python -m benchmarks.library_speed --backend cuda --check-scale 14 --iterated --others -1   # what loops gain
    python -m benchmarks.library_page                                       # docs/library-speed.md, from what is kept

Graphs of 2**scale vertices: "rmat" (Graph500's Kronecker graph, edge factor 16), "uniform" (16 random neighbours),
"grid" (as many vertices, side by side) and "web" (a Kronecker graph of which every edge leads one way, the other, or
both ways, by a coin). Weights are integers from 1 to 255. Times are whole calls, the fastest of some. SciPy and
NetworkX run where they have the algorithm, the latter once, and only on graphs of at most ``--others`` entries. What
other people's CUDA takes is quoted below, with its conditions; it is not measured here.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csgraph

import grblas_gpu as gb
from grblas_gpu import algorithms, generators

from . import library_checks as checks
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
    """An algorithm, its check, and the same by others: NetworkX's function of a graph, SciPy's of arrays."""

    run: Callable[[Case], Any]
    check: Callable[[Case, Any], None]
    networkx: Callable[[Any, Any], Any] | None = None
    scipy: Callable[[Case], Any] | None = None
    undirected_only: bool = False


def searched(search: Callable[..., Any], **options: Any) -> Work:
    """A breadth-first search."""
    return Work(lambda c: search(c.A, c.source, **options), lambda c, r: checks.levels(c.S, r, c.source))


def symmetric(case: Case) -> checks.Arrays:
    return case.S if not case.directed else checks.undirected(case.S)


def count(case: Case) -> int:
    return algorithms.triangle_count(case.A)


def both_ways(G: Any) -> Any:
    """A graph of NetworkX without directions, which is made before anything is timed."""
    return G.graph.get("both ways", G)


def small_alpha(case: Case) -> float:
    """Small enough to converge: no vertex has more edges in and out. Known to the matrix, so it takes no time."""
    return 0.5 / max(1, case.A._store.max_degree + case.A._store.transposed().max_degree)


a = algorithms
WORKS: dict[str, Work] = {
    "bfs": Work(
        lambda c: a.bfs(c.A, c.source),
        lambda c, r: checks.levels(c.S, r, c.source),
        lambda nx, G: nx.single_source_shortest_path_length(G, G.graph["source"]),
    ),
    "dobfs": searched(a.dobfs),
    "turbobfs": searched(a.turbobfs),
    "xbfs": searched(a.xbfs),
    "xbfs, asynchronous": searched(a.xbfs, asynchronous=True),
    "parents": Work(
        lambda c: a.bfs_parents(c.A, c.source),
        lambda c, r: checks.parents(c.S, r, c.source),
        lambda nx, G: dict(nx.bfs_predecessors(G, G.graph["source"])),
    ),
    "sssp": Work(
        lambda c: a.sssp(c.A, c.source),
        lambda c, r: checks.sssp(c.S, r, c.source),
        lambda nx, G: nx.single_source_dijkstra_path_length(G, G.graph["source"]),
        lambda c: csgraph.dijkstra(c.S, indices=c.source),
    ),
    "sssp with parents": Work(
        lambda c: a.sssp(c.A, c.source, predecessors=True), lambda c, r: checks.shortest_paths(c.S, r, c.source)
    ),
    "betweenness, one source": Work(
        lambda c: a.betweenness_centrality(c.A, c.source, normalized=False, directed=True),
        lambda c, r: checks.dependencies(c.S, r, c.source),
    ),
    "pagerank": Work(lambda c: a.pagerank(c.A), lambda c, r: checks.pagerank(c.S, r), lambda nx, G: nx.pagerank(G)),
    "eigenvector": Work(
        lambda c: a.eigenvector_centrality(c.A, weighted=True, tol=1e-5, max_iterations=5000),
        lambda c, r: checks.eigenvector(c.S, r),
        lambda nx, G: nx.eigenvector_centrality(G, weight="weight", tol=1e-5, max_iter=5000),
        undirected_only=True,
    ),
    "katz": Work(
        lambda c: a.katz(c.A, small_alpha(c), weighted=False),
        lambda c, r: checks.katz((c.S > 0).astype(float), r, small_alpha(c)),
        lambda nx, G: nx.katz_centrality(G, alpha=1e-4),
    ),
    "hits": Work(lambda c: a.hits(c.A, tol=1e-5), lambda c, r: checks.hits(c.S, r), lambda nx, G: nx.hits(G)),
    "components": Work(
        lambda c: a.connected_components(c.A),
        lambda c, r: checks.components(c.S, r, False),
        lambda nx, G: list(nx.connected_components(both_ways(G))),
        lambda c: csgraph.connected_components(c.S, directed=False),
    ),
    "strong components": Work(
        lambda c: a.strongly_connected_components(c.A),
        lambda c, r: checks.components(c.S, r, True),
        lambda nx, G: list((nx.strongly_connected_components if G.is_directed() else nx.connected_components)(G)),
        lambda c: csgraph.connected_components(c.S, connection="strong"),
    ),
    "spanning forest": Work(
        lambda c: a.minimum_spanning_forest(c.A),
        lambda c, r: checks.forest(c.S, r),
        lambda nx, G: nx.minimum_spanning_tree(both_ways(G)),
        lambda c: csgraph.minimum_spanning_tree(c.S),
        undirected_only=True,
    ),
    "triangle count": Work(lambda c: a.triangle_count(c.A), lambda c, r: checks.triangles(a.triangles(c.A), r)),
    "triangles": Work(
        lambda c: a.triangles(c.A),
        lambda c, r: checks.triangles(r, count(c)),
        lambda nx, G: nx.triangles(both_ways(G)),
    ),
    "clustering": Work(
        lambda c: a.clustering(c.A),
        lambda c, r: checks.coefficients(c.S, r, count(c)),
        lambda nx, G: nx.clustering(G),
        undirected_only=True,
    ),
    "cores": Work(
        lambda c: a.core_number(c.A), lambda c, r: checks.cores(c.S, r), lambda nx, G: nx.core_number(both_ways(G))
    ),
    "core": Work(
        lambda c: a.k_core(c.A, 8),
        lambda c, r: checks.core(a.core_number(c.A), r, 8),
        lambda nx, G: nx.k_core(both_ways(G), 8),
    ),
    "truss": Work(
        lambda c: a.k_truss(c.A, 4), lambda c, r: checks.truss(r, 4), lambda nx, G: nx.k_truss(both_ways(G), 4)
    ),
    "independent set": Work(
        lambda c: a.maximal_independent_set(c.A),
        lambda c, r: checks.independent(c.S, r),
        lambda nx, G: nx.maximal_independent_set(both_ways(G)),
    ),
    "colouring": Work(
        lambda c: a.vertex_colouring(c.A),
        lambda c, r: checks.colouring(c.S, r),
        lambda nx, G: nx.greedy_color(both_ways(G)),
    ),
    "matching": Work(
        lambda c: a.maximal_matching(c.A),
        lambda c, r: checks.matching(c.S, r),
        lambda nx, G: nx.maximal_matching(both_ways(G)),
    ),
    "label propagation": Work(lambda c: a.label_propagation(c.A), lambda c, r: checks.same_component(symmetric(c), r)),
    "louvain": Work(
        lambda c: a.louvain(c.A),
        lambda c, r: checks.communities(c.S, r),
        lambda nx, G: nx.community.louvain_communities(both_ways(G), seed=1),
        undirected_only=True,
    ),
    "leiden": Work(lambda c: a.leiden(c.A), lambda c, r: checks.communities(c.S, r), undirected_only=True),
    "jaccard of all edges": Work(
        lambda c: a.jaccard(c.A, c.A),
        lambda c, r: checks.similarity(c.S, r),
        lambda nx, G: list(nx.jaccard_coefficient(both_ways(G), both_ways(G).edges)),
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


#: Processor time counts what all threads do, and nothing that other programs do meanwhile.
CLOCKS: dict[str, Callable[[], float]] = {"wall": time.perf_counter, "processor": time.process_time}


def fastest(run: Callable[[], Any], trials: int, clock: str) -> float:
    now, times = CLOCKS[clock], []
    for _ in range(trials):
        start = now()
        run()
        times.append(now() - start)
        if sum(times) > 2:
            break
    return min(times) * 1e3


def others(case: Case, work: Work, options: argparse.Namespace, G: Any) -> dict[str, float]:
    """What the same takes elsewhere, in ms."""
    found = {}
    if work.scipy is not None and options.others >= 0:
        found["scipy"] = fastest(lambda: work.scipy(case), options.trials, options.clock)  # type: ignore[misc]
    if work.networkx is not None and G is not None:
        import networkx as nx

        with suppress(nx.PowerIterationFailedConvergence):
            found["networkx"] = fastest(lambda: work.networkx(nx, G), 1, options.clock)  # type: ignore[misc]
    return found


def as_networkx(case: Case) -> Any:
    if find_spec("networkx") is None:
        return None
    import networkx as nx

    G = nx.from_scipy_sparse_array(case.S, create_using=nx.DiGraph if case.directed else nx.Graph)
    G.graph["source"] = case.source
    if case.directed:
        G.graph["both ways"] = nx.Graph(G)
    return G


def measure(case: Case, checked: Case, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Rows of one graph; results are checked on ``checked``, which is the same or a smaller one of its kind."""
    G = as_networkx(case) if case.A.nvals <= options.others else None
    for name, work in WORKS.items():
        if not re.search(options.only, name) or (case.directed and work.undirected_only):
            continue
        if options.iterated == "loops" and name not in LOOPS:
            continue
        row: dict[str, Any] = {"graph": case.name, "algorithm": name}
        try:
            work.check(checked, ready(work.run(checked)))
            row |= timed(case, work, options, bool(options.iterated) and name in LOOPS)
        except algorithms.NotConverged as error:  # the two largest eigenvalues of a large grid are nearly the same
            row |= {"ms": None, "remark": f"does not converge: {error}"}
        yield row | others(case, work, options, G)


def timed(case: Case, work: Work, options: argparse.Namespace, iterated: bool) -> dict[str, float]:
    """What a call takes in ms, and with loops that come back to Python at every step."""

    def run() -> Any:
        return ready(work.run(case))

    run()
    found = {"ms": fastest(run, options.trials, options.clock)}
    if iterated:
        with gb.config.set(loops="iterated"):
            run()
            found["iterated"] = fastest(run, options.trials, options.clock)
    return found


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
            elsewhere = "".join(f"  {who} {row[who]:.1f}" for who in ("iterated", "networkx", "scipy") if who in row)
            took = f"{row['ms']:12.2f}" if row["ms"] is not None else f"  {row['remark']}"
            print(f"  {row['algorithm']:26}{took}{elsewhere}", flush=True)
            keep(rows, options)
    return 0


def keep(rows: list[dict[str, Any]], options: argparse.Namespace) -> None:
    """After every row: who stops it has what there was."""
    if options.out:
        quoted = {"cugraph, H200, rmat20_16, whole calls": CUGRAPH, "ECL, H200, rmat20_16, kernels only": ECL}
        found = {"machine": describe(), "backend": options.backend, "clock": options.clock, "rows": rows}
        found["quoted"] = quoted
        (options.out / f"library_speed.{options.backend}.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
