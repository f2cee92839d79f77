"""Another process compiles kernels and loops of the CPU engine: calls run without them until they are on disk."""

import importlib
import math
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from running import printed_by

import grblas_gpu as gb
from grblas_gpu import Matrix, Vector, algorithms, binary, generators, monoid, select, semiring
from grblas_gpu.backends.cpu import background, tier
from grblas_gpu.backends.cpu.fusion import run
from grblas_gpu.backends.cpu.fusion.tier import COMPILE
from grblas_gpu.backends.machine import kernel_cache

compile = importlib.import_module("grblas_gpu.backends.cpu.compile")


@pytest.fixture(autouse=True)
def nothing_compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Every kernel pays at once; no machine code is there, neither in memory nor on disk."""
    monkeypatch.setattr(tier, "COMPILE_WORK", 0)
    monkeypatch.setattr(background, "_broken", False)
    monkeypatch.setattr(compile, "_loaded", {})
    monkeypatch.setenv("GRBLAS_GPU_CACHE_DIR", str(tmp_path / "cache"))
    kernel_cache.folder.cache_clear()
    assert tier.get_tier() == "auto"
    with gb.using("cpu"), gb.config.set(compile="auto", loops="iterated"):
        yield
    background.stop()
    kernel_cache.folder.cache_clear()
    for table in tier.KernelTable.tables:
        table.clear()


with gb.using("cpu"):
    A = Matrix.from_coo([0, 0, 1, 3], [1, 2, 2, 0], [1.0, 2.0, 3.0, 4.0], nrows=4, ncols=4)
    X = Vector.from_dense(np.arange(4.0))


def product() -> list[float]:
    return semiring.plus_times(A @ X).new().to_dense(fill_value=0.0).tolist()


EXPECTED = [5.0, 6.0, 0.0, 0.0]


def waiting() -> list[tier.Waiting]:
    return [each for table in tier.KernelTable.tables for each in table._waiting.values()]


def kernels() -> list[Any]:
    return [each for table in tier.KernelTable.tables for each in table.values()]


class Product:
    """A call of one kernel."""

    def is_compiled(self) -> bool:
        """Compute once."""
        assert product() == EXPECTED
        return bool(kernels())

    def compilation(self) -> background.Compilation:
        (one,) = waiting()
        assert one.compilation is not None
        return one.compilation

    def kernel(self) -> Any:
        (kernel,) = kernels()
        assert not waiting()
        return kernel


class Loop:
    """A loop that runs as a whole, or node by node."""

    twice: Any = binary.plus

    def is_compiled(self) -> bool:
        x = Vector.from_dense(np.arange(6))
        with gb.config.set(loops="recorded"), gb.trace() as trace:
            for _ in gb.loop(x, 5):
                x << self.twice(x & x)
        assert x.to_dense().tolist() == [32 * number for number in range(6)]
        reasons = [record.reason for record in trace.records if record.op == "loop"]
        return "its machine code is not compiled yet" not in reasons

    def compilation(self) -> background.Compilation:
        (compiled,) = run._loops.values()
        return compiled.compilation

    def kernel(self) -> Any:
        (compiled,) = run._loops.values()
        return compiled.kernel


class ProductOfUser(Product):
    """With a function of a user."""

    times = binary.register_anonymous(lambda x, y: math.fabs(x) * np.float64(y))
    values = Vector.from_dense(np.arange(4.0))

    def is_compiled(self) -> bool:
        assert self.times(self.values & self.values).new().to_dense().tolist() == [0.0, 1.0, 4.0, 9.0]
        return bool(kernels())


class LoopOfUser(Loop):
    """With a function of a user."""

    twice = binary.register_anonymous(lambda x, y: x + y)


@pytest.fixture(params=[Product, Loop, ProductOfUser, LoopOfUser])
def work(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Product | Loop:
    """What pays at once; not the single calls of a loop."""
    if issubclass(request.param, Loop):
        monkeypatch.setattr(tier, "COMPILE_WORK", 2**62)
    monkeypatch.setattr(run, "level", lambda program, first, before=0: COMPILE)
    monkeypatch.setattr(run, "_loops", {})
    return request.param()


def test_calls_do_not_wait_and_take_machine_code_over(work: Product | Loop) -> None:
    assert not work.is_compiled()
    compilation = work.compilation()
    assert not work.is_compiled() or compilation.done()
    compilation.wait()
    assert work.is_compiled()
    stats = work.kernel().stats
    assert sum(stats.cache_hits.values()) == 1 and not sum(stats.cache_misses.values())


@pytest.mark.parametrize("work", [ProductOfUser, LoopOfUser], indirect=True)
def test_a_function_that_depends_on_more_is_compiled_here(work: Product | Loop) -> None:
    base = 1.0
    if isinstance(work, ProductOfUser):
        work.times = binary.register_anonymous(lambda x, y: x * y * base)
    if isinstance(work, LoopOfUser):
        work.twice = binary.register_anonymous(lambda x, y: x + y * int(base))
    work.is_compiled()
    assert work.is_compiled()
    assert work.kernel() is not None and not background._compilers


def test_calls_wait_if_they_are_told_to(work: Product | Loop) -> None:
    with gb.config.set(compile="wait"):
        assert work.is_compiled()
    assert work.kernel() is not None and not background._compilers


def test_a_failure_is_one_warning(work: Product | Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    begin = background.begin
    monkeypatch.setattr(
        background, "begin", lambda source, given: begin(("raise ValueError('an odd kernel')", {}), given)
    )
    assert not work.is_compiled()
    work.compilation().wait()
    with pytest.warns(UserWarning, match="cannot be compiled in the background: ValueError: an odd kernel") as warned:
        assert [work.is_compiled() for _ in range(3)] == [False] * 3
    assert len(warned) == 1


def test_there_may_be_no_other_process(work: Product | Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background.sys, "executable", "/nowhere/python")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        work.is_compiled()
        assert work.is_compiled()
    assert work.kernel() is not None


def test_one_core_compiles_one_text_at_a_time(work: Product | Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background.pool, "threads", lambda: 1)
    assert not work.is_compiled()
    background.begin(("kernel = None", {}), [np.zeros(1)])
    assert len(background._compilers) == 1


def test_a_call_waits_that_would_take_the_definitions_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert product() == EXPECTED
    monkeypatch.setattr(tier, "WAIT_WORK", 1)
    assert product() == EXPECTED
    assert len(kernels()) == 1 and not waiting()


def test_calls_do_not_run_by_the_definitions_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    assert product() == EXPECTED
    monkeypatch.setattr(tier, "LATE_WORK", 0)
    assert product() == EXPECTED
    assert len(kernels()) == 1 and not waiting()


def test_a_call_that_waits_does_not_wait_for_other_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """It compiles what no process has begun."""
    monkeypatch.setattr(background.pool, "threads", lambda: 1)
    slow = background.begin(("import time\ntime.sleep(600)", {}), [np.zeros(1)])
    assert product() == EXPECTED
    monkeypatch.setattr(tier, "WAIT_WORK", 1)
    assert product() == EXPECTED
    (kernel,) = kernels()
    assert sum(kernel.stats.cache_misses.values()) == 1
    assert not slow.done()


def test_numba_is_imported_when_that_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that has computed little by kernels compiled elsewhere does not import Numba for them."""
    monkeypatch.setattr(tier, "_missed", 0)
    modules = {name: module for name, module in sys.modules.items() if name != "numba"}
    monkeypatch.setattr(tier, "sys", type("modules", (), {"modules": modules}))
    assert product() == EXPECTED
    (one,) = waiting()
    assert one.compilation is not None
    one.compilation.wait()
    assert product() == EXPECTED
    assert waiting() == [one]
    monkeypatch.setattr(tier, "TAKE_OVER_WORK", 1)
    assert product() == EXPECTED
    assert len(kernels()) == 1


