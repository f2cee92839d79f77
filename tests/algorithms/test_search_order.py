"""Searches of large undirected graphs go on in order of degree, where an engine says so; levels are the same."""

import importlib

import numpy as np
import pytest
from grblas_gpu.algorithms import bfs, dobfs, hybrid_bfs

import grblas_gpu as gb
from grblas_gpu import Matrix, generators


def levels_of(A: Matrix, source: int) -> dict[int, int]:
    with gb.using("cpu"):
        return bfs(A, source).to_dict()


def with_loners() -> Matrix:
    """A graph with hubs, of which some vertices have no edges, in the memory of the host."""
    with gb.using("cpu"):
        return generators.kronecker(8, 4, seed=2)


@pytest.fixture
def small_ones(to_device, monkeypatch: pytest.MonkeyPatch):
    """How graphs get to a device that searches them in order however small they are."""
    order = importlib.import_module("grblas_gpu.backends.cuda.eager.degree_order")
    monkeypatch.setattr(order, "LEAST_VERTICES", 1)
    monkeypatch.setattr(order, "HUB", 4)  # times the mean
    monkeypatch.setattr(order, "free_bytes", lambda: 2**40)
    return to_device


def in_order(A: Matrix) -> bool:
    return "by_degree" in A._prepared[1]


def test_after_some_searches(small_ones) -> None:
    host = with_loners()
    A = small_ones(host)
    loner = int(np.flatnonzero(np.diff(host._store.indptr) == 0)[0])
    for number, source in enumerate([5, loner, 9, 5, 9, loner, 77, 9]):
        found = dobfs(A, source)
        assert number in (3, 4) or in_order(A) == (number > 4)  # the first one may change how offsets are stored
        assert found.to_dict() == levels_of(host, source)
        assert found.dtype == gb.INT32
    A[5, loner] = True  # one way only
    host[5, loner] = True
    for _ in range(6):
        assert dobfs(A, 5).to_dict() == levels_of(host, 5)
        assert not in_order(A)


def test_what_was_asked_for_is_not_changed(small_ones) -> None:
    host = with_loners()
    A = small_ones(host)
    for _ in range(6):
        dobfs(A, 5)
    assert in_order(A)
    for options in ({"direction": "pull"}, {"policy": "edges"}, {"early_exit": False}, {"operand_reuse": False}):
        with gb.trace() as trace:
            assert dobfs(A, 5, **options).to_dict() == levels_of(host, 5)
        assert trace.steps()[0].allowed == A.nrows - 1  # all vertices take part


def test_not_without_hubs_or_memory(small_ones, monkeypatch: pytest.MonkeyPatch) -> None:
    order = importlib.import_module("grblas_gpu.backends.cuda.eager.degree_order")
    with gb.using("cpu"):
        even = generators.grid_2d(6, 6)
    A, B = small_ones(even), small_ones(with_loners())
    monkeypatch.setattr(order, "free_bytes", lambda: 0)
    for M in (A, B):
        for _ in range(6):
            dobfs(M, 3)
        assert not in_order(M)


@pytest.mark.parametrize("hub", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_more_levels_than_a_byte_has(backend: str, directed: bool, hub: bool) -> None:
    """Also of a path that has a hub, which is taken for a graph of few levels."""
    n = 600
    ends, leaves = np.arange(n - 1), n + 1 + np.arange(90 if hub else 0)
    rows, cols = np.r_[ends, leaves], np.r_[ends + 1, 0 * leaves]
    if not directed:
        rows, cols = np.r_[rows, cols], np.r_[cols, rows]
    A = Matrix.from_coo(rows, cols, True, nrows=n + 91, ncols=n + 91)
    assert hybrid_bfs(A, 3).to_dict() == bfs(A, 3).to_dict()
    assert hybrid_bfs(A, n).to_dict() == {n: 0}


def test_other_engines_have_no_order(backend: str) -> None:
    A = generators.kronecker(6)
    assert [A.search_order() for _ in range(5)] == [None] * 5
