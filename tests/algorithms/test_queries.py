"""Queries over edges of several kinds, and A*: against brute force and NetworkX."""

from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Graph, Matrix, algorithms, generators
from grblas_gpu.exceptions import DimensionMismatch, InvalidValue, NoValue

N = 9


def drawn(seed: int, edges: int = 14) -> list[np.ndarray]:
    """Two kinds of edges."""
    return [np.random.default_rng([seed, kind]).permutation(N * N).reshape(N, N) < edges for kind in (0, 1)]


def matrix(flags: np.ndarray) -> Matrix:
    return Matrix.from_coo(*np.nonzero(flags), True, nrows=N, ncols=N)


def any_number(a: np.ndarray) -> np.ndarray:
    """Zero edges or more."""
    return np.linalg.matrix_power(a + np.eye(N, dtype=int), N) > 0


#: An expression, and the same in terms of dense matrices.
EXPRESSIONS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "A": lambda a, b: a,
    "^A": lambda a, b: a.T,
    "b?": lambda a, b: np.eye(N) + b,
    "A/b": lambda a, b: a @ b,
    " ( A | b ) / ^b ": lambda a, b: (a | b) @ b.T,
    "A*": lambda a, b: any_number(a),
    "A+": lambda a, b: a @ any_number(a),
    "(A/b)*": lambda a, b: any_number(a @ b),
    "A*/b/A*": lambda a, b: any_number(a) @ b @ any_number(a),
    "(A|b*)/(A?/b)+": lambda a, b: (a | any_number(b)) @ (b | a @ b) @ any_number(b | a @ b),
    "(A?/b?)/A": lambda a, b: (np.eye(N) + a) @ (np.eye(N) + b) @ a,
    "((A+)?)*|b/b": lambda a, b: any_number(a) | b @ b,
}


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_regular_expressions(backend: str, expression: str) -> None:
    for seed in range(3):
        a, b = drawn(seed)
        expected = EXPRESSIONS[expression](a, b) > 0
        for sources in (None, [2, 7]):
            found = algorithms.regular_reachability(matrix(a), expression, sources, others={"b": matrix(b)})
            rows = np.isin(np.arange(N), range(N) if sources is None else sources)
            np.testing.assert_array_equal(found.to_dense(False), expected & rows[:, None])


def words(rules: list[tuple[str, str]], known: dict[str, np.ndarray]) -> np.ndarray:
    """All pairs by the rules as they are, again and again."""
    found = {symbol: np.zeros((N, N), bool) for symbol, _ in rules} | known
    for _ in range(N * N * len(rules)):
        for symbol, right in rules:
            product = np.eye(N, dtype=bool)
            for part in right.split():
                product = product @ found[part]
            found[symbol] = found[symbol] | product
    return found["S"]


GRAMMARS = {
    "the same number": [("S", "A b"), ("S", "A S b")],
    "brackets": [("S", ""), ("S", "A S b S")],
    "the same generation": [("S", "^A A"), ("S", "^A S A"), ("S", "^b S b")],
    "by another symbol": [("S", "B"), ("B", "A B A"), ("B", "C C"), ("C", "b"), ("C", "")],
    "nothing": [("S", "A S")],
}


@pytest.mark.parametrize("name", GRAMMARS)
def test_grammars(backend: str, name: str) -> None:
    for seed in range(2):
        a, b = drawn(seed)
        found = algorithms.context_free_reachability(matrix(a), GRAMMARS[name], others={"b": matrix(b)})
        expected = words(GRAMMARS[name], {"A": a, "b": b, "^A": a.T, "^b": b.T})
        np.testing.assert_array_equal(found.to_dense(False), expected)


def test_labels_of_queries() -> None:
    """Another order of the vertices does not matter."""
    knows, works = (
        Graph.from_edges([("ann", "bob"), ("bob", "ibm")]),
        Graph.from_edges([("ibm", "bob"), ("bob", "ann")]),
    )
    found = algorithms.regular_reachability(knows, "A/^w", ["ann"], others={"w": works})
    assert set(found.to_networkx().edges) == {("ann", "ibm")}
    found = algorithms.context_free_reachability(knows, [("S", "A ^w")], others={"w": works})
    assert set(found.to_networkx().edges) == {("ann", "ibm")}


def test_queries_that_mean_nothing() -> None:
    A = generators.path(3)
    for expression in ("", "A/", "(A", "A)", "A A", "|A", "A//A", "*"):
        with pytest.raises(InvalidValue, match="regular_reachability: the expression"):
            algorithms.regular_reachability(A, expression)
    with pytest.raises(InvalidValue, match="there are no edges 'b'"):
        algorithms.regular_reachability(A, "A/b")
    with pytest.raises(InvalidValue, match="there are no edges 'T'"):
        algorithms.context_free_reachability(A, [("S", "A T")])
    with pytest.raises(DimensionMismatch, match="others: b has shape"):
        algorithms.context_free_reachability(A, [("S", "A")], others={"b": generators.path(4)})


@pytest.mark.parametrize("dtype", [int, float])
def test_astar(backend: str, dtype: type) -> None:
    """Bounds that are not consistent, and none where they are missing."""
    for seed in range(6):
        draw = np.random.default_rng(seed)
        G = nx.gnp_random_graph(30, 0.1, seed=seed, directed=True)
        for _, _, data in G.edges(data=True):
            data["weight"] = dtype(9 * draw.random())
        A = gb.io.from_networkx(G, dtype=dtype)
        left = nx.single_source_dijkstra_path_length(G.reverse(), 1)
        heuristic = {v: draw.random() * left.get(v, 99) for v in range(0, 30, 2)}
        try:
            expected = nx.dijkstra_path_length(G, 0, 1)
        except nx.NetworkXNoPath:
            with pytest.raises(NoValue, match="astar: no path leads from 0 to 1"):
                algorithms.astar(A, 0, 1, heuristic)
            continue
        length, vertices = algorithms.astar(A, 0, 1, heuristic)
        assert (vertices[0], vertices[-1]) == (0, 1)
        assert length == pytest.approx(expected) == pytest.approx(nx.path_weight(G, vertices, "weight"))


def test_astar_by_coordinates() -> None:
    points = np.random.default_rng(1).random((200, 2))
    G = nx.random_geometric_graph(200, 0.15, pos=dict(enumerate(points)))
    for u, v in G.edges:
        G.edges[u, v]["weight"] = float(np.linalg.norm(points[u] - points[v]))
    A = gb.io.from_networkx(G)
    assert algorithms.astar(A, 3, 77, points).length == pytest.approx(nx.dijkstra_path_length(G, 3, 77))
    with pytest.raises(DimensionMismatch, match="coordinates of 3 vertices"):
        algorithms.astar(A, 0, 1, points[:3])
    with pytest.raises(InvalidValue, match="must be finite"):
        algorithms.astar(A, 0, 1, {3: np.inf})


def test_all_pairs_in_tiles(backend: str) -> None:
    """Small graphs by dense products: integers, floats, and sums that only integers hold."""
    draw = np.random.default_rng(2)
    rows, columns = draw.integers(0, 150, (2, 900))
    for lengths in (draw.integers(0, 9, 900), draw.random(900), draw.integers(2**53, 2**54, 900)):
        A = Matrix.from_coo(rows, columns, lengths, dup_op=gb.binary.min, nrows=150, ncols=150)
        found = algorithms.apsp(A)
        assert found.dtype == A.dtype
        for source in (0, 70, 149):
            assert found[source, :].new().isclose(algorithms.sssp(A, source), rel_tol=1e-12)
