"""Every algorithm on tiny, empty, disconnected, directed and weighted graphs, checked by SciPy and by hand.

Calls and checks are those of ``benchmarks.library_speed``, which has all algorithms (a test says so): they know nothing
of how ours work. Larger graphs are in the other files here, next to NetworkX.
"""

import numpy as np
import pytest

from benchmarks.cases_library import WORKS, Case
from grblas_gpu import Matrix

ENGINES = pytest.mark.parametrize("backend", ["cpu", "numpy"], indirect=True)
TAKES_SECONDS = {"louvain", "leiden"}  # test_communities.py has them
WITHOUT_EDGES_THERE_IS_NOTHING = {"hits", "eigenvector", "modularity of 16 parts", "quality of 16 parts"}
WITHOUT_EDGES_THERE_IS_NOTHING |= {"ensemble of 4", "fiedler vector"}
NEEDS_A_TARGET = {"astar", "shortest path", "maximum flow", "cheapest flow"}


def drawn(n: int, edges: int, seed: int, *, directed: bool, alone: int = 0) -> tuple[Matrix, bool]:
    """Random edges without loops, weights from 1 to 9, and vertices without edges at the end."""
    draw = np.random.default_rng(seed)
    pairs = np.unique(draw.integers(n, size=(edges, 2)), axis=0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    weights = draw.integers(1, 10, len(pairs)).astype(float)
    if not directed:
        low, high = pairs.min(axis=1), pairs.max(axis=1)
        _, first = np.unique(low * n + high, return_index=True)
        pairs = np.concatenate([np.c_[low, high][first], np.c_[high, low][first]])
        weights = np.tile(weights[first], 2)
    return Matrix.from_coo(*pairs.T, weights, nrows=n + alone, ncols=n + alone), directed


def parts(directed: bool) -> tuple[Matrix, bool]:
    """A triangle, a path of three and a vertex alone."""
    rows, columns = np.array([0, 1, 2, 3, 4]), np.array([1, 2, 0, 4, 5])
    weights = np.array([2.0, 3.0, 1.0, 5.0, 4.0])
    if not directed:
        rows, columns, weights = np.r_[rows, columns], np.r_[columns, rows], np.r_[weights, weights]
    return Matrix.from_coo(rows, columns, weights, nrows=7, ncols=7), directed


GRAPHS = {
    "one vertex": lambda: (Matrix(float, 1, 1), False),
    "two vertices": lambda: (Matrix(float, 2, 2), False),
    "an edge": lambda: (Matrix.from_coo([0, 1], [1, 0], [3.0, 3.0]), False),
    "one way": lambda: (Matrix.from_coo([0], [1], [3.0], nrows=2, ncols=2), True),
    "no edges": lambda: (Matrix(float, 5, 5), False),
    "parts": lambda: parts(False),
    "directed parts": lambda: parts(True),
    "a path one way": lambda: (Matrix.from_coo(range(9), range(1, 10), 2.0, nrows=10, ncols=10), True),
    "random": lambda: drawn(24, 60, 1, directed=False, alone=2),
    "random, directed": lambda: drawn(24, 70, 2, directed=True, alone=2),
    "dense": lambda: drawn(9, 200, 3, directed=False),
    "dense, directed": lambda: drawn(9, 200, 4, directed=True),
}


@ENGINES
@pytest.mark.parametrize("kind", GRAPHS)
def test_every_algorithm_on_small_graphs(kind: str, backend: str) -> None:
    A, directed = GRAPHS[kind]()
    case = Case(kind, 0, A, int(A.reduce_rowwise("count").new().to_dense(0).argmax()), directed)
    ran = 0
    for name, work in WORKS.items():
        left_out = (work.undirected_only and directed) or name in TAKES_SECONDS
        left_out |= name in WITHOUT_EDGES_THERE_IS_NOTHING and not A.nvals
        if left_out or (name in NEEDS_A_TARGET and not A.nvals):
            continue
        try:
            work.check(case, work.run(case))
        except Exception as error:
            error.add_note(f"{name} on the graph {kind!r}")
            raise
        ran += 1
    assert ran >= len(WORKS) - 12
