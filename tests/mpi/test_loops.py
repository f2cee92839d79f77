"""``gb.loop`` over two ranks does what Python would have done, with the bodies of tests/loops."""

from pathlib import Path

import pytest
from mpi_jobs import launch, program

pytest.importorskip("mpi4py")

LOOPS = Path(__file__).resolve().parents[1] / "loops"
BODIES = """
import sys
import grblas_gpu as gb
from grblas_gpu.exceptions import LoopError
sys.path.insert(0, FOLDER)
import body_fuzzer
import test_python_loops as loops
wrong = []
for body in loops.BODIES:
    with gb.using("numpy"):
        expected = body(body_fuzzer.Plain)
    with gb.using(BACKEND):
        found = body(gb.loop)
    if found != expected:
        wrong.append(f"{body.__name__}: {found}, but Python's answer is {expected}")
with gb.using(BACKEND):
    for body in loops.REFUSED:
        try:
            body()
            wrong.append(f"{body.__name__}: no LoopError")
        except LoopError:
            pass
wrong += [what for what, _ in (body_fuzzer.differs(seed, BACKEND) for seed in range(SEEDS)) if what is not None]
assert not wrong, wrong
print("the same", len(loops.BODIES), len(loops.REFUSED))
"""


@pytest.mark.parametrize("backend", ["mpi:2x1:numpy", pytest.param("mpi:1x2:cpu", marks=pytest.mark.slow)])
def test_a_loop_is_what_python_would_have_done(backend: str) -> None:
    text = BODIES.replace("BACKEND", repr(backend)).replace("FOLDER", repr(str(LOOPS))).replace("SEEDS", "40")
    done = launch(2, *program(text))
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stdout.count("the same") == 2
