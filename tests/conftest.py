"""Every test with the `backend` fixture runs on every engine that this machine has."""

from __future__ import annotations

import functools
import importlib.util
import os
import random
import shutil
import sys
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import gpu_session
import numpy as np
import nvrtc
import pytest
from hardware import has_gpu
from hypothesis import HealthCheck, Phase, settings
from loop_cases import to_device  # noqa: F401  (a fixture)

import grblas_gpu as gb
from grblas_gpu.api.program import RecordedFunction
from grblas_gpu.backends.cpu import tier
from grblas_gpu.backends.cpu.fusion import run
from grblas_gpu.backends.cpu.fusion import tier as loop_tier
from grblas_gpu.backends.machine import calibration

# "compiled" is the CPU engine with a kernel for every operation, however small. Nearly every random example needs
# kernels of its own, and compiling them takes the time: the quick tests try a few, "thoroughly" as many as elsewhere.
FEW = {"compiled": 4}  # random examples
#: Cases for a compiler are quick in these files, which exercise each family of kernels; in all others they are slow.
QUICK_FILES = {
    "compiled": {
        "algorithms/test_searches.py",
        *(f"api/test_{name}.py" for name in ("differential", "forms", "fuzz", "gather")),
        *(f"loops/test_{name}.py" for name in ("gathers", "loops", "matrices", "nested", "program")),
        *("backends/test_asynchronous.py", "backends/test_kernel_cache.py", "operators/test_user_operators.py"),
        "test_tiny.py",
    },
    "emulated": {
        *(f"cuda/test_{name}.py" for name in ("assign_few", "counters", "later", "matrices_small", "messages")),
        *(f"cuda/test_{name}.py" for name in ("mxm_sort", "mxv", "search", "vectors")),
        *(f"loops/test_{name}.py" for name in ("gathers", "loops", "nested")),
        *("backends/test_kernel_cache.py", "faults/test_allocations.py"),
    },
}
#: Tests in these files of which one emulated case takes more than five seconds: they run on a GPU, and are slow here.
LONG = {
    "test_algorithms_are_fused",
    "test_casts_are_those_of_the_definitions",
    "test_deterministic_means_bit_equal",
    "test_loops_follow_each_other",
    "test_loops_inside_of_what_iterates_run_as_a_whole",
    "test_one_program_for_graphs_that_come_and_go",
    "test_ranks_in_32_bits_are_added_up_in_64_on_the_device",
}
SOME_TRIALS = 16  # of one case: see `trials`
#: One case of so many of a test is quick, where cases compile kernels or start the ranks of a job.
SOME = {"compiled": 7, "emulated": 8, "numba": 4, "trials": 6, "CPU kernels": 3, "ranks": 4}
KINDS_OF_FILES = {"backends/test_cpu_": "CPU kernels", "mpi/": "ranks"}
TURNS, MANY = ("numpy", "cpu"), 8
LATER, COMPILE_WORK = 10, tier.COMPILE_WORK
BACKENDS = ["numpy", "cpu", "compiled", pytest.param("thoroughly", marks=pytest.mark.slow)]
if has_gpu():
    BACKENDS.append(pytest.param("cuda", marks=pytest.mark.gpu))  # type: ignore[arg-type]
#: Markers of tests that are skipped here, with the reason.
MISSING: dict[str, str] = {}
if shutil.which("g++") is None:
    MISSING |= dict.fromkeys(("emulated", "gxx"), "needs g++")
if nvrtc.library() is None:
    MISSING["nvrtc"] = "needs the nvidia-cuda-nvrtc wheel"

