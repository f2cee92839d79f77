"""Arrays are released with the last name of a graph: Python's collector does not know how large they are."""

from __future__ import annotations

import gc
import weakref

import pytest

from grblas_gpu import Matrix, Vector, algorithms, generators, select, semiring

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
