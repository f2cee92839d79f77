"""Every algorithm of the library on four graphs: results are checked, then timed; other libraries beside it.

    python -m benchmarks library_speed --scale 12                           # small, a minute on a CPU
    python -m benchmarks library_speed --out benchmarks/results             # a million vertices each
    python -m benchmarks library_speed --backend cuda --only "truss|hits"   # some of them, on a device
    python -m benchmarks library_speed --backend cuda --check-scale 14 --iterated --others -1   # what loops gain
    GRBLAS_GPU_THREADS=1 python -m benchmarks library_speed --scale 14 --compiled --clock processor   # on a busy one
    python -m benchmarks library_speed --scale 18 --graphs grid --out benchmarks/results --add   # to what is kept
    python -m benchmarks library_speed --backend cuda --check-scale 12 --others -1 --keep-going --limit 8 --total 230 \
        --out benchmarks/results --add     # all of it on a device in four minutes; the same with --missing goes on
    python -m docs.pages                       # benchmarks/results/library_speed.md, from the JSON files

Graphs of 2**scale vertices, algorithms and their checks are in ``cases_library``. Times are whole calls, the fastest of
some; medians are kept, too. SciPy, igraph, NetworKit and NetworkX run where they are installed and have the algorithm
(``library_peers``), on as many threads as we do, in turns with us, the last one only on graphs of at most ``--others``
entries. What other people's CUDA takes is quoted in cases.toml, with its conditions; it is not measured here.
"""

import argparse
import json
import re
import signal
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

import grblas_gpu as gb
from grblas_gpu import algorithms
from grblas_gpu.backends.cpu import pool, tier

from . import library_peers as peers
from .cases_library import KINDS, LOOPS, WORKS, Case, Work, graph
from .common import CASES, describe, first_line, parser, write

PATIENCE = 2000.0  # ms: runs that have taken this long in total stop
#: Processor time counts all threads of this process, and excludes other programs.
CLOCKS: dict[str, Callable[[], float]] = {"wall": time.perf_counter, "processor": time.process_time}
Times = dict[str, list[float]]
Runs = dict[str, Callable[[], Any]]


class TimeIsUp(KeyboardInterrupt):
    """Like an interrupt by the user: no ``except Exception`` catches it."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise TimeIsUp after this time, when the running kernel ends; None: no limit. For the main thread on POSIX."""

    def stop(number: int, frame: Any) -> None:
        raise TimeIsUp

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds or 0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def ready(result: Any) -> Any:
    """The result, after the device has computed it."""
    for part in result if isinstance(result, tuple) else (result,):
        getattr(part, "nvals", 0)
    return result


def take_turns(runs: Runs, times: Times, options: argparse.Namespace) -> None:
    """Milliseconds of each run; the runs alternate, so that a slow moment of the machine hits all."""
    now = CLOCKS[options.clock]
    for _ in range(options.trials):
        for name, run in runs.items():
            if sum(times.setdefault(name, [])) < PATIENCE:
                start = now()
                run()
                times[name].append((now() - start) * 1e3)


def wanted(case: Case, options: argparse.Namespace) -> Iterator[tuple[str, Work]]:
    for name, work in WORKS.items():
        meant = not (case.directed and work.undirected_only) and (options.iterated != "loops" or name in LOOPS)
        if meant and re.search(options.only, name) and (case.name, name) not in options.there:
            yield name, work


def measure(whole: Case, small: Case, options: argparse.Namespace, until: float) -> Iterator[dict[str, Any]]:
    """Rows of one graph; results are checked on ``small``, the same graph or a smaller one of its kind."""
    graphs_of = cache(partial(theirs, options=options))
    for name, work in wanted(whole, options):
        case, checked = (whole.small, small.small) if work.of_small else (whole, small)
        if time.monotonic() > until:
            return
        row: dict[str, Any] = {"graph": case.name, "algorithm": name, "ms": None}
        row |= {"vertices": case.A.nrows, "entries": case.A.nvals}
        times: Times = {}
        others = partial(their_runs, case, name, graphs_of(case))
        try:
            with time_limit(options.limit):
                work.check(checked, ready(work.run(checked)))  # raises an AssertionError
                start = time.perf_counter()
                ours = ready(work.run(case))
                again = time.perf_counter() - start < 1  # the second call is not yet as fast as the third
                take_turns(our_runs(case, work, name, again, options) | others(ours), times, options)
        except TimeIsUp:
            if not times.get("ms"):
                row["remark"] = f"was stopped after {options.limit:g} s"
        except algorithms.NotConverged as error:  # the two largest eigenvalues of a large grid are nearly equal
            row["remark"] = f"does not converge: {error}"
            take_turns(others(None), times, options)
        except Exception as error:
            if not options.keep_going:
                raise
            row["remark"] = f"failed: {first_line(error)}"
        times = {who: found for who, found in times.items() if found}
        medians = {who: statistics.median(found) for who, found in times.items()}
        yield row | {who: min(found) for who, found in times.items()} | {"medians": medians}


def theirs(case: Case, options: argparse.Namespace) -> dict[str, peers.Graphs]:
    """The graphs of other libraries; that of NetworkX only if the graph is small."""
    if options.others < 0:
        return {}
    return peers.prepared(case, [who for who in options.peers if who != "networkx" or case.A.nvals <= options.others])


