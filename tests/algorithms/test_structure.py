"""Ranks, triangles, cores and communities, against networkx and serial checkers."""

from collections import Counter
from itertools import product

import networkx as nx
import numpy as np
import pytest
from grblas_gpu.algorithms import (
    NotConverged,
    clustering,
    eigenvector_centrality,
    hits,
    k_truss,
    katz,
    label_propagation,
    minimum_spanning_forest,
    pagerank,
    vertex_colouring,
)
from library_graphs import DIRECTED, as_list, as_matrix, compiles_slowly, directed, weighted
from networkx_checks import check_colouring

import grblas_gpu as gb
from grblas_gpu import generators

every_directed = pytest.mark.parametrize("name", DIRECTED)


@every_directed
def test_pagerank_with_the_given_number_of_steps(backend: str, name: str) -> None:
    """As LDBC Graphalytics has it; with dropped walkers as GAP has it."""
    G = directed(name)
    n, edges, A = len(G), nx.to_numpy_array(G), as_matrix(G)
    out = edges.sum(axis=1)
    for dangling, steps in product((None, "drop"), (0, 1, 7)):
        ranks = np.full(n, 1 / max(n, 1))
        for _ in range(steps):
            stuck = 0.0 if dangling else ranks[out == 0].sum()
            share = np.divide(ranks, out, out=np.zeros(n), where=out > 0)
            ranks = (0.15 + 0.85 * stuck) / n + 0.85 * (share @ edges)
        found = pagerank(A, dangling=dangling, iterations=steps)
        np.testing.assert_allclose(found.to_dense(), ranks, rtol=1e-12)


def test_pagerank_takes_no_negative_number_of_steps(backend: str) -> None:
    with pytest.raises(gb.exceptions.InvalidValue, match="iterations must not be negative; got -1"):
        pagerank(generators.path(3), iterations=-1)


