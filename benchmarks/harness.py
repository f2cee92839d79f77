"""One harness: a graph, a kernel, contenders that take turns in one process, results verified before they are timed."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from grblas_gpu.backends.cpu.fusion import tier
from grblas_gpu.progress import progress

from . import verify
from .contenders import Contender
from .floors import EVERY_EDGE, FLOORS
from .graphs import BenchmarkGraph
from .machine import copy_rate, describe

WARM_UP, PATIENCE = 4, 1.0  # runs before those that count, unless they have taken so many seconds
BUDGET = 5.0  # seconds: who is slow runs less often, but at least once per source


@contextmanager
def compiling() -> Iterator[None]:
    """Loops on a CPU are compiled in the first call, not when they have run for seconds: later ones are timed."""
    before, tier.FEW_SECONDS = tier.FEW_SECONDS, 0.0
    try:
        yield
    finally:
        tier.FEW_SECONDS = before


def seconds(run: Callable[[], Any], clock: Callable[[], float] = time.perf_counter) -> float:
    start = clock()
    run()
    return clock() - start


def interleaved(
    runs: Mapping[str, Callable[[], Any]], trials: int, clock: Callable[[], float] = time.perf_counter
) -> dict[str, list[float]]:
    """Seconds of each, after some to warm up; they take turns, so that a slow moment of the machine hits all."""
    for run in runs.values():
        spent = 0.0
        for _ in range(WARM_UP):
            if spent < PATIENCE:
                with compiling():
                    spent += seconds(run)
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(trials):
        for name, run in runs.items():
            times[name].append(seconds(run, clock))
    return times


def spread(values: Iterable[float], factor: float = 1.0) -> dict[str, float]:
    """Median, quartiles and extremes."""
    found = sorted(value * factor for value in values)
    q1, median, q3 = statistics.quantiles(found, n=4, method="inclusive") if len(found) > 1 else found * 3
    return {"median": median, "q1": q1, "q3": q3, "min": found[0], "max": found[-1]}


class Session:
    """Measurements of several graphs, and what they were made on."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.measurements: list[dict[str, Any]] = []
        self.left_out: list[dict[str, str]] = []

    def measure(
        self,
        graph: BenchmarkGraph,
        kernel: str,
        contenders: list[Contender],
        *,
        sources: int = 3,
        trials: int = 5,
        seed: int = 1,
        budget: float = BUDGET,
    ) -> list[dict[str, Any]]:
        """Verify and time a kernel on a graph, and keep a row for each contender.

        A contender is timed for about ``budget`` seconds. If one source takes the fastest of them longer than its share
        of that, there are fewer sources.
        """
        ready: dict[str, tuple[Contender, Any]] = {}
        for contender in contenders:
            if kernel not in contender.kernels:
                self._leave_out(graph, kernel, contender, "has no such function")
            elif kernel == "bc" and not graph.countable:
                self._leave_out(graph, kernel, contender, "more shortest paths than FP64 can count")
            elif contender.limit is not None and graph.entries > contender.limit:
                self._leave_out(graph, kernel, contender, f"only asked up to {contender.limit:,} entries")
            else:
                start = time.perf_counter()
                ready[contender.name] = (contender, contender.prepare(graph))
                contender.extra["prepared"] = time.perf_counter() - start
        if not ready:
            return []
        roots = graph.sources(sources, seed)
        first: dict[str, float] = {}
        facts: list[dict[str, int]] = []
        for root in roots:
            if not first or min(first.values()) * (len(facts) + 1) <= budget:
                with compiling():
                    facts.append(self._verify(graph, kernel, root, ready, first))
        roots = roots[: len(facts)]
        times: dict[str, list[tuple[int, float]]] = {name: [] for name in ready}
        rounds = {name: max(1, min(trials, int(budget / max(1e-9, first[name] * len(roots))))) for name in ready}
        gc.collect()
        for round_ in progress(range(-1, trials), f"{kernel} on {graph.name}"):  # one more to warm up
            for k, root in enumerate(roots):
                for name, (contender, data) in ready.items():
                    if round_ < rounds[name] - (rounds[name] == 1):  # who is that slow needs no warm-up
                        run = contender.kernels[kernel]
                        start = time.perf_counter()
                        run(data, root)
                        if round_ >= 0 or rounds[name] == 1:
                            times[name].append((k, time.perf_counter() - start))
        rows = [self._row(graph, kernel, contender, facts, times[name]) for name, (contender, _) in ready.items()]
        self.measurements += rows
        return rows

    def _leave_out(self, graph: BenchmarkGraph, kernel: str, contender: Contender, why: str) -> None:
        self.left_out.append({"graph": graph.name, "kernel": kernel, "contender": contender.name, "why": why})

    def _verify(
        self,
        graph: BenchmarkGraph,
        kernel: str,
        root: int,
        ready: dict[str, tuple[Contender, Any]],
        first: dict[str, float],
    ) -> dict[str, int]:
        """Every contender's result from this source is right. Returns facts about the search."""
        levels = expected = np.empty(0)
        for name, (contender, data) in ready.items():
            run = contender.kernels[kernel]
            for _ in range(1 if name in first else 2):  # the very first one may compile
                start = time.perf_counter()
                result = run(data, root)
                taken = time.perf_counter() - start
            first[name] = max(first.get(name, 0.0), taken)
            shown = contender.show[kernel](result, graph.n)
            try:
                if len(levels) == 0:
                    levels = shown if kernel == "bfs" else _levels(contender, data, root, graph)
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
        return {
            "reached": int(reached.sum()),
            "edges": int(graph.degrees[reached].sum()) // 2,
            "depth": int(levels.max(initial=0)),
        }

    def _row(
        self,
        graph: BenchmarkGraph,
        kernel: str,
        contender: Contender,
        facts: list[dict[str, int]],
        times: list[tuple[int, float]],
    ) -> dict[str, Any]:
        rate = copy_rate(contender.backend)
        floors = [FLOORS[kernel](fact["reached"], graph.entries, contender.backend) / rate for fact in facts]
        every = [EVERY_EDGE[kernel](fact["reached"], graph.entries, contender.backend) / rate for fact in facts]
        return {
            "graph": graph.name,
            "recipe": graph.recipe,
            "vertices": graph.n,
            "entries": graph.entries,
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
            "gteps_entries": statistics.median(graph.entries / t for _, t in times) / 1e9,
            # As Graph500 counts: undirected edges of the component that was searched (repeated ones were dropped).
            "gteps_graph500": statistics.median(facts[k]["edges"] / t for k, t in times) / 1e9,
            "prepare_s": contender.extra["prepared"],
        }

    def result(self) -> dict[str, Any]:
        """Everything, for a JSON file."""
        rates = {backend: copy_rate(backend) / 1e9 for backend in self._backends()}
        return {
            "title": self.title,
            **describe(),
            "copy_gb_per_s": rates,
            "measurements": self.measurements,
            "left_out": self.left_out,
        }

    def _backends(self) -> list[str]:
        cuda = any(row["contender"].endswith("cuda") for row in self.measurements)
        return ["host", "cuda"] if cuda else ["host"]


