"""Operations and loops tell users at a terminal what is being compiled."""

from contextlib import suppress

import numpy as np
import pytest
from emulated_engine import loaded

import grblas_gpu as gb
from grblas_gpu import algorithms, generators
from grblas_gpu.backends import registry
from grblas_gpu.exceptions import IndexOutOfBound
from grblas_gpu.foundation import progress


@pytest.mark.parametrize("watched", [True, False])
def test_compiling_is_announced(watched: bool, monkeypatch, capsys) -> None:
    monkeypatch.setattr(progress, "is_shown", lambda: watched)
    monkeypatch.setattr(progress, "_spent", progress.PATIENCE + 1)  # others took so long already
    with loaded("recorded", monkeypatch, "engine") as found, gb.using("cpu"):
        monkeypatch.setitem(registry._engines, "cuda", found.engine.CudaBackend())
        with gb.using("cuda"):
            x, A = gb.Vector.from_dense(np.ones(9)), generators.kronecker(5, 4)
            x.apply("ainv").new()
            first = capsys.readouterr().err
            x.apply("ainv").new()
            again = capsys.readouterr().err
            with suppress(IndexOutOfBound):  # no kernel ran that could have found anything
                algorithms.bfs(A, 0)
            loop = capsys.readouterr().err
    assert ("compiling step.cu for this device, once" in first) == watched
    assert again == ""
    assert ("compiling a loop for this device, once; `grblas-gpu kernels warm`" in loop) == watched
