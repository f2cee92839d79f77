"""How fast whole calls are on a GPU: searches, betweenness, ranks, paths, triangles, components, and what to reach.

python -m benchmarks gpu_speed --out benchmarks/results
python -m benchmarks gpu_speed --only "dobfs|^bfs" --others "" --profile
python -m benchmarks gpu_speed --backend cpu --small
"""

import argparse
import gc
import importlib.util
import re
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import grblas_gpu as gb
from grblas_gpu.bench.verify import WrongResult

from .cases_gpu import KERNELS, WORKS, Case, Kernel, Work, graph_of
from .common import CASES, Table, compiling, copy_rate, describe, first_line, parser, seconds, spread, write

TITLE = "Whole calls from Python, results on the device"
SOURCES, TRIALS = 8, 3
WARM_UP = 3  # runs before the timed ones, besides the verified one
SLOW = 1.0  # seconds: slower kernels run once per source, without warm-up
COMPARED = "kron21"  # the graph on which python-graphblas is measured
FEW = 128  # sources of exact betweenness, to estimate the time of all
NOTES: list[str] = CASES["gpu_speed"]["notes"]


def over_sources(
    case: Case, kernel: Kernel, sources: list[int], first: float, deadline: float
) -> tuple[list[float], str]:
    """Seconds for each source, and a note about the runs. The runs alternate over the sources, and stop at the
    deadline."""
    trials = 1 if first > SLOW else TRIALS
    times: dict[int, list[float]] = {k: [] for k in range(len(sources))}
    gc.collect()
    for _ in range(0 if first > SLOW else WARM_UP):
        seconds(partial(kernel.run, case, sources[0]), case.backend)
    last = first
    for round_ in range(-(trials > 1), trials):  # one more to warm up
        for k, source in enumerate(sources):
            if time.perf_counter() + last > deadline and (times[0] or round_ < 0):
                if round_ < 0:
                    break
                done = [statistics.median(found) for found in times.values() if found]
                missing = "fewer calls" if len(done) == len(sources) else f"{len(done)} of {len(sources)} sources"
                return done, f"time was up: {missing}"
            last = seconds(partial(kernel.run, case, source), case.backend)
            if round_ >= 0:
                times[k].append(last)
    return [statistics.median(found) for found in times.values()], ""


def over_all(case: Case, kernel: Kernel, estimate: float, deadline: float) -> tuple[list[float], str]:
    """Exact betweenness, extrapolated from as many sources as time allows, by the estimate of one source."""
    n = case.A.nrows
    count = max(min(n, FEW), min(n, int((deadline - time.perf_counter()) / estimate)))
    taken = seconds(partial(kernel.run, case, count), case.backend)
    return [taken * n / count], "" if count == n else f"from {count:,} of {n:,} sources"


def measure(work: Work, case: Case, time_limit: float, others: bool) -> dict[str, Any]:
    """One row: verify, then time."""
    kernel, graph, backend = KERNELS[work.kernel], case.graph, case.backend
    exact = work.kernel == "exact"
    sources = graph.sources(SOURCES)  # kernels without a source run equally often
    with gb.using(backend):
        kernel.prepare(case)
        argument = min(FEW, case.A.nrows) if exact else sources[0]
        with compiling():
            result = kernel.run(case, argument)
            first = seconds(partial(kernel.run, case, argument), backend)
        kernel.check(case, result, sources[0])
        deadline = time.perf_counter() + time_limit  # set after the check, so that it takes no time from the runs
        if exact:
            times, remark = over_all(case, kernel, first / argument, deadline)
        else:
            times, remark = over_sources(case, kernel, sources, first, deadline)
    shape = {"graph": graph.name, "recipe": graph.recipe, "vertices": graph.n, "entries": graph.entries}
    row: dict[str, Any] = {
        **work._asdict(),
        **shape,
        "verified": True,
        "sources": len(times),
        "milliseconds": spread(times, 1e3),
        "floor_ms": kernel.floor(case, result) / copy_rate(backend) * 1e3,
        "gteps_entries": kernel.traversed(case) / statistics.median(times) / 1e9 if kernel.traversed else None,
        "remark": remark,
    }
    if work.fused is not None:
        row["iterated_ms"] = step_by_step(case, kernel, sources, result)
    if others and kernel.other is not None:
        row |= beside(case, kernel, sources, result, deadline)
    return row


def step_by_step(case: Case, kernel: Kernel, sources: list[int], result: Any) -> float:
    """Milliseconds without loops on the device: the median over some sources. The results must agree."""
    with gb.using(case.backend), gb.config.set(loops="iterated"):
        if not kernel.run(case, sources[0]).isclose(result, rel_tol=1e-9):
            raise WrongResult("the loop on the device and the iterated one differ")
        times = [seconds(partial(kernel.run, case, source), case.backend) for source in sources[:3]]
    return statistics.median(times) * 1e3