def our_runs(case: Case, work: Work, name: str, again: bool, options: argparse.Namespace) -> Runs:
    """Our call, which has run once, and the same with iterated loops."""

    def run() -> Any:
        return ready(work.run(case))

    def come_back() -> Any:
        with gb.config.set(loops="iterated"):
            return run()

    if options.compiled:
        before = tier.get_tier()
        tier.set_tier("numba")
        run()
        tier.set_tier(before)
    if again:
        run()
    if not options.iterated or name not in LOOPS:
        return {"ms": run}
    come_back()
    return {"ms": run, "iterated": come_back}


def quiet(run: Callable[[Any], Any], graph: Any) -> Any:
    """Run without warnings, such as those about graphs with ill-defined results."""
    with warnings.catch_warnings(action="ignore"):
        return run(graph)


def their_runs(case: Case, name: str, graphs: dict[str, Any], ours: Any) -> Runs:
    """Calls of other libraries with right results, without those that do not converge."""
    runs: Runs = {}
    for who, prepared in graphs.items():
        task = peers.task(who, name, case.directed)
        if task is None:
            continue
        try:
            found = quiet(task.run, prepared)
        except Exception as error:
            print(f"  {who} has no {name} of {case.name}: {str(error).splitlines()[0]}")
            continue
        if task.shown is not None and ours is not None:
            peers.compare(case, name, ours, task.shown(prepared, found))
        runs[who] = partial(quiet, task.run, prepared)
    return runs


def key(row: dict[str, Any]) -> tuple[str, str]:
    return row["graph"], row["algorithm"]


def kept(options: argparse.Namespace) -> list[dict[str, Any]]:
    """The existing rows, if new ones are added to them."""
    file = options.out / f"library_speed.{options.backend}.json" if options.out else None
    return json.loads(file.read_text())["rows"] if options.add and file is not None and file.exists() else []


def keep(rows: list[dict[str, Any]], options: argparse.Namespace) -> None:
    """Save after every row, so that an interrupted run keeps its rows. Rows are in the order of algorithms; a new
    row replaces the old one of the same graph and algorithm."""
    made, kinds, order = describe(), list(KINDS), list(WORKS)
    commit = (made["commit"] or "unknown")[:7] + "+" * (made["commit"] or "").endswith("+")
    found = {key(row): row for row in [*kept(options), *(row | {"commit": commit} for row in rows)]}
    ordered = sorted(found.values(), key=lambda row: (kinds.index(row["graph"]), order.index(row["algorithm"])))
    about = {"machine": made, "backend": options.backend, "clock": options.clock, "threads": pool.threads()}
    result = {**about, "rows": ordered, "quoted": CASES["library_speed"]["quoted"]}
    write(options.out, f"library_speed.{options.backend}", result)


OWN: dict[str, Any] = {
    "scale": {"type": int, "default": 20, "help": "of 2**scale vertices (default: 20)"},
    "backend": {"choices": ("cpu", "cuda", "numpy"), "default": "cpu"},
    "graphs": {"default": "", "help": "a pattern for their names"},
    "trials": 3,
    "clock": {"choices": tuple(CLOCKS), "default": "wall", "help": "processor: on a machine that others use"},
    "others": {"type": int, "default": 200_000, "help": "entries up to which NetworkX runs; -1: no other library"},
    "peers": {"nargs": "*", "default": list(peers.LIBRARIES), "help": f"of {', '.join(peers.LIBRARIES)}"},
    "add": {"action": "store_true", "help": "to the rows that --out has, in the place of the same ones"},
    "compiled": {"action": "store_true", "help": "compile first what so little work would not pay for"},
    "check_scale": {"type": int, "help": "check results on smaller graphs of the same kinds"},
    "iterated": {"nargs": "?", "choices": ("loops", "all"), "const": "loops"}
    | {"help": "algorithms of loops (or all), and loops also coming back to Python at every step"},
    "missing": {"action": "store_true", "help": "--add, and only what --out has no time for"},
    "limit": {"type": float, "help": "seconds for one algorithm on one graph, checks included"},
    "total": {"type": float, "help": "seconds for all; every graph gets its share"},
    "keep_going": {"action": "store_true", "help": "what fails is a remark, and the exit status 1"},
}


def main(arguments: list[str] | None = None) -> int:
    options = parser("library_speed", __doc__, "only", "out", **OWN).parse_args(arguments)
    options.add |= options.missing
    options.there = {key(row) for row in kept(options) if row["ms"] is not None} if options.missing else set()
    names = [name for name in KINDS if re.search(options.graphs, name)]
    end = time.monotonic() + (options.total or float("inf"))
    rows: list[dict[str, Any]] = []
    for turn, name in enumerate(names):
        # the first graph includes the compilation: it gets the time of two others
        share = 2 / (len(names) + 1) if turn == 0 else 1 / (len(names) - turn)
        until = time.monotonic() + (end - time.monotonic()) * share
        case = graph(name, options.scale, options.backend)
        small = case if options.check_scale is None else graph(name, options.check_scale, options.backend)
        print(f"\n{name}: {case.A.nrows:,} vertices, {case.A.nvals:,} entries, backend {options.backend}; ms")
        for row in measure(case, small, options, until):
            rows.append(row)
            elsewhere = "".join(f"  {who} {row[who]:.3g}" for who in ("iterated", *peers.LIBRARIES) if who in row)
            took = f"{row['ms']:12.2f}" if row["ms"] is not None else f"  {row['remark']}"
            print(f"  {row['algorithm']:34}{took}{elsewhere}", flush=True)
            keep(rows, options)
        if time.monotonic() > until:
            print(f"  time is up after {sum(row['graph'] == name for row in rows)} algorithms", flush=True)
    return int(any(row.get("remark", "").startswith("failed") for row in rows))
