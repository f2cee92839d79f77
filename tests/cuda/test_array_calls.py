"""What is NumPy's code on the arrays of a device calls nothing that CuPy does not take. On a GPU, or emulated.

The emulated arrays refuse what CuPy refuses (``cupy_calls.py``).
"""

from __future__ import annotations

from collections.abc import Iterator

import emulated_engine
import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, agg, algorithms, binary, generators, io, monoid

N = 12


@pytest.fixture(params=emulated_engine.ENGINES)
def backend(request, monkeypatch) -> Iterator[str]:
    with emulated_engine.backend("cuda" if request.param == "gpu" else request.param, monkeypatch) as name:
        yield name


def matrix(dtype=float) -> Matrix:
    rows, columns = np.nonzero((np.arange(N)[:, None] * 7 + np.arange(N) * 5) % 4 == 0)
    return Matrix.from_coo(rows, columns, np.arange(len(rows)) * 7 % 5 + 1, dtype, nrows=N, ncols=N)


def undirected() -> Matrix:
    A = matrix()
    return A.ewise_add(A.T, binary.max).select("offdiag").new()


def vector(dtype=float) -> Vector:
    return Vector.from_coo([1, 3, 4, 11], [5, 8, 7, 6], dtype, size=N)


OPERATIONS = {
    "scan": lambda: matrix().ss.scan(monoid.plus),
    "scan of a vector": lambda: vector(int).ss.scan(monoid.max),
    "sort": lambda: matrix().ss.sort(binary.lt),
    "sort columns": lambda: matrix(int).ss.sort(binary.gt, "columnwise"),
    "sort a vector": lambda: vector().ss.sort(binary.lt),
    "sort complex": lambda: vector(complex).ss.sort(binary.ne),
    "selectk": lambda: matrix().ss.selectk("first", 2),
    "selectk of columns": lambda: matrix().ss.selectk("last", 1, order="columnwise"),
    "compactify": lambda: matrix().ss.compactify("smallest", 3),
    "compactify indices": lambda: matrix().ss.compactify("largest", 3, asindex=True, reverse=True),
    "aggregators": lambda: [
        matrix().reduce_rowwise(each).new() for each in (agg.first, agg.argmax, agg.varp, agg.peak_to_peak)
    ],
    "elements": lambda: [matrix()[2, :].new(), matrix()[:, 2].new(), matrix().diag(1), vector().diag()],
    "resized": lambda: _resized(matrix(), 5, 20),
    "a row": lambda: _row(matrix()),
    "a column": lambda: _column(matrix()),
    "tiles": lambda: [tile for row in matrix().ss.split(5) for tile in row],
    "joined": lambda: gb.ss.concat([[matrix(), matrix()], [matrix(), matrix()]]),
    "complex": lambda: matrix(complex).mxm(matrix(complex), "plus_times").new(),
    "complex rows": lambda: matrix(complex).reduce_rowwise(monoid.plus).new(),
    "complex union": lambda: matrix(complex).ewise_add(matrix(complex).T, binary.plus).new(),
    "complex part": lambda: matrix(complex)[[1, 3], [2, 3, 5]].new(),
    "outer": lambda: vector().outer(vector(), binary.times).new(),
    "kronecker": lambda: matrix(complex).kronecker(matrix(complex), binary.times).new(),
    "a mask of a part": lambda: _masked(matrix()),
    "hypersparse": lambda: _hypersparse(),
    "groups": lambda: matrix().heaviest_groups(Vector.from_dense(np.arange(N) % 3)).new(),
    "exported": lambda: [np.asarray(x) for x in matrix().ss.export("coor").values() if isinstance(x, np.ndarray)],
    "doubly compressed": lambda: matrix().to_dcsr(),
    "edges": lambda: matrix().to_edgelist(),
    "for SciPy": lambda: io.to_scipy_sparse(matrix()).toarray(),
}
GRAPHS = {
    "grid": lambda: generators.grid_2d(4, 3),
    "path": lambda: generators.path(7),
    "star": lambda: generators.star(7),
    "complete": lambda: generators.complete(6),
    "complete bipartite": lambda: generators.complete_bipartite(3, 4),
    "Kronecker graph": lambda: generators.kronecker(5, 4),
    "mycielskian": lambda: generators.mycielskian(4),
    "geometric": lambda: generators.random_geometric(40),
    "road": lambda: generators.road(5, 6),
    "uniform": lambda: generators.uniform_random(40, 4.0),
    "bipartite": lambda: generators.bipartite(20, 10, 3),
    "small world": lambda: generators.watts_strogatz(30, 4),
    "attachment": lambda: generators.preferential_attachment(30, 2),
    "samples": lambda: algorithms.sample_neighbors(undirected(), [1, 3, 8], [2, 2], seed=3),
    "samples by weight": lambda: algorithms.sample_neighbors(undirected(), [1, 3], [2], seed=3, weighted=True),
    "walks": lambda: algorithms.random_walks(undirected(), [1, 3, 8], 4, seed=3),
    "walks by weight": lambda: algorithms.random_walks(undirected(), [1, 3, 8], 4, seed=3, weighted=True),
    "walks with a memory": lambda: algorithms.random_walks(undirected(), [1, 3, 8], 4, seed=3, p=0.5, q=2.0),
}


def _resized(A: Matrix, *shape: int) -> Matrix:
    A.resize(*shape)
    return A


def _row(A: Matrix) -> Matrix:
    A[3, :] << vector()
    return A


def _column(A: Matrix) -> Matrix:
    A(binary.plus)[:, 3] << vector()
    return A


def _masked(A: Matrix) -> Matrix:
    A[[1, 2, 5], [0, 4]](A[[1, 2, 5], [0, 4]].new().S, binary.plus) << 3
    return A


def _hypersparse():
    huge = 2**40
    A = Matrix.from_coo([5, 2**39, 7], [2**38, 1, 2**38], [1.5, 2, 3], nrows=huge, ncols=huge)
    return [A.mxm(A).new(), A.ewise_add(A.T, binary.plus).new(), A.reduce_rowwise(monoid.plus).new(), A.T.new()]


def told(found):
    """Entries, whatever has them."""
    if isinstance(found, Matrix | Vector):
        return [x.tolist() for x in found.to_coo()]
    if isinstance(found, tuple | list):
        return [told(each) for each in found]
    return np.asarray(found).tolist()


@pytest.mark.parametrize("calls", [OPERATIONS, GRAPHS], ids=["operations", "graphs"])
def test_as_on_the_host(backend: str, calls) -> None:
    for name, call in calls.items():
        with gb.using("numpy"):
            expected = told(call())
        with gb.using(backend):
            assert told(call()) == expected, name
