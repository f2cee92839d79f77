"""The algorithm library on what is no proper graph: the right answer or a clear error, and inputs that stay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, algorithms
from grblas_gpu.exceptions import DimensionMismatch, IndexOutOfBound, InvalidValue

# Every algorithm of the library as a function of the graph alone.
ALGORITHMS: dict[str, Callable[[Any], Any]] = {
    "apsp": algorithms.apsp,
    "bellman_ford": lambda A: algorithms.bellman_ford(A, 0),
    "closeness": algorithms.closeness,
    "clustering": algorithms.clustering,
    "connected_components": algorithms.connected_components,
    "core_number": algorithms.core_number,
    "delta_stepping": lambda A: algorithms.delta_stepping(A, 0),
    "diameter_estimate": algorithms.diameter_estimate,
    "eccentricity": algorithms.eccentricity,
    "hits": algorithms.hits,
    "k_core": lambda A: algorithms.k_core(A, 2),
    "k_truss": lambda A: algorithms.k_truss(A, 3),
    "katz": lambda A: algorithms.katz(A, alpha=0.01),
    "label_propagation": algorithms.label_propagation,
    "maximal_independent_set": algorithms.maximal_independent_set,
    "minimum_spanning_forest": algorithms.minimum_spanning_forest,
    "pagerank": algorithms.pagerank,
    "reachability": lambda A: algorithms.reachability(A, 0),
    "sssp": lambda A: algorithms.sssp(A, 0),
    "strongly_connected_components": algorithms.strongly_connected_components,
    "transitive_closure": algorithms.transitive_closure,
    "transitivity": algorithms.transitivity,
    "triangle_count": algorithms.triangle_count,
    "triangles": algorithms.triangles,
}
WITH_A_SOURCE = ("bellman_ford", "delta_stepping", "reachability", "sssp")
every_algorithm = pytest.mark.parametrize("name", ALGORITHMS)

# The values do not matter to the others, so NaN does not either.
WEIGHTED: dict[str, Callable[[Any], Any]] = {
    name: ALGORITHMS[name]
    for name in ("apsp", "bellman_ford", "delta_stepping", "hits", "minimum_spanning_forest", "pagerank", "sssp")
} | {
    "closeness": lambda A: algorithms.closeness(A, weighted=True),
    "clustering": lambda A: algorithms.clustering(A, weighted=True),
    "diameter": lambda A: algorithms.diameter(A, weighted=True),
    "diameter_estimate": lambda A: algorithms.diameter_estimate(A, weighted=True),
    "eccentricity": lambda A: algorithms.eccentricity(A, weighted=True),
    "katz": lambda A: algorithms.katz(A, weighted=True),
}


def test_the_list_is_complete() -> None:
    other = {"NotConverged", "betweenness_centrality", "bfs", "bfs_multi", "bfs_parents", "dobfs", "hybrid_bfs"}
    other |= {"turbobfs", "xbfs", "diameter"}
    assert set(algorithms.__all__) - other == set(ALGORITHMS)


@every_algorithm
def test_a_graph_is_square(name: str) -> None:
    with pytest.raises(DimensionMismatch, match="square"):
        ALGORITHMS[name](Matrix(float, 3, 4))


@every_algorithm
def test_a_graph_is_a_matrix(name: str) -> None:
    for thing in (Vector(float, 3), np.eye(3), None):
        with pytest.raises(TypeError, match="Matrix"):
            ALGORITHMS[name](thing)


@every_algorithm
def test_no_vertices(backend: str, name: str) -> None:
    empty = Matrix(float, 0, 0)
    if name in WITH_A_SOURCE:
        with pytest.raises(IndexOutOfBound, match="no vertices"):
            ALGORITHMS[name](empty)
        return
    result = ALGORITHMS[name](empty)
    for part in result if isinstance(result, tuple) else (result,):
        assert part in (0, 0.0) if isinstance(part, (int, float)) else part.nvals == 0


def test_diameter_without_vertices() -> None:
    assert algorithms.diameter(Matrix(float, 0, 0)) == 0


@every_algorithm
def test_inputs_stay_and_results_are_new(backend: str, name: str) -> None:
    rows, cols = [0, 1, 2, 2, 3, 4, 4, 0], [1, 2, 0, 3, 4, 2, 4, 2]
    A = Matrix.from_coo(rows, cols, [2.0, 1.0, 3.0, 0.0, 1.0, 2.0, 5.0, 1.0], nrows=5, ncols=5)
    before = A.dup()
    first = ALGORITHMS[name](A)
    assert A.isequal(before, check_dtype=True)
    for part in first if isinstance(first, tuple) else (first,):
        if isinstance(part, (Vector, Matrix)):
            assert part.backend == A.backend
            part.clear()
    assert A.isequal(before, check_dtype=True)


@every_algorithm
def test_results_live_where_the_graph_does(name: str) -> None:
    with gb.using("numpy"):
        A = Matrix.from_coo([0, 1, 2], [1, 2, 0], [1.0, 1.0, 1.0])
    result = ALGORITHMS[name](A)  # new objects would be on another backend
    for part in result if isinstance(result, tuple) else (result,):
        assert isinstance(part, (int, float)) or part.backend == "numpy"


@pytest.mark.parametrize("name", WEIGHTED)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_weights_are_numbers(backend: str, name: str, bad: float) -> None:
    A = Matrix.from_coo([0, 1, 2], [1, 2, 0], [1.0, bad, 2.0])
    with pytest.raises(InvalidValue, match="weights must"):
        WEIGHTED[name](A)


@pytest.mark.parametrize("name", sorted(set(ALGORITHMS) - set(WEIGHTED)))
def test_values_do_not_matter_to_the_others(name: str) -> None:
    rows, cols = [0, 1, 2, 1, 2, 0], [1, 2, 0, 0, 1, 2]
    odd = Matrix.from_coo(rows, cols, [1.0, np.nan, 2.0, 0.0, -np.inf, 5.0])
    plain = Matrix.from_coo(rows, cols, True, nrows=3, ncols=3)
    results = [ALGORITHMS[name](A) for A in (odd, plain)]
    assert results[0].isequal(results[1]) if hasattr(results[0], "isequal") else results[0] == results[1]


@pytest.mark.parametrize("name", ["closeness", "clustering", "delta_stepping", "hits", "pagerank"])
def test_negative_weights_where_they_make_no_sense(name: str) -> None:
    with pytest.raises(InvalidValue, match="negative"):
        WEIGHTED[name](Matrix.from_coo([0, 1], [1, 0], [1, -1]))


@pytest.mark.parametrize("name", WITH_A_SOURCE)
def test_sources_are_vertices(name: str) -> None:
    A = Matrix.from_coo([0, 1], [1, 0], [1, 1])
    for source in (2, -1):
        with pytest.raises(IndexOutOfBound, match="not a vertex"):
            getattr(algorithms, name)(A, source)
    with pytest.raises(TypeError):
        getattr(algorithms, name)(A, "a")


def test_options_out_of_range() -> None:
    A = Matrix.from_coo([0, 1], [1, 0], [1, 2])
    with pytest.raises(InvalidValue, match="damping"):
        algorithms.pagerank(A, 1.5)
    with pytest.raises(InvalidValue, match="delta"):
        algorithms.delta_stepping(A, 0, delta=0)
    with pytest.raises(DimensionMismatch, match="personalization has size 3"):
        algorithms.pagerank(A, personalization=Vector.from_scalar(1.0, 3))
    for dtype in (int, "UINT8", "FP16", None, 3, "ranks"):
        with pytest.raises(InvalidValue, match="dtype must be FP64 or FP32"):
            algorithms.pagerank(A, dtype=dtype)
    for extreme in (1e-30, 1e30):
        far = Matrix.from_coo([0, 1], [1, 0], [1.0, extreme])
        with pytest.raises(InvalidValue, match="beyond FP32 ranks"):
            algorithms.pagerank(far, dtype="FP32")
        assert algorithms.pagerank(far).to_dense().tolist() == pytest.approx([0.5, 0.5])
        assert algorithms.pagerank(far, dtype="FP32", weighted=False).to_dense().tolist() == pytest.approx([0.5, 0.5])
    for weights in ([0.0, 0.0], [-1.0, 2.0], [np.nan, 1.0]):
        with pytest.raises(InvalidValue, match="personalization"):
            algorithms.pagerank(A, personalization=Vector.from_dense(weights))


@pytest.mark.parametrize("dtype", ["BOOL", "INT8", "UINT8", "UINT64", "FP32"])
def test_every_type_of_weight(dtype: str) -> None:
    """Distances do not overflow the type of the weights."""
    n = 300
    A = Matrix.from_coo(range(n - 1), range(1, n), [1] * (n - 1), dtype, nrows=n, ncols=n)
    for algorithm in (algorithms.bellman_ford, algorithms.delta_stepping, algorithms.sssp):
        assert algorithm(A, 0).to_dict() == {i: i for i in range(n)}
    assert algorithms.pagerank(A).reduce().new().value == pytest.approx(1)
    assert algorithms.minimum_spanning_forest(A).nvals == 2 * (n - 1)
    assert algorithms.apsp(A)[0, n - 1].new().value == n - 1
