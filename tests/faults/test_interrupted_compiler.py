"""Interrupts while Numba is imported or compiles: the next calls work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import os, random, signal, threading, time
import grblas_gpu as gb
from grblas_gpu.backends.cpu import compile, tier

tier.set_tier("numba")
A = gb.Matrix.from_coo([0, 1], [1, 2], [1.0, 2.0], nrows=3, ncols=3)
wanted, interrupted, source = threading.Event(), 0, random.Random(SEED)

def interrupt():
    while not wanted.wait(source.uniform(0.01, 1.0)):
        os.kill(os.getpid(), signal.SIGINT)

thread = threading.Thread(target=interrupt)
semirings = [gb.semiring.plus_times, gb.semiring.min_plus]
thread.start()
results = []
while len(results) < len(semirings):
    try:
        results.append(semirings[len(results)](A @ A).new().to_coo()[2].tolist())
    except KeyboardInterrupt:
        interrupted += 1
while True:
    try:
        wanted.set()
        thread.join()
        break
    except KeyboardInterrupt:
        interrupted += 1
assert results == [[2.0], [3.0]], results
assert compile.compilations() > 0
print(interrupted)
"""


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 12))])
def test_the_next_call_works(tmp_path: Path, seed: int) -> None:
    environment = os.environ | {"GRBLAS_GPU_CACHE_DIR": str(tmp_path), "GRBLAS_GPU_BACKEND": "cpu"}
    command = [sys.executable, "-c", PROGRAM.replace("SEED", str(seed))]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0
