"""Loops run as a quickly compiled kernel until the optimized one is ready, and the trace says so."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator
from pathlib import Path

import emulated_cupy
import numpy as np
import nvrtc
import pytest
from emulated_engine import CUDA, backend
from running import printed_by

import grblas_gpu as gb
from grblas_gpu import algorithms, generators
from grblas_gpu.backends.cpu import background, pool
from grblas_gpu.backends.cuda.runtime import archive
from grblas_gpu.backends.cuda.runtime.nvrtc import OF_CUPY, OPTIONS, QUICK, compile_program
from grblas_gpu.backends.machine import kernel_cache

KERNEL = 'extern "C" __global__ void thrice(float* x) { x[threadIdx.x] *= 3; }'


class Compiler:
    """The emulated compiler. In place of another process a thread waits for a gate, and may fail at it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, cupy) -> None:
        self.gate, self.optimized, self.quick = threading.Event(), 0, 0
        self.problem = ""
        self.begun: list[background.Compilation] = []
        raw_module = cupy.RawModule

        def compiled(*, code: str = "", path: str | None = None, options: tuple[str, ...] = ()):
            if "loop_kernel(" in code:
                self.optimized += options == OPTIONS
                self.quick += options != OPTIONS
            return raw_module(code=code, options=options) if path is None else raw_module(path=path)

        monkeypatch.setattr(cupy, "RawModule", compiled)
        monkeypatch.setattr(background, "submit", self.submit)
        monkeypatch.setattr(pool, "threads", lambda: 2)  # with more cores other processes compile what will be needed
        monkeypatch.setattr(runtime("nvrtc"), "of_cupy", lambda: "libnvrtc.so")

    def submit(self, without: str, function, text: str, architecture: str, library: str) -> background.Compilation:
        found = background.Compilation(without)
        found.begun = True

        def compiled() -> None:
            self.gate.wait(60)
            if not self.problem:
                code = emulated_cupy.build(text).read_bytes()
                kernel_cache.write(runtime("archive").on_disk(text, architecture), code)
            found.end(self.problem)

        threading.Thread(target=compiled).start()
        self.begun.append(found)
        return found

    def open(self) -> None:
        self.gate.set()
        for each in self.begun:
            each.wait()


def runtime(name: str):
    return importlib.import_module(f"{CUDA}.runtime.{name}")


@pytest.fixture
def empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("GRBLAS_GPU_CACHE_DIR", str(tmp_path))
    kernel_cache.folder.cache_clear()
    yield
    kernel_cache.folder.cache_clear()


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch, empty_cache: None) -> Iterator[Compiler]:
    with backend("emulated", monkeypatch) as name, gb.using(name), gb.config.set(compile="auto"):
        found = Compiler(monkeypatch, importlib.import_module("cupy"))
        yield found
        found.open()
        runtime("tiers")._pool().shutdown()


def levels(A) -> tuple[list[int], list[str]]:
    """The result of a search, and how its loops ran as far as a trace says."""
    with gb.trace() as trace:
        found = algorithms.bfs(A, 0)
    return found.to_dense(fill_value=-1).tolist(), [each.strategy for each in trace.records if each.op == "loop"]


def started():
    programs = importlib.import_module(f"{CUDA}.fusion.run")._programs.values()
    return [tiers for compiled in programs for tiers in compiled._started.values()]


@pytest.mark.emulated
def test_calls_do_not_wait_for_the_optimized_kernel(compiler: Compiler) -> None:
    A = generators.path(4)
    assert levels(A) == ([0, 1, 2, 3], ["quick"])
    assert levels(A) == ([0, 1, 2, 3], ["quick"])
    compiler.open()
    assert levels(A) == ([0, 1, 2, 3], [])
    assert levels(A) == ([0, 1, 2, 3], [])
    assert (compiler.quick, compiler.optimized) == (1, 0)  # that is on disk
    assert started() == []
    importlib.import_module(f"{CUDA}.fusion.run")._programs.clear()
    assert levels(A) == ([0, 1, 2, 3], [])
    assert compiler.quick == 1


@pytest.mark.emulated
def test_kernels_of_operations_are_replaced(compiler: Compiler) -> None:
    x = gb.Vector.from_dense(np.arange(4))

    def negative() -> list[str]:
        with gb.trace() as trace:
            assert x.apply("ainv").new().to_dense().tolist() == [0, -1, -2, -3]
        return [each.op for each in trace.records if each.strategy == "quick"]

    assert negative() == negative() == ["step.cu"]
    compiler.open()
    assert negative() == negative() == []


