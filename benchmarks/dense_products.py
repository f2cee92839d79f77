"""Products with dense matrices next to cuSPARSE or SciPy, and many searches at once next to one after another.

python -m benchmarks.dense_products                  # on a GPU where there is one
python -m benchmarks.dense_products --backend cpu --scale 17
python -m benchmarks.dense_products --backend cpu --scale 12 --columns 8 --check

``--check`` fails if something is slower than it may be: a product than the sparse library, many searches than half of
what python-graphblas takes, betweenness by default than any other way to take so many sources. On a CPU it goes by the
least CPU time of the process, which others on the machine change little.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Matrix, algorithms, io, semiring
from grblas_gpu.generators.randomness import Stream

from . import graphs, suitesparse
from .harness import interleaved
from .machine import has_cuda
from .text_tables import Table

SOURCES = 64
NOISE = 0.9  # of what is asked for is enough
Runs = dict[str, Callable[[], Any]]


class Work(NamedTuple):
    """What takes turns, with somebody to be compared with in the first place; and who is to be so many times as fast as
    another."""

    title: str
    runs: Runs
    asked: list[tuple[str, str, float]]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="cuda" if has_cuda() else "cpu", choices=["cpu", "cuda"])
    parser.add_argument("--scale", type=int, default=20 if has_cuda() else 17, help="of the Kronecker graph")
    parser.add_argument("--columns", type=int, default=64, help="of the dense matrix")
    parser.add_argument("--trials", type=int, default=7)
    parser.add_argument("--check", action="store_true", help="exit with 1 if something is slower than it may be")
    options = parser.parse_args(arguments)
    graph = graphs.kronecker(options.scale)
    with gb.using(options.backend):
        A = graph.matrix(options.backend)
        print(f"{graph.name} on {options.backend}: {A.nrows} vertices, {A.nvals} entries")
        missed = [miss for work in works(A, graph, options) for miss in show(work, options)]
    for miss in missed:
        print(miss)
    return int(bool(missed) and options.check)


def works(A: Matrix, graph: Any, options: Any) -> Iterator[Work]:
    for dtype in (np.float32, np.float64):
        yield from spmm(A, graph, options, dtype)
    sources = graph.sources(SOURCES)
    searches: Runs = {}
    if options.backend == "cpu":
        theirs = suitesparse_matrix(graph)
        searches["python-graphblas, rows of a matrix"] = partial(suitesparse_searches, theirs, sources)
    searches["bfs, one after another"] = lambda: [algorithms.bfs(A, source) for source in sources]
    searches["bfs_multi"] = lambda: algorithms.bfs_multi(A, sources)
    first = next(iter(searches))
    yield Work(f"{SOURCES} searches", searches, [("bfs_multi", first, 2.0 if options.backend == "cpu" else 1.0)])
    paths: Runs = {
        "as rows of a matrix": partial(betweenness_by_rows, A, sources),
        "one source at a time": lambda: algorithms.betweenness_centrality(A, sources, batch=1),
        f"{SOURCES} at a time": lambda: algorithms.betweenness_centrality(A, sources, batch=SOURCES),
        "as by default": lambda: algorithms.betweenness_centrality(A, sources),
    }
    found = [io.to_array(run()) for run in paths.values()]
    assert all(np.allclose(to_host(found[0]), to_host(other)) for other in found), "the centralities differ"
    asked = [("as by default", other, 1.0) for other in paths if other != "as by default"]
    yield Work(f"betweenness from {SOURCES} sources", paths, asked)


def betweenness_by_rows(A: Matrix, sources: list[int]) -> Any:
    """Searches stand side by side only where loops run as a whole."""
    with gb.config.set(loops="iterated"):
        return algorithms.betweenness_centrality(A, sources, batch=SOURCES)


def spmm(A: Matrix, graph: Any, options: Any, dtype: Any) -> Iterator[Work]:
    """A sparse matrix times a full one, and the other way round."""
    columns, name = options.columns, np.dtype(dtype).name
    store = A._store
    weights = (random_below(255, store.nvals, store.indptr) + 1).astype(dtype)
    W = Matrix.from_csr(store.indptr, store.indices, weights, nrows=A.nrows, ncols=A.ncols)
    x = (random_below(1000, A.nrows * columns, store.indptr) / 1000).astype(dtype).reshape(A.nrows, columns)
    turned = x.T.copy()
    X, Y, C = full(x), full(turned), Matrix(W.dtype, A.nrows, columns)
    W._store.transposed()
    theirs = sparse_library(W)
    runs: Runs = {
        sparse_name(options.backend): lambda: theirs @ x,
        "plus_times": lambda: semiring.plus_times(W @ X).new(),
        "plus_times into a Matrix": lambda: C.update(semiring.plus_times(W @ X)),
        "min_plus": lambda: semiring.min_plus(W @ X).new(),
    }
    expected = to_host(theirs @ x)
    got = semiring.plus_times(W @ X).new().to_dense(fill_value=0)
    assert np.allclose(got, expected, rtol=1e-3), "the products differ"
    asked = [("plus_times", sparse_name(options.backend), 1.0)]
    yield Work(f"W X, {columns} columns, {name}", runs, asked)
    transposed = theirs.T.tocsr()
    others: Runs = {
        sparse_name(options.backend): lambda: (transposed @ turned.T).T,
        "plus_times": lambda: semiring.plus_times(Y @ W).new(),
        "min_plus": lambda: semiring.min_plus(Y @ W).new(),
    }
    yield Work(f"X' W, {columns} rows, {name}", others, asked if options.backend == "cuda" else [])


def random_below(limit: int, count: int, like: Any) -> Any:
    return Stream(3).below(limit, np.arange(count, dtype=np.uint64, like=like))


def full(x: Any) -> Matrix:
    X = Matrix.from_dense(x)
    X._store = X._engine.with_form(X._store, "full")
    return X


def sparse_name(backend: str) -> str:
    return "cuSPARSE (cupyx)" if backend == "cuda" else "SciPy"


def sparse_library(W: Matrix) -> Any:
    """The same matrix in the sparse library of the engine's arrays."""
    if W.backend == "cuda":
        from cupyx.scipy import sparse
    else:
        from scipy import sparse
    store = W._store
    return sparse.csr_matrix((store.values, store.indices, store.indptr.astype(np.int32)), shape=W.shape)


