"""Cuts, matchings, clubs, further centralities and paths, against networkx or the definition."""

import networkx as nx
import numpy as np
import pytest
from grblas_gpu.algorithms import (
    articulation_points,
    bridges,
    katz,
    markov_clustering,
    maximum_bipartite_matching,
    voterank,
)
from library_graphs import DIRECTED, as_matrix, compiles_slowly, directed

import grblas_gpu as gb
from grblas_gpu import generators

every_directed = pytest.mark.parametrize("name", DIRECTED)


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


@every_directed
def test_katz_chooses_alpha(backend: str, name: str) -> None:
    G = directed(name)
    A = as_matrix(G)
    radius = max(np.abs(np.linalg.eigvals(nx.to_numpy_array(G))), default=0.0)
    found = katz(A)
    if radius < 4:
        np.testing.assert_allclose(found.to_dense(), katz(A, alpha=0.1).to_dense(), atol=1e-4)
    assert np.isfinite(found.to_dense()).all()


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
