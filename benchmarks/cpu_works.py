"""What the CPU engine is compared on: each work done by us and by others on the same data, and a check of results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import graphblas as ss
import numpy as np

import grblas_gpu as gb
from grblas_gpu import algorithms

from . import graphs, suitesparse, verify
from .fused_bfs import fused_bfs

PYTHON_GRAPHBLAS = "python-graphblas"


@dataclass
class Rival:
    """Somebody else who does the work, and how many times faster than that we want to be."""

    name: str
    run: Callable[[Any], Any]
    asked: float


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
    """Groups of works; a group's data is made when it is called, and can be forgotten after."""
    scales = (10, 11) if small else (18, 20)
    for scale in scales:
        yield partial(searches, scale, threads)
    yield partial(grid_search, 30 if small else 1000, threads)
    for scale in (8, 9) if small else (16, 18):
        yield partial(centrality, scale)
    yield partial(library, 9 if small else 17)
    yield partial(operations, 10 if small else 18, 7 if small else 12)
    yield ten_nodes


# --- searches ---------------------------------------------------------------------------------------------------------


def _theirs(graph: graphs.BenchmarkGraph) -> Any:
    indptr, indices = graph.csr
    A = ss.Matrix.from_csr(indptr, indices, True, ncols=graph.n, dtype=bool)
    A.wait()
    return A


def _levels(result: Any) -> np.ndarray:
    return result if isinstance(result, np.ndarray) else result.to_dense(fill_value=-1, dtype=np.int64)


def _check_levels(graph: graphs.BenchmarkGraph) -> Callable[[int, Any, list[Any]], None]:
    def check(source: int, ours: Any, theirs: list[Any]) -> None:
        levels = _levels(ours)
        verify.check_levels(*graph.csr, levels, source)
        for other in theirs:
            _same(levels, _levels(other))

    return check


def _same(ours: Any, theirs: Any, tolerance: float = 0.0) -> None:
    equal = np.allclose(ours, theirs, rtol=tolerance) if tolerance else np.array_equal(ours, theirs)
    if not equal:
        raise verify.WrongResult("results differ")


def searches(scale: int, threads: int) -> list[Work]:
    graph = graphs.kronecker(scale)
    A, B = graph.matrix("cpu"), _theirs(graph)
    indptr, indices = graph.csr
    rivals = [
        Rival("python-graphblas, level by level", lambda source: suitesparse.level_bfs(B, source), 7.0),
        Rival("python-graphblas, push/pull by hand", lambda source: suitesparse.push_pull_bfs(B, source), 2.0),
        Rival("a fused Numba loop", lambda source: fused_bfs(indptr, indices, source, threads), 1 / 1.5),
    ]
    name = f"DOBFS, Kronecker {scale}"
    return [Work(name, lambda s: algorithms.dobfs(A, s), rivals, _check_levels(graph), graph.sources(3))]


def grid_search(side: int, threads: int) -> list[Work]:
    graph = graphs.grid(side)
    A, B = graph.matrix("cpu"), _theirs(graph)
    indptr, indices = graph.csr
    rivals = [
        Rival(PYTHON_GRAPHBLAS, lambda source: suitesparse.level_bfs(B, source), 6.0),
        Rival("a fused Numba loop", lambda source: fused_bfs(indptr, indices, source, threads), 1 / 1.5),
    ]
    name = f"BFS, grid {side} x {side}"
    return [Work(name, lambda source: algorithms.bfs(A, source), rivals, _check_levels(graph), [0])]


# --- other algorithms -------------------------------------------------------------------------------------------------


def centrality(scale: int) -> list[Work]:
    graph = graphs.kronecker(scale)
    A, B = graph.matrix("cpu"), _theirs(graph)
    sources = graph.sources(4)

    def ours(_: Any) -> Any:
        return algorithms.betweenness_centrality(A, sources, normalized=False, directed=True)

    def check(_: Any, ours: Any, theirs: list[Any]) -> None:
        from scipy.sparse import csr_array

        indptr, indices = graph.csr
        P = csr_array((np.ones(len(indices)), indices, indptr), shape=(graph.n, graph.n))
        expected = sum(verify.product_dependencies(P, s, _levels(algorithms.bfs(A, s))) for s in sources)
        for scores in (ours, *theirs):
            verify.check_dependencies(scores.to_dense(fill_value=0.0), expected)

    rival = Rival(PYTHON_GRAPHBLAS, lambda _: suitesparse.batched_bc(B, sources), 1.5)
    return [Work(f"BC, 4 sources, Kronecker {scale}", ours, [rival], check)]