@pytest.mark.emulated
def test_the_first_program_of_an_algorithm_begins_the_others(
    compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner, last = importlib.import_module("cupy").RawModule, threading.Event()

    def compiled(*, code: str, options: tuple[str, ...]):
        if "generated for transpose.cu" in code:
            last.set()
        assert "generated for matrix_facts.cu" not in code or last.wait(60)
        return inner(code=code, options=options)

    A = generators.kronecker(6).dup()
    monkeypatch.setattr(importlib.import_module("cupy"), "RawModule", compiled)
    assert algorithms.bfs(A, 0)[0].new().value == 0
    assert runtime("ahead")._begun == {"bfs"}


@pytest.mark.emulated
def test_other_processes_compile_what_will_be_needed(compiler: Compiler, monkeypatch: pytest.MonkeyPatch) -> None:
    """If there are cores for them. This process compiles the first program only, and the loop."""
    A, inner, here = generators.kronecker(6).dup(), importlib.import_module("cupy").RawModule, []

    def compiled(*, code: str = "", **options):
        here.append("loop_kernel(" in code) if code else None
        return inner(code=code, **options)

    monkeypatch.setattr(importlib.import_module("cupy"), "RawModule", compiled)
    monkeypatch.setattr(pool, "threads", lambda: 8)
    monkeypatch.setattr(runtime("tiers"), "YOUNG", 0.0)
    compiler.open()
    assert algorithms.bfs(A, 0)[0].new().value == 0
    known = len(runtime("ahead").programs_of("bfs", "", importlib.import_module(f"{CUDA}.runtime.compile").render))
    assert known > 2 and here.count(False) == 1 and here.count(True) <= 1


@gb.program
def twice_more(x: gb.Vector) -> gb.Vector:
    more = gb.binary.plus(x, 1).new()
    return gb.binary.times(more, 2).new()


@pytest.mark.emulated
def test_functions_run_step_by_step_until_their_kernel_is_compiled(
    compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "threads", lambda: 8)
    x, run = gb.Vector.from_dense(np.arange(4)), importlib.import_module(f"{CUDA}.fusion.run")

    def launched() -> tuple[list[int], list[str]]:
        with gb.trace() as trace:
            assert twice_more(x).to_dense().tolist() == [2, 4, 6, 8]
        told = [each.reason for each in trace.records if each.op == "function"]
        return [len(each._launchers) for each in run._programs.values()], told

    assert launched() == launched() == ([0], ["its kernel is not compiled yet"])
    compiler.open()
    assert launched() == launched() == ([1], [])
    assert (compiler.quick, compiler.optimized) == (0, 0)  # the other process has compiled it


@pytest.mark.emulated
def test_a_failure_in_the_background_is_one_warning(compiler: Compiler) -> None:
    A = generators.path(4)
    assert levels(A) == ([0, 1, 2, 3], ["quick"])
    compiler.problem = "RuntimeError: no memory left"
    compiler.open()
    with pytest.warns(UserWarning, match="kernels stay slow: .*: no memory left$") as warned:
        assert levels(A) == ([0, 1, 2, 3], ["quick"])
        assert levels(A) == ([0, 1, 2, 3], ["quick"])
    assert len({str(each.message) for each in warned}) == 1


@pytest.mark.emulated
def test_a_compiler_may_not_know_the_option(compiler: Compiler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime("tiers"), "QUICK", ("--unknown",))
    inner = importlib.import_module("cupy").RawModule

    def refuses(*, code: str, options: tuple[str, ...]):
        if "--unknown" in options:
            raise emulated_cupy.CompileException("unrecognized option")
        return inner(code=code, options=options)

    monkeypatch.setattr(importlib.import_module("cupy"), "RawModule", refuses)
    assert levels(generators.path(4)) == ([0, 1, 2, 3], [])


@pytest.mark.emulated
def test_there_may_be_no_other_process(compiler: Compiler, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*arguments) -> None:
        raise FileNotFoundError("python")

    monkeypatch.setattr(background, "submit", refuses)
    assert levels(generators.path(4)) == ([0, 1, 2, 3], [])
    assert (compiler.quick, compiler.optimized) == (0, 1)


@pytest.mark.emulated
def test_the_setting(compiler: Compiler) -> None:
    A = generators.path(4)
    with gb.config.set(compile="quick"):
        assert levels(A) == ([0, 1, 2, 3], ["quick"])
    assert (compiler.quick, compiler.optimized) == (1, 0)
    with gb.config.set(compile="wait"):
        assert levels(A) == ([0, 1, 2, 3], [])
    assert (compiler.quick, compiler.optimized) == (1, 1)


ENDS = """
from pathlib import Path
from grblas_gpu.backends.cpu import background, pool
from grblas_gpu.backends.cuda.runtime import archive

if __name__ == "__main__":
    found = background.submit("slow", archive.keep, Path("kernel.cu").read_text(), "sm_90", "LIBRARY")
    if WAITS:
        found.wait()
    print(found.done())
"""


@pytest.mark.nvrtc
def test_another_process_compiles(tmp_path: Path, empty_cache: None) -> None:
    """A process that ends meanwhile says nothing, and does not wait; the machine code is that of this process."""
    (tmp_path / "kernel.cu").write_text(KERNEL)
    found = nvrtc.library()
    assert found is not None
    for waits in (False, True):
        ends = ENDS.replace("LIBRARY", found._name).replace("WAITS", str(waits))
        assert printed_by("-c", ends, cwd=tmp_path).split() == [str(waits)]
    assert archive.find(KERNEL, "sm_90") == compile_program(KERNEL, "sm_90", (*OPTIONS, *OF_CUPY))


@pytest.mark.skipif(nvrtc.library() is None, reason="needs the nvidia-cuda-nvrtc wheel")
@pytest.mark.parametrize("oldest", [False, True])
def test_compilers_know_the_option(oldest: bool) -> None:
    assert nvrtc.compile_cuda(KERNEL, nvrtc.USUAL, (*OPTIONS, *QUICK), oldest=oldest)


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
        raw_module, begin = cupy.RawModule, tiers.Tiers.begin
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
        monkeypatch.setattr(tiers.Tiers, "begin", begins)
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
