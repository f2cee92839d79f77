"""Cuts, matchings, clubs, further centralities and paths, against networkx or the definition."""

from __future__ import annotations

from itertools import islice

import networkx as nx
import numpy as np
import pytest
from grblas_gpu.algorithms import (
    articulation_points,
    biconnected_components,
    bridges,
    densest_subgraph,
    harmonic_centrality,
    is_bipartite,
    k_shortest_paths,
    katz,
    markov_clustering,
    maximum_bipartite_matching,
    rich_club,
    triangle_centrality,
    truss_number,
    voterank,
)
from library_graphs import DIRECTED, UNDIRECTED, as_list, as_matrix, compiles_slowly, directed, undirected, weighted

import grblas_gpu as gb
from grblas_gpu import generators
from grblas_gpu.exceptions import InvalidValue

every_directed = pytest.mark.parametrize("name", DIRECTED)
every_undirected = pytest.mark.parametrize("name", UNDIRECTED)


def simple(name: str) -> nx.Graph:
    G = undirected(name)
    G.remove_edges_from(list(nx.selfloop_edges(G)))
    return G


def pairs(A: gb.Matrix) -> set[frozenset]:
    return {frozenset(edge) for edge in A.to_edgelist(values=False)[0].tolist()}


@compiles_slowly
@every_undirected
def test_biconnected(backend: str, name: str) -> None:
    G, A = simple(name), as_matrix(undirected(name))
    components: dict[int, set] = {}
    found = biconnected_components(A)
    for i, j, component in zip(*found.to_coo(), strict=True):
        components.setdefault(int(component), set()).add(frozenset((int(i), int(j))))
    expected = [{frozenset(edge) for edge in edges} for edges in nx.biconnected_component_edges(G)]
    assert sorted(components.values(), key=sorted_pairs) == sorted(expected, key=sorted_pairs)
    assert pairs(bridges(A)) == {frozenset(edge) for edge in nx.bridges(G)}
    assert set(articulation_points(A).to_dict()) == set(nx.articulation_points(G))


def sorted_pairs(edges: set[frozenset]) -> list[list[int]]:
    return sorted(map(sorted, edges))


@compiles_slowly
def test_biconnected_shapes(backend: str) -> None:
    """Long cycles, and cycles in a row, which meet in single vertices."""
    n = 150
    ring = gb.Matrix.from_coo(range(n), [(i + 1) % n for i in range(n)], True, nrows=n, ncols=n)
    assert bridges(ring).nvals == 0 and articulation_points(ring).nvals == 0
    chain = nx.Graph([(i, i + 1) for i in range(90)] + [(i, i + 3) for i in range(0, 90, 3)])
    A = as_matrix(chain)
    assert set(articulation_points(A).to_dict()) == set(nx.articulation_points(chain)) == set(range(3, 90, 3))


@compiles_slowly
@pytest.mark.parametrize("seed", range(6))
def test_bipartite_matching(backend: str, seed: int) -> None:
    draw = np.random.default_rng(seed)
    left, right = (int(x) for x in draw.integers(1, 25, 2))
    G = nx.bipartite.gnmk_random_graph(left, right, int(draw.integers(0, min(60, left * right) + 1)), seed=seed)
    A = as_matrix(G)
    partner = maximum_bipartite_matching(A).to_dict()
    assert all(partner[j] == i and G.has_edge(i, j) for i, j in partner.items())
    assert len(partner) == len(nx.bipartite.hopcroft_karp_matching(G, range(left)))


@every_undirected
def test_bipartite_matching_of_other_graphs(backend: str, name: str) -> None:
    A = as_matrix(undirected(name))
    if is_bipartite(A):
        assert maximum_bipartite_matching(A).nvals == 2 * len(nx.max_weight_matching(simple(name), True))
    else:
        with pytest.raises(InvalidValue, match="not bipartite"):
            maximum_bipartite_matching(A)


def test_long_exchanges(backend: str) -> None:
    """A path whose maximal matchings may be far from a maximum one."""
    A = generators.path(101)
    partner = maximum_bipartite_matching(A).to_dict()
    assert len(partner) == 100 and all(abs(i - j) == 1 for i, j in partner.items())


@every_undirected
def test_truss_numbers(backend: str, name: str) -> None:
    G, found = simple(name), truss_number(as_matrix(undirected(name)))
    assert found.isequal(found.T.new())
    for k in range(2, 7):
        members = {frozenset(edge) for edge in nx.k_truss(G, k).edges}
        assert pairs(gb.select.valuege(found, k).new()) == members


@every_undirected
def test_densest_subgraph(backend: str, name: str) -> None:
    G, (density, vertices) = simple(name), densest_subgraph(as_matrix(undirected(name)))
    part = G.subgraph(vertices)
    assert density == pytest.approx(part.number_of_edges() / max(len(part), 1))
    best = max(nx.core_number(G).values(), default=0)
    assert best / 2 <= density <= best


@every_undirected
def test_rich_club(backend: str, name: str) -> None:
    G, found = simple(name), rich_club(as_matrix(undirected(name))).to_dict()
    if G.number_of_edges():
        assert found == pytest.approx(nx.rich_club_coefficient(G, normalized=False))
    else:
        assert set(found.values()) <= {0.0}


@compiles_slowly
@every_directed
def test_harmonic_centrality(backend: str, name: str) -> None:
    G = weighted(name)
    A = as_matrix(G, "weight", float)
    for weight in ("weight", None):
        found = harmonic_centrality(A, weighted=weight is not None, batch=7)
        expected = as_list(nx.harmonic_centrality(G, distance=weight), len(G))
        np.testing.assert_allclose(found.to_dense(), expected)


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


@compiles_slowly
@pytest.mark.parametrize("seed", range(3))
def test_k_shortest_paths(backend: str, seed: int) -> None:
    G = nx.gnm_random_graph(9, 26, seed=seed, directed=True)
    draw = np.random.default_rng(seed)
    for _, _, data in G.edges(data=True):
        data["weight"] = int(draw.integers(1, 9))
    A = as_matrix(G, "weight", int)
    for weight in ("weight", None):
        found = k_shortest_paths(A, 0, 8, 6, weighted=weight is not None)
        if not nx.has_path(G, 0, 8):
            assert found == []
            continue
        expected = list(islice(nx.shortest_simple_paths(G, 0, 8, weight), 6))
        assert [path.length for path in found] == [
            nx.path_weight(G, p, "weight") if weight else len(p) - 1 for p in expected
        ]
        assert len({tuple(path.vertices) for path in found}) == len(found)
        for length, vertices in found:
            assert nx.is_simple_path(G, vertices) and (vertices[0], vertices[-1]) == (0, 8)
            assert length == (nx.path_weight(G, vertices, "weight") if weight else len(vertices) - 1)
    assert k_shortest_paths(A, 0, 8, 0) == []