def library(scale: int) -> list[Work]:
    graph = graphs.kronecker(scale)
    A, B = graph.matrix("cpu"), _theirs(graph)
    n, (indptr, indices) = graph.n, graph.csr
    lengths = _lengths(graph)
    W = gb.Matrix.from_csr(indptr, indices, lengths, ncols=n)
    V = ss.Matrix.from_csr(indptr, indices, lengths, ncols=n)
    steps = 20
    changes = suitesparse.pagerank(B, 0.85, 0.0, steps)[1]
    tol = changes[-1] / n * 1.000001  # so that all stop after as many steps
    return [
        Work(
            f"PageRank, {steps} iterations, Kronecker {scale}",
            lambda _: algorithms.pagerank(A, tol=tol),
            [Rival(PYTHON_GRAPHBLAS, lambda _: suitesparse.pagerank(B, 0.85, tol, 100)[0], 1.0)],
            lambda _, ours, theirs: _same(ours.to_dense(), theirs[0].to_dense(), 1e-9),
        ),
        Work(
            f"SSSP, Kronecker {scale}",
            lambda source: algorithms.sssp(W, source),
            [Rival(PYTHON_GRAPHBLAS, lambda source: suitesparse.bellman_ford(V, source), 1.0)],
            lambda _, ours, theirs: _same(ours.to_dense(-1.0), theirs[0].to_dense(-1.0), 1e-12),
            graph.sources(3),
        ),
        Work(
            f"triangle count, Kronecker {scale}",
            lambda _: algorithms.triangle_count(A),
            [Rival(PYTHON_GRAPHBLAS, lambda _: suitesparse.triangle_count(B), 1.0)],
            lambda _, ours, theirs: _same(ours, theirs[0]),
        ),
        Work(
            f"connected components, Kronecker {scale}",
            lambda _: algorithms.connected_components(A),
            [Rival(PYTHON_GRAPHBLAS, lambda _: suitesparse.connected_components(B), 1.0)],
            lambda _, ours, theirs: _same(ours.to_dense(), theirs[0].to_dense()),
        ),
    ]


def _lengths(graph: graphs.BenchmarkGraph) -> np.ndarray:
    """The same for both directions of an edge: from 1 to 256, by a hash of the two vertices."""
    indptr, indices = graph.csr
    rows = np.repeat(np.arange(graph.n), np.diff(indptr))
    low, high = np.minimum(rows, indices), np.maximum(rows, indices)
    return ((low * 2654435761 + high * 40503) >> 7) % 256 + 1.0


# --- operations on large operands -------------------------------------------------------------------------------------

SEMIRINGS = ("plus_times", "min_plus", "lor_land", "any_pair", "min_max")
NO_FACTORY_KERNEL = {"min_max": 3.0}  # where SuiteSparse has to call functions: several times faster


def operations(scale: int, product_scale: int) -> list[Work]:
    graph, small = graphs.kronecker(scale), graphs.kronecker(product_scale)
    works = []
    for name in SEMIRINGS:
        boolean = name in ("lor_land", "any_pair")
        works.append(_mxv(graph, name, boolean))
        works.append(_mxm(small, name, boolean))
    n = 2**12 if scale < 12 else 2**22
    works += _elementwise(n)
    works += _structural(graph, n)
    return works


def _pair(graph: graphs.BenchmarkGraph, boolean: bool) -> tuple[Any, Any]:
    """The graph with weights (or True) in both libraries."""
    indptr, indices = graph.csr
    values = True if boolean else _lengths(graph)
    A = gb.Matrix.from_csr(indptr, indices, values, ncols=graph.n)
    A._store._transpose = A._store  # symmetric, as everybody may know
    B = ss.Matrix.from_csr(indptr, indices, values, ncols=graph.n)
    B.wait()
    return A, B


def _vectors(values: np.ndarray, missing: float | None = None) -> tuple[Any, Any]:
    return gb.Vector.from_dense(values, missing_value=missing), ss.Vector.from_dense(values, missing_value=missing)


def _done(x: Any) -> Any:
    """SuiteSparse may put work off until somebody looks."""
    x.wait()
    return x


def _against(
    name: str, ours: Callable[[], Any], theirs: Callable[[], Any], asked: float = 1.0, same: Any = None, repeat: int = 1
) -> Work:
    def check(_: Any, mine: Any, others: list[Any]) -> None:
        (same or _same_entries)(mine, others[0])

    rival = Rival(PYTHON_GRAPHBLAS, lambda _: theirs(), asked)
    return Work(name, lambda _: ours(), [rival], check, repeat=repeat)


def _same_entries(ours: Any, theirs: Any) -> None:
    for mine, other in zip(ours.to_coo(), theirs.to_coo(), strict=True):
        _same(mine, other, 1e-9 if mine.dtype.kind == "f" else 0.0)


def _same_number(ours: Any, theirs: Any) -> None:
    _same(ours, theirs, 1e-9)


