"""Paths, topological orders, two sides, colourings and matchings: against networkx, or by what they must fulfil."""

from __future__ import annotations

import networkx as nx
import pytest
from grblas_gpu.algorithms import (
    bipartite_sides,
    is_bipartite,
    maximal_matching,
    shortest_path,
    sssp,
    topological_generations,
    topological_order,
    vertex_colouring,
)
from library_graphs import DIRECTED, UNDIRECTED, as_matrix, compiles_slowly, directed, undirected, weighted

import grblas_gpu as gb
from grblas_gpu import generators
from grblas_gpu.exceptions import InvalidValue, NoValue

every_directed = pytest.mark.parametrize("name", DIRECTED)
every_undirected = pytest.mark.parametrize("name", UNDIRECTED)


@every_directed
def test_predecessors(backend: str, name: str) -> None:
    for low in (0, 1):  # lengths of 0 make cycles of shortest paths
        G = weighted(name, low=low, high=4)
        A = as_matrix(G, "weight", float)
        distances, before = sssp(A, 0, predecessors=True)
        assert distances.to_dict() == nx.single_source_dijkstra_path_length(G, 0)
        parents = before.to_dict()
        assert parents.keys() == distances.to_dict().keys() and parents[0] == 0
        for v, u in parents.items():
            assert v == 0 or distances[u].new().value + G.edges[u, v]["weight"] == distances[v].new().value
            steps = 0
            while v != 0:
                v, steps = parents[v], steps + 1
                assert steps < len(G)


@every_directed
def test_shortest_path(backend: str, name: str) -> None:
    G = weighted(name, low=0)
    A = as_matrix(G, "weight", int)
    n = len(G)
    for source, target in {(0, n - 1), (n // 2, 0), (0, 0)}:
        for weight in ("weight", None):
            if not nx.has_path(G, source, target):
                with pytest.raises(NoValue, match="no path"):
                    shortest_path(A, source, target, weighted=weight is not None)
                continue
            length, vertices = shortest_path(A, source, target, weighted=weight is not None)
            assert length == nx.shortest_path_length(G, source, target, weight=weight)
            assert vertices[0] == source and vertices[-1] == target
            assert length == nx.path_weight(G, vertices, "weight") if weight else len(vertices) - 1 == length


@every_directed
def test_topological_orders(backend: str, name: str) -> None:
    G = directed(name)
    A = as_matrix(G)
    if not nx.is_directed_acyclic_graph(G):
        for function in (topological_generations, topological_order):
            with pytest.raises(InvalidValue, match="cycle"):
                function(A)
        return
    generations = topological_generations(A).to_dict()
    for depth, vertices in enumerate(nx.topological_generations(G)):
        assert all(generations[v] == depth for v in vertices)
    position = topological_order(A).to_dict()
    assert sorted(position.values()) == list(range(len(G)))
    assert all(position[u] < position[v] for u, v in G.edges())


@every_undirected
def test_two_sides(backend: str, name: str) -> None:
    G = undirected(name)
    A = as_matrix(G)
    assert is_bipartite(A) is nx.is_bipartite(G)
    if not nx.is_bipartite(G):
        with pytest.raises(InvalidValue, match="not bipartite"):
            bipartite_sides(A)
        return
    side = bipartite_sides(A).to_dict()
    assert set(side) == set(G) and set(side.values()) <= {0, 1}
    assert all(side[u] != side[v] for u, v in G.edges())
    assert all(side[min(part)] == 0 for part in nx.connected_components(G))


@every_directed
def test_two_sides_without_directions(backend: str, name: str) -> None:
    G = directed(name)
    assert is_bipartite(as_matrix(G)) is nx.is_bipartite(nx.Graph(G))


@compiles_slowly
@every_undirected
@pytest.mark.parametrize("seed", [1, 5])
def test_colourings(backend: str, name: str, seed: int) -> None:
    G = undirected(name)
    A = as_matrix(G)
    G.remove_edges_from(list(nx.selfloop_edges(G)))
    colour = vertex_colouring(A, seed=seed).to_dict()
    check_colouring(G, colour)
    with gb.using("numpy"):
        assert vertex_colouring(A.to("numpy"), seed=seed).to_dict() == colour


def check_colouring(G: nx.Graph, colour: dict) -> None:
    assert set(colour) == set(G)
    assert all(colour[u] != colour[v] for u, v in G.edges())
    assert all(colour[v] <= G.degree(v) for v in G)
    by_degree = nx.greedy_color(G, "largest_first").values()
    assert max(colour.values()) <= 1.25 * max(by_degree) + 1


def test_more_colours_than_a_word_has_bits(backend: str) -> None:
    for n in (64, 65, 150):
        assert sorted(vertex_colouring(generators.complete(n)).to_dense().tolist()) == list(range(n))
    G = nx.complete_graph(130)
    G.remove_edges_from([(i, i + 1) for i in range(0, 130, 7)])
    G.add_edges_from((i, 200 - i) for i in range(30))
    G = nx.convert_node_labels_to_integers(G)
    check_colouring(G, vertex_colouring(as_matrix(G)).to_dict())


@compiles_slowly
@every_undirected
@pytest.mark.parametrize("seed", [1, 5])
def test_matchings(backend: str, name: str, seed: int) -> None:
    G = undirected(name)
    A = as_matrix(G)
    partner = maximal_matching(A, seed=seed).to_dict()
    assert all(partner[v] == u and u != v for u, v in partner.items())
    assert nx.is_maximal_matching(G_without_loops(G), {(u, v) for u, v in partner.items() if u < v})
    with gb.using("numpy"):
        assert maximal_matching(A.to("numpy"), seed=seed).to_dict() == partner


def G_without_loops(G: nx.Graph) -> nx.Graph:
    G.remove_edges_from(list(nx.selfloop_edges(G)))
    return G
