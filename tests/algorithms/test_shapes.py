"""Graphs of some hundred vertices with long chains, cycles, dense parts and many parts, against SciPy and networkx."""

import numpy as np
import pytest
from library_graphs import takes_long
from scipy.sparse import coo_array, csgraph

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


@takes_long
@pytest.mark.parametrize("name", SHAPES)
def test_components(backend: str, name: str) -> None:
    A = matrix(name)
    for function, connection in (("strongly_connected_components", "strong"), ("connected_components", "weak")):
        found = getattr(algorithms, function)(A).to_dense()
        _, labels = csgraph.connected_components(pattern(A), connection=connection)
        lowest = {label: i for i, label in reversed(list(enumerate(labels)))}
        assert found.tolist() == [lowest[label] for label in labels]
