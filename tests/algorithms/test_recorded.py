"""Every algorithm's loops can be recorded, and then do the same; arrays are released with the last name of a graph."""

import gc
import weakref

import pytest
from grblas_gpu.algorithms.weighted_betweenness import weighted_dependencies
from library_algorithms import ALGORITHMS, of_graph

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, algorithms, generators, select, semiring

MORE = {
    "betweenness_centrality": algorithms.betweenness_centrality,
    "bfs_parents": of_graph("bfs_parents", reproducible=True),
    "sssp with predecessors": of_graph("sssp", predecessors=True),
    "weighted_dependencies": lambda A: weighted_dependencies(A, gb.Vector.from_coo([0], [1.0], size=A.nrows)),
}


def graph() -> Matrix:
    rows, cols = [0, 1, 2, 2, 3, 4, 0, 1, 5, 6, 3], [1, 2, 0, 3, 4, 2, 2, 3, 6, 5, 1]
    return Matrix.from_coo(rows, cols, [2.0, 1.0, 3.0, 1.0, 1.0, 2.0, 1.0, 4.0, 1.0, 2.0, 1.0], nrows=8, ncols=8)


@pytest.mark.parametrize("name", [*ALGORITHMS, *MORE])
def test_recorded_loops_do_the_same(name: str) -> None:
    algorithm = (ALGORITHMS | MORE)[name]
    with gb.using("numpy"):  # which has no kernels in place of loops
        iterated = algorithm(graph())
    with gb.using("numpy"), gb.config.set(loops="recorded"):
        recorded = algorithm(graph())
    for a, b in zip(*((x if isinstance(x, tuple) else (x,)) for x in (iterated, recorded)), strict=True):
        assert a.isclose(b) if isinstance(a, (Matrix, Vector)) else a == b or a == pytest.approx(b)


CALLS = {
    "bfs": lambda A: algorithms.bfs(A, 0),
    "betweenness_centrality": lambda A: algorithms.betweenness_centrality(A, [0]),
    "sssp": lambda A: algorithms.sssp(A, 0),
    **{
        name: getattr(algorithms, name)
        for name in ("closeness", "connected_components", "louvain", "pagerank", "triangle_count", "vertex_colouring")
    },
    "transpose": lambda A: semiring.plus_times(A.T @ Vector.from_scalar(1.0, A.nrows)).new(),
    "columns": lambda A: A.to_csc(),
    "symmetry": lambda A: A.is_symmetric(),
}


@pytest.fixture
def _no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("name", CALLS)
def test_arrays_are_released_with_a_graph(_no_collector, backend, name, directed):
    for _ in range(3):  # the first call may record a program
        A = generators.kronecker(6, 4)
        if directed:
            A = select.triu(A).new()
        CALLS[name](A)
        arrays = [weakref.ref(A._store.indices), weakref.ref(A._store.transposed().indices)]
        del A
        assert [array() for array in arrays] == [None, None]


def test_columns_are_kept_with_a_matrix_made_of_them(_no_collector):
    A = Matrix.from_csc(*generators.kronecker(6, 4).to_csc(), nrows=64)
    other = A._store._transpose
    assert other is not None and other._transpose is A._store
    arrays = [weakref.ref(A._store.indices), weakref.ref(other.indices)]
    del A, other
    assert [array() for array in arrays] == [None, None]
