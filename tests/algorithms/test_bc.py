"""Betweenness centrality against Brandes' algorithm in exact fractions, in plain arrays, and networkx."""

import tracemalloc
import warnings
from collections.abc import Callable
from itertools import pairwise

import networkx
import numpy as np
import pytest
from checkers import serial_dependencies, serial_paths
from graphs import Graph, from_edges, graph
from grblas_gpu.algorithms import (
    betweenness_centrality,
    bfs,
    closeness,
    eccentricity,
    edge_betweenness_centrality,
    turbobfs,
)
from library_graphs import takes_long

import grblas_gpu as gb
from grblas_gpu import generators
from grblas_gpu.api.matrix_preparation import Batching
from grblas_gpu.bench import verify


def values(result: gb.Vector) -> np.ndarray:
    assert result.nvals == result.size
    return result.to_dense()


def close(result: gb.Vector, expected: object) -> None:
    np.testing.assert_allclose(values(result), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_symmetric_digraph_is_directed(backend: str, weighted: bool) -> None:
    """The result must not change by a factor when one more edge makes the matrix asymmetric."""
    G = networkx.path_graph(5).to_directed()
    for edges in ([], [(0, 2)]):
        G.add_edges_from(edges)
        graph = gb.Graph.from_networkx(G)
        options = {"normalized": False, "weighted": weighted}
        expected = networkx.betweenness_centrality(G, normalized=False)
        assert betweenness_centrality(graph, **options) == pytest.approx(expected)
        close(betweenness_centrality(graph.matrix, **options), list(expected.values()))
        of_edges = networkx.edge_betweenness_centrality(G, normalized=False)
        found = edge_betweenness_centrality(graph.matrix, **options)
        assert {edge: found[edge].new().value for edge in G.edges} == pytest.approx(of_edges)


@pytest.mark.parametrize("name", ["les miserables", "random directed"])
@pytest.mark.parametrize("normalized", [False, True])
def test_some_sources(backend: str, name: str, normalized: bool) -> None:
    found = graph(name)
    A, vertices = found.matrix(), list(range(found.n))
    some = [7, 3, 30, 7]  # a source that is named twice counts once
    theirs = networkx.betweenness_centrality_subset(found.networkx(), set(some), vertices, normalized=normalized)
    ours = betweenness_centrality(A, some, normalized=normalized, directed=found.directed)
    close(ours, [theirs[vertex] for vertex in vertices])
    parts = [betweenness_centrality(A, vertices[k::3], normalized=normalized, batch=4) for k in range(3)]
    whole = values(betweenness_centrality(A, normalized=normalized))
    np.testing.assert_allclose(sum(values(part) for part in parts), whole, rtol=1e-9, atol=1e-12)
    close(betweenness_centrality(A, 7), values(betweenness_centrality(A, [7])))
    close(betweenness_centrality(A, []), np.zeros(found.n))


@pytest.mark.parametrize("name", ["kronecker 13", "kronecker 16", "mycielskian 11", "mycielskian 12"])
def test_one_source_of_large_graphs(name: str) -> None:
    found = graph(name)
    A, source = found.matrix(), found.sources()[-1]
    levels = bfs(A, source).to_dense(fill_value=-1)
    indptr, indices = (part.astype(np.int64) for part in A.to_csr()[:2])
    expected = verify.edge_dependencies(indptr, indices, source, levels)  # which test_benchmarks.py checks
    close(betweenness_centrality(A, source, normalized=False), expected)


def stages(count: int, width: int) -> Graph:
    """A vertex, ``count`` stages of ``width`` vertices, each joined to all of the next, and a vertex: many paths."""
    first = [0, *range(1, 1 + count * width, width)]
    layers = [[0]] + [list(range(start, start + width)) for start in first[1:]] + [[1 + count * width]]
    edges = {(i, j) for one, two in pairwise(layers) for i in one for j in two}
    return from_edges(2 + count * width, edges, directed=False)


@pytest.mark.parametrize("shape", [(20, 8), (31, 4)], ids=["60 bits", "62 bits"])
def test_path_counts_beyond_32_bits(backend: str, shape: tuple[int, int]) -> None:
    """No warning, no rounding, although the bound by degrees is far beyond 64 bits."""
    found = stages(*shape)
    A = found.matrix()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, sigma = turbobfs(A, 0, paths=True)
        result = betweenness_centrality(A, 0, normalized=False, directed=False)
    assert sigma.dtype == gb.INT64
    assert sigma.to_dict() == serial_paths(found.rows, found.cols, found.n, 0)
    close(result, np.array(serial_dependencies(found.rows, found.cols, found.n, [0])) / 2)


@pytest.mark.parametrize("batch", [1, 2])
def test_path_counts_beyond_64_bits_become_floats(backend: str, batch: int) -> None:
    found = stages(25, 8)  # 2**75 paths
    A = found.matrix()
    with pytest.warns(RuntimeWarning, match="exceed 64 bits"):
        _, sigma = turbobfs(A, 0, paths=True)
    expected = serial_paths(found.rows, found.cols, found.n, 0)
    assert sigma.dtype == gb.FP64
    assert {vertex: int(count) for vertex, count in sigma.to_dict().items()} == expected  # powers of 2: no rounding
    sources = [0, 5]
    result = betweenness_centrality(A, sources, normalized=False, directed=False, batch=batch)
    close(result, np.array(serial_dependencies(found.rows, found.cols, found.n, sources)) / 2)


@takes_long
@pytest.mark.parametrize("batch", [1, 2])
def test_more_paths_than_floats_can_count(backend: str, batch: int) -> None:
    """Counting raises an error; centrality goes on with logarithms of the counts."""
    found = stages(520, 4)  # 2**1040 paths
    A = found.matrix()
    with pytest.raises(OverflowError, match="more than 1e308"):
        turbobfs(A, 0, paths=True)
    sources = [0, 5]
    result = betweenness_centrality(A, sources, normalized=False, directed=False, batch=batch)
    close(result, np.array(serial_dependencies(found.rows, found.cols, found.n, sources)) / 2)


@pytest.mark.parametrize(
    ("loops", "words"),
    [("iterated", 7), pytest.param("auto", 14, marks=pytest.mark.slow)],  # one kernel, of ten seconds
)
@pytest.mark.parametrize(
    "name",
    ["kronecker 14", *(pytest.param(name, marks=pytest.mark.slow) for name in ("kronecker 16", "mycielskian 12"))],
)
def test_one_source_stays_within_its_memory(name: str, loops: str, words: int, set_tier: Callable[[str], None]) -> None:
    """7 n + m words: m for the matrix, which is there already, and 7 n for the rest.

    A loop that runs as a whole has a second buffer, flags and lists for the vectors that change.
    """
    set_tier("numba")  # the definitions list all products
    try:
        A = graph(name).matrix()
        with gb.config.set(loops=loops):
            for _ in range(3):
                betweenness_centrality(A, 0)  # makes what is kept between calls
            tracemalloc.start()
            betweenness_centrality(A, 0)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak <= words * A.nrows * 8


@pytest.mark.parametrize("batch", [0, -3])
def test_a_batch_has_a_source(batch: int) -> None:
    with pytest.raises(ValueError, match="batch must be at least 1"):
        betweenness_centrality(generators.path(3), batch=batch)


@pytest.mark.parametrize("name", ["karate", "random directed", "disconnected", "path", "no edges", "two vertices"])
def test_sources_side_by_side(backend: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every engine can do it this way; the batches have different sizes."""
    found = graph(name)
    A, sources = found.matrix(), range(min(found.n, 11))
    expected = values(betweenness_centrality(A, sources))
    monkeypatch.setattr(gb.Matrix, "batching", lambda self, rows=False, searches=0: Batching(4, not rows))
    for batch in (None, 1, 3, 40):
        close(betweenness_centrality(A, sources, batch=batch), expected)
    close(betweenness_centrality(A, []), np.zeros(found.n))
    with_ends = [values(betweenness_centrality(A, sources, endpoints=True, batch=batch)) for batch in (None, 1)]
    np.testing.assert_allclose(*with_ends, rtol=1e-9)


@pytest.mark.parametrize("algorithm", [closeness, eccentricity])
def test_batches_of_all_vertices(algorithm: Callable[..., gb.Vector]) -> None:
    A = graph("karate").matrix()
    for batch in (1, 7, 100):
        assert algorithm(A, batch=batch).isclose(algorithm(A))
    with pytest.raises(ValueError, match="batch must be at least 1"):
        algorithm(A, batch=-1)


def test_lengths_that_sums_of_floats_lose(backend: str) -> None:
    """1e17 + 1 is 1e17: from vertex 0 the triangle behind the long edge seems to have no lengths."""
    rows, cols = [0, 1, 2, 3], [1, 2, 3, 1]
    A = gb.Matrix.from_coo(rows + cols, cols + rows, [10**17, 1, 1, 1] * 2)
    assert betweenness_centrality(A, weighted=True).to_dense().tolist() == pytest.approx([0, 2 / 3, 0, 0])
    for algorithm in (betweenness_centrality, edge_betweenness_centrality):
        with pytest.raises(gb.exceptions.InvalidValue, match="float sums round some edge lengths away"):
            algorithm(A.dup(dtype=float), weighted=True)


def test_lengths_of_nothing(backend: str) -> None:
    A = gb.Matrix.from_coo([0, 1], [1, 0], [1, 0])
    for function in (betweenness_centrality, edge_betweenness_centrality):
        with pytest.raises(gb.exceptions.InvalidValue, match="lengths must be positive"):
            function(A, weighted=True)