def _mxv(graph: graphs.BenchmarkGraph, name: str, boolean: bool) -> Work:
    A, B = _pair(graph, boolean)
    rng = np.random.default_rng(1)
    x, y = _vectors(np.ones(graph.n, bool) if boolean else rng.random(graph.n))
    mine, other = getattr(gb.semiring, name), getattr(ss.semiring, name)
    what = f"mxv {name}, {A.nvals / 1e6:.1f} M entries"
    return _against(
        what, lambda: mine(A @ x).new(), lambda: _done(other(B @ y).new()), NO_FACTORY_KERNEL.get(name, 1.0)
    )


def _mxm(graph: graphs.BenchmarkGraph, name: str, boolean: bool) -> Work:
    A, B = _pair(graph, boolean)
    mine, other = getattr(gb.semiring, name), getattr(ss.semiring, name)
    what = f"mxm {name}, {A.nvals / 1e6:.2f} M entries"
    return _against(
        what, lambda: mine(A @ A).new(), lambda: _done(other(B @ B).new()), NO_FACTORY_KERNEL.get(name, 1.0)
    )


def _elementwise(n: int) -> list[Work]:
    """Two vectors with entries at two thirds and at half of the positions."""
    rng = np.random.default_rng(2)
    values = rng.integers(1, 1000, n).astype(float)
    first, second = (_vectors(np.where(rng.random(n) < share, values, 0), 0.0) for share in (2 / 3, 1 / 2))
    works = []
    for name in ("plus", "min", "max", "lor", "any"):
        x, y = (_boolean(first), _boolean(second)) if name == "lor" else (first, second)
        works.append(_ewise("ewise_add", name, x, y, n))
    for name in ("times", "plus", "max", "land", "pair"):
        x, y = (_boolean(first), _boolean(second)) if name == "land" else (first, second)
        works.append(_ewise("ewise_mult", name, x, y, n))
    reductions = [
        _reduce(name, _boolean(first) if name == "lor" else first, n) for name in ("plus", "min", "max", "lor")
    ]
    return works + reductions


def _ewise(method: str, name: str, x: tuple[Any, Any], y: tuple[Any, Any], n: int) -> Work:
    mine, other = getattr(gb.binary, name), getattr(ss.binary, name)
    return _against(
        f"{method} {name}, {n / 1e6:.1f} M",
        lambda: getattr(x[0], method)(y[0], mine).new(),
        lambda: _done(getattr(x[1], method)(y[1], other).new()),
        same=_same_structure if name == "any" else None,
    )


def _reduce(name: str, x: tuple[Any, Any], n: int) -> Work:
    mine, other = getattr(gb.monoid, name), getattr(ss.monoid, name)
    return _against(
        f"reduce {name}, {n / 1e6:.1f} M",
        lambda: x[0].reduce(mine).new().value,
        lambda: x[1].reduce(other).new().value,
        same=_same_number,
    )


def _boolean(x: tuple[Any, Any]) -> tuple[Any, Any]:
    return x[0].dup(bool), x[1].dup(bool)


def _same_structure(ours: Any, theirs: Any) -> None:
    _same(ours.to_coo()[0], theirs.to_coo()[0])


def _structural(graph: graphs.BenchmarkGraph, n: int) -> list[Work]:
    A, B = _pair(graph, False)
    rng = np.random.default_rng(3)
    (u, p), (v, q) = _vectors(rng.random(n)), _vectors(rng.random(n))
    m, k = _vectors(rng.random(n) < 1 / 3, False)
    entries = f"{A.nvals / 1e6:.1f} M entries"

    def assign_scalar(w: Any, mask: Any) -> Any:
        w(mask.S) << 2.0
        return _done(w)

    def assign_vector(w: Any, mask: Any, x: Any) -> Any:
        w(mask.S) << x
        return _done(w)

    return [
        _against(
            f"reduce_rowwise plus, {entries}",
            lambda: A.reduce_rowwise(gb.monoid.plus).new(),
            lambda: _done(B.reduce_rowwise(ss.monoid.plus).new()),
        ),
        _against(
            f"select valuegt, {entries}",
            lambda: gb.select.valuegt(A, 128).new(),
            lambda: _done(ss.select.valuegt(B, 128).new()),
        ),
        _against(
            f"select tril, {entries}",
            lambda: gb.select.tril(A).new(),
            lambda: _done(ss.select.tril(B).new()),
        ),
        _against(f"assign scalar<mask>, {n / 1e6:.1f} M", lambda: assign_scalar(u, m), lambda: assign_scalar(p, k)),
        _against(
            f"assign vector<mask>, {n / 1e6:.1f} M", lambda: assign_vector(u, m, v), lambda: assign_vector(p, k, q)
        ),
    ]


# --- ten nodes: nothing but overhead ----------------------------------------------------------------------------------


def ten_nodes() -> list[Work]:
    from .overhead import calls

    mine, other = calls("grblas_gpu cpu"), calls("graphblas")
    return [
        _against(f"{name}, 10 nodes", mine[name], other[name], same=lambda ours, theirs: _same(ours, theirs), repeat=50)
        for name in ("masked vxm", "masked scalar assign", "reduce", "nvals")
    ]
