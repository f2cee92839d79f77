"""Loops run as a quickly compiled kernel until the optimized one is ready, and the trace says so."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator

import emulated_cupy
import numpy as np
import nvrtc
import pytest
from emulated_engine import CUDA, backend

import grblas_gpu as gb
from grblas_gpu import algorithms, generators
from grblas_gpu.backends.cuda.runtime.nvrtc import OPTIONS, QUICK


class Compiler:
    """The emulated compiler: optimized programs wait for a gate, and may fail at it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, cupy) -> None:
        self.gate, self.optimized, self.quick = threading.Event(), 0, 0
        self.error: Exception | None = None
        raw_module = cupy.RawModule

        def compiled(*, code: str, options: tuple[str, ...]):
            if "loop_kernel(" not in code:
                return raw_module(code=code, options=options)
            if options == OPTIONS:
                assert self.gate.wait(60)
                self.optimized += 1
                if self.error is not None:
                    raise self.error
            else:
                self.quick += 1
            return raw_module(code=code, options=options)

        monkeypatch.setattr(cupy, "RawModule", compiled)


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch) -> Iterator[Compiler]:
    with backend("emulated", monkeypatch) as name, gb.using(name), gb.config.set(compile="background"):
        found = Compiler(monkeypatch, importlib.import_module("cupy"))
        yield found
        found.gate.set()
        importlib.import_module(f"{CUDA}.runtime.tiers")._pool().shutdown()


def levels(A) -> tuple[list[int], list[str]]:
    """The result of a search, and how its loops ran as far as a trace says."""
    with gb.trace() as trace:
        found = algorithms.bfs(A, 0)
    return found.to_dense(fill_value=-1).tolist(), [each.strategy for each in trace.records if each.op == "loop"]


def optimized_is_ready(compiler: Compiler) -> None:
    compiler.gate.set()
    importlib.import_module(f"{CUDA}.runtime.tiers")._pool().submit(int).result()
    while not all(tiers._optimized.done() for tiers in started()):
        threading.Event().wait(0.01)


def started():
    programs = importlib.import_module(f"{CUDA}.fusion.run")._programs.values()
    return [tiers for compiled in programs for tiers in compiled._started.values()]


@pytest.mark.emulated
def test_calls_do_not_wait_for_the_optimized_kernel(compiler: Compiler) -> None:
    A = generators.path(4)
    assert levels(A) == ([0, 1, 2, 3], ["quick"])
    assert levels(A) == ([0, 1, 2, 3], ["quick"])
    assert (compiler.quick, compiler.optimized) == (1, 0)
    optimized_is_ready(compiler)
    assert levels(A) == ([0, 1, 2, 3], [])
    assert levels(A) == ([0, 1, 2, 3], [])
    assert (compiler.quick, compiler.optimized) == (1, 1)
    assert started() == []


@pytest.mark.emulated
def test_a_failure_in_the_background_is_one_warning(compiler: Compiler) -> None:
    A = generators.path(4)
    compiler.error = RuntimeError("no memory left\nand more")
    assert levels(A) == ([0, 1, 2, 3], ["quick"])
    optimized_is_ready(compiler)
    with pytest.warns(UserWarning, match="cannot optimize its kernel: no memory left$") as warned:
        assert levels(A) == ([0, 1, 2, 3], ["quick"])
        assert levels(A) == ([0, 1, 2, 3], ["quick"])
    assert len(warned) == 1


@pytest.mark.emulated
def test_a_compiler_may_not_know_the_option(compiler: Compiler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module(f"{CUDA}.runtime.tiers"), "QUICK", ("--unknown",))
    inner = importlib.import_module("cupy").RawModule

    def refuses(*, code: str, options: tuple[str, ...]):
        if "--unknown" in options:
            compiler.gate.set()
            raise emulated_cupy.CompileException("unrecognized option")
        return inner(code=code, options=options)

    monkeypatch.setattr(importlib.import_module("cupy"), "RawModule", refuses)
    assert levels(generators.path(4)) == ([0, 1, 2, 3], [])


@pytest.mark.emulated
def test_the_setting(compiler: Compiler) -> None:
    A = generators.path(4)
    with gb.config.set(compile="quick"):
        assert levels(A) == ([0, 1, 2, 3], ["quick"])
    assert (compiler.quick, compiler.optimized) == (1, 0)
    compiler.gate.set()
    with gb.config.set(compile="wait"):
        assert levels(A) == ([0, 1, 2, 3], [])
    assert (compiler.quick, compiler.optimized) == (1, 1)


@pytest.mark.skipif(nvrtc.library() is None, reason="needs the nvidia-cuda-nvrtc wheel")
@pytest.mark.parametrize("oldest", [False, True])
def test_compilers_know_the_option(oldest: bool) -> None:
    text = 'extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }'
    assert nvrtc.compile_cuda(text, nvrtc.USUAL, (*OPTIONS, *QUICK), oldest=oldest)


@pytest.mark.gpu
@pytest.mark.parametrize(
    "name", ["bfs", "connected_components", "betweenness_centrality", "pagerank", "sssp", "louvain"]
)
def test_quick_kernels_have_the_same_results(name: str) -> None:
    from grblas_gpu.cli import first_calls

    results = []
    with gb.using("cuda"):
        A = first_calls.graph(name, 12, "FP64")
        for setting in ("quick", "wait"):
            importlib.import_module(f"{CUDA}.fusion.run")._programs.clear()
            with gb.config.set(compile=setting):
                found = first_calls.call(name, A)
            results.append(np.asarray(getattr(found, "labels", found).to_coo()[1]))
    np.testing.assert_allclose(*results, rtol=1e-6)


@pytest.mark.emulated
def test_operands_are_prepared_while_a_loop_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernels for that compile at the same time."""
    with backend("emulated", monkeypatch) as name, gb.using(name), gb.config.set(compile="wait"):
        cupy, tiers = importlib.import_module("cupy"), importlib.import_module(f"{CUDA}.runtime.tiers")
        raw_module, begin = cupy.RawModule, tiers.begin
        begun, started, meanwhile = threading.Event(), threading.Event(), []

        def compiled(*, code: str, options: tuple[str, ...]):
            if "loop_kernel(" in code:
                started.set()
            elif begun.is_set():
                assert started.wait(60)
                meanwhile.append(code)
            return raw_module(code=code, options=options)

        def begins(*arguments):
            begun.set()
            return begin(*arguments)

        monkeypatch.setattr(cupy, "RawModule", compiled)
        monkeypatch.setattr(tiers, "begin", begins)
        found = algorithms.bfs(gb.Matrix.from_coo([0, 1, 2], [1, 2, 0], True, nrows=4, ncols=4), 0)
        assert found.to_dense(fill_value=-1).tolist() == [0, 1, 2, -1]
        assert meanwhile
        tiers._pool().shutdown()


@pytest.mark.emulated
def test_programs_of_an_operation_compile_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    with backend("emulated", monkeypatch) as name, gb.using(name):
        A = gb.Matrix.from_coo([0, 1, 1], [1, 0, 2], [1, 2, 3], nrows=3, ncols=3, dtype="INT32")
        raw_module, both = emulated_cupy.RawModule, threading.Barrier(2)

        def compiled(*, code: str, options: tuple[str, ...]):
            if "list_rows_kernel(" in code or "sort_kernel(" in code:
                both.wait(60)
            return raw_module(code=code, options=options)

        monkeypatch.setattr(importlib.import_module("cupy"), "RawModule", compiled)
        assert A.T.new().to_coo()[2].tolist() == [2, 1, 3]
        importlib.import_module(f"{CUDA}.runtime.tiers")._pool().shutdown()