# Reproducible by default; HYPOTHESIS_PROFILE=explore looks for new examples.
_common = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]}
settings.register_profile("fixed", derandomize=True, database=None, max_examples=60, **_common)  # type: ignore[arg-type]
settings.register_profile("explore", max_examples=600, **_common)  # type: ignore[arg-type]
_quick = {"max_examples": 12, "phases": [Phase.explicit, Phase.generate]}  # one look, no shrinking
settings.register_profile("quick", derandomize=True, database=None, **_quick, **_common)  # type: ignore[arg-type]
# What does not ask for a backend is tested on the CPU, whatever else the machine has, and whatever was measured on it.
with pytest.MonkeyPatch.context() as patched:
    patched.setattr(calibration, "_kept", dict)
    gb.set_backend(os.environ.get("GRBLAS_GPU_BACKEND", "cpu"))
if "GRAPHBLAS_COMPILE" not in os.environ:
    gb.config.set(compile="wait")  # the same kernels in every run
if importlib.util.find_spec("graphblas") is not None:
    import pairs  # noqa: F401  (starts python-graphblas, which would start itself in another mode when looked at)

TESTS = Path(__file__).parent
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "fixed")
settings.load_profile(PROFILE)


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--gpu-record", default=None):
        config.pluginmanager.register(gpu_session)
    if config.option.markexpr == "not slow":  # they compile nearly all the time; other tests with compilers as they are
        nvrtc.only_ptx = True
        if PROFILE == "fixed":  # small objects on the CPU engine are computed by the definitions, as on "numpy"
            FEW.update(numpy=30, cpu=20)


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of an engine; objects made in the test belong to it."""
    compiled = request.param in ("compiled", "thoroughly")
    if compiled:
        request.getfixturevalue("numba_tier")
    name = "cpu" if compiled else request.param
    with gb.using(name):
        yield name


def _backend_of(item: pytest.Item):
    return getattr(getattr(item, "callspec", None), "params", {}).get("backend")


def _kind(item: pytest.Item) -> str:
    """What makes a case expensive, or the engine of a cheap one."""
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    for kind in ("emulated", "numba", "compiled"):
        if any(isinstance(value, str) and value == kind for value in parameters.values()):
            return kind
    if parameters.get("trials") == SOME_TRIALS:
        return "trials"
    kinds = [kind for start, kind in KINDS_OF_FILES.items() if _file(item).startswith(start)]
    return kinds[0] if kinds else parameters.get("backend", "")


def _file(item: pytest.Item) -> str:
    """Its path in this folder; that of an example in a docstring is no path in it."""
    return item.path.relative_to(TESTS).as_posix() if item.path.is_relative_to(TESTS) else ""


def _case(item: pytest.Item, kind: str) -> tuple[int, str]:
    """In an order that is the same for every backend."""
    name = item.nodeid.partition("[")[2].replace(kind, "")
    return zlib.crc32(name.encode()), name


def _is_for_this_machine(item: pytest.Item) -> bool:
    """Whether a test runs here: kernels on a device where there is one, by g++ elsewhere; on the engines that it names.

    What has no random examples is the same test "compiled" and "thoroughly".
    """
    if item.get_closest_marker("emulated" if has_gpu() else "gpu") is not None:
        return False
    engine, named = _backend_of(item), item.get_closest_marker("backends")
    if named is not None and engine not in named.args:
        return False
    return engine != "thoroughly" or hasattr(item.obj, "hypothesis")  # type: ignore[attr-defined]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests for other machines are deselected, those that lack a compiler are skipped; of many cases a part is quick.

    Small objects are computed by the same definitions on "numpy" and "cpu": every third case of many is quick, on one
    of them in turn.
    """
    config.hook.pytest_deselected(items=[item for item in items if not _is_for_this_machine(item)])
    items[:] = [item for item in items if _is_for_this_machine(item)]
    for item in items:
        for marker in filter(item.get_closest_marker, MISSING):
            item.add_marker(pytest.mark.skip(reason=MISSING[marker]))
    cases = defaultdict(list)
    for item in items:
        kind = _kind(item)
        files = QUICK_FILES.get(kind)
        if files is not None and _file(item) not in files:
            item.add_marker(pytest.mark.slow)
        if kind == "emulated" and getattr(item, "originalname", "") in LONG:
            item.add_marker(pytest.mark.slow)
        if kind in (*SOME, *TURNS) and item.get_closest_marker("slow") is None and not hasattr(item.obj, "hypothesis"):  # type: ignore[attr-defined]
            cases[kind, item.nodeid.partition("[")[0]].append(item)
    for (kind, _), test in cases.items():
        ordered = sorted(test, key=lambda item: _case(item, kind))
        if kind in SOME:
            left_out = ordered[-(-len(test) // SOME[kind]) :]
        else:
            left_out = [x for k, x in enumerate(ordered) if k % 6 != 3 * TURNS.index(kind)] if len(test) >= MANY else []
        for item in left_out:
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    function = getattr(item, "obj", None)
    if _backend_of(item) not in FEW or not hasattr(function, "hypothesis"):
        return (yield)
    all_of_them = function._hypothesis_internal_use_settings
    few = min(FEW[_backend_of(item)], all_of_them.max_examples)
    function._hypothesis_internal_use_settings = settings(all_of_them, max_examples=few)
    try:
        return (yield)
    finally:
        function._hypothesis_internal_use_settings = all_of_them


@pytest.fixture(autouse=True)
def own_account(monkeypatch: pytest.MonkeyPatch) -> None:
    """The CPU engine compiles what has paid for it, here within one test: which kernels one runs is its own affair.

    So it knows no kernel that another test has compiled, nor what other processes have left on the disk: sums of floats
    depend on the kernel. Graphs are small, so repetition alone would pay, which it does later here; "compiled" compiles
    all at once.
    """
    tier._pending.clear()
    for account in (loop_tier._done, loop_tier._began, loop_tier._spent):
        account.clear()
    for table in tier.KernelTable.tables:
        table.clear()
    for function in _recorded_functions():
        function.clear()
    for name in ("COMPILE_WORK", "LOAD_WORK", "IMPORT_WORK"):
        monkeypatch.setattr(tier, name, LATER * COMPILE_WORK)
    monkeypatch.setattr(loop_tier, "LOAD_WORK", 100 * LATER * COMPILE_WORK)


@functools.cache
def _recorded_functions() -> list[RecordedFunction]:
    """The programs of the library."""
    importlib.import_module("grblas_gpu.algorithms")
    modules = [module for name, module in sys.modules.items() if name.startswith("grblas_gpu.algorithms.")]
    found = (value for module in modules for value in vars(module).values())
    return [value for value in found if isinstance(value, RecordedFunction)]


@pytest.fixture
def numba_tier(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The CPU engine with a kernel for every operation, however small; whole loops, each of which takes seconds to
    compile, have tests of their own (tests/loops)."""
    before = tier.get_tier()
    tier.set_tier("numba")
    monkeypatch.setattr(run, "level", lambda program, first, before=0: loop_tier.NOT_YET)
    yield
    tier.set_tier(before)


@pytest.fixture(params=[pytest.param(SOME_TRIALS, id="some"), pytest.param(1, id="all", marks=pytest.mark.slow)])
def trials(request: pytest.FixtureRequest) -> Callable[[int], list[int]]:
    """``for trial in trials(32)``: where every trial compiles kernels, the quick tests run a sixteenth of them.

    Which ones depends on the test, so that together they see every kind of operand.
    """
    source = random.Random(request.node.name)
    return lambda count: sorted(source.sample(range(count), -(-count // request.param)))


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """The same numbers for a test in every run, others for every test."""
    return np.random.default_rng(zlib.crc32(request.node.name.encode()))


# --- tests that need a GPU -------------------------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--gpu-record",
        nargs="?",
        const="all",
        choices=("all", "rest", "again"),
        help="note in tests/gpu_record.json what ran on a GPU: all tests, those that an interrupted run left, or again "
        "some that failed",
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not has_gpu():
        terminalreporter.write_line("tests that need a GPU were not collected: CuPy finds no CUDA device here")
