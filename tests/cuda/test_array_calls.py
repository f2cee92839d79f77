"""What is NumPy's code on the arrays of a device calls nothing that CuPy does not take. On a GPU, or emulated.

The emulated arrays refuse what CuPy refuses (``cupy_calls.py``).
"""

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial

import emulated_engine
import numpy as np
import pytest
from failing_device import full_device

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, agg, algorithms, binary, generators, io, monoid, sampling
from grblas_gpu.backends import registry
from grblas_gpu.foundation.memory import reports_memory

N = 12


@pytest.fixture(params=emulated_engine.ENGINES)
def backend(request, monkeypatch) -> Iterator[str]:
    with emulated_engine.backend("cuda" if request.param == "gpu" else request.param, monkeypatch) as name:
        registry.get_engine(name)
        yield name


def matrix(dtype=float) -> Matrix:
    rows, columns = np.nonzero((np.arange(N)[:, None] * 7 + np.arange(N) * 5) % 4 == 0)
    return Matrix.from_coo(rows, columns, np.arange(len(rows)) * 7 % 5 + 1, dtype, nrows=N, ncols=N)


def undirected() -> Matrix:
    A = matrix()
    return A.ewise_add(A.T, binary.max).select("offdiag").new()


def vector(dtype=float) -> Vector:
    return Vector.from_coo([1, 3, 4, 11], [5, 8, 7, 6], dtype, size=N)


