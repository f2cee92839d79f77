"""Searches that pull by a thread for each row: any size, rows of any length, few rows for each warp and many."""

from __future__ import annotations

from typing import Any

import emulated_engine
import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import Matrix, algorithms, binary


@pytest.mark.parametrize("blocks", [1, 3])
def test_levels(to_device: Any, monkeypatch: pytest.MonkeyPatch, blocks: int) -> None:
    monkeypatch.setattr(emulated_engine.FewBlocks, "blocks", blocks)
    random = np.random.default_rng(1)
    for n in (5, 31, 127, 130, 1501):
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