def test_a_process_that_dies_is_one_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    begin = background.begin
    end = "import os\nos._exit(3)"
    monkeypatch.setattr(background, "begin", lambda source, given: begin((end, {}), given))
    assert product() == EXPECTED
    (one,) = waiting()
    assert one.compilation is not None
    one.compilation.wait()
    with pytest.warns(UserWarning, match="exit code 3") as warned:
        for _ in range(3):
            assert product() == EXPECTED
            total = Vector.from_dense(np.arange(4)).reduce(monoid.plus).new()  # another kernel: compiled here
            assert total == 6
    assert len(warned) == 1
    assert not background.is_possible()


def test_idle_processes_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "IDLE", 0.01)
    found = background.begin(("kernel = None", {}), [np.zeros(1)])
    (compiler,) = background._compilers
    found.wait()
    assert compiler.process.wait(60) == 0
    assert not background._compilers
    assert product() == EXPECTED
    assert len(background._compilers) == 1


class Never(background.Compilation):
    """It does not end."""


CALLS: dict[str, Callable[[Matrix], Any]] = {
    "bfs": lambda A: algorithms.bfs(A, 0),
    "pagerank": algorithms.pagerank,
    "sssp": lambda A: algorithms.sssp(A, 0),
    "connected_components": algorithms.connected_components,
    "triangle_count": algorithms.triangle_count,
    "core_number": algorithms.core_number,
    "label_propagation": algorithms.label_propagation,
    "betweenness_centrality": lambda A: algorithms.betweenness_centrality(A, sources=[0, 1]),
    "sorted push": lambda A: semiring.plus_times(A[0, :].new() @ A).new(strategy="push.sort"),
    "selected": lambda A: select.triu(A).new().reduce_rowwise(monoid.plus).new(),
    "extracted": lambda A: A[[0, 3, 4], [1, 2, 7, 8]].new(),
    "merged": lambda A: binary.plus(A | A.T).new().reduce_scalar(monoid.plus).new(),
    "dense": lambda A: semiring.plus_times(A @ Matrix.from_scalar(2.0, A.ncols, 5)).new(),
}


