"""The harness: interleaved runs of contenders on a graph, verified before they are timed."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

import numpy as np

from ..backends.cpu.fusion import tier
from ..foundation.progress import progress
from ..foundation.types import Json
from . import verify
from .contenders import Contender
from .graphs import BenchmarkGraph
from .machine import copy_rate, describe, seconds

WARM_UP, PATIENCE = 4, 1.0  # runs before the timed ones, and their limit in seconds
BUDGET = 5.0  # seconds: a slow contender runs less often, but at least once per source
INDEX, WORD = 4, 8  # bytes of a column index, and of a level, a path count or a dependency
Ready = dict[str, tuple[Contender, object]]


def offset_bytes(entries: int, backend: str) -> int:
    """A row pointer: 64 bits on the host, 32 on a device while they are enough."""
    return 4 if backend == "cuda" and entries < 2**31 else 8


def bfs_floor(reached: int, entries: int, backend: str) -> int:
    """Bytes: each vertex that is reached needs its offset, one entry that leads to it, and its level written."""
    return reached * (offset_bytes(entries, backend) + INDEX + WORD)


def bfs_all_edges(reached: int, entries: int, backend: str) -> int:
    """The same with every entry read once, as in top-down search; direction optimisation may need less."""
    return reached * (offset_bytes(entries, backend) + WORD) + entries * INDEX


def bc_floor(reached: int, entries: int, backend: str) -> int:
    """Both sweeps read every entry and offset; path counts and dependencies are written once and read once.

    It is not a strict bound: a pull in the forward sweep skips the rows of visited vertices, which may be most of them
    on a graph of three levels.
    """
    return 2 * (entries * INDEX + reached * offset_bytes(entries, backend)) + 4 * reached * WORD


FLOORS = {"bfs": (bfs_floor, bfs_all_edges), "bc": (bc_floor, bc_floor)}


@contextmanager
def compiling() -> Iterator[None]:
    """Compile loops on a CPU in the first call, not in the background: later calls are timed."""
    before, tier.FEW_SECONDS = tier.FEW_SECONDS, 0.0
    try:
        yield
    finally:
        tier.FEW_SECONDS = before


def interleaved(
    runs: Mapping[str, Callable[[], object]],
    trials: int,
    clock: Callable[[], float] = time.perf_counter,
    backend: str = "host",
    times: int = 1,
    warm_up: int = WARM_UP,
) -> dict[str, list[float]]:
    """Seconds of each run after warm-up; the runs alternate, so that a slow moment of the machine hits all."""
    for run in runs.values():
        spent = 0.0
        for _ in range(warm_up):
            if spent < PATIENCE:
                with compiling():
                    spent += seconds(run, backend)
    found: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(trials):
        for name, run in runs.items():
            found[name].append(seconds(run, backend, clock, times))
    return found


def spread(values: Iterable[float], factor: float = 1.0) -> dict[str, float]:
    """Median, quartiles and extremes."""
    found = sorted(value * factor for value in values)
    q1, median, q3 = statistics.quantiles(found, n=4, method="inclusive") if len(found) > 1 else found * 3
    return {"median": median, "q1": q1, "q3": q3, "min": found[0], "max": found[-1]}


class Session:
    """Measurements of several graphs, and a description of the machine."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.measurements: list[Json] = []
        self.left_out: list[dict[str, str]] = []

    def measure(
        self,
        graph: BenchmarkGraph,
        kernel: str,
        contenders: list[Contender],
        sources: int = 3,
        trials: int = 5,
        budget: float = BUDGET,
    ) -> list[Json]:
        """Verify and time a kernel on a graph, and keep a row for each contender.

        A contender is timed for about ``budget`` seconds. If the fastest contender
        needs more than a source's share of the budget, there are fewer sources.
        """
        ready, prepared = self._prepared(graph, kernel, contenders)
        if not ready:
            return []
        roots = graph.sources(sources)
        first: dict[str, float] = {}
        facts: list[dict[str, int]] = []
        for root in roots:
            if not first or min(first.values()) * (len(facts) + 1) <= budget:
                with compiling():
                    facts.append(_verify(graph, kernel, root, ready, first))
        times: dict[str, list[tuple[int, float]]] = {name: [] for name in ready}
        rounds = {name: max(1, min(trials, int(budget / max(1e-9, first[name] * len(facts))))) for name in ready}
        gc.collect()
        for round_ in progress(range(-1, trials), f"{kernel} on {graph.name}"):  # one more to warm up
            for k, root in enumerate(roots[: len(facts)]):
                for name, (contender, data) in ready.items():
                    if round_ < rounds[name] - (rounds[name] == 1):  # a slow contender needs no warm-up
                        taken = seconds(partial(contender.kernels[kernel][0], data, root))
                        if round_ >= 0 or rounds[name] == 1:
                            times[name].append((k, taken))
        shape = {"graph": graph.name, "recipe": graph.recipe, "vertices": graph.n, "entries": graph.entries}
        rows = [
            shape | _row(graph.entries, kernel, contender, facts, times[name]) | {"prepare_s": prepared[name]}
            for name, (contender, _) in ready.items()
        ]
        self.measurements += rows
        return rows

    def _prepared(
        self, graph: BenchmarkGraph, kernel: str, contenders: list[Contender]
    ) -> tuple[Ready, dict[str, float]]:
        ready: Ready = {}
        prepared: dict[str, float] = {}
        for contender in contenders:
            why = ""
            if kernel not in contender.kernels:
                why = "has no such function"
            elif kernel == "bc" and not graph.countable:
                why = "more shortest paths than FP64 can count"
            elif contender.limit is not None and graph.entries > contender.limit:
                why = f"limited to {contender.limit:,} entries"
            if why:
                self.left_out.append({"graph": graph.name, "kernel": kernel, "contender": contender.name, "why": why})
                continue
            start = time.perf_counter()
            ready[contender.name] = (contender, contender.prepare(graph))
            prepared[contender.name] = time.perf_counter() - start
        return ready, prepared

    def result(self) -> Json:
        """Everything, for a JSON file."""
        cuda = any(row["contender"].endswith("cuda") for row in self.measurements)
        rates = {backend: copy_rate(backend) / 1e9 for backend in (("host", "cuda") if cuda else ("host",))}
        measured = {"measurements": self.measurements, "left_out": self.left_out}
        return {"title": self.title, **describe(), "copy_gb_per_s": rates, **measured}


