"""Asynchronous searches of graphs with long rows: the step that needs the first buffer of their frontier fills it."""

import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Matrix, algorithms, generators

LONG = 40  # more entries than rows have with which a cluster may go on alone


def undirected(edges: list[tuple[int, int]], n: int) -> Matrix:
    rows, cols = np.array(edges).T
    return Matrix.from_coo(np.concatenate([rows, cols]), np.concatenate([cols, rows]), 1, nrows=n, ncols=n)


def path_to_a_hub(length: int) -> Matrix:
    """A path of so many vertices, whose last one has LONG others, of which one has another path."""
    hub, last = length - 1, length + LONG
    edges = [(i, i + 1) for i in range(hub)] + [(hub, hub + 1 + i) for i in range(LONG)]
    return undirected([*edges, *((last - 1 + i, last + i) for i in range(5))], last + 5)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 9])
def test_pushes_into_all_buffers(to_device, length: int) -> None:
    with gb.using("cpu"):
        A = path_to_a_hub(length)
        expected = algorithms.bfs(A, 0)
    A = to_device(A)
    for _ in range(2):  # the second time with what the first one left
        with gb.trace() as trace:
            found = algorithms.xbfs(A, 0, asynchronous=True)
        assert found.to("cpu").isequal(expected)
    pushes = [step.strategy.startswith("push") for step in trace.steps()]
    assert all(pushes[: length - 1])


@pytest.mark.parametrize("seed", range(4))
def test_pulls_first(to_device, seed: int) -> None:
    with gb.using("cpu"):
        A = generators.kronecker(8, 16, seed=seed)
        source = int(np.argmax(A.reduce_rowwise(gb.agg.count).new().to_dense(fill_value=0)))
        expected = algorithms.bfs(A, source)
    A = to_device(A)
    for _ in range(2):
        assert algorithms.xbfs(A, source, asynchronous=True).to("cpu").isequal(expected)
