"""Hubs of rows: found for matrices that are often searched, and searches by way of them find what others do."""

from collections.abc import Iterator

import interpreted_loops
import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Matrix, algorithms, generators
from grblas_gpu.backends.cpu import hubs, pool
from grblas_gpu.backends.cpu.fusion import run, tier


def directed(scale: int) -> Matrix:
    """Two thirds of the edges of a graph with hubs."""
    rows, columns, _ = generators.kronecker(scale).to_coo()
    kept = (2 * rows + 3 * columns) % 7 > 1
    return Matrix.from_coo(rows[kept], columns[kept], True, nrows=2**scale, ncols=2**scale)


GRAPHS = {
    "with hubs": lambda: generators.kronecker(7, 8),
    "directed": lambda: directed(6),
    "complete": lambda: generators.complete(40),
    "most rows empty": lambda: Matrix.from_coo([0, 0, 0, 1, 2, 9], [1, 2, 9, 0, 0, 2], True, nrows=30, ncols=30),
}
PUSH = {"direction": "push"}


@pytest.fixture(params=[1, 3])
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Loops run as the text of their function, here on so many threads, and one pull is often enough for hubs."""
    monkeypatch.setattr(run, "level", lambda program, first, before=0: tier.COMPILE)
    monkeypatch.setattr(run, "PARALLEL_WORK", 3)
    monkeypatch.setattr(hubs, "WORTHWHILE", 1)
    monkeypatch.setattr(hubs, "LONG_ROWS", 0)
    interpreted_loops.interpret(monkeypatch)
    before = pool.threads()
    pool.set_threads(request.param)
    with gb.using("cpu"):
        yield request.param
    pool.set_threads(before)


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("options", [{}, {"operand_reuse": False}, PUSH, {**PUSH, "masking": False}])
def test_searches_by_hubs(threads: int, graph: str, options: dict[str, object]) -> None:
    A = GRAPHS[graph]()
    direction = {"direction": "pull", **options}
    with gb.config.set(loops="iterated"):
        expected = [algorithms.bfs(A, source) for source in (0, 1)]
    for _ in range(2):
        for source, levels in enumerate(expected):
            assert algorithms.dobfs(A, source, **direction).isequal(levels)
    found = A._store.transposed()._hub_neighbours
    assert (found is None) == (options.get("direction") == "push")


def test_the_neighbour_with_most_neighbours() -> None:
    A = generators.kronecker(6, 4)
    indptr, indices, _ = A.to_csr()
    degrees, rows = np.diff(indptr), A.to("cpu")._store
    hubs.count_pulls(rows, hubs.WORTHWHILE - 1)
    assert len(hubs.hubs_of(rows)) == 0
    hubs.count_pulls(rows, 1)
    for row, hub in enumerate(hubs.hubs_of(rows)):
        neighbours = indices[indptr[row] : indptr[row + 1]]
        assert hub == -1 if len(neighbours) == 0 else degrees[hub] == degrees[neighbours].max() and hub in neighbours
