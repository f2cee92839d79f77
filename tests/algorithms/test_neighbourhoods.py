"""Similarity, subgraphs and pairs two steps apart, against networkx, SciPy and sets."""

import math
import tracemalloc
from collections.abc import Callable

import networkx as nx
import pytest
from grblas_gpu.algorithms import cosine, ego_graph, induced_subgraph, jaccard, overlap, sorensen
from library_graphs import DIRECTED, as_matrix, undirected, weighted
from scipy.spatial.distance import cosine as scipy_cosine

import grblas_gpu as gb
from grblas_gpu.exceptions import DimensionMismatch, IndexOutOfBound, InvalidValue
from grblas_gpu.plan import search_rules

every_directed = pytest.mark.parametrize("name", DIRECTED)

MEASURES: dict[str, tuple[Callable, Callable[[int, int, int], float]]] = {
    "jaccard": (jaccard, lambda common, own, other: common / (own + other - common)),
    "overlap": (overlap, lambda common, own, other: common / min(own, other)),
    "sorensen": (sorensen, lambda common, own, other: 2 * common / (own + other)),
    "cosine": (cosine, lambda common, own, other: common / math.sqrt(own * other)),
}


@pytest.mark.parametrize("weighted", [False, True])
def test_few_pairs_of_a_graph_with_a_hub(backend: str, weighted: bool) -> None:
    """Only their rows are looked at: the square of a star has 9 million products."""
    n = 3000
    A = gb.generators.star(n)
    pairs = [(1, 2), (5, 900), (0, 7), (n - 1, n - 2)]

    def similarity(A: gb.Matrix) -> gb.Matrix:
        return cosine(A, pairs, weighted=True) if weighted else jaccard(A, pairs)

    similarity(A.dup())  # which may load kernels, and what compiles them
    tracemalloc.start()
    found = similarity(A)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.shape == (n, n) and found.to_dicts() == {0: {7: 0}, 1: {2: 1}, 5: {900: 1}, n - 1: {n - 2: 1}}
    assert found.isequal(jaccard(A, A.ewise_add(found).new()).dup(mask=found.S))  # among many
    assert peak < 2**24 or backend == "cuda"


@pytest.mark.parametrize("measure", MEASURES)
def test_hubs_that_are_in_many_pairs(backend: str, measure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their rows are taken once, not for every pair."""
    A = gb.generators.star(90) | gb.Matrix.from_coo([3, 4], [4, 3], True, nrows=90, ncols=90)
    A = gb.monoid.lor(A).new()
    pairs = [(0, v) for v in range(1, 60)] + [(3, 4), (4, 3), (3, 4)]
    expected = MEASURES[measure][0](A, pairs)
    monkeypatch.setattr(search_rules, "READ", 0)
    assert expected.nvals == 61 and MEASURES[measure][0](A, pairs).isclose(expected, check_dtype=True)


def test_weighted_cosine_against_scipy(backend: str) -> None:
    G = weighted("dense random")
    A = as_matrix(G, "weight", float)
    rows = A.to_dense(0.0)
    pairs = [(u, v) for u in G for v in G]
    found = cosine(A, pairs, weighted=True)
    for u, v in pairs:
        assert found[u, v].new().value == pytest.approx(1 - scipy_cosine(rows[u], rows[v]))


def test_pairs_that_make_no_sense(backend: str) -> None:
    A = as_matrix(undirected("path"))
    for pairs, error in (([(0, 9)], IndexOutOfBound), ([(0, -1)], IndexOutOfBound), ([(0, 1, 2)], TypeError)):
        with pytest.raises(error, match="pairs"):
            jaccard(A, pairs)
    with pytest.raises(TypeError, match="pairs"):
        jaccard(A, [(0.5, 1.0)])
    with pytest.raises(DimensionMismatch, match="pairs"):
        jaccard(A, gb.Matrix(bool, 3, 3))
    assert jaccard(A, []).nvals == 0
    assert jaccard(A, [(0, 2), (0, 2)]).nvals == 1


@every_directed
def test_induced_subgraphs(backend: str, name: str) -> None:
    G = weighted(name)
    A = as_matrix(G, "weight", int)
    chosen = [v for v in reversed(range(len(G))) if v % 3 != 1]
    matrix, vertices = induced_subgraph(A, chosen)
    assert vertices.to_dense().tolist() == chosen
    expected = nx.relabel_nodes(G.subgraph(chosen), {v: i for i, v in enumerate(chosen)})
    found = {(u, v): x for u, v, x in zip(*(part.tolist() for part in matrix.to_coo()), strict=True)}
    assert found == {(u, v): x for u, v, x in expected.edges(data="weight")}
    as_vector = gb.Vector.from_coo(chosen, True, size=len(G))
    assert induced_subgraph(A, as_vector).vertices.to_dense().tolist() == sorted(chosen)
    with pytest.raises(InvalidValue, match="twice"):
        induced_subgraph(A, [0, 0])
    with pytest.raises(InvalidValue, match="radius"):
        ego_graph(A, 0, -1)
