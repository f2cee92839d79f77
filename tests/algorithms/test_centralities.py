"""Eigenvector centrality, and betweenness of edges and with lengths, against networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from grblas_gpu.algorithms import (
    NotConverged,
    betweenness_centrality,
    edge_betweenness_centrality,
    eigenvector_centrality,
)
from library_graphs import DIRECTED, UNDIRECTED, as_list, as_matrix, takes_long, undirected, weighted

import grblas_gpu as gb
from grblas_gpu import generators
from grblas_gpu.exceptions import InvalidValue

every_directed = pytest.mark.parametrize("name", DIRECTED)
every_undirected = pytest.mark.parametrize("name", UNDIRECTED)

# On the others the power iteration takes very long: the largest eigenvalue is there more than once.
CONVERGING = [name for name in DIRECTED if name not in {"path", "one edge", "acyclic", "sparse random", "scale-free"}]


@pytest.mark.parametrize("name", CONVERGING)
def test_eigenvector_centrality(backend: str, name: str) -> None:
    G = weighted(name)
    A = as_matrix(G, "weight", float)
    n = len(G)
    for weight, start in ((None, None), ("weight", None), ("weight", {v: 1.0 + v for v in range(n)})):
        options = {"tol": 1e-9, "max_iter": 3000}
        try:
            expected = as_list(nx.eigenvector_centrality(G, weight=weight, nstart=start, **options), n)
        except nx.PowerIterationFailedConvergence:
            pytest.skip("networkx does not converge either")
        found = eigenvector_centrality(
            A, weighted=weight is not None, start=start, tol=options["tol"], max_iterations=3000
        )
        np.testing.assert_allclose(found.to_dense(), expected, atol=1e-7)


@every_undirected
def test_eigenvector_centrality_of_undirected_graphs(backend: str, name: str) -> None:
    """In a graph in several parts the limit depends on the start, which is networkx's."""
    G = undirected(name)
    found = eigenvector_centrality(as_matrix(G), tol=1e-9, max_iterations=5000)
    expected = nx.eigenvector_centrality(G, tol=1e-9, max_iter=5000)
    np.testing.assert_allclose(found.to_dense(), as_list(expected, len(G)), atol=1e-6)


def test_eigenvector_centrality_without_convergence(backend: str) -> None:
    with pytest.raises(NotConverged, match="after 2 iterations"):
        eigenvector_centrality(generators.star(50), max_iterations=2)
    assert eigenvector_centrality(gb.Matrix(bool, 0, 0)).size == 0


def edges_of(G: nx.Graph, found: gb.Matrix) -> dict:
    entries = {(u, v): x for u, row in found.to_dicts().items() for v, x in row.items()}
    return {edge: entries[edge] for edge in G.edges()}


@takes_long
@every_directed
def test_edge_betweenness(backend: str, name: str) -> None:
    check_edges(weighted(name), name)


@takes_long
@every_undirected
def test_undirected_edge_betweenness(backend: str, name: str) -> None:
    check_edges(weighted(name, of="undirected"), name)


def check_edges(G: nx.Graph, name: str) -> None:
    A = as_matrix(G, "weight", float)
    if len(G) > 30:
        G = G.subgraph(range(20)).copy()
        A = A[:20, :20].new()
    before = A.dup()
    for weight, normalized in ((None, True), (None, False), ("weight", False)):
        expected = nx.edge_betweenness_centrality(G, normalized=normalized, weight=weight)
        options = {} if G.is_directed() else {"directed": False}
        found = edge_betweenness_centrality(A, weighted=weight is not None, normalized=normalized, **options)
        assert found.nvals == A.nvals
        assert edges_of(G, found) == pytest.approx(expected, rel=1e-9, abs=1e-12)
        if not G.is_directed():
            assert found.isclose(found.T.new())
    some = {0, len(G) // 2}
    found = edge_betweenness_centrality(A, some, normalized=False, directed=True)
    expected = nx.edge_betweenness_centrality_subset(nx.DiGraph(G), list(some), list(G))
    assert edges_of(nx.DiGraph(G), found) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert A.isequal(before)


@takes_long
@every_directed
def test_weighted_betweenness(backend: str, name: str) -> None:
    check_weighted(weighted(name, high=4))


@takes_long
@every_undirected
def test_undirected_weighted_betweenness(backend: str, name: str) -> None:
    check_weighted(weighted(name, of="undirected", high=4))


def check_weighted(G: nx.Graph) -> None:
    A = as_matrix(G, "weight", int)
    options = {} if G.is_directed() else {"directed": False}
    for normalized, endpoints in ((True, False), (False, True)):
        more = {"normalized": normalized, "endpoints": endpoints}
        expected = as_list(nx.betweenness_centrality(G, weight="weight", **more), len(G))
        found = betweenness_centrality(A, weighted=True, **more, **options)
        np.testing.assert_allclose(found.to_dense(), expected, rtol=1e-9, atol=1e-12)


def test_lengths_of_nothing(backend: str) -> None:
    A = gb.Matrix.from_coo([0, 1], [1, 0], [1, 0])
    for function in (betweenness_centrality, edge_betweenness_centrality):
        with pytest.raises(InvalidValue, match="lengths must be positive"):
            function(A, weighted=True)
