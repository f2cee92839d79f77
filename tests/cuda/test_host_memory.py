"""Matrices with their columns in the memory of the host: they stay there, and answers are those of the device."""

import importlib
from collections.abc import Iterator

import numpy as np
import pytest
from emulated_engine import CUDA, ENGINES, backend
from failing_device import full_device

import grblas_gpu as gb
from grblas_gpu import Matrix, algorithms, binary, generators, semiring
from grblas_gpu.exceptions import OutOfMemory

N = 300
WORKS = {
    "bfs": lambda A: algorithms.bfs(A, 1),
    "sssp": lambda A: algorithms.sssp(A, 1),
    "pagerank": lambda A: algorithms.pagerank(A, iterations=5),
    "mxm": lambda A: semiring.plus_times(A @ A).new(mask=A.S),
    "select": lambda A: A.select(">", 20).new(),
    "reduce": lambda A: A.reduce_columnwise("plus").new(),
    "union": lambda A: A.ewise_add(A.T, binary.max).new(),
    "row": lambda A: A[5, :].new(),
}


@pytest.fixture(params=ENGINES, autouse=True)
def cuda(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with backend("cuda" if request.param == "gpu" else request.param, monkeypatch) as name, gb.using(name):
        yield


def graph(on: str = "cpu") -> Matrix:
    rows, columns = np.random.default_rng(3).integers(0, N, (2, 9 * N))
    with gb.using(on):
        return Matrix.from_coo(rows, columns, rows * columns % 31 + 1.0, nrows=N, ncols=N, dup_op=binary.min)


def test_columns_stay_on_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = importlib.import_module(f"{CUDA}.eager.transpose_in_parts")
    host = graph()
    for A in (host.to("cuda", columns="host"), host.to("cuda").to(columns="host"), graph("cuda").to(columns="host")):
        assert A.ss.nbytes_on_host == A.nvals * 12 < A.ss.nbytes
        assert "columns on the host" in str(A)
        monkeypatch.setattr(parts, "LEAST", 700)
        monkeypatch.setattr(parts, "free_bytes", lambda: 0)
        assert A.T.new().isclose(host.T.new().to("cuda"))
        assert A._engine.has_columns_on_host(A._store.transposed())
        with gb.trace() as t:
            semiring.plus_times(A @ A.reduce_rowwise("plus")).new()
        assert t.steps()[-1].reason.endswith("; columns on the host")
        back = A.to(columns="device")
        assert back.ss.nbytes_on_host == 0 and back.isequal(A) and "host" not in str(back)
    flags = host.to("cpu").pattern().to("cuda", columns="host")
    assert flags.ss.nbytes_on_host == flags.nvals * 4 and flags.T.new().to("cpu").isequal(host.pattern().T.new())
    with pytest.raises(ValueError, match="columns"):
        host.to(columns="disk")


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow) for name in WORKS])
def test_answers_are_those_of_the_device(name: str) -> None:
    host = graph()
    with gb.using("cpu"):
        expected = WORKS[name](host)
    assert WORKS[name](host.to("cuda", columns="host")).to("cpu").isclose(expected, rel_tol=1e-6)
    with full_device(1024):
        A = host.to("cuda")
        found = WORKS[name](A)
    assert A.ss.nbytes_on_host and found.to("cpu").isclose(expected, rel_tol=1e-6)


@pytest.mark.parametrize("loops", [pytest.param("auto", marks=pytest.mark.slow), "iterated"])
def test_the_planner_knows_what_comes_over_the_bus(loops: str) -> None:
    with gb.using("cpu"):
        A = generators.kronecker(9, seed=3)
    found = {}
    for columns in ("device", "host"):
        with gb.trace() as t, gb.config.set(loops=loops):
            algorithms.bfs(A.to("cuda", columns=columns), 1)
        found[columns] = t.steps()
    if loops == "iterated":  # 1290 edges to push, or 65 rows to look at
        assert [found[columns][3].direction for columns in found] == ["pull", "push"]
    costs = zip(*([step.reason.partition(";")[0] for step in steps] for steps in found.values()), strict=True)
    compared = [(near, far) for near, far in costs if " against " in near and " against " in far]  # not: "at most"
    assert compared and all(near != far for near, far in compared)


def test_refusals() -> None:
    host = graph()
    with full_device(1024), gb.config.set(spill="never"):
        for refused in (lambda: host.to("cuda"), lambda: generators.kronecker(9)):
            with pytest.raises(OutOfMemory, match="free"):
                refused()
    with full_device(1024), pytest.MonkeyPatch.context() as patch:
        patch.setattr(importlib.import_module(f"{CUDA}.runtime.host_memory"), "free_on_host", lambda: 1000)
        with pytest.raises(OutOfMemory, match="of the host for a device: 1,000 bytes are free"):
            host.to("cuda")


@pytest.mark.gpu
def test_a_graph_larger_than_the_pool() -> None:
    import cupy

    with gb.using("cpu"):
        expected = generators.kronecker(18)
        levels, triangles = algorithms.bfs(expected, 5), algorithms.triangle_count(expected)
    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    pool.set_limit(size=pool.used_bytes() + 24 * 2**20)
    try:
        A = generators.kronecker(18)  # 7.6 million entries
        assert A.ss.nbytes_on_host > 24 * 2**20
        assert algorithms.bfs(A, 5).to("cpu").isequal(levels)
        assert algorithms.triangle_count(A) == triangles
        assert A.to("cpu").isequal(expected)
        with gb.config.set(spill="never"), pytest.raises(OutOfMemory):
            generators.kronecker(18)
    finally:
        pool.set_limit(size=0)
