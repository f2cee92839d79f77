"""Searches that pull by a thread for each entry: groups of entries that are of one row, of two and of several, that end
where a row does, and that cannot have the column of a search's first vertex."""

from __future__ import annotations

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


@pytest.mark.parametrize("nvals", [0, 5, 128, 1000])
def test_groups_of_a_matrix(to_device, nvals: int) -> None:
    """Every 128th entry's row and column are behind the rows of all; the last ones are of an entry that there is."""
    with gb.using("cpu"):
        A = Matrix.from_coo(np.arange(nvals) // 9, np.arange(nvals) % 9, 1.0, nrows=200, ncols=9)
    store = to_device(A)._store
    from grblas_gpu.backends.cuda.eager.entry_groups import rows_and_groups

    everything = rows_and_groups(store).tolist()
    firsts = [min(first, nvals - 1) for first in range(0, nvals + 1, 128)] if nvals else []
    rows = -(-nvals // 32) * 32
    columns = rows + 32
    assert everything[:nvals] == (np.arange(nvals) // 9).tolist() == store.row_ids.tolist()
    assert everything[rows : rows + len(firsts)] == [first // 9 for first in firsts]
    assert everything[columns : columns + len(firsts)] == [first % 9 for first in firsts]
    assert rows_and_groups(store) is store._entry_groups
