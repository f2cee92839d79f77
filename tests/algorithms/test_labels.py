"""A Graph in place of a Matrix: every algorithm takes one, and its results go by label."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Graph, Vector, algorithms

NAMES = ["ann", "bob", ("c", 3), 4.5, 7, "dot"]
EDGES = [("ann", "bob", 2), ("bob", ("c", 3), 3), (("c", 3), "ann", 1), (("c", 3), 4.5, 5), (4.5, 7, 1)]


def people(*, directed: bool = False) -> Graph:
    return Graph.from_edges(EDGES, nodes=NAMES, directed=directed)


def test_vertices_go_by_label(backend: str) -> None:
    graph = people()
    G = graph.to_networkx()
    (ranks,) = algorithms.personalized_pagerank(graph, "ann", tol=1e-10, max_iterations=500)
    assert ranks == pytest.approx(nx.pagerank(G, personalization={"ann": 1}, tol=1e-10, max_iter=500))
    assert algorithms.bfs(graph, "ann") == nx.single_source_shortest_path_length(G, "ann")
    assert algorithms.bfs(graph, ("c", 3))[7] == 2
    distances, before = algorithms.sssp(graph, "ann", predecessors=True)
    assert distances == nx.single_source_dijkstra_path_length(G, "ann")
    assert before == {"ann": "ann", "bob": "ann", ("c", 3): "ann", 4.5: ("c", 3), 7: 4.5}
    assert algorithms.k_shortest_paths(graph, "bob", 7, 2)[0] == (9, ["bob", ("c", 3), 4.5, 7])
    assert algorithms.rich_club(graph).isequal(algorithms.rich_club(graph.matrix))
    part = Graph.from_edges([("ann", 7), (7, "bob"), ("bob", "dot")])
    assert algorithms.maximum_bipartite_matching(part) == {"ann": 7, 7: "ann", "bob": "dot", "dot": "bob"}
    assert algorithms.shortest_path(graph, "bob", 7) == (9, ["bob", ("c", 3), 4.5, 7])
    assert algorithms.bfs_parents(graph, "ann", reproducible=True)[4.5] == ("c", 3)
    assert algorithms.bfs_multi(graph, ["ann", "dot"]) == [algorithms.bfs(graph, "ann"), {"dot": 0}]
    assert algorithms.bfs_multi(graph, ("c", 3)) == [algorithms.bfs(graph, ("c", 3))]
    assert algorithms.connected_components(graph)[7] == "ann"
    for label in ("cid", 0):
        with pytest.raises(KeyError, match="is not a vertex of the graph"):
            algorithms.bfs(graph, label)


def test_betweenness_from_labels(backend: str) -> None:
    graph = people()
    found = algorithms.betweenness_centrality(graph, ["ann", 7], normalized=False)
    assert found == pytest.approx(
        graph.to_dict(algorithms.betweenness_centrality(graph.matrix, [0, 4], normalized=False, directed=False))
    )


def test_parts_are_graphs(backend: str) -> None:
    graph = people(directed=True)
    part = algorithms.induced_subgraph(graph, [7, 4.5, "bob"])
    assert isinstance(part, Graph) and part.labels == [7, 4.5, "bob"] and part.directed
    assert part.to_networkx().edges == nx.DiGraph([(4.5, 7)]).edges
    around = algorithms.ego_graph(graph, ("c", 3))
    assert set(around.labels) == {("c", 3), "ann", 4.5}
    assert algorithms.sample_neighbors(graph, [("c", 3)], 1).matrix.nvals == 1
    walk = algorithms.random_walks(graph, ["ann"], 2)
    assert walk == [["ann", "bob", ("c", 3)]]


def test_pairs_of_labels(backend: str) -> None:
    graph = people()
    found = algorithms.jaccard(graph, [("ann", "bob"), ("ann", 7)])
    assert found.to_networkx().edges["ann", "bob"]["weight"] == pytest.approx(1 / 3)
    assert algorithms.jaccard(graph, graph).matrix.isequal(algorithms.jaccard(graph.matrix, graph.matrix))


@pytest.mark.parametrize("kind", ["dict", "array", "list", "Vector"])
def test_weights_of_vertices(backend: str, kind: str) -> None:
    graph = people(directed=True)
    weights = {"ann": 3.0, 4.5: 1.0}
    dense = [3.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    by_number = {"dict": {0: 3.0, 3: 1.0}, "array": np.array(dense), "list": dense, "Vector": Vector.from_dense(dense)}
    by_name = by_number | {"dict": weights}
    expected = nx.pagerank(graph.to_networkx(), personalization=weights, tol=1e-10)
    options = {"tol": 1e-10, "max_iterations": 200}
    assert algorithms.pagerank(graph, personalization=by_name[kind], **options) == pytest.approx(expected)
    found = algorithms.pagerank(graph.matrix, personalization=by_number[kind], **options)
    assert graph.to_dict(found) == pytest.approx(expected)


def test_weights_of_others(backend: str) -> None:
    graph = people()
    with pytest.raises(KeyError, match="is not a vertex of the graph"):
        algorithms.pagerank(graph, personalization={"zoe": 1})
    with pytest.raises(gb.exceptions.IndexOutOfBound, match="personalization"):
        algorithms.pagerank(graph.matrix, personalization={6: 1})
    with pytest.raises(gb.exceptions.DimensionMismatch, match="personalization has 2 values"):
        algorithms.pagerank(graph.matrix, personalization=[1, 2])


def test_ranks_of_several_vertices(backend: str) -> None:
    """A dict for each of them."""
    graph = people()
    plain = algorithms.personalized_pagerank(graph.matrix, [0, 3])
    named = algorithms.personalized_pagerank(graph, ["ann", 4.5])
    assert [list(ranks.values()) for ranks in named] == [pytest.approx(row) for row in plain.to_dense().tolist()]
    assert [list(ranks) for ranks in named] == [NAMES, NAMES]


def test_communities_by_label() -> None:
    graph = gb.Graph.from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("e", "f"), ("f", "d")])
    found = algorithms.louvain(graph)
    assert algorithms.modularity(graph, found.labels) == pytest.approx(found.modularity)
