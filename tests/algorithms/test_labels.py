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
    assert algorithms.bfs(graph, "ann") == nx.single_source_shortest_path_length(G, "ann")
    assert algorithms.bfs(graph, ("c", 3))[7] == 2
    distances, before = algorithms.sssp(graph, "ann", predecessors=True)
    assert distances == nx.single_source_dijkstra_path_length(G, "ann")
    assert before == {"ann": "ann", "bob": "ann", ("c", 3): "ann", 4.5: ("c", 3), 7: 4.5}
    assert algorithms.shortest_path(graph, "bob", 7) == (9, ["bob", "ann", ("c", 3), 4.5, 7])
    for label in ("cid", 0):
        with pytest.raises(KeyError, match="is not a vertex of the graph"):
            algorithms.bfs(graph, label)
