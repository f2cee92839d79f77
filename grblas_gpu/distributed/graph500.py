"""The Graph500 benchmark: a Kronecker graph, searches from random roots, validated trees, TEPS.

Rules: roots are drawn at random among vertices that have an edge; the graph is made before the clock starts; the time
of a search is that of the slowest rank; TEPS are the undirected edges within the component of the root (each counted
once, loops and repetitions not at all) over the seconds; their mean is the harmonic one.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass

import numpy as np

from ..api.matrix import Matrix
from ..api.vector import Vector
from ..backends.mpi.engine import MpiBackend
from ..backends.mpi.grid import Grid
from ..backends.mpi.products import Degrees
from ..foundation.types import Json
from ..generators.randomness import Stream
from ..trace.records import Trace
from .construction import DistMatrix
from .hybrid_bfs import hybrid_bfs
from .validation import validate_tree

ROOTS = 64
PURPOSE = 500  # the stream of random numbers for roots


class InvalidTree(RuntimeError):
    """A search gave a tree that fails a check.

    >>> from grblas_gpu.distributed import InvalidTree
    >>> print(InvalidTree("root 3: there is a cycle"))
    root 3: there is a cycle
    """


@dataclass
class Level:
    """One level of a search, over all ranks: the maximum over the ranks, and the sum."""

    direction: str
    frontier: int
    found: int
    edges: int
    bytes_most: int
    bytes_all: int
    messages_most: int
    results_all: int  # vertices that blocks found and sent to their owners
    seconds: float
    waited: float


@dataclass
class Graph500Result:
    """The results of a run; ``teps`` in the order of the roots.

    >>> from grblas_gpu.distributed import graph500
    >>> result = graph500(6, roots=3)
    >>> result.vertices, len(result.teps), result.validated, result.median_teps > 0
    (64, 3, True, True)
    """

    scale: int
    edge_factor: int
    seed: int
    ranks: int
    grid: tuple[int, int]
    backend: str
    vertices: int
    entries: int
    construction_seconds: float
    roots: list[int]
    seconds: list[float]
    edges: list[int]
    depths: list[int]
    validated: bool
    bytes_of_graph: int  # of the largest block
    levels: list[Level]  # of the traced search

    @property
    def teps(self) -> list[float]:
        return [edges / seconds for edges, seconds in zip(self.edges, self.seconds, strict=True)]

    @property
    def median_teps(self) -> float:
        return float(np.median(self.teps))

    @property
    def harmonic_mean_teps(self) -> float:
        return self.as_dict()["harmonic_mean_teps"]

    def as_dict(self) -> Json:
        """For JSON."""
        return {**asdict(self), **teps_statistics(self.teps)}


def teps_statistics(teps: list[float]) -> dict[str, float]:
    """The statistics of the specification: quartiles, the harmonic mean, and its standard deviation (Norris 1940).

    >>> found = teps_statistics([1.0, 2.0, 4.0])
    >>> found["median_teps"], round(found["harmonic_mean_teps"], 4), round(found["harmonic_stddev_teps"], 4)
    (2.0, 1.7143, 0.7936)
    """
    names = ("min_teps", "firstquartile_teps", "median_teps", "thirdquartile_teps", "max_teps")
    found = dict(zip(names, np.quantile(teps, [0, 0.25, 0.5, 0.75, 1]).tolist(), strict=True))
    times = 1 / np.array([rate for rate in teps if rate > 0] or [np.inf])
    mean = 1 / times.mean() if times.any() else 0.0
    deviation = float(np.std(times, ddof=1)) / (len(times) - 1) ** 0.5 * mean**2 if len(times) > 1 else 0.0
    return found | {"harmonic_mean_teps": float(mean), "harmonic_stddev_teps": float(deviation)}


def graph500(
    scale: int, edge_factor: int = 16, *, roots: int = ROOTS, seed: int = 1, validate: bool = True, backend: str = "mpi"
) -> Graph500Result:
    """Run the benchmark; collective, and every rank gets the result.

    Parameters
    ----------
    scale : int
        There are 2**scale vertices.
    edge_factor : int
        Edges drawn for each vertex.
    roots : int
        How many searches.
    seed : int
        Of the random numbers: the same seed gives the same result on every backend.
    validate : bool
        Whether every tree is checked.
    backend : str
        "auto", "cpu", "cuda", "numpy" or "mpi".

    Examples
    --------
    >>> from grblas_gpu.distributed import graph500
    >>> graph500(5, roots=2).ranks
    1
    """
    started = time.perf_counter()
    A = DistMatrix.kronecker(scale, edge_factor, seed=seed, backend=backend)
    engine = A._engine
    grid = engine.grid
    grid.check_same(roots=roots, validate=validate)
    degrees = engine.degrees(A._store)
    entries = A.nvals
    constructed = _slowest(grid, time.perf_counter() - started)
    chosen = choose_roots(engine, degrees, A.nrows, roots, seed)
    if not chosen:
        raise ValueError(f"graph500: no vertex of this graph has an edge (scale {scale}, edge factor {edge_factor})")
    hybrid_bfs(A, chosen[0]).nvals  # the first search loads the compiled kernels
    levels = trace_levels(engine, A, chosen[0])
    seconds, edges, depths = [], [], []
    for root in chosen:
        taken, parents = timed(engine, A, root)
        seconds.append(taken)
        if validate:
            result = validate_tree(A, root, parents)
            if not result.ok:
                raise InvalidTree(f"the search from root {root} is wrong: {result}")
            edges.append(result.edges)
            depths.append(result.depth)
        else:
            edges.append(grid.everyone.add_up([degrees.edges(parents._store.part)])[0] // 2)
    size = _most(grid, A._store.part.indptr.nbytes + A._store.part.indices.nbytes)
    about = scale, edge_factor, seed, grid.size, grid.shape, engine.local.name, A.nrows, entries
    return Graph500Result(*about, constructed, chosen, seconds, edges, depths, validate, size, levels)


def timed(engine: MpiBackend, A: Matrix, root: int) -> tuple[float, Vector]:
    """Seconds of the slowest rank, and the tree."""
    engine.grid.everyone.add_up([0])  # all begin together
    begun = time.perf_counter()
    parents: Vector = hybrid_bfs(A, root)
    parents.nvals  # the search ends when all ranks know the count
    if engine.local.sizes_on_device:
        import cupy

        cupy.cuda.get_current_stream().synchronize()  # synchronizes
    return _slowest(engine.grid, time.perf_counter() - begun), parents


def choose_roots(engine: MpiBackend, degrees: Degrees, n: int, count: int, seed: int) -> list[int]:
    """Distinct random vertices that have edges; fewer than ``count`` if the graph has fewer."""
    low, high = engine.chunk(n)
    here = engine.local.host(degrees.here)
    chosen: list[int] = []
    tried, tries = set(), 0
    while len(chosen) < count and tries < 64:
        counters = np.arange(tries * 4 * count, (tries + 1) * 4 * count, dtype=np.uint64)
        tries += 1
        fresh = [v for v in dict.fromkeys(_below(n, seed, counters)) if v not in tried]
        tried.update(fresh)
        mine = [int(low <= v < high and here[v - low] > 0) for v in fresh]
        has_edge = engine.grid.everyone.add_up(mine) if fresh else []
        chosen += [v for v, there in zip(fresh, has_edge, strict=True) if there]
    return chosen[:count]


def _below(n: int, seed: int, counters: np.ndarray) -> list[int]:
    """Random vertices: 64 bits modulo n, a power of two."""
    return (Stream(seed, PURPOSE).bits(counters) & np.uint64(n - 1)).astype(np.int64).tolist()


def trace_levels(engine: MpiBackend, A: Matrix, root: int) -> list[Level]:
    """The bytes sent and the time taken by every level of one search."""
    with Trace() as collected:
        parents: Vector = hybrid_bfs(A, root)
        parents.nvals
    levels = []
    for record in collected.steps():
        here = np.array([record.bytes_sent or 0, record.messages or 0, record.results_sent or 0], np.int64)
        sent = engine.grid.everyone.gather_small(here)
        times = engine.grid.everyone.gather_small(np.array([record.seconds, record.waited or 0.0]))
        most, every = sent.max(axis=0).tolist(), sent.sum(axis=0).tolist()
        about = record.direction, record.input_nvals or 0, record.output_nvals, record.input_edges or 0
        taken = float(times[:, 0].max()), float(times[:, 1].mean())
        levels.append(Level(*about, most[0], every[0], most[1], every[2], *taken))
    return levels


def _slowest(grid: Grid, seconds: float) -> float:
    return float(grid.everyone.gather_small(np.array([seconds])).max())


def _most(grid: Grid, number: int) -> int:
    return int(grid.everyone.gather_small(np.array([number], np.int64)).max())