def _levels(contender: Contender, data: Any, root: int, graph: BenchmarkGraph) -> np.ndarray:
    return contender.show["bfs"](contender.kernels["bfs"](data, root), graph.n)


def _check_levels(graph: BenchmarkGraph, contender: Contender, levels: np.ndarray, root: int) -> None:
    """On the device if the graph is there: a large one takes seconds on the host."""
    if contender.backend != "cuda":
        verify.check_levels(*graph.csr, levels, root)
        return
    import cupy

    store = graph.matrix("cuda")._store
    verify.check_levels(store.indptr, store.indices, cupy.asarray(levels.astype(np.int32)), root, store.row_ids)


def _dependencies(graph: BenchmarkGraph, contender: Contender, levels: np.ndarray, root: int) -> np.ndarray:
    """By products with all entries if there are few levels, on the device if the graph is there."""
    if levels.max(initial=0) > verify.FEW_LEVELS:
        return verify.edge_dependencies(*graph.csr, root, levels)
    if contender.backend != "cuda":
        from scipy.sparse import csr_array

        indptr, indices = graph.csr
        A = csr_array((np.ones(len(indices)), indices, indptr), shape=(graph.n, graph.n))
        return verify.product_dependencies(A, root, levels)
    import cupy
    from cupyx.scipy.sparse import csr_matrix

    store = graph.matrix("cuda")._store
    A = csr_matrix((cupy.ones(store.nvals), store.indices, store.indptr), shape=(graph.n, graph.n))
    return verify.product_dependencies(A, root, cupy.asarray(levels)).get()
