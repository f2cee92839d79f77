"""Interrupts while Numba is imported or compiles: the next calls work."""

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from running import printed_by

import grblas_gpu as gb

FACTOR = 2.5  # a function of more than its own code is compiled by every process
PROGRAM = """
import faulthandler, os, random, signal, threading, time
import grblas_gpu as gb
from grblas_gpu.backends.cpu import compile, tier

faulthandler.dump_traceback_later(240, exit=True)  # where a process hangs
signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background of a shell ignore interrupts
tier.set_tier("numba")
A = gb.Matrix.from_coo([0, 1], [1, 2], [1.0, 2.0], nrows=3, ncols=3)
interrupted, source = 0, random.Random(SEED)
ended = []  # an interrupt within a method of an Event would leave its lock taken

def interrupt():
    while not ended:
        time.sleep(source.uniform(0.01, 1.0))
        os.kill(os.getpid(), signal.SIGINT)

thread = threading.Thread(target=interrupt)
semirings = [gb.semiring.plus_times, gb.semiring.min_plus]
thread.start()
results = []
while True:
    try:
        while len(results) < len(semirings) or not interrupted:  # the first interrupt may come after both are compiled
            results.append(semirings[len(results) % 2](A @ A).new().to_coo()[2].tolist())
        ended.append(True)
        thread.join()
        break
    except KeyboardInterrupt:
        interrupted += 1
assert all(found == [2.0 + number % 2] for number, found in enumerate(results)), results
assert compile.compilations() > 0
print(interrupted)
"""


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 12))])
def test_the_next_call_works(tmp_path: Path, seed: int) -> None:
    program = PROGRAM.replace("SEED", str(seed))
    assert int(printed_by("-c", program, GRBLAS_GPU_CACHE_DIR=str(tmp_path), GRBLAS_GPU_BACKEND="cpu")) > 0


@pytest.mark.parametrize("tier", ["numpy", "numba"])
def test_user_defined_functions_compile_where_no_signal_arrives(
    tier: str, set_tier: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An exception of a signal handler within LLVM's callbacks is lost."""
    typeinfer = pytest.importorskip("numba.core.typeinfer")
    threads, infer = set(), typeinfer.TypeInferer.propagate

    def propagate(*arguments: object, **options: object) -> object:
        threads.add(threading.current_thread())
        return infer(*arguments, **options)

    monkeypatch.setattr(typeinfer.TypeInferer, "propagate", propagate)
    record = gb.dtypes.register_anonymous(np.dtype([("x", float), (tier, float)]))
    set_tier(tier)
    with gb.using("cpu"):
        values = gb.Vector.from_dense([1.0, 2.0]).apply(gb.unary.register_anonymous(lambda x: x * FACTOR)).new()
        records = gb.Vector.from_scalar((3.0, 4.0), 2, record)
        function = gb.unary.register_anonymous(lambda each: each["x"] * FACTOR, is_udt=True)
        assert records.apply(function).new().to_dense().tolist() == [7.5, 7.5]
        assert values.to_dense().tolist() == [2.5, 5.0]
    assert threads
    assert threading.main_thread() not in threads
