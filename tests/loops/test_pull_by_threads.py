"""Searches that pull by a thread for each row: any size, rows of any length, few rows for each warp and many, frontiers
with a bit for each position, for 32 of them (from 2,049 on in an emulation) and without (from 65,537 on)."""

import emulated_engine
import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Matrix, algorithms, binary


@pytest.mark.parametrize("blocks", emulated_engine.BLOCKS)
def test_levels(to_device, monkeypatch: pytest.MonkeyPatch, blocks: int) -> None:
    monkeypatch.setattr(emulated_engine.FewBlocks, "blocks", blocks)
    random = np.random.default_rng(1)
    for n in (5, 31, 127, 130, 1501, 3001):
        for most in (2, 12, 40):
            with gb.using("cpu"):
                rows = np.repeat(np.arange(n), random.integers(0, most + 1, n))
                A = Matrix.from_coo(rows, random.integers(0, n, len(rows)), True, nrows=n, ncols=n)
                if n % 2:
                    A = binary.lor(A | A.T).new()
                expected = algorithms.bfs(A, n // 2)
                levels = expected.to_dense(fill_value=-1)
                edges = A.reduce_rowwise(gb.agg.count).new().to_dense(fill_value=0)
            with gb.trace() as trace:
                found = algorithms.turbobfs(to_device(A), n // 2, kernel="thread")
            assert found.to("cpu").isequal(expected), (n, most)
            steps = trace.steps()
            assert {step.strategy for step in steps} == {"pull.thread"}
            assert [step.input_nvals for step in steps][1:] == [step.output_nvals for step in steps][:-1]
            assert [step.input_edges for step in steps] == [edges[levels == depth].sum() for depth in range(len(steps))]


@pytest.mark.parametrize("n", [2048, 2049, 65536, 66000])
def test_long_rows_at_the_ends(to_device, n: int) -> None:
    """A hub at either end, all others between: all of them are found by their only entry or their last."""
    others = np.arange(2, n - 1)
    rows, cols = np.concatenate([others, [0, 1], others]), np.concatenate([0 * others, [1, n - 1], 0 * others + n - 1])
    with gb.using("cpu"):
        A = Matrix.from_coo(np.concatenate([rows, cols]), np.concatenate([cols, rows]), True, nrows=n, ncols=n)
        expected = algorithms.bfs(A, 1)
    assert expected.nvals == n and expected.reduce(gb.monoid.max).new().value == 2
    assert algorithms.turbobfs(to_device(A), 1, kernel="thread").to("cpu").isequal(expected)
