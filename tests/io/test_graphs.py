"""A Graph as people look at it: nodes, neighbours, degrees, edges, tables and pictures, beside NetworkX."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import grblas_gpu as gb
from grblas_gpu import Graph, Vector, algorithms, io
from grblas_gpu.io import NodeValues


def pairs(directed: bool) -> tuple[Graph, nx.Graph]:
    """The same random graph twice, with loops, a node without edges, and labels of several types."""
    random = np.random.default_rng(directed)
    names = ["", "ann", 3, "ü", ("a", 1), "3", b"x", 2.5]
    kind = nx.DiGraph if directed else nx.Graph
    G = nx.gnm_random_graph(7, 14, seed=5, directed=directed)
    G = kind(nx.relabel_nodes(G, dict(enumerate(names))))
    G.add_node(names[7])
    G.add_edge("ann", "ann")
    for u, v in G.edges:
        G[u][v]["weight"] = int(random.integers(1, 9))
    return Graph.from_networkx(G), G


@pytest.mark.parametrize("directed", [False, True])
def test_nodes_and_edges(directed: bool) -> None:
    graph, G = pairs(directed)
    assert list(graph) == graph.nodes == graph.labels == list(G) and len(graph) == len(G)
    assert graph.number_of_edges() == G.number_of_edges()
    assert graph.degree() == dict(G.degree())
    for node in G:
        assert set(graph.neighbors(node)) == set(G.neighbors(node))
        assert graph.degree(node) == G.degree(node)
    ends = frozenset if not directed else tuple
    assert {(ends((u, v)), w) for u, v, w in graph.edges(data=True)} == {
        (ends((u, v)), w) for u, v, w in G.edges(data="weight")
    }
    assert len(graph.edges(data=False)) == G.number_of_edges()
    assert nx.utils.graphs_equal(graph.to_networkx(), G)
    part = graph.subgraph(["ann", 3, "", "ü"])
    assert nx.utils.graphs_equal(part.to_networkx(), kind_of(G)(G.subgraph(["ann", 3, "", "ü"])))
    assert part.labels == ["ann", 3, "", "ü"]
    for call in (graph.neighbors, graph.degree, lambda label: graph.subgraph([label])):
        with pytest.raises(KeyError, match="'bob'"):
            call("bob")


def kind_of(G: nx.Graph) -> type:
    return nx.DiGraph if G.is_directed() else nx.Graph


@pytest.mark.parametrize("directed", [False, True])
def test_degree_centrality(directed: bool) -> None:
    graph, G = pairs(directed)
    assert algorithms.degree_centrality(graph) == pytest.approx(nx.degree_centrality(G))
    assert algorithms.degree_centrality(gb.Matrix(bool, 1, 1)).to_dict() == {0: 1.0}


def test_notebooks() -> None:
    graph = Graph.from_edges([("<b>", k, k) for k in range(20)])
    shown = graph._repr_html_()
    assert "&lt;b&gt;" in shown and "10 more" in shown and "nodes <b>21</b>" in shown
    assert "and 1 more" in NodeValues((k, k) for k in range(11))._repr_html_()


def test_results_print_a_top_ten() -> None:
    values = NodeValues({f"node {k}": (k * 7) % 50 for k in range(50)})
    lines = str(values).splitlines()
    assert lines[0] == "50 values by node, the highest 10:" and lines[1].split() == ["'node", "7'", "49"]
    assert len(lines) == 11
    assert repr(NodeValues({"ann": 1})) == "{'ann': 1}" and isinstance(values, dict)
    assert "the first 10" in repr(NodeValues({k: None if k else 1 for k in range(11)}))
    assert list(values.top(2).values()) == [49, 48] and list(values.top(2, largest=False).values()) == [0, 1]
    assert values.to_pandas()["node"].tolist() == list(values)
    ranks = algorithms.pagerank(pairs(True)[0])
    assert isinstance(ranks, NodeValues) and len(ranks.top(3)) == 3


def test_top_of_a_vector(backend: str) -> None:
    random = np.random.default_rng(3)
    values = random.integers(0, 20, 100)
    v = Vector.from_coo(random.permutation(200)[:100], values, size=200)
    entries = sorted(v.to_dict().items())
    for largest in (True, False):
        expected = sorted(entries, key=lambda item: (-item[1] if largest else item[1], item[0]))
        for k in (0, 1, 10, 1000):
            assert list(v.top(k, largest=largest).items()) == expected[:k]
    with pytest.raises(ValueError, match="negative"):
        v.top(-1)


def test_backends_are_named(backend: str) -> None:
    assert gb.get_backend() == Vector(int, 3).backend


def test_pictures_and_matrix_market(tmp_path) -> None:
    pytest.importorskip("matplotlib")
    graph = Graph.from_edges([("ann", "bob", 2), ("bob", "cid", 3)])
    drawn = gb.viz.draw(graph).axes[0]
    assert {text.get_text() for text in drawn.texts} >= {"ann", "bob", "cid"}
    assert gb.viz.spy(graph, show=False).axes
    io.mmwrite(str(tmp_path / "g.mtx"), graph)
    assert io.mmread(str(tmp_path / "g.mtx")).isequal(graph.matrix)


TABLE = pd.DataFrame({"u": ["a", "b", "a"], "v": ["b", "c", "b"], "w": [1, 2, 5]})
TURNED = pd.DataFrame({"u": ["a", "b", "b"], "v": ["b", "c", "a"], "w": [1, 2, 5]})
WAYS = {
    "from_edges": lambda t=TABLE, **given: Graph.from_edges(list(t.itertuples(index=False, name=None)), **given),
    "from_pandas_edgelist": lambda t=TABLE, **given: io.from_pandas_edgelist(t, "u", "v", "w", **given),
    "from_arrow": lambda t=TABLE, **given: Graph.from_arrow(t, "u", "v", "w", **given),
}


@pytest.mark.parametrize("way", WAYS)
def test_one_policy_for_duplicates(way: str) -> None:
    make = WAYS[way]
    for policy, value in {"sum": 6, "max": 5, "min": 1, "first": 1, "last": 5, gb.binary.times: 5, "times": 5}.items():
        assert make(duplicates=policy).edges(data=True) == [("a", "b", value), ("b", "c", 2)]
    assert make(dup_op=gb.binary.plus).edges(data=True)[0][2] == 6
    for given in ({}, {"duplicates": "error"}, {"directed": False}):
        with pytest.raises(ValueError, match=r"Duplicate edge from 'a' to 'b': 1 \((edge|row) 0\) and 5 \(\1 2\)"):
            make(**given)
    with pytest.raises(ValueError, match="did you mean first"):
        make(duplicates="frist")
    with pytest.raises(TypeError, match="pass one of them"):
        make(duplicates="sum", dup_op=gb.binary.plus)


@pytest.mark.parametrize("way", WAYS)
def test_an_undirected_edge_listed_from_both_ends_has_one_value(way: str) -> None:
    for policy, value in {"first": 1, "last": 5, "sum": 6, gb.binary.minus: -4}.items():
        graph = WAYS[way](TURNED, duplicates=policy, directed=False)
        assert graph.matrix.to_dicts() == {0: {1: value}, 1: {0: value, 2: 2}, 2: {1: 2}}
        assert graph.matrix.is_symmetric()
