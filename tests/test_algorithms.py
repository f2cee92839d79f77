"""The algorithms against serial checkers, SciPy and the same lines run by python-graphblas."""

from __future__ import annotations

import graphblas
import numpy as np
import pytest
from checkers import check_levels, serial_bfs
from grblas_gpu.algorithms import bfs, dobfs
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

import grblas_gpu as gb
from grblas_gpu import generators
from grblas_gpu.descriptor import POLICIES


def as_matrix(n: int, edges: set[tuple[int, int]]) -> gb.Matrix:
    rows, cols = np.array(sorted(edges), np.int64).reshape(-1, 2).T
    return gb.Matrix.from_coo(rows, cols, True, nrows=n, ncols=n)


graphs = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        st.just(n), st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=40), st.integers(0, n - 1)
    )
)


@given(graph=graphs, algorithm=st.sampled_from([bfs, dobfs]))
def test_small_directed_graphs(backend: str, graph: tuple, algorithm: object) -> None:
    n, edges, source = graph
    A = as_matrix(n, edges)
    rows, cols, _ = A.to_coo()
    levels = algorithm(A, source).to_dict()  # type: ignore[operator]
    assert levels == serial_bfs(rows, cols, n, source)
    check_levels(levels, rows, cols, source)


@pytest.mark.parametrize("direction", ["auto", "push", "pull"])
@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_and_direction(backend: str, direction: str, policy: str) -> None:
    A = generators.kronecker(9, 8, seed=3)
    rows, cols, _ = A.to_coo()
    expected = serial_bfs(rows, cols, A.nrows, 1)
    assert dobfs(A, 1, direction=direction, policy=policy).to_dict() == expected


def test_weights_do_not_matter(backend: str) -> None:
    """lor_land and any_pair look at the structure, whatever the stored values (but for explicit zeros in lor_land)."""
    A = gb.Matrix.from_coo([0, 1, 2], [1, 2, 0], [2.5, -1.0, 7.0])
    assert dobfs(A, 0).to_dict() == bfs(A, 0).to_dict() == {0: 0, 1: 1, 2: 2}


def test_against_scipy_on_a_larger_graph() -> None:
    A = generators.kronecker(13, 16, seed=5)
    indptr, indices, _ = A.to_csr()
    graph = csr_array((np.ones(A.nvals), indices.astype(np.int64), indptr.astype(np.int64)), shape=A.shape)
    source = int(np.argmax(np.diff(indptr.astype(np.int64))))
    distance = shortest_path(graph, indices=source, unweighted=True)
    for algorithm in (bfs, dobfs):
        levels = algorithm(A, source).to_dense(fill_value=-1)
        np.testing.assert_array_equal(levels, np.where(np.isinf(distance), -1, distance))


TEN_LINES = """
def bfs(A, source):
    levels = Vector(int, A.nrows)
    frontier = Vector.from_coo([source], [True], size=A.nrows)
    depth = 0
    while frontier.nvals:
        levels(frontier.S) << depth                                              # levels<frontier> = depth
        frontier(~levels.S, replace=True) << semiring.lor_land(frontier @ A)     # frontier<!levels> = frontier A
        depth += 1
    return levels
"""


def test_the_ten_lines_run_on_both_libraries(backend: str) -> None:
    results = []
    for library in (gb, graphblas):
        names = {"Vector": library.Vector, "semiring": library.semiring}
        exec(TEN_LINES, names)
        rows, cols = generators.kronecker_edges(8, 8, seed=1)[:2]
        A = library.Matrix.from_coo(rows, cols, True, nrows=256, ncols=256)
        results.append(names["bfs"](A, int(rows[0])).to_dict())  # type: ignore[operator]
    assert results[0] == results[1]
