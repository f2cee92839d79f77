"""Every algorithm that NetworkX has, too, on small graphs of all kinds. ``GRAPHS`` says how many odd ones are drawn."""

import os
import random

import networkx as nx
import pytest
from library_graphs import DIRECTED, UNDIRECTED, weighted
from networkx_checks import common, odd_graph, outcome, same, simple

from grblas_gpu import io

COMMON, SIMPLE = common(), simple()
CHECKS = COMMON | SIMPLE
GRAPHS = int(os.environ.get("GRAPHS", "400"))
LONG = {"louvain", "leiden", "louvain, weighted", "leiden, weighted", "k_shortest_paths", "k_shortest_paths, weighted"}
LONG |= {"maximum_flow", "biconnected_components"}


def check(name: str, G: nx.Graph, s: int, dtype: type) -> None:
    ours, theirs = CHECKS[name]
    A = io.from_networkx(G, weight="weight", dtype=dtype)
    before = A.dup()
    found, expected = outcome(ours, A, G, s), outcome(theirs, G, s)
    assert same(found, expected), (s, sorted(G.edges(data="weight")), found, expected)
    assert A.isequal(before, check_dtype=True)


@pytest.mark.parametrize("name", CHECKS)
def test_graphs_of_all_kinds(backend: str, name: str) -> None:
    kinds = [("undirected", each) for each in UNDIRECTED]
    kinds += [("directed", each) for each in DIRECTED if name in COMMON]
    for number, (of, kind) in enumerate(kinds):
        if (number + len(name) + len(backend)) % (3 if name in LONG else 2):
            continue  # other algorithms and engines have it
        G = weighted(kind, of=of, low=number % 2, high=8)
        check(name, G, len(G) - 1, (int, float)[number // 2 % 2])


@pytest.mark.parametrize("graphs", [6, pytest.param(GRAPHS, marks=pytest.mark.slow)])
def test_odd_graphs(graphs: int) -> None:
    source = random.Random(graphs)
    for _ in range(graphs):
        G = odd_graph(source)
        s, dtype = source.randrange(len(G)), source.choice((int, float))
        for name in COMMON if G.is_directed() else CHECKS:
            check(name, G, s, dtype)