def same(found: Any, expected: Any) -> bool:
    """Whether two objects of different engines have the same entries."""
    pairs = zip(found.to_coo(), expected.to_coo(), strict=True)
    return all(np.array_equal(x, y) or np.allclose(x, y) for x, y in pairs)


@pytest.mark.parametrize("name", CALLS)
def test_the_definitions_do_the_work_of_every_kernel(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that is called and declines leaves no trace in operands, results or scratch memory."""
    asked: list[str] = []

    def begin(source: str, arguments: tuple[Any, ...]) -> Never:
        asked.append(source)
        return Never(source)

    monkeypatch.setattr(background, "begin", begin)
    A = generators.kronecker(6, seed=3).dup("FP64")
    with gb.using("numpy"):
        expected = CALLS[name](generators.kronecker(6, seed=3).dup("FP64"))
    for _ in range(2):
        found = CALLS[name](A)
        if isinstance(found, (Vector, Matrix)):
            assert same(found, expected)
        else:
            assert found == expected
    assert asked and not kernels()


def test_updates_in_place_decline_before_they_change_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "begin", lambda source, arguments: Never(source))
    source = np.random.default_rng(5)
    for _ in range(20):
        size = int(source.integers(2, 40))
        present = source.random(size) < 0.6
        opened = np.flatnonzero(source.random(size) < 0.5)
        results = []
        for engine in ("cpu", "numpy"):
            with gb.using(engine):
                x = Vector.from_coo(np.flatnonzero(present), np.arange(present.sum()) + 1.0, size=size)
                m, y = Vector.from_coo(opened, True, size=size, dtype=bool), Vector.from_dense(np.arange(size) * 2.0)
                x(m.S) << 7.0
                x(binary.plus) << y
                x(~m.S, binary.times) << y
                x(m.V, replace=True) << x
                x(binary.plus)[[0, 1, 1]] << Vector.from_dense([1.0, 2.0, 3.0])
                results.append((x.nvals, *(part.tolist() for part in x.to_coo())))
        assert results[0] == results[1]


FORKED = """
import os, sys
import numpy as np
import grblas_gpu as gb
from grblas_gpu.backends.cpu import background, tier
from grblas_gpu.backends.cpu.fusion import run
from grblas_gpu.backends.cpu.fusion.tier import COMPILE

tier.COMPILE_WORK = 0

def total():
    x = gb.Vector.from_coo([0, 2], [1.0, 2.0], size=4)
    y = gb.Vector.from_dense(np.arange(4.0))
    return gb.binary.plus(x | y).new().to_dense().tolist()

def take_over():
    expected = total()
    while not any(table.values() for table in tier.KernelTable.tables):
        for one in [each for table in tier.KernelTable.tables for each in table._waiting.values()]:
            if one.compilation is not None:
                one.compilation.wait() if not one.compilation.lost else None
        assert total() == expected

if __name__ == "__main__":
    tier.TAKE_OVER_WORK = 0
    total()
    assert background._compilers
    if os.fork() == 0:
        assert not background._compilers
        take_over()
        os._exit(0)
    assert os.wait()[1] == 0
    take_over()
    background.stop()
    print("done")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.slow
def test_the_child_of_a_fork_has_kernels_compiled_itself(tmp_path: Path) -> None:
    said = printed_by("-c", FORKED, cwd=tmp_path, GRBLAS_GPU_BACKEND="cpu", GRAPHBLAS_COMPILE="auto")
    assert said.split() == ["done"]
