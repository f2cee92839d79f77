"""Algorithms on graphs whose positions several blocks of a device have: they find what the CPU engine finds."""

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from emulated_engine import ENGINES, FewBlocks, backend
from library_algorithms import ALGORITHMS, SEARCHES, of_graph

import grblas_gpu as gb
from grblas_gpu import Matrix, generators

EMULATED, ON_A_GPU = 8, 11  # scales of graphs
EVERY = {
    **ALGORITHMS,
    **SEARCHES,
    "betweenness_centrality": of_graph("betweenness_centrality", sources=range(9)),
    "bfs_multi": of_graph("bfs_multi", sources=range(5)),
    "bfs_parents": of_graph("bfs_parents", reproducible=True),
    "load_centrality": of_graph("load_centrality", sources=range(5)),  # of all of them an emulation takes minutes
    "sssp with predecessors": of_graph("sssp", predecessors=True),
    "xbfs": of_graph("xbfs", asynchronous=True),
}


@cache
def graph(scale: int) -> Matrix:
    """Undirected, with lengths no two of which are equal: most answers are the only ones."""
    with gb.using("cpu"):
        rows, cols, _ = generators.kronecker(scale, 4, seed=3).to_coo()
        lengths = np.random.default_rng(7).permutation(4**scale) + 1.0
        return Matrix.from_coo(
            rows,
            cols,
            lengths[(np.minimum(rows, cols) << scale) + np.maximum(rows, cols)],
            nrows=2**scale,
            ncols=2**scale,
        )


def same(found, expected) -> bool:
    if isinstance(expected, tuple | list):
        return all(same(x, y) for x, y in zip(found, expected, strict=True))
    if hasattr(expected, "isclose"):
        return bool(found.to("cpu").isclose(expected, rel_tol=1e-6, abs_tol=1e-9))
    return bool(found == pytest.approx(expected))


@pytest.fixture(params=ENGINES)
def scale(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Of a graph for an engine, which is "cuda" meanwhile."""
    monkeypatch.setattr(FewBlocks, "blocks", 3)
    with backend("cuda" if request.param == "gpu" else request.param, monkeypatch):
        yield ON_A_GPU if request.param == "gpu" else EMULATED


@pytest.mark.slow
@pytest.mark.parametrize("columns", ["device", "host"])
@pytest.mark.parametrize("name", EVERY)
def test_several_blocks(scale: int, name: str, columns: str) -> None:
    A = graph(scale)
    with gb.using("cpu"):
        expected = EVERY[name](A)
    with gb.using("cuda"):
        assert same(EVERY[name](A.to("cuda", columns=columns)), expected)