def to_host(array: Any) -> np.ndarray:
    return array if isinstance(array, np.ndarray) else array.get()


def suitesparse_matrix(graph: Any) -> Any:
    indptr, indices = graph.csr
    return suitesparse.gb.Matrix.from_csr(indptr, indices, True, nrows=graph.n, ncols=graph.n)


def suitesparse_searches(A: Any, sources: list[int]) -> Any:
    """The lines of ``bfs_multi`` in python-graphblas."""
    ss = suitesparse.gb
    frontier = ss.Matrix.from_coo(range(len(sources)), sources, True, nrows=len(sources), ncols=A.ncols, dtype=bool)
    levels, depth = ss.Matrix(int, len(sources), A.ncols), 0
    while frontier.nvals:
        levels(frontier.S) << depth
        frontier(~levels.S, replace=True) << ss.semiring.any_pair(frontier @ A)
        depth += 1
    return levels


def show(work: Work, options: Any) -> list[str]:
    """The times, and how many times faster than the first each is. Returns who is slower than asked for."""
    waiting = {name: partial(finished, run, options.backend) for name, run in work.runs.items()}
    alone = options.check and options.backend == "cpu"
    found = interleaved(waiting, options.trials, time.process_time if alone else time.perf_counter)
    times = {name: min(each) if alone else statistics.median(each) for name, each in found.items()}
    first = next(iter(times.values()))
    table = Table(work.title, ["by", "ms of CPU time" if alone else "ms", "times as fast"])
    for name, seconds in times.items():
        table.add(name, round(1000 * seconds, 3), round(first / seconds, 2))
    print(f"\n{table}", flush=True)
    gc.collect()
    return [
        f"{work.title}: {name} is {times[other] / times[name]:.2f} times as fast as {other}, asked for {least:g}"
        for name, other, least in work.asked
        if times[other] / times[name] < NOISE * least
    ]


def finished(run: Callable[[], Any], backend: str) -> None:
    run()
    if backend == "cuda":
        import cupy

        cupy.cuda.get_current_stream().synchronize()


if __name__ == "__main__":
    sys.exit(main())
