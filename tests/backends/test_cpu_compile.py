"""Kernels on disk: a second process loads what the first compiled; tiers; the thread pool."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from running import printed_by

from grblas_gpu.backends.cpu import pool

PROGRAM = """
import numpy as np
from grblas_gpu import semiring
from grblas_gpu.backends.machine import kernel_cache
from grblas_gpu.backends.cpu import compile
from grblas_gpu.backends.cpu.engine import CpuBackend
from grblas_gpu.backends.stores.storage import MatrixStore, VectorStore
from grblas_gpu.plan.rules import Plan

a = MatrixStore(3, 3, np.array([0, 1, 2, 3]), np.array([1, 2, 0], np.int32), np.array([1, 2, 3]))
u = VectorStore(3, np.array([5, 6]), indices=np.array([0, 1]))
for strategy in ("push.scatter", "pull.thread"):
    options = {"transposed": False, "flip": False, "plan": Plan(strategy, "")}
    w = CpuBackend().mxv(a, u, semiring.plus_times["INT64"], None, **options)
    assert w.nvals == 2
print(compile.compilations(), kernel_cache.folder())
"""


def run(program: str, **environment: str) -> str:
    return printed_by("-c", program, **{"GRBLAS_GPU_CPU_TIER": "numba", **environment})


def test_second_process_compiles_nothing(tmp_path):
    first = run(PROGRAM, GRBLAS_GPU_CACHE_DIR=str(tmp_path)).split()
    second = run(PROGRAM, GRBLAS_GPU_CACHE_DIR=str(tmp_path)).split()
    assert (first[0], second[0]) == ("3", "0")
    assert first[1] == second[1]
    assert first[1].startswith(str(tmp_path))


OWN_FUNCTIONS = """
import math
import numpy as np
from grblas_gpu import Vector, binary, loop
from grblas_gpu.backends.cpu import compile

half, other = 0.5, lambda x, y: x + 1

def by(amount):
    return lambda x, y: x * amount

functions = [lambda x, y: math.sqrt(x) + np.sin(y) if x > 1 else -y, FUNCTIONS]
v = Vector.from_dense(np.arange(5000.0))
found = [binary.register_anonymous(function)(v & v).new().reduce().new().value for function in functions]
for _ in loop(v, 3):
    v(accum=binary.register_anonymous(lambda x, y: x * 0.25 + y)) << v
print(compile.compilations(), *found, v.reduce().new().value)
"""


def test_functions_of_users_are_kept_if_nothing_else_matters(tmp_path):
    """Not the last two, which read variables."""
    some = "lambda x, y: x * 0.5, other, lambda x, y: x * half, by(0.5)"
    program = OWN_FUNCTIONS.replace("FUNCTIONS", some)
    first, second = (run(program, GRBLAS_GPU_CACHE_DIR=str(tmp_path)).split() for _ in range(2))
    assert (int(first[0]), int(second[0])) == (6, 2)
    assert second[1:] == first[1:]


def test_functions_of_other_code_are_others(tmp_path):
    programs = [OWN_FUNCTIONS.replace("FUNCTIONS", f"lambda x, y: x * {k}") for k in (2, 3)]
    one, two = (run(program, GRBLAS_GPU_CACHE_DIR=str(tmp_path)).split() for program in programs)
    assert int(two[0]) == 1 and 3 * float(one[2]) == 2 * float(two[2])


def test_numpy_tier_compiles_nothing():
    program = PROGRAM.rsplit("print", 1)[0] + "import sys; print(compile.compilations(), 'numba' in sys.modules)"
    assert run(program, GRBLAS_GPU_CPU_TIER="numpy").split() == ["0", "False"]


def test_small_work_needs_no_numba():
    program = PROGRAM.rsplit("print", 1)[0] + "import sys; print('numba' in sys.modules)"
    assert run(program, GRBLAS_GPU_CPU_TIER="auto").split() == ["False"]


@pytest.mark.slow
def test_processes_may_race(tmp_path):
    environment = {**os.environ, "GRBLAS_GPU_CACHE_DIR": str(tmp_path), "GRBLAS_GPU_CPU_TIER": "numba"}
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    racers = [
        subprocess.Popen([sys.executable, "-c", PROGRAM], env=environment, stdout=subprocess.DEVNULL) for _ in range(2)
    ]
    assert [racer.wait() for racer in racers] == [0, 0]
    assert run(PROGRAM, GRBLAS_GPU_CACHE_DIR=str(tmp_path)).split()[0] == "0"


@pytest.fixture
def three_threads():
    pool.set_threads(3)
    yield
    pool.set_threads(None)


@pytest.mark.usefixtures("three_threads")
def test_pool_keeps_order_and_raises():
    assert pool.run(lambda x: x * x, range(50)) == [x * x for x in range(50)]

    def fail(x):
        if x == 7:
            raise KeyError("seven")

    with pytest.raises(KeyError, match="seven"):
        pool.run(fail, range(20))
    assert pool.run(abs, [-1, -2]) == [1, 2]


@pytest.mark.usefixtures("three_threads")
def test_pool_serves_several_callers():
    results: list[bool] = []

    def call():
        results.extend(pool.run(lambda x: x + 1, range(10)) == list(range(1, 11)) for _ in range(50))

    callers = [threading.Thread(target=call) for _ in range(6)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert results == [True] * 300


@pytest.mark.usefixtures("three_threads")
def test_pool_nested_call_does_not_deadlock():
    assert pool.run(lambda x: sum(pool.run(lambda y: x * y, range(4))), range(8)) == [6 * x for x in range(8)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_pool_after_fork():
    program = (
        "import os\nfrom grblas_gpu.backends.cpu import pool\npool.set_threads(3)\npool.run(abs, range(9))\n"
        "child = os.fork()\nif child == 0:\n    os._exit(0 if pool.run(abs, [-1, -2]) == [1, 2] else 1)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    )
    assert run(program).split() == ["0"]


def test_workspace_is_per_thread():
    from grblas_gpu.backends.cpu import workspace

    mine = workspace.flags("test", 10)
    others: list[np.ndarray] = []
    thread = threading.Thread(target=lambda: others.append(workspace.flags("test", 10)))
    thread.start()
    thread.join()
    assert others[0] is not mine
    assert workspace.flags("test", 5) is mine
    workspace.forget()
    assert workspace.flags("test", 10) is not mine