def _verify(graph: BenchmarkGraph, kernel: str, root: int, ready: Ready, first: dict[str, float]) -> dict[str, int]:
    """Verify every contender's result from this source. Returns facts about the search."""
    levels = expected = np.empty(0)
    for name, (contender, data) in ready.items():
        run, show = contender.kernels[kernel]
        for _ in range(1 if name in first else 2):  # the first call may compile
            start = time.perf_counter()
            result = run(data, root)
            taken = time.perf_counter() - start
        first[name] = max(first.get(name, 0.0), taken)
        shown = show(result, graph.n)
        try:
            if len(levels) == 0:
                search, levels_of = contender.kernels["bfs"]
                levels = shown if kernel == "bfs" else levels_of(search(data, root), graph.n)
                _check_levels(graph, contender, levels, root)
            if kernel == "bc":
                if len(expected) == 0:
                    expected = _dependencies(graph, contender, levels, root)
                verify.check_dependencies(shown, expected)
            elif shown is not levels and not np.array_equal(shown, levels):
                raise verify.WrongResult("other levels than those that were verified")
        except verify.WrongResult as error:
            raise verify.WrongResult(f"{name}: {kernel} on {graph.name} from {root}: {error}") from None
    reached = levels >= 0
    edges = int(graph.degrees[reached].sum()) // 2
    return {"reached": int(reached.sum()), "edges": edges, "depth": int(levels.max(initial=0))}


def _row(
    entries: int, kernel: str, contender: Contender, facts: list[dict[str, int]], times: list[tuple[int, float]]
) -> Json:
    rate = copy_rate(contender.backend)
    floors, every = (
        [bytes_of(fact["reached"], entries, contender.backend) / rate for fact in facts] for bytes_of in FLOORS[kernel]
    )
    return {
        "kernel": kernel,
        "contender": contender.name,
        "note": contender.note,
        "sources": len(facts),
        "depth": statistics.median(fact["depth"] for fact in facts),
        "trials": len(times) // len(facts),
        "verified": True,
        "milliseconds": spread((t for _, t in times), 1e3),
        "floor_ms": statistics.median(floors) * 1e3,
        "every_edge_ms": statistics.median(every) * 1e3,
        "over_floor": statistics.median(t / floors[k] for k, t in times),
        # As the papers count: entries of the symmetric matrix over time.
        "gteps_entries": statistics.median(entries / t for _, t in times) / 1e9,
        # As Graph500 counts: undirected edges of the component that was searched (repeated ones were dropped).
        "gteps_graph500": statistics.median(facts[k]["edges"] / t for k, t in times) / 1e9,
    }


def _check_levels(graph: BenchmarkGraph, contender: Contender, levels: np.ndarray, root: int) -> None:
    """Check levels, on the device if it has the graph: a large graph takes seconds on the host."""
    if contender.backend != "cuda":
        verify.check_levels(*graph.csr, levels, root)
        return
    import cupy

    store = graph.matrix("cuda")._store
    verify.check_levels(store.indptr, store.indices, cupy.asarray(levels.astype(np.int32)), root, store.row_ids)


def _dependencies(graph: BenchmarkGraph, contender: Contender, levels: np.ndarray, root: int) -> np.ndarray:
    """Dependencies; with few levels by products with all entries, on the device if it has the graph."""
    if levels.max(initial=0) > verify.FEW_LEVELS:
        return verify.edge_dependencies(*graph.csr, root, levels)
    A = verify.ones(graph, contender.backend)
    if contender.backend != "cuda":
        return verify.product_dependencies(A, root, levels)
    import cupy

    return verify.product_dependencies(A, root, cupy.asarray(levels)).get()
