"""Triangles of edges and vertices: against sums over all triples, of any directed graph, and as matrix products."""

from __future__ import annotations

import numpy as np
import pytest

from grblas_gpu import Matrix, Vector, binary, generators, monoid, select, semiring
from grblas_gpu.exceptions import DimensionMismatch


def triples(D: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For edges and for vertices, how many i -> k -> j with i -> j they are in, one triple after another."""
    edges, vertices = np.zeros(D.shape, np.int64), np.zeros(len(D), np.int64)
    for i, k in np.argwhere(D):
        for j in np.flatnonzero(D[i] & D[k]):
            for edge in ((i, k), (i, j), (k, j)):
                edges[edge] += 1
            for vertex in (i, k, j):
                vertices[vertex] += 1
    return edges, vertices


@pytest.mark.parametrize("kind", ["below the diagonal", "directed", "with loops"])
def test_all_triples(backend: str, kind: str) -> None:
    rng = np.random.default_rng(len(kind))
    for n, density in ((1, 1.0), (9, 0.5), (60, 0.2), (150, 0.05)):
        D = rng.random((n, n)) < density
        if kind != "with loops":
            np.fill_diagonal(D, False)
        if kind == "below the diagonal":
            D = np.tril(D)
        rows, cols = np.nonzero(D)
        L = Matrix.from_coo(rows, cols, np.arange(len(rows)) * 0.5, nrows=n, ncols=n)
        edges, vertices = triples(D)
        found = L.triangles_of_edges()
        assert found.isequal(Matrix.from_coo(rows, cols, edges[rows, cols], int, nrows=n, ncols=n), check_dtype=True)
        assert L.triangles_of_vertices().isequal(Vector.from_dense(vertices), check_dtype=True)
        assert found.backend == L.backend


@pytest.mark.slow
def test_large_enough_to_be_taken_by_the_longer_row(backend: str) -> None:
    A = generators.kronecker(12, 24)
    L = select.tril(A, -1).new()
    count = semiring.plus_pair["INT64"]
    edges = binary.second(L, 0).new(int)
    for product in (L @ L.T, L @ L, L.T @ L):
        edges(edges.S, binary.plus) << count(product)
    assert L.triangles_of_edges().isequal(edges)
    vertices = Vector.from_scalar(0, A.nrows)
    vertices(binary.plus) << edges.reduce_rowwise(monoid.plus)
    vertices(binary.plus) << edges.reduce_columnwise(monoid.plus)
    vertices << binary.floordiv(vertices, 2)
    assert L.triangles_of_vertices().isequal(vertices)


def test_nothing_and_what_is_no_graph(backend: str) -> None:
    assert Matrix(bool, 3, 3).triangles_of_edges().nvals == 0
    assert Matrix(bool, 3, 3).triangles_of_vertices().to_dense().tolist() == [0, 0, 0]
    assert Matrix(bool, 0, 0).triangles_of_vertices().size == 0
    for name in ("triangles_of_edges", "triangles_of_vertices"):
        with pytest.raises(DimensionMismatch, match=f"{name}: a graph has a square matrix"):
            getattr(Matrix(bool, 2, 3), name)()
