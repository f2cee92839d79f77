"""What the CPU engine is compared on: each work done by us and by others on the same data, and a check of results."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import graphblas as ss
import numpy as np

import grblas_gpu as gb
from grblas_gpu import algorithms
from grblas_gpu.bench import graphs, verify
from grblas_gpu.bench.graphs import BenchmarkGraph

from . import overhead, suitesparse
from .fused_bfs import fused_bfs

PYTHON_GRAPHBLAS = "python-graphblas"
SEMIRINGS = ("plus_times", "min_plus", "lor_land", "any_pair", "min_max")
NO_FACTORY_KERNEL = {"min_max": 3.0}  # SuiteSparse calls functions here, so we want to be several times faster
STEPS = 20  # of PageRank


@dataclass
class Rival:
    """Another library that does the same work, and the speed-up over it that we want."""

    name: str
    run: Callable[[Any], Any]
    target: float


@dataclass
class Work:
    """``ours`` and the rivals take each of the ``inputs`` in turn; ``check`` raises if one result is wrong."""

    name: str
    ours: Callable[[Any], Any]
    rivals: list[Rival]
    check: Callable[[Any, Any, list[Any]], None]  # input, our result, theirs
    inputs: list[Any] = field(default_factory=lambda: [None])
    repeat: int = 1  # calls in one measurement, for those that take microseconds


def all_works(small: bool, threads: int) -> Iterator[Callable[[], list[Work]]]:
    """Groups of works; a call builds the data of a group, which can be freed afterwards."""
    for scale in (10, 11) if small else (18, 20):
        yield partial(searches, scale, threads)
    yield partial(grid_search, 30 if small else 1000, threads)
    for scale in (8, 9) if small else (16, 18):
        yield partial(centrality, scale)
    yield partial(library, 9 if small else 17)
    yield partial(operations, 10 if small else 18, 7 if small else 12)
    yield ten_nodes


# Algorithms ------------------------------------------------------------------------------------------------------


def levels_of(result: Any) -> np.ndarray:
    return result if isinstance(result, np.ndarray) else result.to_dense(fill_value=-1, dtype=np.int64)


def check_levels(graph: BenchmarkGraph, source: int, ours: Any, theirs: list[Any]) -> None:
    verify.check_levels(*graph.csr, levels_of(ours), source)
    for other in theirs:
        same(levels_of(ours), levels_of(other))


def same(ours: Any, theirs: Any, tolerance: float = 0.0) -> None:
    equal = np.allclose(ours, theirs, rtol=tolerance) if tolerance else np.array_equal(ours, theirs)
    if not equal:
        raise verify.WrongResult("results differ")


def fused(graph: BenchmarkGraph, threads: int) -> Rival:
    return Rival("a fused Numba loop", lambda source: fused_bfs(*graph.csr, source, threads), 1 / 1.5)


def searches(scale: int, threads: int) -> list[Work]:
    graph = graphs.kronecker(scale)
    A, B = graph.matrix("cpu"), suitesparse.matrix(graph)
    rivals = [
        Rival("python-graphblas, level by level", partial(suitesparse.level_bfs, B), 7.0),
        Rival("python-graphblas, push/pull by hand", partial(suitesparse.push_pull_bfs, B), 2.0),
        fused(graph, threads),
    ]
    check = partial(check_levels, graph)
    return [Work(f"DOBFS, Kronecker {scale}", partial(algorithms.dobfs, A), rivals, check, graph.sources(3))]


def grid_search(side: int, threads: int) -> list[Work]:
    graph = graphs.grid(side)
    A, B = graph.matrix("cpu"), suitesparse.matrix(graph)
    rivals = [Rival(PYTHON_GRAPHBLAS, partial(suitesparse.level_bfs, B), 6.0), fused(graph, threads)]
    return [Work(f"BFS, grid {side} x {side}", partial(algorithms.bfs, A), rivals, partial(check_levels, graph), [0])]


def centrality(scale: int) -> list[Work]:
    graph = graphs.kronecker(scale)
    A, B, sources = graph.matrix("cpu"), suitesparse.matrix(graph), graph.sources(4)

    def ours(_: Any) -> Any:
        return algorithms.betweenness_centrality(A, sources, normalized=False, directed=True)

    def check(_: Any, ours: Any, theirs: list[Any]) -> None:
        P = verify.ones(graph, "cpu")
        expected = sum(verify.product_dependencies(P, s, levels_of(algorithms.bfs(A, s))) for s in sources)
        for scores in (ours, *theirs):
            verify.check_dependencies(scores.to_dense(fill_value=0.0), expected)

    rival = Rival(PYTHON_GRAPHBLAS, lambda _: suitesparse.batched_bc(B, sources), 1.5)
    return [Work(f"BC, 4 sources, Kronecker {scale}", ours, [rival], check)]


def library(scale: int) -> list[Work]:
    graph = graphs.kronecker(scale)
    A, B = graph.matrix("cpu"), suitesparse.matrix(graph)
    W, V = pair(graph, False, symmetric=False)
    tol = suitesparse.pagerank(B, 0.0, STEPS)[1][-1] / graph.n * 1.000001  # so that all take equally many steps

    def work(name: str, ours: Any, theirs: Any, shown: Any, tolerance: float = 0.0, inputs: Any = (None,)) -> Work:
        def check(_: Any, mine: Any, others: list[Any]) -> None:
            same(shown(mine), shown(others[0]), tolerance)

        return Work(f"{name}, Kronecker {scale}", ours, [Rival(PYTHON_GRAPHBLAS, theirs, 1.0)], check, list(inputs))

    ranks, steps = partial(algorithms.pagerank, A, tol=tol), f"PageRank, {STEPS} iterations"
    three = graph.sources(3)
    counts = lambda _: algorithms.triangle_count(A), lambda _: suitesparse.all_triangles(B)
    parts = lambda _: algorithms.connected_components(A), lambda _: suitesparse.connected_components(B)
    lengths = partial(algorithms.sssp, W), partial(suitesparse.bellman_ford, V)
    return [
        work(steps, lambda _: ranks(), lambda _: suitesparse.pagerank(B, tol, 100)[0], lambda r: r.to_dense(), 1e-9),
        work("SSSP", *lengths, lambda r: r.to_dense(-1.0), 1e-12, three),
        work("triangle count", *counts, int),
        work("connected components", *parts, lambda r: r.to_dense()),
    ]


def lengths_of(graph: BenchmarkGraph) -> np.ndarray:
    """Lengths of edges from 1 to 256, by a hash of both vertices: equal in both directions."""
    indptr, indices = graph.csr
    rows = np.repeat(np.arange(graph.n), np.diff(indptr))
    low, high = np.minimum(rows, indices), np.maximum(rows, indices)
    return ((low * 2654435761 + high * 40503) >> 7) % 256 + 1.0


# Operations on large operands ------------------------------------------------------------------------------------
# A call gets the library (python-graphblas or ours) and its operands: both run the same line.


def pair(graph: BenchmarkGraph, boolean: bool, symmetric: bool = True) -> tuple[Any, Any]:
    """The graph with weights (or True) in both libraries."""
    values = True if boolean else lengths_of(graph)
    A = gb.Matrix.from_csr(*graph.csr, values, ncols=graph.n)
    if symmetric:
        A._store._transpose = A._store  # set here, so that its detection is not timed
    return A, suitesparse.matrix(graph, values)


def vectors(values: np.ndarray, missing: float | None = None) -> tuple[Any, Any]:
    return gb.Vector.from_dense(values, missing_value=missing), ss.Vector.from_dense(values, missing_value=missing)


def boolean(x: tuple[Any, Any]) -> tuple[Any, Any]:
    return x[0].dup(bool), x[1].dup(bool)


def against(
    name: str, call: Callable[..., Any], *operands: tuple[Any, Any], target: float = 1.0, alike: Any = None
) -> Work:
    """The same call in both libraries. SuiteSparse may defer work, so the call waits for the result."""
    mine, other = zip(*operands, strict=True)

    def theirs(_: Any) -> Any:
        found = call(ss, *other)
        if hasattr(found, "wait"):
            found.wait()
        return found

    def check(_: Any, found: Any, others: list[Any]) -> None:
        (alike or same_entries)(found, others[0])

    return Work(name, lambda _: call(gb, *mine), [Rival(PYTHON_GRAPHBLAS, theirs, target)], check)


def same_entries(ours: Any, theirs: Any) -> None:
    for mine, other in zip(ours.to_coo(), theirs.to_coo(), strict=True):
        same(mine, other, 1e-9 if mine.dtype.kind == "f" else 0.0)


def same_structure(ours: Any, theirs: Any) -> None:
    same(ours.to_coo()[0], theirs.to_coo()[0])


def product(name: str) -> Callable[..., Any]:
    return lambda lib, A, x: getattr(lib.semiring, name)(A @ x).new()


def elementwise(method: str, name: str) -> Callable[..., Any]:
    return lambda lib, x, y: getattr(x, method)(y, getattr(lib.binary, name)).new()


def reduced(name: str) -> Callable[..., Any]:
    return lambda lib, x: x.reduce(getattr(lib.monoid, name)).new().value


def assign(lib: Any, w: Any, mask: Any, x: Any = 2.0) -> Any:
    w(mask.S) << x
    return w


def operations(scale: int, product_scale: int) -> list[Work]:
    graph, few = graphs.kronecker(scale), graphs.kronecker(product_scale)
    works = []
    for name in SEMIRINGS:
        A, B = (pair(each, name in ("lor_land", "any_pair")) for each in (graph, few))
        x = vectors(np.ones(graph.n, bool) if A[0].dtype == bool else np.random.default_rng(1).random(graph.n))
        target = NO_FACTORY_KERNEL.get(name, 1.0)
        works.append(against(f"mxv {name}, {A[0].nvals / 1e6:.1f} M entries", product(name), A, x, target=target))
        works.append(against(f"mxm {name}, {B[0].nvals / 1e6:.2f} M entries", product(name), B, B, target=target))
    n = 2**12 if scale < 12 else 2**22
    return [*works, *of_vectors(n), *structural(graph, n)]


def of_vectors(n: int) -> Iterator[Work]:
    """Two vectors with entries at two thirds and at half of the positions."""
    rng = np.random.default_rng(2)
    values = rng.integers(1, 1000, n).astype(float)
    first, second = (vectors(np.where(rng.random(n) < share, values, 0), 0.0) for share in (2 / 3, 1 / 2))
    for method, names in {"ewise_add": "plus min max lor any", "ewise_mult": "times plus max land pair"}.items():
        for name in names.split():
            x, y = (boolean(first), boolean(second)) if name in ("lor", "land") else (first, second)
            alike = same_structure if name == "any" else None
            yield against(f"{method} {name}, {n / 1e6:.1f} M", elementwise(method, name), x, y, alike=alike)
    for name in ("plus", "min", "max", "lor"):
        x = boolean(first) if name == "lor" else first
        yield against(f"reduce {name}, {n / 1e6:.1f} M", reduced(name), x, alike=partial(same, tolerance=1e-9))


def structural(graph: BenchmarkGraph, n: int) -> list[Work]:
    A, rng = pair(graph, False), np.random.default_rng(3)
    u, v = vectors(rng.random(n)), vectors(rng.random(n))
    mask = vectors(rng.random(n) < 1 / 3, False)
    entries, positions = f"{A[0].nvals / 1e6:.1f} M entries", f"{n / 1e6:.1f} M"
    return [
        against(f"reduce_rowwise plus, {entries}", lambda lib, A: A.reduce_rowwise(lib.monoid.plus).new(), A),
        against(f"select valuegt, {entries}", lambda lib, A: lib.select.valuegt(A, 128).new(), A),
        against(f"select tril, {entries}", lambda lib, A: lib.select.tril(A).new(), A),
        against(f"assign scalar<mask>, {positions}", assign, u, mask),
        against(f"assign vector<mask>, {positions}", assign, u, mask, v),
    ]


def ten_nodes() -> list[Work]:
    """Calls on ten nodes: only overhead."""
    mine, other = overhead.calls("grblas_gpu cpu"), overhead.calls("graphblas")

    def work(name: str) -> Work:
        rival = Rival(PYTHON_GRAPHBLAS, lambda _: other[name](), 1.0)
        return Work(f"{name}, 10 nodes", lambda _: mine[name](), [rival], lambda _, x, ys: same(x, ys[0]), repeat=50)

    return [work(name) for name in ("masked vxm", "masked scalar assign", "reduce", "nvals")]
