"""Products with dense matrices next to cuSPARSE or SciPy, and many searches at once next to one after another.

python -m benchmarks.dense_products                  # on a GPU where there is one
python -m benchmarks.dense_products --backend cpu --scale 17
"""

from __future__ import annotations

import argparse
import gc
import statistics
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Matrix, algorithms, semiring
from grblas_gpu.generators.randomness import Stream

from . import graphs, suitesparse
from .harness import interleaved
from .machine import has_cuda
from .text_tables import Table

SOURCES = 64
Runs = dict[str, Callable[[], Any]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="cuda" if has_cuda() else "cpu", choices=["cpu", "cuda"])
    parser.add_argument("--scale", type=int, default=20 if has_cuda() else 17, help="of the Kronecker graph")
    parser.add_argument("--columns", type=int, default=64, help="of the dense matrix")
    parser.add_argument("--trials", type=int, default=7)
    options = parser.parse_args()
    graph = graphs.kronecker(options.scale)
    with gb.using(options.backend):
        A = graph.matrix(options.backend)
        print(f"{graph.name} on {options.backend}: {A.nrows} vertices, {A.nvals} entries")
        for title, runs in works(A, graph, options):
            show(title, runs, options)


def works(A: Matrix, graph: Any, options: Any) -> Iterator[tuple[str, Runs]]:
    """What is measured, each with somebody to be compared with in the first place."""
    for dtype in (np.float32, np.float64):
        yield from spmm(A, graph, options, dtype)
    sources = graph.sources(SOURCES)
    searches: Runs = {}
    if options.backend == "cpu":
        theirs = suitesparse_matrix(graph)
        searches["python-graphblas, rows of a matrix"] = partial(suitesparse_searches, theirs, sources)
    searches["bfs, one after another"] = lambda: [algorithms.bfs(A, source) for source in sources]
    searches["bfs_multi"] = lambda: algorithms.bfs_multi(A, sources)
    yield f"{SOURCES} searches", searches
    paths = {
        "betweenness, one source at a time": lambda: algorithms.betweenness_centrality(A, sources, batch=1),
        "betweenness, as by default": lambda: algorithms.betweenness_centrality(A, sources),
        f"betweenness, {SOURCES} at a time": lambda: algorithms.betweenness_centrality(A, sources, batch=SOURCES),
    }
    yield f"betweenness from {SOURCES} sources", paths


def spmm(A: Matrix, graph: Any, options: Any, dtype: Any) -> Iterator[tuple[str, Runs]]:
    """A sparse matrix times a full one, and the other way round."""
    columns, name = options.columns, np.dtype(dtype).name
    store = A._store
    weights = (random_below(255, store.nvals, store.indptr) + 1).astype(dtype)
    W = Matrix.from_csr(store.indptr, store.indices, weights, nrows=A.nrows, ncols=A.ncols)
    x = (random_below(1000, A.nrows * columns, store.indptr) / 1000).astype(dtype).reshape(A.nrows, columns)
    turned = x.T.copy()
    X, Y = full(x), full(turned)
    W._store.transposed()
    theirs = sparse_library(W)
    runs: Runs = {
        sparse_name(options.backend): lambda: theirs @ x,
        "plus_times": lambda: semiring.plus_times(W @ X).new(),
        "min_plus": lambda: semiring.min_plus(W @ X).new(),
    }
    expected = to_host(theirs @ x)
    got = semiring.plus_times(W @ X).new().to_dense(fill_value=0)
    assert np.allclose(got, expected, rtol=1e-3), "the products differ"
    yield f"W X, {columns} columns, {name}", runs
    transposed = theirs.T.tocsr()
    others: Runs = {
        sparse_name(options.backend): lambda: (transposed @ turned.T).T,
        "plus_times": lambda: semiring.plus_times(Y @ W).new(),
        "min_plus": lambda: semiring.min_plus(Y @ W).new(),
    }
    yield f"X' W, {columns} rows, {name}", others


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


def show(title: str, runs: Runs, options: Any) -> None:
    """Medians, and how many times faster than the first."""
    waiting = {name: partial(finished, run, options.backend) for name, run in runs.items()}
    times = {name: statistics.median(found) for name, found in interleaved(waiting, options.trials).items()}
    first = next(iter(times.values()))
    table = Table(title, ["by", "ms", "times as fast"])
    for name, seconds in times.items():
        table.add(name, round(1000 * seconds, 3), round(first / seconds, 2))
    print(f"\n{table}", flush=True)
    gc.collect()


def finished(run: Callable[[], Any], backend: str) -> None:
    run()
    if backend == "cuda":
        import cupy

        cupy.cuda.get_current_stream().synchronize()


if __name__ == "__main__":
    main()