@every_directed
def test_personalised_pagerank(backend: str, name: str) -> None:
    G = weighted(name)
    n = len(G)
    A = as_matrix(G, "weight", float)
    wanted, fallback = {0: 3, n - 1: 1}, {n // 2: 2}
    options = {"tol": 1e-10, "max_iter": 500, "personalization": wanted, "dangling": fallback}
    found = pagerank(
        A,
        0.7,
        personalization=gb.Vector.from_dict(wanted, size=n),
        dangling=gb.Vector.from_dict(fallback, size=n),
        start=gb.Vector.from_dict({0: 1.0}, size=n),
        tol=1e-10,
        max_iterations=500,
    )
    np.testing.assert_allclose(found.to_dense(), as_list(nx.pagerank(G, 0.7, **options), n), atol=1e-9)


# Each pair takes two loops of its own, which are compiled: the quick tests do with one.
WEIGHTS = [("FP32", True)]
MORE_WEIGHTS = [(float, True), ("UINT8", True), (float, False), ("FP32", False), ("UINT8", False)]


@pytest.mark.parametrize(
    ("dtype", "more"), [*WEIGHTS, *(pytest.param(*each, marks=pytest.mark.slow) for each in MORE_WEIGHTS)]
)
def test_pagerank_in_32_bits(backend: str, dtype, more: bool) -> None:
    for name in list(DIRECTED)[::3]:
        A = as_matrix(weighted(name), "weight", float).dup(dtype)
        n = A.nrows
        jump = gb.Vector.from_dict({0: 3, n - 1: 1}, size=n)
        options = {"personalization": jump, "dangling": gb.Vector.from_scalar(1, n)} if more else {"weighted": False}
        found = pagerank(A, tol=1e-10, max_iterations=500, dtype="FP32", **options)
        exact = pagerank(A, tol=1e-14, max_iterations=1000, **options).to_dense()
        assert found.dtype == gb.FP32
        np.testing.assert_allclose(found.to_dense(), exact, rtol=1e-4, atol=1e-9, err_msg=name)
        assert found.reduce(gb.monoid.plus["FP64"]).new().value == pytest.approx(1, abs=1e-6)


def test_pagerank_ends_where_only_rounding_is_left(backend: str) -> None:
    A = generators.star(50)
    for dtype in (gb.FP32, gb.FP64):
        exact = pagerank(A, tol=1e-15, max_iterations=1000).to_dense()
        found = pagerank(A, tol=0.0, max_iterations=300, dtype=dtype).to_dense()
        np.testing.assert_allclose(found, exact, rtol=1e-6)
        with pytest.raises(NotConverged):
            pagerank(A, tol=0.0, max_iterations=9, dtype=dtype)


def test_pagerank_tolerance(backend: str) -> None:
    A = generators.star(50)
    exact = pagerank(A, tol=1e-12, max_iterations=1000).to_dense()
    assert np.abs(pagerank(A, tol=1e-4).to_dense() - exact).sum() < 50 * 1e-3
    with pytest.raises(NotConverged, match="after 2 iterations"):
        pagerank(A, max_iterations=2)
    zero = gb.Matrix.from_coo([0, 1], [1, 0], [0.0, 1.0])
    expected = nx.pagerank(nx.DiGraph([(0, 1, {"weight": 0.0}), (1, 0, {"weight": 1.0})]))
    np.testing.assert_allclose(pagerank(zero).to_dense(), as_list(expected, 2), atol=1e-5)


def test_katz_without_convergence(backend: str) -> None:
    with pytest.raises(NotConverged, match="alpha"):
        katz(generators.complete(20), alpha=0.9)


# On the others the largest singular value is there more than once, and any vector of its space is a solution.
@pytest.mark.parametrize("name", [name for name in DIRECTED if name not in {"no edges", "path", "cycle", "one vertex"}])
def test_hits(backend: str, name: str) -> None:
    G = weighted(name)
    A = as_matrix(G, "weight", float)
    left, values, right = np.linalg.svd(A.to_dense(0.0))
    assert values[0] > 1.001 * values[1]
    hubs, authorities = hits(A, tol=1e-13, max_iterations=20_000)
    for found, exact in ((hubs, left[:, 0]), (authorities, right[0])):
        np.testing.assert_allclose(found.to_dense(), np.abs(exact) / np.abs(exact).sum(), atol=1e-8)


def test_hits_without_edges(backend: str) -> None:
    hubs, authorities = hits(gb.Matrix(float, 3, 3))
    assert hubs.to_dense().tolist() == authorities.to_dense().tolist() == [0.0, 0.0, 0.0]


@compiles_slowly
@every_directed
def test_clustering_of_neighbours_by_either_direction(backend: str, name: str) -> None:
    G = directed(name)
    A = as_matrix(G)
    G.remove_edges_from(list(nx.selfloop_edges(G)))
    near = [set(G.successors(v)) | set(G.predecessors(v)) for v in G]
    joined = [G.subgraph(others).number_of_edges() for others in near]
    expected = [edges / max(1, len(others) * (len(others) - 1)) for edges, others in zip(joined, near, strict=True)]
    np.testing.assert_allclose(clustering(A, either=True).to_dense(), expected, rtol=1e-12)
    with pytest.raises(gb.exceptions.InvalidValue, match="no weighted form"):
        clustering(A, either=True, weighted=True)


def test_trusses_with_hubs(backend: str) -> None:
    """A fan of triangles, whose middle has far more neighbours than others; vertices without any; and a clique."""
    fan = nx.Graph([(50, i) for i in range(40)] + [(i, i + 1) for i in range(39)] + [(0, 39)])
    G = nx.disjoint_union(nx.convert_node_labels_to_integers(fan, ordering="sorted"), nx.empty_graph(60))
    G.add_edges_from((i, j) for i in (3, 70, 72, 90) for j in (3, 70, 72, 90) if i < j)
    A = as_matrix(G)
    mean, most, _ = A.degree_statistics()
    assert most > 8 * mean  # so vertices are numbered by degree
    for k in (3, 4, 5):
        expected = nx.k_truss(G, k)
        rows, columns, supports = (part.tolist() for part in k_truss(A, k).to_coo())
        found = dict(zip(zip(rows, columns, strict=True), supports, strict=True))
        assert found == {(u, v): len(set(expected[u]) & set(expected[v])) for u, v in expected.to_directed().edges()}


def serial_label_propagation(G: nx.DiGraph, steps: int) -> list[int]:
    labels = {v: v for v in G}
    for _ in range(steps):
        after = {}
        for v in G:
            votes = Counter(labels[u] for u in [*G.successors(v), *G.predecessors(v)] if u != v)
            most = max(votes.values(), default=0)
            after[v] = min((label for label, count in votes.items() if count == most), default=labels[v])
        labels = after
    return as_list(labels, len(G))


def with_hubs(directions: int) -> nx.DiGraph:
    """Low numbers have more edges, so that few vertices change their labels after some steps."""
    ends = np.random.default_rng(directions).integers(0, 300, (2, 900)) ** 2 // 300
    G = nx.DiGraph()
    G.add_nodes_from(range(300))
    G.add_edges_from(zip(*(np.hstack([ends, ends[::-1]]) if directions == 2 else ends).tolist(), strict=True))
    return G


@pytest.mark.parametrize("name", [1, 2, *DIRECTED])
def test_label_propagation(backend: str, name: str | int) -> None:
    """Only neighbours of vertices with changed labels vote again; labels may swap back and forth."""
    G = directed(name) if isinstance(name, str) else with_hubs(name)
    for steps in (0, 1, 2, 3, 4, 7, 11):
        found = label_propagation(as_matrix(G), max_iterations=steps)
        assert found.to_dense().tolist() == serial_label_propagation(G, steps)


@pytest.mark.parametrize("n", [1, 5, 2**40])
@pytest.mark.parametrize("loops", [0, 1])
def test_truss_of_a_hypersparse_matrix_without_edges(backend: str, n: int, loops: int) -> None:
    vertices = list(range(loops))
    stored = gb.Matrix.from_coo(vertices, vertices, [1.0] * loops, float, nrows=n, ncols=n).ss.export("hypercsr")
    A = gb.Matrix.ss.import_any(**stored)
    for k in (2, 3, 5):
        assert k_truss(A, k).shape == (n, n)
        assert k_truss(A, k).nvals == 0


# On the others the power iteration takes very long: the largest eigenvalue is there more than once.
CONVERGING = [name for name in DIRECTED if name not in {"path", "one edge", "acyclic", "sparse random", "scale-free"}]


@pytest.mark.parametrize("name", CONVERGING)
def test_eigenvector_centrality(backend: str, name: str) -> None:
    G = weighted(name)
    A = as_matrix(G, "weight", float)
    n = len(G)
    for weight, start in ((None, None), ("weight", None), ("weight", {v: 1.0 + v for v in range(n)})):
        options = {"tol": 1e-9, "max_iter": 3000}
        try:
            expected = as_list(nx.eigenvector_centrality(G, weight=weight, nstart=start, **options), n)
        except nx.PowerIterationFailedConvergence:
            pytest.skip("networkx does not converge either")
        found = eigenvector_centrality(
            A, weighted=weight is not None, start=start, tol=options["tol"], max_iterations=3000
        )
        np.testing.assert_allclose(found.to_dense(), expected, atol=1e-7)


def test_eigenvector_centrality_without_convergence(backend: str) -> None:
    with pytest.raises(NotConverged, match="after 2 iterations"):
        eigenvector_centrality(generators.star(50), max_iterations=2)
    assert eigenvector_centrality(gb.Matrix(bool, 0, 0)).size == 0


def test_more_colours_than_a_word_has_bits(backend: str) -> None:
    for n in (64, 65, 150):
        assert sorted(vertex_colouring(generators.complete(n)).to_dense().tolist()) == list(range(n))
    G = nx.complete_graph(130)
    G.remove_edges_from([(i, i + 1) for i in range(0, 130, 7)])
    G.add_edges_from((i, 200 - i) for i in range(30))
    G = nx.convert_node_labels_to_integers(G)
    check_colouring(G, vertex_colouring(as_matrix(G)).to_dict())


@pytest.mark.parametrize("weights", [1, 5, 1000])
def test_a_forest_that_begins_with_the_lightest_edges(
    backend: str, weights: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the one that all edges give together, however many of them weigh the same."""
    G = nx.gnp_random_graph(300, 0.1, seed=3)
    for number, (u, v) in enumerate(G.edges):
        G[u][v]["weight"] = number * 7919 % weights
    A = as_matrix(G)
    together = minimum_spanning_forest(A)
    monkeypatch.setattr("grblas_gpu.plan.search_rules.FEW_EDGES", 0)
    assert minimum_spanning_forest(A).isequal(together)
    assert together.nvals == 2 * (len(G) - nx.number_connected_components(G))
