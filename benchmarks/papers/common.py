"""What the papers' experiments share: what papers.toml says of them, their options, how they search and are timed."""

import statistics
import tomllib
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Vector, algorithms, generators, semiring
from grblas_gpu.bench import graphs, verify
from grblas_gpu.bench.contenders import Contender, contenders

from ..common import BenchmarkGraph, Road, Session, Table, has_cuda, interleaved, mycielskian

PAPERS = tomllib.loads((Path(__file__).parent / "papers.toml").read_text(encoding="utf-8"))
SMALL = {"delaunayn15": "delaunayn8", "smallworld": "smallworld200", "mycielskian12": "mycielskian7"}
SMALL |= {"kron-logn16": "kron-logn8", "mycielskian15": "mycielskian7", "mycielskian16": "mycielskian7"}


@dataclass
class Experiment:
    """A table or figure of a paper, with its entry in papers.toml."""

    name: str

    def __post_init__(self) -> None:
        self.data = {"notes": [], "rows": {}, **PAPERS[self.name[:3]], **PAPERS[self.name]}
        self.rows = self.data["rows"]

    def table(self, where: str) -> Table:
        """An empty table; ``where`` is the engine, and the graph of a table about one graph."""
        columns, between = self.data["columns"], ", "
        if ":" in where:
            where, between = where.removeprefix(":"), ": "
        split = columns.split(";" if ";" in columns else ",")
        return Table(f"{self.data['table']}{between}{where}", split, notes=list(self.data["notes"]))


@dataclass
class Options:
    """Options of an experiment; ``small`` selects a size that takes seconds on a CPU."""

    backend: str = ""
    small: bool = False
    sources: int = 3
    trials: int = 5
    names: list[str] | None = None  # selected other contenders of an experiment

    def __post_init__(self) -> None:
        self.backend = self.backend or ("cuda" if has_cuda() else "cpu")

    def others(self, *default: str) -> list[Contender]:
        """The other libraries that are selected and installed."""
        names = default if self.names is None else tuple(self.names)
        return [c for c in contenders() if any(name in c.name for name in names) and "grblas_gpu" not in c.name]

    def measure(
        self, session: Session, graph: BenchmarkGraph, kernel: str, ours: list[Contender], *others: str, **limits
    ):
        """Our rows, and python-graphblas's milliseconds if it is selected."""
        found = session.measure(graph, kernel, [*ours, *self.others(*others)], self.sources, self.trials, **limits)
        theirs = [row["milliseconds"]["median"] for row in found if row["contender"] == "python-graphblas"]
        return found[: len(ours)], theirs[0] if theirs else None


def shape(graph: BenchmarkGraph) -> tuple[str, int, int]:
    return graph.name, graph.n, graph.entries


def make(name: str, small: bool = False) -> BenchmarkGraph:
    """A graph by its name in the papers; ``small`` selects a small replacement."""
    if name == "GAP-twitter":
        return graphs.kronecker(9, 12) if small else graphs.kronecker(26, 12, "GAP-twitter (stand-in)")
    size = SMALL[name] if small else name
    kind = size.rstrip("0123456789")
    number = int(size.removeprefix(kind) or 0)
    if kind == "delaunayn":
        return graphs.delaunay(number, name)
    if kind == "mycielskian":
        return mycielskian(number)
    if kind == "kron-logn":
        return graphs.kronecker(number, 48, name)
    if kind == "smallworld":
        return BenchmarkGraph("smallworld", generators.watts_strogatz, number or 100_000, 10, 0.1)
    return Road("roadNet-CA (stand-in)", 1404)


def median_ms(runs, trials: int) -> dict[str, float]:
    """Median milliseconds of each; the runs alternate."""
    return {name: statistics.median(times) * 1e3 for name, times in interleaved(runs, trials).items()}


def finished(run: Callable[[], gb.Vector]) -> int:
    """Run, and wait for the result."""
    return run().nvals


def waiting(run: Callable[..., gb.Vector], *arguments, **options) -> Callable[[], int]:
    return partial(finished, partial(run, *arguments, **options))


def verified_levels(A: gb.Matrix, source: int) -> gb.Vector:
    """The levels of a search, verified by the definition of levels."""
    levels = algorithms.bfs(A, source)
    with gb.using(A.backend):
        dense = levels._engine.array(levels.to_dense(fill_value=-1, dtype=np.int64))
    verify.check_levels(A._store.indptr, A._store.indices, dense, source, A._store.row_ids)
    return levels


def steps_of_search(A: gb.Matrix, source: int):
    """A verified search level by level: depth, frontier, levels; the products that push the frontier and that pull from
    all visited vertices; and the mask of unvisited vertices."""
    expected = verified_levels(A, source)
    with gb.using(A.backend):
        step, depth = semiring.any_pair[bool], 0
        levels, frontier = Vector(int, A.nrows), Vector.from_coo([source], [True], size=A.nrows)
        while frontier.nvals:
            levels(frontier.S) << depth
            pushed, pulled, mask = step(frontier @ A), step(levels @ A), ~levels.S
            yield depth, frontier, levels, pushed, pulled, mask
            frontier = pushed.new(mask=mask)
            depth += 1
        if not levels.isequal(expected):
            raise verify.WrongResult("wrong levels")


def peak_bytes(backend: str, run) -> int:
    """The peak memory of a run, beyond the memory in use before."""
    for _ in range(4):  # exclude compilations and preparations
        run()
    if backend == "cuda":
        import cupy

        from grblas_gpu.backends.cuda.runtime import workspace

        workspace.forget()  # include workspace that is kept between calls
        pool = cupy.cuda.MemoryPool()  # a new pool: its size at the end is the peak
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
