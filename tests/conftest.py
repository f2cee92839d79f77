"""Every test with the `backend` fixture runs on every engine that this machine has."""

import functools
import importlib.util
import os
import random
import shutil
import sys
import zlib
from collections.abc import Callable, Iterator

import gpu_session
import numpy as np
import nvrtc
import pytest
import quick_tests
from hardware import has_gpu
from hypothesis import HealthCheck, Phase, settings
from loop_cases import to_device  # noqa: F401  (a fixture)

import grblas_gpu as gb
from grblas_gpu.api.program import RecordedFunction
from grblas_gpu.backends.cpu import tier
from grblas_gpu.backends.cpu.fusion import run, tier as loop_tier
from grblas_gpu.backends.machine import calibration

# "compiled" is the CPU engine with a kernel for every operation, however small. Nearly every random example needs
# kernels of its own, and compiling them takes the time: the quick tests try a few, "thoroughly" as many as elsewhere.
FEW = {"compiled": 4, "cuda": 20}  # random examples
SOME_TRIALS = 16  # of one case: see `trials`
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

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "fixed")
settings.load_profile(PROFILE)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(quick_tests)
    if config.getoption("--gpu-record", default=None):
        config.pluginmanager.register(gpu_session)
    if config.option.markexpr == "not slow":  # they compile nearly all the time; other tests with compilers as they are
        nvrtc.only_ptx = True
        if PROFILE == "fixed":  # small objects on the CPU engine are computed by the definitions, as on "numpy"
            FEW.update(numpy=10, cpu=20)


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
    """Tests for other machines are deselected, those that lack a compiler are skipped."""
    config.hook.pytest_deselected(items=[item for item in items if not _is_for_this_machine(item)])
    items[:] = [item for item in items if _is_for_this_machine(item)]
    for item in items:
        for marker in filter(item.get_closest_marker, MISSING):
            item.add_marker(pytest.mark.skip(reason=MISSING[marker]))


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
def set_tier() -> Iterator[Callable[[str], None]]:
    """To choose the tier of the CPU engine, in one test."""
    before = tier.get_tier()
    yield tier.set_tier
    tier.set_tier(before)


@pytest.fixture
def numba_tier(set_tier: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """The CPU engine with a kernel for every operation, however small; whole loops, each of which takes seconds to
    compile, have tests of their own (tests/loops)."""
    set_tier("numba")
    monkeypatch.setattr(run, "level", lambda program, first, before=0: loop_tier.NOT_YET)


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
