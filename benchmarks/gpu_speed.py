"""How fast whole calls are on a GPU: searches, betweenness, ranks, paths, triangles, components, and what to reach.

python -m benchmarks.gpu_speed --out benchmarks/results
python -m benchmarks.gpu_speed --only "dobfs|^bfs" --others "" --profile
python -m benchmarks.gpu_speed --backend cpu --small
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import re
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import grblas_gpu as gb

from . import graphs
from .graphs import BenchmarkGraph
from .harness import compiling, spread
from .machine import copy_rate, describe, has_cuda
from .papers.common import release
from .speed_case import Case
from .speed_kernels import KERNELS, Kernel
from .speed_profile import profile
from .text_tables import Table
from .verify import WrongResult

TITLE = "Whole calls from Python, results on the device"
SOURCES, TRIALS, SEED = 8, 3, 1
WARM_UP = 3  # runs before those that count, the verified one not among them
SLOW = 1.0  # seconds: what takes longer is run once for each source, without another to warm up
COMPARED = "kron21"  # the graph on which python-graphblas takes part
FEW = 128  # sources of exact betweenness that tell how long all would take


class Work(NamedTuple):
    """A row: a kernel on a graph, and milliseconds to reach: with loops in Python, with loops on the device, ever."""

    name: str
    graph: str
    kernel: str
    target: float | None = None
    fused: float | None = None
    horizon: float | None = None


WORKS = [
    Work("DOBFS Kronecker 21, edge factor 48", "kron21", "dobfs", 0.50, 0.28, 0.15),
    Work("BC one source, Kronecker 21", "kron21", "bc", 10, 8, 4),
    Work("PageRank 20 iterations, Kronecker 21", "kron21", "pagerank", 40, None, 20),
    Work("PageRank 20 iterations, Kronecker 21, FP32", "kron21", "pagerank32", 40, None, 20),
    Work("SSSP Kronecker 21, weights 1..255", "kron21", "sssp", 20, None, 8),
    Work("triangle count, Kronecker 21", "kron21", "triangles", 1000, None, 300),
    Work("connected components, Kronecker 21", "kron21", "components", 10, None, 3),
    Work("DOBFS RMAT 22, edge factor 64", "rmat22", "dobfs", 0.55, 0.30, 0.15),
    Work("DOBFS RMAT 24, edge factor 16", "rmat24", "dobfs", 1.1, 0.70, 0.40),
    Work("DOBFS Kronecker 16, edge factor 16", "kron16", "dobfs", None, None, 0.06),
    Work("BFS grid 1400 x 1400", "grid", "bfs", 120, 15, 5),
    Work("SSSP grid 1400 x 1400, weights 1..255", "grid", "sssp", None, 60, 15),
    Work("BC one source, grid 1400 x 1400", "grid", "bc", None, 40, 12),
    # About as many levels, and paths that FP64 can count: 1e178 from corner to corner; the grid above has 1e840.
    Work("BC one source, grid 100 x 2315", "strip", "bc"),
    Work("BC one source, mycielskian19", "mycielskian19", "bc", 15, None, 6),
    Work("BC exact, mycielskian16", "mycielskian16", "exact", 10_000, None, 3000),
    Work("largest: DOBFS Kronecker 27, edge factor 16", "kron27", "dobfs"),
    Work("largest: DOBFS Kronecker 28, edge factor 16", "kron28", "dobfs"),
    Work("largest: DOBFS Kronecker 29, edge factor 16", "kron29", "dobfs"),
]
GRAPHS: dict[str, tuple[Callable[[], BenchmarkGraph], Callable[[], BenchmarkGraph]]] = {  # and a small one instead
    "kron21": (lambda: graphs.kronecker(21, 48), lambda: graphs.kronecker(8, 8)),
    "rmat22": (lambda: graphs.kronecker(22, 64), lambda: graphs.kronecker(9, 8)),
    "rmat24": (lambda: graphs.kronecker(24, 16), lambda: graphs.kronecker(9, 4)),
    "kron16": (lambda: graphs.kronecker(16), lambda: graphs.kronecker(8)),
    "grid": (lambda: graphs.grid(1400), lambda: graphs.grid(24)),
    "strip": (lambda: graphs.strip(100, 2315), lambda: graphs.strip(4, 90)),
    "mycielskian19": (lambda: graphs.mycielskian(19), lambda: graphs.mycielskian(7)),
    "mycielskian16": (lambda: graphs.mycielskian(16), lambda: graphs.mycielskian(6)),
    "kron27": (lambda: graphs.kronecker(27), lambda: graphs.kronecker(9)),
    "kron28": (lambda: graphs.kronecker(28), lambda: graphs.kronecker(10)),
    "kron29": (lambda: graphs.kronecker(29), lambda: graphs.kronecker(11)),
}
NOTES = [
    f"ms: median over {SOURCES} random sources with neighbours, and of each the median of {TRIALS} calls; from the "
    f"call in Python to the end of all kernels; verified first; without a source: over {SOURCES} times {TRIALS} calls",
    "to reach, in ms: 'target' with loops in Python, 'fused' with loops on the device, 'horizon' ever; "
    "of the largest graphs scale 27, and 29 on the horizon",
    "iterated: the same call with loops that come back to Python at every step (3 sources)",
    "floor: copying the bytes that must move (betweenness: every entry in both sweeps, though rows that were visited "
    "may be left out); GTEPS: entries of the symmetric matrix over time, as the papers count (exact betweenness: "
    "vertices times entries)",
    "python-graphblas: SuiteSparse on the host's cores, median over the same sources or, if slow, one of them; 32-bit "
    "weights; its triangles are counted on edges directed by degree beforehand; its betweenness always pushes",
]


class Measured(NamedTuple):
    """Seconds for each source, and a word on how."""

    seconds: list[float]
    remark: str = ""


def synchronize(backend: str) -> None:
    if backend == "cuda":
        import cupy

        cupy.cuda.runtime.deviceSynchronize()


def clock(run: Callable[[], Any], backend: str) -> float:
    """Seconds until the result is there."""
    start = time.perf_counter()
    run()
    synchronize(backend)
    return time.perf_counter() - start


def over_sources(case: Case, kernel: Kernel, sources: list[int], first: float, deadline: float) -> Measured:
    """The calls take turns over the sources; when time is up, those not made are left out."""
    backend, trials = case.backend, 1 if first > SLOW else TRIALS
    times: dict[int, list[float]] = {k: [] for k in range(len(sources))}
    gc.collect()
    for _ in range(0 if first > SLOW else WARM_UP):
        clock(partial(kernel.run, case, sources[0]), backend)
    last = first
    for round_ in range(-(trials > 1), trials):  # one more to warm up
        for k, source in enumerate(sources):
            if time.perf_counter() + last > deadline and (times[0] or round_ < 0):
                if round_ < 0:
                    break
                done = [statistics.median(seconds) for seconds in times.values() if seconds]
                missing = "fewer calls" if len(done) == len(sources) else f"{len(done)} of {len(sources)} sources"
                return Measured(done, f"time was up: {missing}")
            last = clock(partial(kernel.run, case, source), backend)
            if round_ >= 0:
                times[k].append(last)
    return Measured([statistics.median(seconds) for seconds in times.values()])


def over_all(case: Case, kernel: Kernel, estimate: float, deadline: float) -> Measured:
    """Exact betweenness, of as many sources as time allows, in proportion; one takes as long as is estimated."""
    n = case.A.nrows
    count = max(min(n, FEW), min(n, int((deadline - time.perf_counter()) / estimate)))
    taken = clock(partial(kernel.run, case, count), case.backend)
    return Measured([taken * n / count], "" if count == n else f"from {count:,} of {n:,} sources")


def measure(work: Work, case: Case, time_limit: float, others: bool) -> dict[str, Any]:
    """One row: verify, then time."""
    kernel, graph, backend = KERNELS[work.kernel], case.graph, case.backend
    exact = work.kernel == "exact"
    sources = graph.sources(SOURCES, SEED)  # kernels that need none run as often
    with gb.using(backend):
        kernel.prepare(case)
        argument = min(FEW, case.A.nrows) if exact else sources[0]
        with compiling():
            result = kernel.run(case, argument)
            first = clock(partial(kernel.run, case, argument), backend)
        kernel.check(case, result, sources[0])
        deadline = time.perf_counter() + time_limit  # a slow check leaves no fast call out
        if exact:
            measured = over_all(case, kernel, first / argument, deadline)
        else:
            measured = over_sources(case, kernel, sources, first, deadline)
    seconds = statistics.median(measured.seconds)
    row: dict[str, Any] = {
        **work._asdict(),
        "graph": graph.name,
        "recipe": graph.recipe,
        "vertices": graph.n,
        "entries": graph.entries,
        "verified": True,
        "sources": len(measured.seconds),
        "milliseconds": spread(measured.seconds, 1e3),
        "floor_ms": kernel.floor(case, result) / copy_rate(backend) * 1e3,
        "gteps_entries": kernel.traversed(case) / seconds / 1e9 if kernel.traversed else None,
        "remark": measured.remark,
    }
    if work.fused is not None:
        row["iterated_ms"] = step_by_step(case, kernel, sources, result)
    if others and kernel.other is not None:
        row |= beside(case, kernel, sources, result, deadline)
    return row


def step_by_step(case: Case, kernel: Kernel, sources: list[int], result: Any) -> float:
    """Milliseconds without loops on the device: the median over some sources. The results must agree."""
    with gb.using(case.backend), gb.config.set(loops="iterated"):
        again = kernel.run(case, sources[0])
        if not again.isclose(result, rel_tol=1e-9):
            raise WrongResult("the loop on the device and the iterated one differ")
        times = [clock(partial(kernel.run, case, source), case.backend) for source in sources[:3]]
    return statistics.median(times) * 1e3


def beside(case: Case, kernel: Kernel, sources: list[int], ours: Any, deadline: float) -> dict[str, Any]:
    """python-graphblas on the host's cores, from the same sources; a result that differs from ours is wrong.

    It is run at least twice, the first time to warm up, and if that was slow no more often.
    """
    import graphblas

    if kernel.other is None or kernel.same is None:
        return {}
    kernel.other_prepare(case)
    start = time.perf_counter()
    theirs = kernel.other(case, sources[0])
    last = time.perf_counter() - start
    if not kernel.same(ours, theirs):
        raise WrongResult("python-graphblas finds something else")
    times: list[float] = []
    for source in sources[: 1 if last > SLOW else None]:
        if not times or time.perf_counter() + times[-1] < deadline:
            times.append(clock(partial(kernel.other, case, source), "host"))
    threads = int(graphblas.ss.config["nthreads"])
    return {"graphblas_ms": spread(times, 1e3), "graphblas_sources": len(times), "graphblas_threads": threads}


def table_of(rows: list[dict[str, Any]], backend: str, small: bool) -> Table:
    columns = (
        "work,entries,ms,q1,q3,target,fused,horizon,iterated ms,floor,x floor,GTEPS,python-graphblas ms,speed-up,remark"
    )
    table = Table(f"{TITLE}, {backend}", columns.split(","), notes=list(NOTES))
    if small:
        table.notes.append("small graphs in place of those that the rows are called after: nothing is comparable")
    for row in rows:
        to_reach = [row[key] for key in ("target", "fused", "horizon")]
        if "error" in row:
            table.add(row["name"], row.get("entries"), *[None] * 3, *to_reach, *[None] * 6, row["error"])
            continue
        ms, theirs = row["milliseconds"], row.get("graphblas_ms", {}).get("median")
        table.add(
            row["name"],
            row["entries"],
            ms["median"],
            ms["q1"],
            ms["q3"],
            *to_reach,
            row.get("iterated_ms"),
            row["floor_ms"],
            ms["median"] / row["floor_ms"],
            row["gteps_entries"],
            theirs,
            theirs and theirs / ms["median"],
            row["remark"],
        )
    return table


def rows_of(works: list[Work], options: argparse.Namespace, keep: Callable[[dict[str, Any]], None]) -> None:
    """Measure graph by graph, and hand each row on as soon as it is there; what fails is a row, too."""
    for key in dict.fromkeys(work.graph for work in works):
        graph = GRAPHS[key][options.small]()
        case: Case | None = None
        for work in works:
            if work.graph != key:
                continue
            start = time.perf_counter()
            try:
                case = case or Case(graph, options.backend)
                made = time.perf_counter() - start
                row = measure(work, case, options.time_limit, options.others and key == COMPARED)
                row["graph_s"] = made
                if options.profile and KERNELS[work.kernel].levels:
                    print(profile(work.name, case, KERNELS[work.kernel], graph.sources(1, SEED)[0]), "\n", flush=True)
            except Exception as error:  # out of memory, too many paths, a wrong result: the other rows go on
                lines = str(error).splitlines() or [""]
                row = {**work._asdict(), "error": f"{type(error).__name__}: {lines[0]}"}
                if case is not None:
                    row["entries"] = case.A.nvals
            row["taken_s"] = time.perf_counter() - start
            keep(row)
            gc.collect()
        case = None
        release(graph)
        gc.collect()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.gpu_speed", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--backend", choices=["cpu", "cuda"], default="cuda" if has_cuda() else "cpu")
    parser.add_argument("--small", action="store_true", help="tiny graphs: whether it works, not how fast")
    parser.add_argument("--only", metavar="REGEX", default="", help="rows whose name has a match, e.g. 'DOBFS|grid'")
    parser.add_argument(
        "--time-limit", type=float, default=15.0, metavar="SECONDS", help="for the calls of a row, about"
    )
    parser.add_argument("--others", default="python-graphblas", help="'' leaves python-graphblas out")
    parser.add_argument("--profile", action="store_true", help="where time goes, level by level")
    parser.add_argument("--out", metavar="FOLDER", help="write gpu_speed.json there, row by row")
    options = parser.parse_args(arguments)
    try:
        works = [work for work in WORKS if re.search(options.only, work.name, re.IGNORECASE)]
    except re.error as error:
        parser.error(f"--only: {error}")
    if not works:
        parser.error(f"no row matches {options.only!r}; there are: {', '.join(work.name for work in WORKS)}")
    if options.others not in ("", "python-graphblas"):
        parser.error("--others: only python-graphblas takes part, or '' for nobody")
    options.others = bool(options.others) and importlib.util.find_spec("graphblas") is not None
    about = {"title": TITLE, "backend": options.backend, "small": options.small, **describe()}
    about["copy_gb_per_s"] = copy_rate(options.backend) / 1e9
    rows: list[dict[str, Any]] = []

    def keep(row: dict[str, Any]) -> None:
        rows.append(row)
        shown = row.get("error") or f"{row['milliseconds']['median']:.4g} ms"
        print(f"{row['taken_s']:6.1f} s  {row['name']}: {shown}", file=sys.stderr, flush=True)
        if options.out:
            Path(options.out).mkdir(parents=True, exist_ok=True)
            result = {
                **about,
                "tables": [table_of(rows, options.backend, options.small).as_dict()],
                "measurements": rows,
            }
            (Path(options.out) / "gpu_speed.json").write_text(json.dumps(result, indent=1) + "\n")

    rows_of(works, options, keep)
    print(table_of(rows, options.backend, options.small))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