def typed() -> list[Matrix | Vector]:
    """Of several types, with equal values and NaN, and a matrix without entries."""
    made: list[Matrix | Vector] = [Matrix(float, 3, 9)]
    for dtype in ("INT64", "FP64", "UINT8"):
        values = np.where((np.arange(23) % 6 > 0) | (dtype != "FP64"), np.arange(23) * 7 % 5 / 2, np.nan)
        made += [
            Vector.from_coo(np.arange(17) * 3, values[:17], dtype, size=60),
            Matrix.from_coo(np.arange(23) * 3 // 9, np.arange(23) * 3 % 9, values, dtype, nrows=8, ncols=9),
        ]
    return made


CHOICES, ORDERS = ("first", "last", "smallest", "largest"), ("rowwise", "columnwise")
OPERATIONS = {
    "scan": lambda: matrix().ss.scan(monoid.plus),
    "scan columns": lambda: matrix(int).ss.scan(monoid.plus, "columnwise"),
    "scan of a vector": lambda: vector(int).ss.scan(monoid.max),
    "sort": lambda: matrix().ss.sort(binary.lt),
    "sort columns": lambda: matrix(int).ss.sort(binary.gt, "columnwise"),
    "sort a vector": lambda: vector().ss.sort(binary.lt),
    "sort complex": lambda: vector(complex).ss.sort(binary.ne),
    "selectk": lambda: matrix().ss.selectk("first", 2),
    "selectk of columns": lambda: matrix().ss.selectk("last", 1, order="columnwise"),
    "compactify": lambda: [x.ss.compactify(how, 2) for x in typed() for how in CHOICES],
    "compactify indices": lambda: [x.ss.compactify(how, asindex=True) for x in typed() for how in CHOICES],
    "selectk by value": lambda: [x.ss.selectk(how, 4) for x in typed() if x.ndim == 1 for how in CHOICES],
    "reshape": lambda: [A.ss.reshape(A.ncols, A.nrows, order) for A in typed() if A.ndim == 2 for order in ORDERS],
    "flatten": lambda: [A.ss.flatten(order) for A in typed() if A.ndim == 2 for order in ORDERS],
    "changes": lambda: [
        _changed(x) for x in (matrix(), vector(), Vector(float, 5000), Vector.from_dense(np.arange(9.0)))
    ],
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
    "printed": lambda: [
        repr(each).splitlines()[4:]
        for A in (matrix(), _resized(matrix(), 200, 2000))
        for each in (A, A.T, A.S, ~A.V, vector(), A[0, :].new().V)
    ],
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
    "batches": lambda: _batches(),
    "walks": lambda: algorithms.random_walks(undirected(), [1, 3, 8], 4, seed=3),
    "walks by weight": lambda: algorithms.random_walks(undirected(), [1, 3, 8], 4, seed=3, weighted=True),
    "walks with a memory": lambda: algorithms.random_walks(undirected(), [1, 3, 8], 4, seed=3, p=0.5, q=2.0),
}
ALGORITHMS = {
    "communities": lambda: (algorithms.louvain(undirected()), algorithms.leiden(undirected())),
    "clustering": lambda: algorithms.clustering(undirected()),
    "forest": lambda: algorithms.minimum_spanning_forest(undirected()),
    "components": lambda: algorithms.connected_components(matrix()),
    "dependencies": lambda: algorithms.betweenness_centrality(undirected(), [0, 1]),
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


def _changed(x):
    """Many elements at once, of arrays on the device and of the host, and single ones between; and the transpose."""
    random = np.random.default_rng(8)
    for number in range(3):
        first, *others = (random.integers(0, n, 20) for n in x.shape)
        x.update(x._engine.array(first), *others, random.random(20), dup_op="max")
        x.delete(*(random.integers(0, n, 5) for n in x.shape))
        place = tuple(int(random.integers(n)) for n in x.shape)
        x[place if x.ndim == 2 else place[0]] = float(number)
        del x[(0, number) if x.ndim == 2 else number]
    return [x, x.T.new()] if x.ndim == 2 else [x]


def _hypersparse():
    huge = 2**40
    A = Matrix.from_coo([5, 2**39, 7], [2**38, 1, 2**38], [1.5, 2, 3], nrows=huge, ncols=huge)
    return [A.mxm(A).new(), A.ewise_add(A.T, binary.plus).new(), A.reduce_rowwise(monoid.plus).new(), A.T.new()]


def _batches():
    loader = sampling.NeighborLoader(
        undirected(),
        [2, 2],
        [1, 3, 8],
        [5, 2, 9],
        batch_size=2,
        y=Vector.from_dense(range(N)).device_arrays()["values"],
    )
    names = "n_id edge_index batch y input_id".split()
    return [[batch.matrix, *(getattr(batch, name).tolist() for name in names)] for batch in loader]


def told(found):
    """Entries, whatever has them, as text: NaN is NaN."""
    if isinstance(found, Matrix | Vector):
        return str([x.tolist() for x in found.to_coo()])
    if isinstance(found, tuple | list):
        return [told(each) for each in found]
    return str(np.asarray(found).tolist())


@pytest.mark.parametrize("memory", [nullcontext, partial(full_device, 32)], ids=["device", "host"])
@pytest.mark.parametrize(
    "calls",
    [
        pytest.param(OPERATIONS, id="operations"),
        pytest.param(GRAPHS, id="graphs"),
        pytest.param(ALGORITHMS, id="algorithms", marks=pytest.mark.slow),
    ],
)
def test_as_on_the_host(backend: str, calls, memory) -> None:
    for name, call in calls.items():
        with gb.using("numpy"):
            expected = told(call())
        with gb.using(backend), memory():
            assert told(reports_memory(call)()) == expected, name


@pytest.mark.parametrize("count", [0, 1, 2, 3, 17, 1000])
def test_copies_that_nothing_is_compiled_for(backend: str, count: int) -> None:
    records = sys.modules["grblas_gpu.backends.cuda.runtime.records"]
    for value, dtype in ((np.inf, np.float64), (True, bool), (2**62 + 7, np.int64), (-0.0, np.float32)):
        found = records.filled(count, value, np.dtype(dtype))
        for array in (found, records.copied(found), records.copied(found[::2])):
            expected = np.full(len(array), value, dtype)
            assert array.get().tobytes() == expected.tobytes() and array.dtype == expected.dtype
