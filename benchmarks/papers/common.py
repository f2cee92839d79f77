"""What the papers' experiments share: their options, and how they are timed."""

from __future__ import annotations

import gc
import statistics
import time
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import grblas_gpu as gb

from .. import verify
from ..contenders import Contender, contenders
from ..graphs import BenchmarkGraph
from ..harness import Session, interleaved
from ..machine import has_cuda


@dataclass
class Options:
    """How an experiment is run; ``small`` is a size that takes seconds on a CPU."""

    backend: str = ""
    small: bool = False
    sources: int = 3
    trials: int = 5
    names: list[str] | None = None  # other contenders to take part, where an experiment has them

    def __post_init__(self) -> None:
        self.backend = self.backend or ("cuda" if has_cuda() else "cpu")

    def others(self, *default: str) -> list[Contender]:
        """Other libraries that take part, where they are installed."""
        names = default if self.names is None else tuple(self.names)
        return [c for c in contenders() if any(name in c.name for name in names) and "grblas_gpu" not in c.name]


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper and the function that repeats it."""

    name: str
    title: str
    paper: str
    run: Callable[[Options, Session], list[Any]]


def median_ms(runs: Mapping[str, Callable[[], Any]], trials: int) -> dict[str, float]:
    """Median milliseconds of each, taking turns."""
    return {name: statistics.median(times) * 1e3 for name, times in interleaved(runs, trials).items()}


def finished(run: Callable[[], gb.Vector]) -> int:
    """Run, and wait for the result."""
    return run().nvals


def verified_levels(A: gb.Matrix, search: Callable[..., gb.Vector], source: int) -> gb.Vector:
    """The levels that a search finds, right by definition of what levels are."""
    levels = search(A, source)
    with gb.using(A.backend):
        dense = levels._engine.array(levels.to_dense(fill_value=-1, dtype=np.int64))
    verify.check_levels(A._store.indptr, A._store.indices, dense, source, A._store.row_ids)
    return levels


def peak_bytes(backend: str, run: Callable[[], Any]) -> int:
    """The most memory that a run needs at once beyond what was there before."""
    for _ in range(4):  # what is compiled or prepared once is not part of it
        run()
    if backend == "cuda":
        import cupy

        from grblas_gpu.backends.cuda.runtime import workspace

        workspace.forget()  # work arrays that are kept between calls count, too
        pool = cupy.cuda.MemoryPool()  # of its own: what it holds at the end is what was needed at once
        with cupy.cuda.using_allocator(pool.malloc):
            run()
            peak = int(pool.total_bytes())
        workspace.forget()
        return peak
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def wall(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def release(graph: BenchmarkGraph) -> None:
    """Give the memory of a graph back to the device."""
    graph.forget()
    gc.collect()  # a symmetric matrix is its own transpose: a cycle
    if has_cuda():
        import cupy

        cupy.get_default_memory_pool().free_all_blocks()
