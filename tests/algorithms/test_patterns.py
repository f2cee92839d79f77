"""Cliques, graphlets and occurrences of patterns, against enumeration and NetworkX's matchers."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from grblas_gpu.algorithms import clique_count, graphlet_degrees, motif_counts, subgraph_count, subgraph_matches
from library_graphs import as_matrix, simple, takes_long, undirected
from networkx.algorithms.isomorphism import DiGraphMatcher, GraphMatcher

import grblas_gpu as gb
from grblas_gpu import generators
from grblas_gpu.exceptions import InvalidValue
from grblas_gpu.plan import search_rules

#: The place of a vertex in a graphlet, by the degrees in the graphlet and its own.
PLACES = {
    (1, 1, 2): {1: 1, 2: 2},
    (2, 2, 2): {2: 3},
    (1, 1, 2, 2): {1: 4, 2: 5},
    (1, 1, 1, 3): {1: 6, 3: 7},
    (2, 2, 2, 2): {2: 8},
    (1, 2, 2, 3): {1: 9, 2: 10, 3: 11},
    (2, 2, 3, 3): {2: 12, 3: 13},
    (3, 3, 3, 3): {3: 14},
}


@takes_long
def test_tables_in_parts(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same number if only a few rows are in memory at a time."""
    A = generators.kronecker(6, 6)
    whole = [clique_count(A, k) for k in range(2, 7)]
    squares = [(0, 1), (1, 2), (2, 3), (3, 0)]
    number = subgraph_count(A, squares, directed=False)
    monkeypatch.setattr(search_rules, "ENTRIES", 40)
    assert subgraph_count(A, squares, directed=False) == number
    assert [clique_count(A, k) for k in range(2, 7)] == whole


def graphlets_of(G: nx.Graph) -> np.ndarray:
    found = np.zeros((len(G), 15), int)
    found[:, 0] = [G.degree[v] for v in range(len(G))]
    for size in (3, 4):
        for vertices in combinations(G, size):
            part = G.subgraph(vertices)
            if nx.is_connected(part):
                places = PLACES[tuple(sorted(d for _, d in part.degree))]
                for v in vertices:
                    found[v, places[part.degree[v]]] += 1
    return found


@takes_long
@pytest.mark.parametrize("name", ["one vertex", "no edges", "grid", "two parts", "loops"])
def test_graphlets(backend: str, name: str) -> None:
    np.testing.assert_array_equal(graphlet_degrees(as_matrix(undirected(name))).to_dense(), graphlets_of(simple(name)))


def test_motifs_are_those_of_igraph(backend: str) -> None:
    igraph = pytest.importorskip("igraph")
    G = simple("karate")
    found, theirs = motif_counts(as_matrix(G)), igraph.Graph.from_networkx(G)
    assert list(found[1:3]) == theirs.motifs_randesu(3)[2:]
    stars, paths, paws, cycles, diamonds, cliques = (theirs.motifs_randesu(4)[k] for k in (4, 6, 7, 8, 9, 10))
    assert found[3:] == (paths, stars, cycles, paws, diamonds, cliques) and found.edges == theirs.ecount()


def number_of_occurrences(G: nx.Graph, P: nx.Graph, induced: bool, same: object) -> int:
    matcher = DiGraphMatcher if G.is_directed() else GraphMatcher
    every = matcher(G, P, same)
    maps = sum(1 for _ in (every.subgraph_isomorphisms_iter() if induced else every.subgraph_monomorphisms_iter()))
    return maps // sum(1 for _ in matcher(P, P, same).isomorphisms_iter())


@takes_long
@pytest.mark.parametrize("seed", range(8))
def test_patterns(backend: str, seed: int) -> None:
    """Random patterns in random graphs: directed ones, with kinds of vertices, and induced, by the bits of the seed."""
    directed, with_kinds, induced = bool(seed & 1), bool(seed & 2), bool(seed & 4)
    draw = np.random.default_rng(seed)
    G = nx.gnm_random_graph(12, 34, seed=seed, directed=directed)
    size, P = 3 + seed % 3, None
    while P is None or not nx.is_connected(P.to_undirected()):
        P = nx.gnp_random_graph(size, 0.5, seed=int(draw.integers(10**6)), directed=directed)
    options, same = {"induced": induced, "directed": directed}, None
    if with_kinds:
        for graph in (G, P):
            nx.set_node_attributes(graph, dict(enumerate(draw.integers(0, 2, len(graph)).tolist())), "kind")
        options["kinds"] = [G.nodes[v]["kind"] for v in G]
        options["pattern_kinds"] = [P.nodes[v]["kind"] for v in P]
        same = nx.algorithms.isomorphism.categorical_node_match("kind", None)
    A = as_matrix(G)
    expected = number_of_occurrences(G, P, induced, same)
    assert subgraph_count(A, list(P.edges), **options) == expected
    assert subgraph_count(A, gb.io.from_networkx(P), **options) == expected
    found = subgraph_matches(A, list(P.edges), 5, **options)
    assert len(found) == len(set(map(tuple, found))) == min(5, expected)
    for places in found:
        part = nx.relabel_nodes(P, dict(enumerate(places)))
        assert len(part) == size and all(G.has_edge(u, v) for u, v in part.edges)
        assert not with_kinds or all(part.nodes[v]["kind"] == G.nodes[v]["kind"] for v in part)
        assert not induced or part.number_of_edges() == G.subgraph(part).number_of_edges()


def test_patterns_by_label(backend: str) -> None:
    graph = gb.Graph.from_edges([("ann", "bob"), ("bob", "cid"), ("cid", "ann"), ("cid", "dot")], directed=False)
    assert subgraph_count(graph, [(0, 1), (1, 2), (2, 0)]) == 1 and clique_count(graph, 3) == 1
    assert sorted(map(sorted, subgraph_matches(graph, [(0, 1), (1, 2), (2, 0)]))) == [["ann", "bob", "cid"]]
    kinds = {"ann": 1, "bob": 1, "cid": 1, "dot": 2}
    assert subgraph_matches(graph, [(0, 1)], kinds=kinds, pattern_kinds=[2, 1]) == [["dot", "cid"]]
    assert graphlet_degrees(graph)["cid"][:4] == [3, 0, 2, 1]
    assert motif_counts(graph).paws == 1


def test_what_is_no_pattern(backend: str) -> None:
    A = generators.path(4)
    for edges in ([], [(0, 0)], [(0, 1), (2, 3)], [(0, 2)], [(0, -1)], [(k, k + 1) for k in range(6)]):
        with pytest.raises(InvalidValue, match="a pattern is a connected graph"):
            subgraph_count(A, edges)
    for options in ({"kinds": [1] * 4}, {"pattern_kinds": [1, 1]}, {"kinds": [1] * 4, "pattern_kinds": [1]}):
        with pytest.raises(InvalidValue, match="kinds"):
            subgraph_matches(A, [(0, 1)], **options)
    with pytest.raises(InvalidValue, match="k must be at least 1"):
        clique_count(A, 0)
