"""A Graph in place of a Matrix: every algorithm takes one, and its results go by label."""

from __future__ import annotations

import networkx as nx
import pytest

from grblas_gpu import Graph, algorithms

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
    assert algorithms.k_shortest_paths(graph, "bob", 7, 2)[0] == (9, ["bob", "ann", ("c", 3), 4.5, 7])
    assert algorithms.rich_club(graph).isequal(algorithms.rich_club(graph.matrix))
    part = Graph.from_edges([("ann", 7), (7, "bob"), ("bob", "dot")])
    assert algorithms.maximum_bipartite_matching(part) == {"ann": 7, 7: "ann", "bob": "dot", "dot": "bob"}
    assert algorithms.shortest_path(graph, "bob", 7) == (9, ["bob", "ann", ("c", 3), 4.5, 7])
    assert algorithms.bfs_parents(graph, "ann", reproducible=True)[4.5] == ("c", 3)
    assert algorithms.bfs_multi(graph, ["ann", "dot"]) == [algorithms.bfs(graph, "ann"), {"dot": 0}]
    assert algorithms.bfs_multi(graph, ("c", 3)) == [algorithms.bfs(graph, ("c", 3))]
    assert algorithms.connected_components(graph)[7] == "ann"
    for label in ("cid", 0):
        with pytest.raises(KeyError, match="is not a vertex of the graph"):
            algorithms.bfs(graph, label)
