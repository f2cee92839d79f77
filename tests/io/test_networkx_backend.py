"""The NetworkX backend: NetworkX's results, order and errors, whatever the graph is like; and where calls run."""

import inspect
import logging
import math
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from networkx.utils.backends import _registered_algorithms as DISPATCHABLE
from running import printed_by

import _nx_grblas_gpu as info
from grblas_gpu.networkx_backend import interface

BACKEND = "grblas_gpu"
KINDS = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)


@pytest.fixture(autouse=True)
def no_cache():
    """Every call converts, unless a test says otherwise."""
    before = nx.config.cache_converted_graphs
    nx.config.cache_converted_graphs = False
    yield
    nx.config.cache_converted_graphs = before


class Label:
    """Has a hash but no order."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __repr__(self) -> str:
        return f"Label({self.number})"


def random_graph(kind: type, nodes: int, edges: int, seed: int, low: int = 0):
    """Loops, parallel edges where there can be some, edges without a weight, labels without an order."""
    draw = random.Random(seed)
    labels = [Label(i) if i % 2 else (i, "x") for i in draw.sample(range(nodes), nodes)]
    G = kind()
    G.add_nodes_from(labels)
    for _ in range(edges):
        G.add_edge(draw.choice(labels), draw.choice(labels), weight=draw.randrange(low, 9))
        G.add_edge(draw.choice(labels), draw.choice(labels))
    G.add_edges_from(zip(labels[: nodes // 2], labels[1:], strict=False))
    return G


def test_methods_that_networkx_has_are_its_own() -> None:
    """Code of NetworkX runs on converted graphs: what has another meaning must have another name."""
    shared = [name for name in dir(nx.MultiDiGraph) if name in dir(interface.Graph) and not name.startswith("_")]
    assert "nbunch_iter" in shared
    for name in shared:
        ours, theirs = (inspect.signature(getattr(kind, name)) for kind in (interface.Graph, nx.DiGraph))
        assert list(ours.parameters) == list(theirs.parameters), name
    G = nx.gnp_random_graph(12, 0.3, seed=1, directed=True)
    for function in (nx.constraint, nx.effective_size):
        assert function(G, nodes=[0, 3], backend=BACKEND) == function(G, nodes=[0, 3])


def null(kind: type):
    return kind()


def lonely(kind: type):
    G = kind()
    G.add_node("a")
    return G


def looped(kind: type):
    G = kind([("a", "a"), ("a", "b"), ("b", "c"), ("c", "a")])
    G.add_node("alone")
    return G


GRAPHS = {
    "null": null,
    "lonely": lonely,
    "looped": looped,
    "sparse": lambda kind: random_graph(kind, 14, 8, 1),
    "dense": lambda kind: random_graph(kind, 9, 40, 2),
    "negative": lambda kind: random_graph(kind, 8, 9, 3, low=-2),
    "cycle": lambda kind: nx.cycle_graph(7, create_using=kind),
    "float": lambda kind: kind([("a", "b", {"weight": 0.1}), ("b", "c", {"weight": 0.2}), ("a", "c", {"weight": 0.3})]),
}


def public(name: str):
    if name.startswith("bipartite_"):
        return getattr(nx.bipartite, name.removeprefix("bipartite_"))
    places = (nx, nx.community, nx.bipartite, nx.tournament)
    return next((getattr(place, name) for place in places if hasattr(place, name)), DISPATCHABLE[name])


def outcome(function, *args, **kwargs):
    """The result, an iterator as a list; or the exception."""
    try:
        result = function(*args, **kwargs)
        return list(result) if hasattr(result, "__next__") else result
    except Exception as error:
        return error


def said_by(error: Exception) -> str:
    """Its message; Python 3.14 also says what could not be done with a list that cannot be hashed."""
    unhashable = re.search(r"unhashable type: '\w+'", str(error))
    return unhashable[0] if unhashable else str(error)


def equal(x, y) -> bool:
    if isinstance(x, Exception) or isinstance(y, Exception):
        return type(x) is type(y) and said_by(x) == said_by(y)
    if isinstance(x, dict) and isinstance(y, dict):
        return x.keys() == y.keys() and all(equal(x[key], y[key]) for key in x)
    if isinstance(x, (list, tuple)):
        return type(x) is type(y) and len(x) == len(y) and all(map(equal, x, y))
    if hasattr(x, "toarray"):
        return x.shape == y.shape and x.dtype == y.dtype and equal(x.toarray(), y.toarray())
    if isinstance(x, nx.Graph):
        y = interface.convert_to_nx(y)
        same = type(x) is type(y) and x.graph == y.graph and dict(x.nodes.data()) == dict(y.nodes.data())
        return same and x.adj == y.adj
    if isinstance(x, np.ndarray):
        return x.shape == y.shape and np.allclose(x, y, equal_nan=True)
    if isinstance(x, float) or isinstance(y, float):
        return math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-12) or (x != x and y != y)
    return x == y


def python_scalars(value) -> bool:
    """No NumPy scalar anywhere in a result."""
    if isinstance(value, dict):
        return all(map(python_scalars, value.values()))
    if isinstance(value, (list, tuple, set)):
        return all(map(python_scalars, value))
    return not isinstance(value, np.generic)


def calls(name: str, G) -> list[tuple[tuple, dict]]:
    """Arguments that have a meaning for the function, and some that are errors."""
    parameters = inspect.signature(DISPATCHABLE[name].__wrapped__.orig_func).parameters
    nodes = list(G)
    a, b = (nodes[0], nodes[-1]) if nodes else ("none", "nowhere")
    needed = tuple(p.name for p in parameters.values() if p.default is p.empty)[1:]
    positional: dict[tuple[str, ...], list[tuple]] = {
        (): [()],
        ("source",): [(a,), ("missing",), ([a],)],
        ("target",): [(a,), ("missing",)],
        ("n",): [(b,), ("missing",)],
        ("k",): [(2,), (0,)],
        ("sources",): [([a, b],), ([b, b],), (["missing"],), ([],)],
        ("source", "target"): [(a, b), (b, a), (a, a), ("missing", a), (a, "missing")],
        ("S",): [([a, b],), ([a],), ([a, a],)],
        ("nbunch",): [([a, b],), ([b, b],), ([b, "missing"],)],
        ("nbunch1",): [([a, b],), ([b, "missing"],)],
        ("u", "v"): [(a, b), ("missing", b)],
        ("v",): [(a,), ("missing",)],
        ("s", "t"): [(a, b), (b, a), (a, "missing")],
        ("row_order",): [(nodes[::2],), ([],), ([a, a],), (["missing"],)],
        ("mapping",): [({a: "new"},), (str,), (dict.fromkeys(nodes, 0),)],
        ("attribute",): [("colour",)],
        ("walk_length",): [(0,), (3,), (-1,)],
        ("center_nodes",): [([a, b],), ([],), (["missing"],)],
        ("communities",): [([{a}, set(nodes) - {a}],), ([{node} for node in nodes],), ([{a}],)],
        ("source", "distance"): [(a, 0), (a, 1), (a, 2.0), (a, -1), ("missing", 1)],
    }
    weight = next((word for word in ("weight", "distance") if word in parameters and word not in needed), None)
    keywords: list[dict] = [{}, {weight: "weight"}, {weight: "absent"}] if weight else [{}]
    options = {
        "alpha": 0.02, "normalized": False, "endpoints": True, "wf_improved": False, "count_zeros": False,
        "usebounds": True, "cutoff": 1.5, "u": a, "v": a, "nodes": [a, b], "nbunch": [a], "max_iter": 2,
        "ebunch": [(a, b), (b, a)], "T": [b], "nbunch2": [a], "resolution": 0.5, "depth_limit": 1, "return_seen": True,
        "source": a, "radius": 2, "center": False, "undirected": True, "data": False,
        "root": a, "reflexive": True, "dtype": float, "format": "coo", "nonedge": -1, "Q": 2, "x": "in",
        "number_of_nodes": 2, "multigraph_weight": min, "ordering": "sorted", "first_label": 3,
        "personalization": {a: 1}, "dangling": {b: 2}, "method": "bellman-ford", "nodelist": nodes[::-1],
    }  # fmt: skip
    keywords += [{key: value} for key, value in options.items() if key in parameters and key not in needed]
    return [(args, kwargs) for args in positional[needed] for kwargs in keywords]


# ---- the same as NetworkX ------------------------------------------------------------------------------------


RANDOM = {"leiden_communities", "louvain_communities", "maximal_independent_set"}
RANDOM |= {"asyn_lpa_communities", "fast_label_propagation_communities", "maximal_matching"}
NEARLY = {"hits"}  # as many digits as its tolerance says
CUTS = {"edge_connectivity", "local_edge_connectivity", "minimum_st_edge_cut"}
FLOWS = {"maximum_flow_value", "minimum_cut_value", "minimum_cut"}  # an edge without a capacity has an infinite one
MADE = {name for name in info.FUNCTIONS if not DISPATCHABLE[name].__wrapped__.graphs}
COMPOSED = set(" ".join(names for note, names in info.GROUPS if note == info.COMPOSED).split())
WITHOUT_ORDER = {"articulation_points", "biconnected_components"}
WITHOUT_ORDER |= {"strongly_connected_components", "kosaraju_strongly_connected_components"}
OF_TWO_SETS = {"bipartite_closeness_centrality", "bipartite_degree_centrality", "birank"}  # of two sets of nodes
SLOW = {"johnson", "all_pairs_dijkstra", "all_pairs_bellman_ford_path", "all_pairs_all_shortest_paths"}


def parametrized(names):
    return [pytest.param(name, marks=pytest.mark.slow if name in SLOW | COMPOSED else ()) for name in sorted(names)]


@pytest.mark.parametrize("name", ["laplacian_matrix", "k_core", "degree_mixing_dict", "all_shortest_paths"])
def test_composed_functions(name):
    same_as_networkx(name, [nx.Graph, nx.DiGraph], ["looped", "sparse", "float"])


BEST = {"stoer_wagner", "fiedler_vector", "algebraic_connectivity"}
ELSEWHERE = BEST | RANDOM | NEARLY | FLOWS | CUTS | MADE | OF_TWO_SETS | {"condensation"}


@pytest.mark.parametrize(
    "graphs", ["null looped sparse", pytest.param("lonely dense cycle negative float", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", parametrized(info.FUNCTIONS.keys() - ELSEWHERE))
def test_same_as_networkx(name, graphs):
    same_as_networkx(name, KINDS, graphs.split())


def same_as_networkx(name, kinds, graphs):
    ran = 0
    for kind in kinds:
        for make in map(GRAPHS.__getitem__, graphs):
            G = make(kind)
            for args, kwargs in calls(name, G):
                expected = outcome(public(name), G, *args, **kwargs, backend="networkx")
                found = outcome(public(name), G, *args, **kwargs, backend=BACKEND)
                if type(found) is NotImplementedError:
                    continue  # left to NetworkX
                ran += 1
                if name in WITHOUT_ORDER and isinstance(found, list):
                    expected, found = (sorted(map(sorted_ids, sets)) for sets in (expected, found))
                between = name == "bidirectional_dijkstra" or (name == "shortest_path" and "weight" in kwargs)
                if between and not isinstance(expected, Exception):  # of several paths, another one
                    expected, found = (lengths_of(G, each) for each in (expected, found))
                if isinstance(expected, KeyError) and expected.args in {("weight",), ("absent",)}:
                    continue  # networkx needs the attribute
                if name in {"center", "radius"} and isinstance(expected, ValueError):
                    assert isinstance(found, ValueError)  # of max() or of min()
                    continue
                assert equal(expected, found), (kind.__name__, list(G), args, kwargs, expected, found)
                assert python_scalars(found) or isinstance(found, np.ndarray), (args, kwargs, found)
    assert ran >= len(graphs) // 2


def lengths_of(G, found):
    """The result, with a path replaced by its ends and its length."""
    path = found[1] if isinstance(found, tuple) else found
    if not isinstance(path, list) or len(path) < 2 or path[0] not in G:
        return found
    least = [min(d.get("weight", 1) for d in each.values()) if G.is_multigraph() else each.get("weight", 1)
             for each in (G[u][v] for u, v in zip(path, path[1:], strict=False))]  # fmt: skip
    return path[0], path[-1], sum(least)


def test_condensation():
    G = random_graph(nx.DiGraph, 20, 10, 3)
    expected, found = (nx.condensation(G, backend=which) for which in ("networkx", BACKEND))

    def edges(C):
        return {tuple(frozenset(C.nodes[x]["members"]) for x in edge) for edge in C.edges}

    assert edges(expected) == edges(found) and len(expected) == len(found)
    assert all(found.graph["mapping"][node] == part for part in found for node in found.nodes[part]["members"])


# ---- graphs made here ----------------------------------------------------------------------------------------


def same_graph(name, *args, **kwargs):
    """Nodes, edges and attributes, and the order of neighbours."""
    expected = outcome(public(name), *args, **kwargs, backend="networkx")
    found = outcome(public(name), *args, **kwargs, backend=BACKEND)
    assert isinstance(found, (Exception, interface.Graph)), (name, found)
    assert equal(expected, found), (name, args, kwargs, expected, found)
    if not isinstance(expected, Exception):
        found = interface.convert_to_nx(found)
        assert list(expected) == list(found) and all(list(expected[n]) == list(found[n]) for n in expected)


@pytest.mark.parametrize("create_using", [None, nx.Graph, nx.DiGraph, nx.MultiGraph])
def test_graphs_of_arrays_tables_and_edges(create_using):
    scipy_sparse, pandas = pytest.importorskip("scipy.sparse"), pytest.importorskip("pandas")
    kind = {"create_using": create_using}
    for name in ("complete_graph", "cycle_graph", "path_graph", "star_graph", "wheel_graph", "empty_graph"):
        for nodes in (0, 1, 2, 5, "abcd", "abcb"):
            same_graph(name, nodes, **kind)
    A = scipy_sparse.random_array((6, 6), density=0.4, rng=1)
    for M in (A, A.tocsc(), (A * 10).astype(int).tocsr(), A.tolil(), scipy_sparse.eye_array(3)):
        same_graph("from_scipy_sparse_array", M, **kind)
        same_graph("from_numpy_array", M.toarray(), **kind)
    for M in (np.zeros((2, 3)), A.toarray() > 0.5, A.toarray().astype(complex)):
        same_graph("from_numpy_array", M, edge_attr=None, **kind)
    table = pandas.DataFrame(
        {"a": list("abcab"), "b": list("bcaab"), "w": range(5), "x": [0.5] * 5, "c": list("ttttt")}
    )
    for attributes in (None, "w", ["w", "x"], True, "nope", []):
        same_graph("from_pandas_edgelist", table, "a", "b", attributes, **kind)
    same_graph("from_edgelist", [(0, 1), (2, 1), (1, 0), (3, 3)], **kind)
    same_graph("from_edgelist", [(0, 1, {"weight": 2})], **kind)


def test_generators():
    for name, args in {
        "barabasi_albert_graph": (20, 2, 7), "karate_club_graph": (), "grid_2d_graph": (3, 4), "turan_graph": (6, 3),
        "les_miserables_graph": (), "gnp_random_graph": (20, 0.2, 7), "balanced_tree": (2, 3),
    }.items():  # fmt: skip
        same_graph(name, *args)


def test_a_graph_of_the_backend_can_be_changed():
    G = nx.DiGraph([("a", "b")], backend=BACKEND)
    assert nx.pagerank(G, backend=BACKEND) == nx.pagerank(G)
    G.add_edge("b", "c", weight=5)
    assert nx.dijkstra_path_length(G, "a", "c") == 6 and list(nx.topological_sort(G)) == ["a", "b", "c"]
    assert list(nx.reverse(G).edges.data()) == [("b", "a", {}), ("c", "b", {"weight": 5})]
    assert set(nx.relabel_nodes(G, str.upper)) == set("ABC") and nx.complement(G).has_edge("c", "a")
    G.remove_node("b")
    assert len(G) == 2 and not G.edges and str(G) == "DiGraph with 2 nodes and 0 edges"
    assert nx.MultiGraph([(0, 1), (1, 0)], backend=BACKEND).number_of_edges(0, 1) == 2
    assert interface.can_run("reverse", (nx.DiGraph([(0, 1, {"weight": 1})]),), {}) is not True
    with nx.config(backend_priority={"algos": [BACKEND], "generators": [BACKEND], "classes": [BACKEND]}):
        H = nx.gnp_random_graph(10, 0.5, seed=1)
        assert isinstance(H, interface.Graph) and type(nx.Graph()) is nx.Graph and len(nx.k_core(H)) > 2


def test_ties_of_shortest_paths_are_those_of_networkx():
    for kind in KINDS:
        G = random_graph(kind, 12, 30, 0, low=1)
        for node in G:
            expected, found = (nx.single_source_dijkstra(G, node, backend=which) for which in ("networkx", BACKEND))
            assert expected == found and [list(each) for each in expected] == [list(each) for each in found]
            if not G.is_directed():
                for which in G:
                    ends = {nx.shortest_path: (node, which), nx.dijkstra_path: (node, which)}
                    for function, pair in ends.items():
                        assert function(G, *pair, backend=BACKEND) == function(G, *pair, backend="networkx")


def test_the_page_lists_every_function():
    page = Path(__file__).parents[2].joinpath("docs", "networkx.md").read_text(encoding="utf-8")
    listed = re.findall(r"`(\w+)`", page[page.index("| left to NetworkX") : page.index("NetworkX functions that call")])
    assert sorted(set(listed) & info.FUNCTIONS.keys()) == list(info.FUNCTIONS)


@pytest.mark.parametrize("name", ["louvain_communities", pytest.param("leiden_communities", marks=pytest.mark.slow)])
def test_communities_are_as_good_as_networkx(name):
    new = "metric" in inspect.signature(DISPATCHABLE[name].__wrapped__.orig_func).parameters  # since 3.7
    options = {"metric": "modularity"} if new else {}
    for G in (nx.karate_club_graph(), nx.relabel_nodes(nx.connected_caveman_graph(6, 5), str)):
        for weight in ("weight", None):
            found = public(name)(G, weight=weight, seed=3, backend=BACKEND, **options)
            assert nx.community.is_partition(G, found)
            best = nx.community.louvain_communities(G, weight=weight, seed=3)
            quality = [nx.community.modularity(G, parts, weight=weight) for parts in (found, best)]
            assert quality[0] > 0.98 * quality[1]
            assert found == public(name)(G, weight=weight, seed=3, backend=BACKEND, **options)


def test_independent_sets_are_maximal():
    for G in (random_graph(nx.Graph, 40, 50, 3), random_graph(nx.MultiGraph, 40, 50, 4), nx.empty_graph(3)):
        G.remove_edges_from(list(nx.selfloop_edges(G)))
        found = nx.maximal_independent_set(G, seed=2, backend=BACKEND)
        assert len(found) == len(set(found)) and not G.subgraph(found).edges
        assert nx.is_dominating_set(G, found)
        assert found == nx.maximal_independent_set(G, seed=2, backend=BACKEND)
    with pytest.raises(NotImplementedError, match="implement"):
        nx.maximal_independent_set(G, nodes=[0], backend=BACKEND)
    G.add_edge(0, 0)
    for graph in (G, nx.Graph()):
        with pytest.raises(NotImplementedError):
            nx.maximal_independent_set(graph, backend=BACKEND)
    with pytest.raises(nx.NetworkXNotImplemented):
        nx.maximal_independent_set(nx.DiGraph([(0, 1)]), backend=BACKEND)


@pytest.mark.parametrize("name", ["asyn_lpa_communities", "fast_label_propagation_communities"])
def test_labels_are_the_most_frequent_ones_of_neighbours(name):
    ran = 0
    for seed in range(6):
        for G in (
            random_graph(nx.Graph, 30, 12, seed),
            nx.connected_caveman_graph(4, 5),
            nx.empty_graph(3),
            nx.Graph(),
        ):
            try:
                parts = list(public(name)(G, seed=1, backend=BACKEND))
            except NotImplementedError:
                continue  # they do not settle
            ran += len(G) > 0
            assert nx.community.is_partition(G, parts)
            label = {node: number for number, part in enumerate(parts) for node in part}
            for node in G:
                votes = [label[other] for other in G[node]]
                assert not votes or votes.count(label[node]) == max(map(votes.count, votes))
    assert ran > 6


@pytest.mark.parametrize("name", sorted(FLOWS))
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_flows(name, kind):
    for seed, scale in ((1, 1), (2, 0.5)):
        G = random_graph(kind, 12, 25, seed)
        for *_, data in G.edges.data():
            data["capacity"] = data.get("weight", 3) * scale
        a, b, *_, z = G
        for ends in ((a, z), (z, a), (b, a)):
            expected, found = (public(name)(G, *ends, backend=which) for which in ("networkx", BACKEND))
            assert equal(expected, found) and python_scalars(found)
    for refused in ({"flow_func": nx.algorithms.flow.dinitz}, {"capacity": "absent"}):
        with pytest.raises(NotImplementedError):
            public(name)(G, a, z, **refused, backend=BACKEND)
    for ends in ((a, a), (a, "missing")):
        with pytest.raises(NotImplementedError):
            public(name)(G, *ends, backend=BACKEND)
    assert interface.should_run(name, (), {"flowG": G, "_s": a, "_t": z}) == "the graph is small: fewer than 1000 edges"


def test_edges_without_a_capacity_have_no_limit():
    G = nx.DiGraph([(0, 1, {}), (1, 2, {"capacity": 7})], backend=BACKEND)
    with nx.config(fallback_to_nx=True):
        assert nx.maximum_flow_value(G, 0, 2) == 7
        assert nx.max_flow_min_cost(G, 0, 2) == {0: {1: 7}, 1: {2: 7}, 2: {}}


def test_parts_of_a_graph_keep_all_attributes():
    G = nx.karate_club_graph()
    G.graph["name"], G.edges[0, 1]["colour"] = "club", "red"
    for name, args in {"k_truss": (4,), "ego_graph": (0, 2), "minimum_spanning_tree": (), "bfs_tree": (3,)}.items():
        expected, found = (public(name)(G, *args, backend=which) for which in ("networkx", BACKEND))
        assert type(found) is type(expected) and equal(expected, found), name
        if name != "bfs_tree":
            assert found.graph["name"] == "club" and found.nodes[0] == G.nodes[0]
            assert all(data == G.edges[u, v] for u, v, data in found.edges.data())


def sorted_ids(nodes: set) -> list[int]:
    return sorted(map(id, nodes))


@pytest.mark.parametrize("kwargs", [{"k": 3, "seed": 1}, {"k": 2, "seed": 5, "normalized": False}, {"k": 1, "seed": 2}])
@pytest.mark.parametrize("endpoints", [False, True])
def test_samples_of_betweenness_centrality(kwargs, endpoints, backend):
    for kind in (nx.Graph, nx.DiGraph):
        G = random_graph(kind, 14, 20, 7)
        expected = nx.betweenness_centrality(G, endpoints=endpoints, **kwargs)
        assert equal(expected, nx.betweenness_centrality(G, endpoints=endpoints, **kwargs, backend=BACKEND))


@pytest.mark.parametrize("name", ["pagerank", "triangles", "core_number", "closeness_centrality", "square_clustering"])
def test_engines(name, backend):
    G = nx.karate_club_graph()
    assert interface.convert_from_nx(G).pattern().backend == backend
    assert equal(public(name)(G, backend="networkx"), public(name)(G, backend=BACKEND))


def test_strong_components_come_after_those_they_lead_to():
    G = random_graph(nx.DiGraph, 40, 20, 5)
    position = {node: i for i, part in enumerate(nx.strongly_connected_components(G, backend=BACKEND)) for node in part}
    assert len(position) == len(G)
    assert all(position[u] >= position[v] for u, v in G.edges)


# ---- weights -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["betweenness_centrality", "clustering", "katz_centrality", "closeness_centrality"])
def test_weights_of_a_cached_conversion_are_ignored(name):
    nx.config.cache_converted_graphs = True
    nx.config.warnings_to_ignore.add("cache")
    try:
        G = nx.cycle_graph(6)
        G.add_edge(0, 3, weight=100.0)
        nx.pagerank(G, backend=BACKEND)
        cached = G.__networkx_cache__["backends"][BACKEND]
        (converted,) = cached.values()
        assert list(converted.values) == ["weight"]
        found = public(name)(G, backend=BACKEND)
        assert list(cached.values()) == [converted]  # it was used again
        assert equal(public(name)(G, backend="networkx"), found)
    finally:
        nx.config.warnings_to_ignore.discard("cache")


def test_a_changed_graph_is_converted_again():
    nx.config.cache_converted_graphs = True
    G = nx.path_graph(3)
    assert nx.is_connected(G, backend=BACKEND)
    G.add_node("new")
    assert not nx.is_connected(G, backend=BACKEND)


@pytest.mark.parametrize("weight", [math.nan, math.inf, None, "heavy", 10**30, 1 + 2j])
@pytest.mark.parametrize("name", ["pagerank", "average_neighbor_degree", "single_source_dijkstra_path_length"])
def test_weights_that_are_left_to_networkx(name, weight):
    G = nx.path_graph(3)
    G.add_edge(1, 2, weight=weight)
    args = (0,) if name.startswith("single_source") else ()
    with pytest.raises(NotImplementedError, match="backend raised NotImplementedError") as caught:
        public(name)(G, *args, weight="weight", backend=BACKEND)
    assert "'weight'" in str(caught.value.__cause__)
    with nx.config(backend_priority=[BACKEND], backends=nx.config.backends):
        nx.config.backends[BACKEND].min_edges = 0
        try:
            expected = outcome(public(name), G, *args, weight="weight", backend="networkx")
            assert equal(expected, outcome(public(name), G, *args, weight="weight"))
        finally:
            nx.config.backends[BACKEND].min_edges = info.get_info()["default_config"]["min_edges"]


def test_large_integers_stay_exact():
    G = nx.path_graph(3)
    nx.set_edge_attributes(G, 2**55 + 1, "weight")
    assert nx.dijkstra_path_length(G, 0, 2, backend=BACKEND) == 2**56 + 2
    G.add_edge(0, 2, weight=0.5)
    with pytest.raises(NotImplementedError):
        nx.dijkstra_path_length(G, 0, 2, backend=BACKEND)


# ---- conversion ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_there_and_back(kind):
    G = random_graph(kind, 9, 15, 4)
    G.graph["name"] = "test"
    nx.set_node_attributes(G, "blue", "colour")
    everything = {"preserve_edge_attrs": True, "preserve_node_attrs": True, "preserve_graph_attrs": True}
    H = interface.convert_to_nx(interface.convert_from_nx(G, **everything))
    assert type(H) is kind
    assert H.graph == G.graph
    assert H._node == G._node
    assert H._adj == G._adj
    assert list(H) == list(G)
    assert interface.convert_from_nx(G).number_of_edges() == G.number_of_edges()


def test_only_what_was_asked_for_is_converted():
    G = nx.Graph([(0, 1, {"weight": 2, "colour": "red"}), (1, 2)])
    nx.set_node_attributes(G, {0: 5}, "size")
    H = interface.convert_to_nx(interface.convert_from_nx(G, edge_attrs={"weight": 7}, node_attrs={"size": 0}))
    assert H._adj == {0: {1: {"weight": 2}}, 1: {0: {"weight": 2}, 2: {"weight": 7}}, 2: {1: {"weight": 7}}}
    assert dict(H.nodes(data="size")) == {0: 5, 1: 0, 2: 0}


def test_views_and_subgraphs():
    G = random_graph(nx.DiGraph, 20, 30, 8)
    for view in (G.reverse(copy=False), G.subgraph(list(G)[5:]), G.to_undirected(as_view=True)):
        assert equal(
            nx.pagerank(view, weight=None, backend="networkx"), nx.pagerank(view, weight=None, backend=BACKEND)
        )


def test_views_that_hide_edges():
    for kind in KINDS:
        G = random_graph(kind, 12, 20, 6)
        hidden = set(list(G.edges)[::2])
        view = nx.subgraph_view(G, filter_edge=lambda *edge, hidden=hidden: edge not in hidden)
        assert interface.convert_from_nx(view).number_of_edges() == view.number_of_edges()
        expected, found = (nx.closeness_centrality(view, backend=which) for which in ("networkx", BACKEND))
        assert equal(expected, found)


def test_what_the_backend_lacks_falls_back_from_its_graphs():
    converted = interface.convert_from_nx(nx.path_graph(4))
    with pytest.raises(NotImplementedError, match="'local_bridges' is not implemented"):
        nx.local_bridges(converted)
    before, nx.config.fallback_to_nx = nx.config.fallback_to_nx, True
    try:
        assert list(nx.local_bridges(converted, with_span=False)) == [(0, 1), (1, 2), (2, 3)]
    finally:
        nx.config.fallback_to_nx = before


# ---- where calls run -----------------------------------------------------------------------------------------


def test_the_lists_of_functions_agree():
    assert info.FUNCTIONS.keys() == interface.FUNCTIONS.keys()
    assert len(info.FUNCTIONS) >= 190
    assert list(info.FUNCTIONS) == sorted(info.FUNCTIONS)


def test_reasons():
    large, small = nx.gnm_random_graph(900, 2000, seed=1), nx.path_graph(5)
    digraph = nx.path_graph(5, create_using=nx.DiGraph)
    assert interface.can_run("pagerank", (small,), {}) is True
    assert (
        interface.can_run("chain_decomposition", (small,), {})
        == "chain_decomposition is not among the functions of this backend"
    )
    assert interface.can_run("edge_betweenness_centrality", (small, 2), {}) == "paths are sampled"
    assert "about as fast" in str(interface.should_run("connected_components", (large,), {}))
    assert interface.can_run("onion_layers", (digraph,), {}) == "the graph is directed"
    assert interface.can_run("louvain_communities", (small,), {"threshold": 1e-7}) is True
    for chosen in ({"threshold": 0.1}, {"max_level": 2}):
        assert isinstance(interface.can_run("louvain_communities", (small,), chosen), str)
    assert interface.can_run("diameter", (small, {0: 1}), {}) == "the eccentricities are given"
    assert "function" in str(interface.can_run("closeness_centrality", (small,), {"distance": max}))
    assert interface.should_run("pagerank", (large,), {}) is True
    assert interface.should_run("pagerank", (small,), {}) == "the graph is small: fewer than 1000 edges"
    assert "converting the graph takes longer" in str(interface.should_run("degree_centrality", (large,), {}))
    assert "about as fast" in str(interface.should_run("has_path", (large, 0, 1), {}))
    assert "about as fast" in str(interface.should_run("shortest_path_length", (large,), {"source": 0, "target": 1}))
    for name in ("shortest_path_length", "shortest_path", "bfs_edges", "single_source_shortest_path_length"):
        assert "converting the graph takes longer" in str(interface.should_run(name, (large,), {"source": 0}))
    for name in ("shortest_path_length", "shortest_path"):
        assert interface.should_run(name, (large,), {"source": 0, "weight": "weight"}) is True
    assert interface.should_run("shortest_path_length", (large,), {}) is True
    assert interface.should_run("clustering", (large,), {}) is True
    assert "about as fast" in str(interface.should_run("clustering", (large, [0, 1]), {}))
    chain = nx.path_graph(5000)
    assert "long paths need many iterations" in str(interface.should_run("average_shortest_path_length", (chain,), {}))
    assert "long paths need many iterations" in str(interface.should_run("single_source_dijkstra", (chain, 0), {}))
    assert interface.should_run("pagerank", (interface.convert_from_nx(small),), {}) is True


def test_reasons_are_logged(caplog):
    with caplog.at_level(logging.DEBUG, logger="networkx.utils.backends"), nx.config(backend_priority=[BACKEND]):
        nx.edge_betweenness_centrality(nx.path_graph(3), k=2)
    assert "because: paths are sampled" in caplog.text


def test_wrong_arguments_are_networkx_errors():
    with pytest.raises(TypeError):
        nx.pagerank(nx.path_graph(3), nonsense=1, backend=BACKEND)
    with pytest.raises(nx.PowerIterationFailedConvergence):
        nx.pagerank(nx.star_graph(5), max_iter=1, backend=BACKEND)
    with pytest.raises(nx.NetworkXNotImplemented):
        nx.connected_components(nx.DiGraph(), backend=BACKEND)


def test_unchanged_programs_use_it():
    program = (
        "import logging, sys, networkx as nx\n"
        "assert 'grblas_gpu' not in sys.modules and 'numpy' not in sys.modules\n"
        "logging.basicConfig(level=logging.DEBUG, stream=sys.stdout)\n"
        "G = nx.gnm_random_graph(500, 3000, seed=1)\n"
        "print(sum(nx.pagerank(G).values()))\n"
    )
    said = printed_by("-c", program, NETWORKX_BACKEND_PRIORITY=BACKEND)
    assert "Using backend 'grblas_gpu' for call to 'pagerank'" in said


@pytest.mark.slow
def test_networkx_own_tests():
    suite = os.path.join(os.path.dirname(__file__), "..", "conformance", "networkx_suite.py")
    assert subprocess.run([sys.executable, suite], check=False).returncode == 0


def test_matchings_are_maximal():
    for G in (random_graph(nx.Graph, 40, 50, 3), nx.path_graph(5), nx.Graph(), looped(nx.Graph)):
        found = nx.maximal_matching(G, backend=BACKEND)
        assert nx.is_maximal_matching(G, found)
        assert all(isinstance(edge, tuple) and len(edge) == 2 for edge in found)


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_cuts_of_edges(kind):
    G = random_graph(kind, 12, 25, 1)
    a, b, *_, z = G
    for s, t in ((a, z), (z, a), (b, a)):
        for function in map(public, ("edge_connectivity", "local_edge_connectivity")):
            assert function(G, s, t, backend="networkx") == function(G, s, t, backend=BACKEND)
        cut = public("minimum_st_edge_cut")
        assert cut(G, s, t, backend="networkx") == cut(G, s, t, backend=BACKEND)
    assert isinstance(interface.can_run("edge_connectivity", (G,), {}), str)


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph])
def test_paths_with_bounds(kind):
    for seed in range(4):
        G = kind(nx.gnp_random_graph(12, 0.2, seed=seed, directed=kind is nx.DiGraph))
        for u, v, data in G.edges.data():
            data["weight"] = abs(u - v) + (u + v) % 3
        for args in ((0, 7), (3, 3), (0, 99), (0, 7, lambda u, v: abs(u - v))):
            expected, found = (outcome(nx.astar_path_length, G, *args, backend=each) for each in ("networkx", BACKEND))
            assert equal(expected, found)
            path = outcome(nx.astar_path, G, *args, backend=BACKEND)
            assert (
                type(path) is type(found)
                if isinstance(found, Exception)
                else nx.path_weight(G, path, "weight") == found
            )


def test_cuts_of_the_whole_graph():
    for seed in range(6):
        G = nx.gnp_random_graph(9, 0.45, seed=seed)
        for u, v, data in G.edges.data():
            data["weight"] = 1 + (u * v) % 4
        expected, found = (outcome(nx.stoer_wagner, G, backend=each) for each in ("networkx", BACKEND))
        if isinstance(expected, Exception):
            assert equal(expected, found)
            continue
        assert expected[0] == found[0] == nx.cut_size(G, *found[1], "weight") and type(found[0]) is int
        assert sorted([*found[1][0], *found[1][1]]) == list(G)
        value = nx.algebraic_connectivity(G, backend=BACKEND)
        assert value == pytest.approx(nx.algebraic_connectivity(G, backend="networkx"), abs=1e-6)
        x, L = nx.fiedler_vector(G, backend=BACKEND), nx.laplacian_matrix(G)
        np.testing.assert_allclose(L @ x, value * x, atol=1e-5)
    for G in (nx.Graph(), nx.empty_graph(1), nx.empty_graph(2), nx.path_graph(2)):
        for name in ("stoer_wagner", "algebraic_connectivity"):
            expected, found = (outcome(public(name), G, backend=each) for each in ("networkx", BACKEND))
            assert equal(expected[0], found[0]) if isinstance(expected, tuple) else equal(expected, found)


@pytest.mark.parametrize("kind", KINDS)
def test_load_centrality(kind):
    for seed in range(2):
        G = kind(nx.gnp_random_graph(9, 0.3, seed=seed, directed=seed > 0))
        G.add_edges_from([(0, 0), (1, 2), (1, 2)])
        for kwargs in ({}, {"normalized": False}, {"v": 3}):
            expected, found = (nx.load_centrality(G, **kwargs, backend=which) for which in ("networkx", BACKEND))
            assert equal(expected, found) and python_scalars(found)
