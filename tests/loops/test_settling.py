"""Loops that may follow edges in any order: the same values as by rounds, and the trace says which it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import emulated_engine
import numpy as np
import pytest
from grblas_gpu.algorithms.sssp import relax
from loop_cases import to_device

import grblas_gpu as gb
from grblas_gpu import Matrix, Scalar, Vector, algorithms, binary, generators, select, semiring

__all__ = ["to_device"]  # a fixture

AT_ONCE = "in any order"


def weighted(A: Matrix, low: int, high: int, dtype: Any = np.int64, seed: int = 0) -> Matrix:
    rows, columns, _ = A.to_coo()
    values = np.random.default_rng(seed).integers(low, high + 1, len(rows)).astype(dtype)
    return Matrix.from_coo(rows, columns, values, nrows=A.nrows, ncols=A.ncols)


def few_edges_each(n: int, most: int, seed: int) -> Matrix:
    """A directed graph, parts of which cannot be reached."""
    random = np.random.default_rng(seed)
    rows = np.repeat(np.arange(n), random.integers(0, most + 1, n))
    return Matrix.from_coo(rows, random.integers(0, n, len(rows)), True, nrows=n, ncols=n)


def with_hub(A: Matrix, edges: int) -> Matrix:
    """One row is too long for a warp that takes eight vertices."""
    rows, columns = (each.astype(int) for each in A.to_coo(values=False)[:2])
    far = np.arange(edges) * (A.ncols // edges)
    rows, columns = np.concatenate([rows, np.full(edges, 7)]), np.concatenate([columns, far])
    return Matrix.from_coo(rows, columns, True, nrows=A.nrows, ncols=A.ncols)


GRAPHS: dict[str, Callable[[], Matrix]] = {
    "grid": lambda: weighted(generators.grid_2d(41, 37), 1, 255),
    "lengths of zero": lambda: weighted(generators.grid_2d(33, 40), 0, 3),
    "floats": lambda: weighted(generators.grid_2d(30, 31), 1, 9, np.float64),
    "short floats": lambda: weighted(generators.grid_2d(30, 31), 1, 9, np.float32),
    "path": lambda: weighted(generators.path(700), 1, 4),
    "directed": lambda: weighted(few_edges_each(3000, 4, 1), 1, 99),
    "longest rows": lambda: weighted(few_edges_each(3000, 31, 2), 1, 99),
    "hub": lambda: weighted(with_hub(generators.grid_2d(40, 40), 200), 1, 99),
}


def graph(name: str) -> Matrix:
    with gb.using("cpu"):
        return GRAPHS[name]()


@pytest.mark.parametrize("name", GRAPHS)
def test_distances_are_those_of_rounds(
    name: str, to_device: Any, monkeypatch: pytest.MonkeyPatch, blocks: int = 2
) -> None:
    monkeypatch.setattr(emulated_engine.FewBlocks, "blocks", blocks)
    A = graph(name)
    with gb.using("cpu"):
        expected = algorithms.bellman_ford(A, 7)
    with gb.trace() as trace:
        found = algorithms.delta_stepping(to_device(A), 7)
    assert found.to("cpu").isequal(expected, check_dtype=True)
    reasons = [step.reason for step in trace.steps()]
    at_once = sum(AT_ONCE in reason for reason in reasons)
    assert (at_once == 0) is (name == "hub")
