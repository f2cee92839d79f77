"""Cuts, matchings, clubs, further centralities and paths, against networkx or the definition."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from grblas_gpu.algorithms import (
    articulation_points,
    bridges,
    densest_subgraph,
    katz,
    markov_clustering,
    maximum_bipartite_matching,
    triangle_centrality,
    voterank,
)
from library_graphs import DIRECTED, UNDIRECTED, as_matrix, compiles_slowly, directed, simple, undirected

import grblas_gpu as gb
from grblas_gpu import generators

every_directed = pytest.mark.parametrize("name", DIRECTED)
every_undirected = pytest.mark.parametrize("name", UNDIRECTED)


@compiles_slowly
def test_biconnected_shapes(backend: str) -> None:
    """Long cycles, and cycles in a row, which meet in single vertices."""
    n = 150
    ring = gb.Matrix.from_coo(range(n), [(i + 1) % n for i in range(n)], True, nrows=n, ncols=n)
    assert bridges(ring).nvals == 0 and articulation_points(ring).nvals == 0
    chain = nx.Graph([(i, i + 1) for i in range(90)] + [(i, i + 3) for i in range(0, 90, 3)])
    A = as_matrix(chain)
    assert set(articulation_points(A).to_dict()) == set(nx.articulation_points(chain)) == set(range(3, 90, 3))


def test_long_exchanges(backend: str) -> None:
    """A path whose maximal matchings may be far from a maximum one."""
    A = generators.path(101)
    partner = maximum_bipartite_matching(A).to_dict()
    assert len(partner) == 100 and all(abs(i - j) == 1 for i, j in partner.items())


@every_undirected
def test_densest_subgraph(backend: str, name: str) -> None:
    G, (density, vertices) = simple(name), densest_subgraph(as_matrix(undirected(name)))
    part = G.subgraph(vertices)
    assert density == pytest.approx(part.number_of_edges() / max(len(part), 1))
    best = max(nx.core_number(G).values(), default=0)
    assert best / 2 <= density <= best


@every_directed
def test_voterank(backend: str, name: str) -> None:
    """Each elected vertex has the most votes, up to rounding, which breaks ties in networkx."""
    G = directed(name)
    A = as_matrix(G)
    edges, found = nx.to_numpy_array(G), voterank(A)
    ability, less = np.ones(len(G)), len(G) / max(1, edges.sum())
    for place, vertex in enumerate(found):
        votes = edges @ ability
        votes[found[:place]] = 0
        assert votes[vertex] == pytest.approx(votes.max())
        ability[edges[vertex] > 0] = np.maximum(ability[edges[vertex] > 0] - less, 0)
        ability[vertex] = 0
    votes = edges @ ability
    votes[found] = 0
    assert votes.max(initial=0) == pytest.approx(0)
    assert found[:1] == nx.voterank(G, 1) == voterank(A, 1)
    assert voterank(A, 0) == []


@every_undirected
def test_triangle_centrality(backend: str, name: str) -> None:
    G, found = simple(name), triangle_centrality(as_matrix(undirected(name))).to_dense()
    count, whole = nx.triangles(G), sum(nx.triangles(G).values()) / 3
    for v in G:
        near = {u for u in G[v] if set(G[u]) & set(G[v])}
        inside = sum(count[u] for u in near | {v}) / 3
        outside = sum(count[u] for u in set(G[v]) - near)
        assert found[v] == pytest.approx((inside + outside) / whole if whole else 0.0)


@every_directed
def test_katz_chooses_alpha(backend: str, name: str) -> None:
    G = directed(name)
    A = as_matrix(G)
    radius = max(np.abs(np.linalg.eigvals(nx.to_numpy_array(G))), default=0.0)
    found = katz(A)
    if radius < 4:
        np.testing.assert_allclose(found.to_dense(), katz(A, alpha=0.1).to_dense(), atol=1e-4)
    assert np.isfinite(found.to_dense()).all()


def test_katz_of_a_graph_with_hubs(backend: str) -> None:
    A = generators.kronecker(8)
    x = katz(A, tol=1e-12).to_dense()
    assert np.isfinite(x).all() and np.argmax(x) == np.argmax(A.reduce_rowwise("count").new().to_dense(0))


def test_markov_clustering(backend: str) -> None:
    G = nx.disjoint_union_all([nx.complete_graph(5), nx.complete_graph(4), nx.complete_graph(3)])
    G.add_edges_from([(4, 5), (8, 9)])
    G.add_node(12)
    expected = [0] * 5 + [5] * 4 + [9] * 3 + [12]
    assert markov_clustering(as_matrix(G)).to_dense().tolist() == expected
    assert len(set(markov_clustering(as_matrix(G), inflation=1.2).to_dense().tolist())) <= 4
    with pytest.raises(ValueError, match="above 1"):
        markov_clustering(as_matrix(G), inflation=1.0)


@pytest.mark.parametrize("seed", range(4))
def test_markov_clustering_by_definition(backend: str, seed: int) -> None:
    G = nx.gnm_random_graph(16, 30, seed=seed)
    M = nx.to_numpy_array(G) + np.eye(16)
    M /= M.sum(0)
    for _ in range(60):
        M = (M @ M) ** 2
        M /= M.sum(0)
        M[M < 1e-5] = 0
        M /= M.sum(0)
    joined = list(nx.connected_components(nx.from_numpy_array(M + M.T)))
    expected = [min(part) for v in range(16) for part in joined if v in part]
    assert markov_clustering(as_matrix(G)).to_dense().tolist() == expected
