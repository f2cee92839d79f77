"""What is on a device stays there: no list of vertices or pairs passes through the host."""

import emulated_engine
import numpy as np
import pytest

import grblas_gpu as gb
from grblas_gpu import algorithms

SIZE, FEW = 60, 20


def graph(backend: str) -> gb.Matrix:
    rows, columns = np.random.default_rng(3).integers(0, SIZE, (2, 300))
    ends = np.r_[rows, columns], np.r_[columns, rows]
    with gb.using(backend):
        return gb.Matrix.from_coo(*ends, ends[0] * ends[1] % 7 + 1.0, nrows=SIZE, ncols=SIZE, dup_op=gb.binary.min)


@pytest.mark.slow
@pytest.mark.emulated
def test_nothing_passes_through_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    host, moved = graph("cpu"), []
    half, parts = np.arange(0, SIZE, 2), np.arange(SIZE) % 5
    pairs = np.random.default_rng(4).integers(0, SIZE, (40, 2))
    with emulated_engine.backend("emulated", monkeypatch) as name:
        import cupy

        def counted(copy):
            def method(x, *options, **more):
                if x.size > FEW:
                    moved.append(x.size)
                return copy(x, *options, **more)

            return method

        device, to_device = graph(name), cupy.asarray
        for work, given in {
            algorithms.induced_subgraph: [half],
            algorithms.ego_graph: [3, 2],
            algorithms.two_hop_neighbors: [half],
            algorithms.jaccard: [pairs],
            algorithms.cosine: [pairs],
            algorithms.modularity: [parts],
            algorithms.shortest_path: [3, 20],
        }.items():
            there = [to_device(x) if isinstance(x, np.ndarray) else x for x in given]
            with monkeypatch.context() as counting:
                counting.setattr(cupy, "asnumpy", counted(cupy.asnumpy))
                counting.setattr(cupy.ndarray, "get", counted(cupy.ndarray.get))
                found = work(device, *there)
            assert moved == [], work.__name__
            assert same(work(host, *given), found), work.__name__


def same(x, y) -> bool:
    if isinstance(x, tuple):
        return all(map(same, x, y))
    return x.isclose(y.to("cpu")) if hasattr(x, "isclose") else x == pytest.approx(y)
