"""Searches that pull by a thread for each entry: groups of entries that are of one row, of two and of several, that end
where a row does, and that cannot have the column of a search's first vertex."""

import emulated_engine
import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Matrix, algorithms


def graph(lengths: np.ndarray, seed: int) -> Matrix:
    """Edges to the columns of rows that are so long: it is these that a pull reads."""
    random, n = np.random.default_rng(seed), len(lengths)
    columns = np.concatenate([np.sort(random.choice(n, length, replace=False)) for length in lengths])
    return Matrix.from_coo(columns, np.repeat(np.arange(n), lengths), True, nrows=n, ncols=n)


@pytest.mark.parametrize("n", [300, 900])  # with a bit for every column, and for two of them in an emulation
@pytest.mark.parametrize("some", [(128,), (64, 192), (200, 130, 61), (0, 3, 128, 256), (100, 0, 0, 9)])
def test_levels(to_device, monkeypatch: pytest.MonkeyPatch, some: tuple[int, ...], n: int) -> None:
    monkeypatch.setattr(emulated_engine.FewBlocks, "blocks", 2)
    with gb.using("cpu"):
        A = graph(np.resize(some, n), n)
    B = to_device(A)
    for source in (0, n // 2, n - 1):
        with gb.trace() as trace:
            found = algorithms.turbobfs(B, source, kernel="edge").to("cpu")
        assert trace.steps()[0].strategy == "pull.edge"
        with gb.using("cpu"):
            assert found.isequal(algorithms.bfs(A, source)), (some, source)
