"""Every algorithm's loops can be recorded, as they are on a device, and then do the same."""

from __future__ import annotations

import pytest
from grblas_gpu.algorithms.weighted_betweenness import weighted_dependencies
from library_algorithms import ALGORITHMS, of_graph

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, algorithms

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
