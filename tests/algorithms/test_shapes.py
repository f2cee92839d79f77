"""Graphs of some hundred vertices with long chains, cycles, dense parts and many parts, against SciPy and networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from library_graphs import DIRECTED, as_list, as_matrix, directed, takes_long, without_loops
from scipy.sparse import coo_array, csgraph

import grblas_gpu as gb
from grblas_gpu import Matrix, algorithms

Edges = list[tuple[int, int]]


def random_edges(n: int, m: int, seed: int) -> Edges:
    return [(int(i), int(j)) for i, j in np.random.default_rng(seed).integers(0, n, (m, 2))]


def chain(first: int, length: int) -> Edges:
    return [(i, i + 1) for i in range(first, first + length)]


def cycle(first: int, length: int) -> Edges:
    return [*chain(first, length - 1), (first + length - 1, first)]


SHAPES: dict[str, Edges] = {
    "a chain": chain(0, 299),
    "a chain backwards": [(j, i) for i, j in chain(0, 299)],
    "a cycle": cycle(0, 300),
    "a cycle with tails": [*cycle(0, 50), *chain(49, 120), *((200 + i, i) for i in range(100)), *chain(180, 19)],
    "cycles in a row": [edge for k in range(0, 300, 5) for edge in [*cycle(k, 5), (k, k + 5)]],
    "a tree": [(i // 2, i) for i in range(1, 300)],
    "a tree upwards": [(i, i // 2) for i in range(1, 300)],
    "a chain with legs": [*chain(0, 149), *((i, 150 + i) for i in range(150))],
    "a chain with exits": [*chain(0, 149), *((150 + i, i) for i in range(150)), (149, 0)],
    "few edges": random_edges(300, 250, 1),
    "some edges": random_edges(300, 500, 2),
    "many edges": random_edges(300, 3000, 3),
    "dense": random_edges(120, 9000, 4),
    "a clique and a chain": [*((i, j) for i in range(80) for j in range(80) if i != j), *chain(79, 100)],
}


def matrix(name: str) -> Matrix:
    rows, cols = np.array(sorted(set(SHAPES[name]))).T
    weights = (rows * 7 + cols * 11) % 13 - 3.0
    n = int(max(rows.max(), cols.max())) + 1
    return Matrix.from_coo(rows, cols, weights, nrows=n, ncols=n)


def pattern(A: Matrix):
    rows, cols, _ = A.to_coo()
    return coo_array((np.ones(len(rows)), (rows, cols)), A.shape).tocsr()


def undirected(A: Matrix) -> nx.Graph:
    return without_loops(nx.from_scipy_sparse_array(pattern(A), create_using=nx.DiGraph).to_undirected())


@takes_long
@pytest.mark.parametrize("name", SHAPES)
def test_components(backend: str, name: str) -> None:
    A = matrix(name)
    for function, connection in (("strongly_connected_components", "strong"), ("connected_components", "weak")):
        found = getattr(algorithms, function)(A).to_dense()
        _, labels = csgraph.connected_components(pattern(A), connection=connection)
        lowest = {label: i for i, label in reversed(list(enumerate(labels)))}
        assert found.tolist() == [lowest[label] for label in labels]


@takes_long
@pytest.mark.parametrize("name", SHAPES)
def test_cores_and_trusses(backend: str, name: str) -> None:
    A, G = matrix(name), undirected(matrix(name))
    cores = nx.core_number(G)
    assert algorithms.core_number(A).to_dense().tolist() == as_list(cores, A.nrows)
    for k in (0, 2, 5):
        assert sorted(algorithms.k_core(A, k)) == [v for v in sorted(G) if cores[v] >= k]
    truss = {tuple(sorted(edge)) for edge in nx.k_truss(G, 4).edges()}
    assert {(int(i), int(j)) for i, j, _ in zip(*algorithms.k_truss(A, 4).to_coo(), strict=True) if i < j} == truss


@takes_long
@pytest.mark.parametrize("name", SHAPES)
def test_spanning_forests(backend: str, name: str) -> None:
    A = matrix(name)
    B = gb.select.offdiag(gb.binary.min(A | A.T).new()).new()
    G = nx.Graph((int(i), int(j), {"weight": w}) for i, j, w in zip(*B.to_coo(), strict=True))
    expected = sum(data["weight"] for *_, data in nx.minimum_spanning_edges(G, data=True))
    forest = algorithms.minimum_spanning_forest(A)
    assert forest.reduce_scalar().new().value == pytest.approx(2 * expected)
    assert forest.nvals == 2 * (len(G) - nx.number_connected_components(G))
    assert forest.isequal(B.dup(mask=forest.S))


IGNORING = {
    "core_number": algorithms.core_number,
    "k_core": lambda A: algorithms.k_core(A, 2),
    "k_truss": lambda A: algorithms.k_truss(A, 3),
    "maximal_independent_set": algorithms.maximal_independent_set,
    "maximal_matching": algorithms.maximal_matching,
    "minimum_spanning_forest": algorithms.minimum_spanning_forest,
    "transitivity": algorithms.transitivity,
    "triangle_count": algorithms.triangle_count,
    "triangles": algorithms.triangles,
    "vertex_colouring": algorithms.vertex_colouring,
}


@takes_long
@pytest.mark.parametrize("function", IGNORING)
def test_directions_do_not_matter(backend: str, function: str) -> None:
    """What was compared with networkx on undirected graphs is the same on directed ones."""
    for name in DIRECTED:
        A = as_matrix(directed(name))
        B = gb.select.offdiag(gb.monoid.lor(A | A.T).new()).new()
        found, expected = IGNORING[function](A), IGNORING[function](B)
        assert found.isclose(expected) if hasattr(found, "isclose") else found == pytest.approx(expected)
