"""Products with dense matrices next to cuSPARSE or SciPy, and many searches at once next to one after another.

python -m benchmarks dense_products                  # on a GPU where there is one
python -m benchmarks dense_products --backend cpu --scale 17
"""

import gc
import statistics
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import grblas_gpu as gb
from grblas_gpu import Matrix, algorithms, io, semiring
from grblas_gpu.bench import graphs
from grblas_gpu.generators.randomness import Stream

from .common import Table, has_cuda, host, interleaved, parser

SOURCES = 64
Runs = dict[str, Callable[[], Any]]


def works(A: Matrix, graph, options) -> Iterator[tuple[str, Runs]]:
    """Titles, and the alternating runs: the reference comes first."""
    for dtype in (np.float32, np.float64):
        yield from spmm(A, options, dtype)
    sources = graph.sources(SOURCES)
    searches: Runs = {}
    if options.backend == "cpu":
        from . import suitesparse

        searches["python-graphblas, rows of a matrix"] = partial(
            suitesparse.many_bfs, suitesparse.matrix(graph), sources
        )
    searches["bfs, one after another"] = lambda: [algorithms.bfs(A, source) for source in sources]
    searches["bfs_multi"] = lambda: algorithms.bfs_multi(A, sources)
    yield f"{SOURCES} searches", searches
    between = partial(algorithms.betweenness_centrality, A, sources)
    paths: Runs = {
        "as rows of a matrix": partial(iterated, between),
        "one source at a time": partial(between, batch=1),
        f"{SOURCES} at a time": partial(between, batch=SOURCES),
        "as by default": between,
    }
    found = [host(io.to_array(run())) for run in paths.values()]
    assert all(np.allclose(found[0], other) for other in found), "the centralities differ"
    yield f"betweenness from {SOURCES} sources", paths


def iterated(between):
    """The call with iterated loops: only loops that run as a whole batch the searches."""
    with gb.config.set(loops="iterated"):
        return between(batch=SOURCES)


def spmm(A: Matrix, options, dtype) -> Iterator[tuple[str, Runs]]:
    """A sparse matrix times a full one, and the other way round."""
    if options.backend == "cuda":
        from cupyx.scipy import sparse
    else:
        from scipy import sparse
    columns, name, store = options.columns, np.dtype(dtype).name, A._store
    library = "cuSPARSE (cupyx)" if options.backend == "cuda" else "SciPy"

    def random(limit: int, count: int):
        return Stream(3).below(limit, np.arange(count, dtype=np.uint64, like=store.indptr))

    def full(x) -> Matrix:
        X = Matrix.from_dense(x)
        X._store = X._engine.with_form(X._store, "full")
        return X

    weights = (random(255, store.nvals) + 1).astype(dtype)
    W = Matrix.from_csr(store.indptr, store.indices, weights, nrows=A.nrows, ncols=A.ncols)
    x = (random(1000, A.nrows * columns) / 1000).astype(dtype).reshape(A.nrows, columns)
    turned = x.T.copy()
    X, Y, C = full(x), full(turned), Matrix(W.dtype, A.nrows, columns)
    W._store.transposed()
    theirs = sparse.csr_matrix((weights, store.indices, store.indptr.astype(np.int32)), shape=W.shape)
    got = semiring.plus_times(W @ X).new().to_dense(fill_value=0)
    assert np.allclose(got, host(theirs @ x), rtol=1e-3), "the products differ"
    runs: Runs = {
        library: lambda: theirs @ x,
        "plus_times": lambda: semiring.plus_times(W @ X).new(),
        "plus_times into a Matrix": lambda: C.update(semiring.plus_times(W @ X)),
        "min_plus": lambda: semiring.min_plus(W @ X).new(),
    }
    yield f"W X, {columns} columns, {name}", runs
    transposed = theirs.T.tocsr()
    runs = {
        library: lambda: (transposed @ turned.T).T,
        "plus_times": lambda: semiring.plus_times(Y @ W).new(),
        "min_plus": lambda: semiring.min_plus(Y @ W).new(),
    }
    yield f"X' W, {columns} rows, {name}", runs


def main(arguments: list[str] | None = None) -> int:
    own = {
        "scale": {"type": int, "default": 20 if has_cuda() else 17, "help": "of the Kronecker graph"},
        "columns": {"type": int, "default": 64, "help": "of the dense matrix"},
    }
    options = parser("dense_products", __doc__, "backend", trials=7, **own).parse_args(arguments)
    graph = graphs.kronecker(options.scale)
    with gb.using(options.backend):
        A = graph.matrix(options.backend)
        print(f"{graph.name} on {options.backend}: {A.nrows} vertices, {A.nvals} entries")
        for title, runs in works(A, graph, options):
            found = interleaved(runs, options.trials, backend=options.backend)
            table = Table(title, ["by", "ms", "times as fast"])
            for name, times in found.items():
                ms, first = (statistics.median(each) * 1e3 for each in (times, next(iter(found.values()))))
                table.add(name, round(ms, 3), round(first / ms, 2))
            print(f"\n{table}", flush=True)
            gc.collect()
    return 0
