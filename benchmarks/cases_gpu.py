"""What gpu_speed.py times on a graph, how a result is verified, and how many bytes must move for it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

import grblas_gpu as gb
from grblas_gpu import algorithms
from grblas_gpu.bench import graphs, verify
from grblas_gpu.bench.harness import INDEX, WORD, bc_floor, bfs_floor, offset_bytes

from . import common, speed_checks
from .common import CASES, BenchmarkGraph, WrongResult, host

HEAVIEST = 255
WEIGHT = np.uint8  # holds 1 to 255: an entry's weight is one byte to read
ITERATIONS = 20  # of PageRank
CLOSE_32 = 1e-5, 1e-3  # relative differences of FP32 ranks from ours in FP64, and from those added up in FP32
VERIFIED = 24  # sources of exact betweenness: more than one batch


class Case:
    """One graph on one engine. Data is built at its first use, and freed with the object."""

    def __init__(self, graph: BenchmarkGraph, backend: str) -> None:
        self.graph, self.backend = graph, backend
        self.A = graph.matrix(backend)
        self.structure: tuple[Any, Any] = self.A._store.indptr, self.A._store.indices
        self.kept: dict[str, Any] = {}  # prepared data of kernels
        self.offset = offset_bytes(self.A.nvals, backend)

    dense = staticmethod(graphs.dense_array)

    def levels(self, source: int) -> Any:
        """The verified levels of a search, as an array of the engine."""
        levels = self.dense(algorithms.dobfs(self.A, source), -1, np.int64)
        verify.check_levels(*self.structure, levels, source)
        return levels

    @cached_property
    def degrees(self) -> Any:
        return np.diff(self.structure[0]).astype(np.int64)

    @cached_property
    def ones(self) -> Any:
        return verify.ones(self.graph, self.backend)

    @cached_property
    def weighted(self) -> gb.Matrix:
        """The graph with a random length from 1 to 255 at each edge, the same in both directions."""
        return graphs.weighted(self.A, WEIGHT, lambda stream, edges: stream.below(HEAVIEST, edges) + np.uint64(1))

    @cached_property
    def directed(self) -> tuple[np.ndarray, np.ndarray]:
        """Every edge once, towards the higher degree, on the host."""
        return speed_checks.by_degree(*self.structure)

    def matrix_of(self, suitesparse: Any, kind: str) -> Any:
        """A matrix of python-graphblas, built once. Weights have 32 bits, as the distances, so that SuiteSparse's
        compiled kernels need no conversions."""
        if kind not in self.kept:
            values = host(self.weighted._store.values).astype(np.int32) if kind == "weighted" else True
            csr = self.directed if kind == "directed" else None
            self.kept[kind] = suitesparse.matrix(self.graph, values, csr)
        return self.kept[kind]


def same_levels(ours: Any, theirs: Any) -> bool:
    return bool(np.array_equal(*(x.to_dense(fill_value=-1, dtype=np.int64) for x in (ours, theirs))))


def close(ours: Any, theirs: Any, rtol: float = 1e-6) -> bool:
    x, y = (v.to_dense(fill_value=0.0, dtype=np.float64) for v in (ours, theirs))
    return bool(np.allclose(x, y, rtol=rtol, atol=1e-9 * float(np.abs(y).max(initial=0.0))))


class Other(NamedTuple):
    """The same work by python-graphblas on one kind of matrix, and whether two results agree."""

    run: Callable[[Any, Any, int], Any]  # the module suitesparse, a matrix, the source
    same: Callable[[Any, Any], bool] = same_levels
    kind: str = "structure"


@dataclass(frozen=True)
class Kernel:
    """``run`` is timed; the other functions get the case, then the result or the source.

    ``check`` raises WrongResult; ``floor`` returns bytes; ``traversed`` returns the entries counted for one run
    (None: not counted).
    """

    run: Callable[[Case, int], Any]
    check: Callable[[Case, Any, int], None]
    floor: Callable[[Case, Any], int]
    traversed: Callable[[Case], int] | None = None
    other: Other | None = None
    prepare: Callable[[Case], Any] = lambda case: None
    levels: bool = False  # whether its trace has a line per level


def bfs(search: Callable[..., Any]) -> Kernel:
    return Kernel(
        lambda case, source: search(case.A, source),
        lambda case, levels, source: verify.check_levels(*case.structure, case.dense(levels, -1, np.int64), source),
        lambda case, levels: bfs_floor(levels.nvals, case.A.nvals, case.backend),
        lambda case: case.A.nvals,
        Other(lambda ss, B, source: ss.push_pull_bfs(B, source)),
        levels=True,
    )


def betweenness(case: Case, sources: Any) -> Any:
    return algorithms.betweenness_centrality(case.A, sources, normalized=False, directed=True)


def check_bc(case: Case, scores: Any, source: int) -> None:
    levels = case.levels(source)
    if int(levels.max()) > verify.FEW_LEVELS:
        expected = verify.edge_dependencies(*case.graph.csr, source, host(levels))
    else:
        expected = host(verify.product_dependencies(case.ones, source, levels))
    verify.check_dependencies(scores.to_dense(fill_value=0.0), expected)


def check_some_scores(case: Case, count: int = VERIFIED) -> None:
    """Verify betweenness of several sources at once; verifying all sources would take too long."""
    sources = list(dict.fromkeys(case.graph.sources(count)))
    scores = betweenness(case, sources).to_dense(fill_value=0.0)
    searches = [(source, case.levels(source)) for source in sources]
    speed_checks.check_scores(scores, case.ones, case.structure, searches)


def prepare_pagerank(case: Case) -> None:
    """Ranks after 20 steps by products of another library, and a tolerance that the last step meets."""
    ranks, changes = speed_checks.power_iteration(case.ones, case.degrees, ITERATIONS)
    case.kept["pagerank"] = ranks, (changes[-1] * changes[-2]) ** 0.5 / case.A.nrows


def pagerank(dtype: Any, near: float, theirs: float) -> Kernel:
    """PageRank in one type, ``near`` to ranks in FP64. Changes in FP32 are too coarse to find the last step."""
    size, exact = np.dtype(dtype).itemsize, dtype is np.float64

    def run(case: Case, source: int) -> Any:
        tol = case.kept["pagerank"][1] if exact else 0.0
        return algorithms.pagerank(case.A, weighted=False, tol=tol, max_iterations=ITERATIONS, dtype=dtype)

    def check(case: Case, ranks: Any, source: int) -> None:
        speed_checks.check_ranks(case.dense(ranks, 0.0, np.float64), case.kept["pagerank"][0], near)

    def floor(case: Case, ranks: Any) -> int:
        """Each step reads every entry and offset, the degrees and the old ranks, and writes new ranks."""
        return ITERATIONS * (case.A.nvals * INDEX + case.A.nrows * (case.offset + 3 * size))

    other = Other(lambda ss, B, _: ss.pagerank_steps(B, ITERATIONS, dtype), lambda x, y: close(x, y, theirs))
    return Kernel(run, check, floor, other=other, prepare=prepare_pagerank)


def check_sssp(case: Case, distances: Any, source: int) -> None:
    dense = case.dense(distances, -1, np.int64)
    speed_checks.check_distances(*case.structure, case.weighted._store.values, dense, source)


def check_triangles(case: Case, count: int, source: int) -> None:
    expected = int(speed_checks.count_triangles(*case.directed))
    if count != expected:
        raise WrongResult(f"{count} triangles instead of {expected}")


def check_components(case: Case, labels: Any, source: int) -> None:
    hub = int(np.argmax(case.degrees))
    speed_checks.check_components(*case.structure, case.dense(labels, -1, np.int64), hub, case.levels(hub))


def exact_floor(case: Case, scores: Any) -> int:
    """Every source at once: path counts and dependencies are written once and read once, the matrix is read twice."""
    n = case.A.nrows
    return bc_floor(n, case.A.nvals, case.backend) + 4 * n * (n - 1) * WORD


KERNELS: dict[str, Kernel] = {
    "dobfs": bfs(algorithms.dobfs),
    "bfs": bfs(algorithms.bfs),
    "bc": Kernel(
        betweenness,
        check_bc,
        lambda case, scores: bc_floor(case.A.nrows, case.A.nvals, case.backend),
        lambda case: case.A.nvals,
        Other(lambda ss, B, source: ss.brandes(B, source), close),
        levels=True,
    ),
    "exact": Kernel(
        lambda case, count: betweenness(case, range(count)),  # gpu_speed.py sets the count
        lambda case, scores, source: check_some_scores(case),
        exact_floor,
        lambda case: case.A.nrows * case.A.nvals,
    ),
    "pagerank": pagerank(np.float64, speed_checks.CLOSE, 1e-6),
    "pagerank32": pagerank(np.float32, *CLOSE_32),
    "sssp": Kernel(  # every entry and its weight is read once, and a distance is written
        lambda case, source: algorithms.sssp(case.weighted, source),
        check_sssp,
        lambda case, found: found.nvals * (case.offset + WORD) + case.A.nvals * (INDEX + np.dtype(WEIGHT).itemsize),
        lambda case: case.A.nvals,
        Other(lambda ss, B, source: ss.bellman_ford(B, source), kind="weighted"),
        prepare=lambda case: case.weighted,
    ),
    "triangles": Kernel(  # every undirected edge is read once
        lambda case, source: algorithms.triangle_count(case.A),
        check_triangles,
        lambda case, count: case.A.nrows * case.offset + case.A.nvals // 2 * INDEX,
        other=Other(lambda ss, B, _: ss.triangle_count(B), lambda ours, theirs: ours == theirs, "directed"),
    ),
    "components": Kernel(  # per vertex: read its offset and one entry, and write its component
        lambda case, source: algorithms.connected_components(case.A),
        check_components,
        lambda case, labels: bfs_floor(case.A.nrows, case.A.nvals, case.backend),
        other=Other(lambda ss, B, _: ss.connected_components(B)),
    ),
}


class Work(NamedTuple):
    """A row: a kernel on a graph, and target milliseconds: with Python loops, with device loops, and in the end."""

    name: str
    graph: str
    kernel: str
    target: float | None = None
    fused: float | None = None
    horizon: float | None = None


WORKS = [Work(**row) for row in CASES["gpu_speed"]["rows"]]
GRAPHS: dict[str, dict[str, Any]] = CASES["graphs"]


def graph_of(key: str, small: bool) -> BenchmarkGraph:
    recipe = GRAPHS[key]
    make = getattr(graphs, recipe["make"], None) or getattr(common, recipe["make"])
    return make(*recipe["small" if small else "size"])