def beside(case: Case, kernel: Kernel, sources: list[int], ours: Any, deadline: float) -> dict[str, Any]:
    """python-graphblas on the host's cores, from the same sources; a result that differs from ours is wrong.

    It runs at least twice, the first time to warm up; if that was slow, exactly twice.
    """
    suitesparse, other = importlib.import_module("benchmarks.suitesparse"), kernel.other
    assert other is not None
    run = partial(other.run, suitesparse, case.matrix_of(suitesparse, other.kind))
    start = time.perf_counter()
    theirs = run(sources[0])
    last = time.perf_counter() - start
    if not other.same(ours, theirs):
        raise WrongResult("python-graphblas finds something else")
    times: list[float] = []
    for source in sources[: 1 if last > SLOW else None]:
        if not times or time.perf_counter() + times[-1] < deadline:
            times.append(seconds(partial(run, source)))
    threads = int(suitesparse.gb.ss.config["nthreads"])
    return {"graphblas_ms": spread(times, 1e3), "graphblas_sources": len(times), "graphblas_threads": threads}


def profile(name: str, case: Case, kernel: Kernel, source: int) -> str:
    """The trace of one call. A trace waits for each operation, so its times exceed those of the call without a
    trace."""
    with gb.using(case.backend), gb.trace() as trace:
        kernel.run(case, source)
    return f"{name}, from {source}:\n{trace}\n"


def table_of(rows: list[dict[str, Any]], backend: str, small: bool) -> Table:
    columns = "work,entries,ms,q1,q3,target,fused,horizon,iterated ms,floor,x floor,GTEPS,python-graphblas ms,speed-up"
    table = Table(f"{TITLE}, {backend}", [*columns.split(","), "remark"], notes=list(NOTES))
    if small:
        table.notes.append("small graphs in place of those that the rows are called after: nothing is comparable")
    for row in rows:
        to_reach = [row[key] for key in ("target", "fused", "horizon")]
        if "error" in row:
            table.add(row["name"], row.get("entries"), *[None] * 3, *to_reach, *[None] * 6, row["error"])
            continue
        ms, theirs = row["milliseconds"], row.get("graphblas_ms", {}).get("median")
        cells = [row["name"], row["entries"], ms["median"], ms["q1"], ms["q3"], *to_reach, row.get("iterated_ms")]
        cells += [row["floor_ms"], ms["median"] / row["floor_ms"], row["gteps_entries"]]
        table.add(*cells, theirs, theirs and theirs / ms["median"], row["remark"])
    return table


def rows_of(works: list[Work], options: argparse.Namespace, keep: Callable[[dict[str, Any]], None]) -> None:
    """Measure graph by graph, and save each row at once; failures are rows, too."""
    for key in dict.fromkeys(work.graph for work in works):
        graph = graph_of(key, options.small)
        case: Case | None = None
        for work in (work for work in works if work.graph == key):
            start = time.perf_counter()
            try:
                case = case or Case(graph, options.backend)
                made = time.perf_counter() - start
                row = measure(work, case, options.time_limit, options.others and key == COMPARED)
                row["graph_s"] = made
                if options.profile and KERNELS[work.kernel].levels:
                    print(profile(work.name, case, KERNELS[work.kernel], graph.sources(1)[0]), flush=True)
            except Exception as error:  # out of memory, too many paths, a wrong result: continue with the next row
                row = {**work._asdict(), "error": first_line(error)}
                if case is not None:
                    row["entries"] = case.A.nvals
            row["taken_s"] = time.perf_counter() - start
            keep(row)
            gc.collect()
        case = None
        graph.forget()


def main(arguments: list[str] | None = None) -> int:
    own: dict[str, Any] = {
        "time_limit": {"type": float, "default": 15.0, "metavar": "SECONDS", "help": "for the calls of a row, about"},
        "others": {"default": "python-graphblas", "help": "'' leaves python-graphblas out"},
        "profile": {"action": "store_true", "help": "where time goes, level by level"},
    }
    command = parser("gpu_speed", __doc__, "backend", "small", "only", "out", **own)
    options = command.parse_args(arguments)
    try:
        works = [work for work in WORKS if re.search(options.only, work.name, re.IGNORECASE)]
    except re.error as error:
        command.error(f"--only: {error}")
    if not works:
        command.error(f"no row matches {options.only!r}; there are: {', '.join(work.name for work in WORKS)}")
    if options.others not in ("", "python-graphblas"):
        command.error("--others: only python-graphblas takes part, or '' for no other library")
    options.others = bool(options.others) and importlib.util.find_spec("graphblas") is not None
    about = {"title": TITLE, "backend": options.backend, "small": options.small, **describe()}
    about["copy_gb_per_s"] = copy_rate(options.backend) / 1e9
    rows: list[dict[str, Any]] = []

    def keep(row: dict[str, Any]) -> None:
        rows.append(row)
        shown = row.get("error") or f"{row['milliseconds']['median']:.4g} ms"
        print(f"{row['taken_s']:6.1f} s  {row['name']}: {shown}", file=sys.stderr, flush=True)
        tables = [table_of(rows, options.backend, options.small).as_dict()]
        write(options.out, "gpu_speed", {**about, "tables": tables, "measurements": rows})

    rows_of(works, options, keep)
    print(table_of(rows, options.backend, options.small))
    return 0
