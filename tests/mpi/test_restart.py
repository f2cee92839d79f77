"""Jobs that are killed, and go on where they were; objects in folders of many files."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from mpi_jobs import LAUNCHER, PROGRAM, environment, launch, program

pytest.importorskip("mpi4py")

JOB = """
import os, time
from grblas_gpu import algorithms, distributed
folder, pids = {folder!r}, {pids!r}
open(os.path.join(pids, str(RANK)), "w").write(str(os.getpid()))
A = distributed.DistMatrix.kronecker(6)
calls, real = [0], algorithms.{name}
def counted(*args, **options):
    calls[0] += 1
    if "WAITS" in os.environ and calls[0] == 5 and RANK == 1:
        time.sleep(1000)
    return real(*args, **options)
algorithms.{name} = counted
found = distributed.{name}(A, restart=folder, **{options!r})
done = calls[0]
again = distributed.{name}(A, restart=folder, **{options!r})  # finds the complete result
assert calls[0] == done and again.isequal(found)
wanted = real(A, **{wanted!r})
difference = abs(found.to_dense() - wanted.to_dense()).max()
if RANK == 0:
    print(done, difference < 1e-9, flush=True)
"""

JOBS = {
    "betweenness_centrality": ({"every": 1}, {}, 64),
    "pagerank": ({"every": 1, "tol": 1e-17, "max_iterations": 5000}, {"tol": 1e-10}, None),
}


@pytest.mark.parametrize(
    ("name", "ranks", "later"),
    [("betweenness_centrality", 2, 1), pytest.param("pagerank", 3, 2, marks=pytest.mark.slow)],
)
def test_a_killed_job_goes_on(name, ranks, later, tmp_path):
    """Killed from outside in the middle, and started again on another number of ranks."""
    options, wanted, steps = JOBS[name]
    folder, pids = tmp_path / "restart", tmp_path / "pids"
    pids.mkdir()
    command = program(JOB.format(folder=str(folder), pids=str(pids), name=name, options=options, wanted=wanted))
    assert LAUNCHER is not None
    waiting = environment(WAITS="", GRBLAS_GPU_MPI_TIMEOUT="1000")  # pause until the test kills it
    job = subprocess.Popen([LAUNCHER, "-n", str(ranks), *command], stdout=subprocess.PIPE, text=True, env=waiting)
    try:
        limit = time.monotonic() + 240
        while _steps(folder) < 3:
            assert job.poll() is None, "over before it could be killed"
            assert time.monotonic() < limit
            time.sleep(0.01)
        os.kill(int((pids / "1").read_text()), signal.SIGKILL)
        job.communicate(timeout=100)
        assert job.returncode != 0
    finally:
        job.kill()
    left = _steps(folder)
    done = launch(later, *command)
    assert done.returncode == 0, done.stderr[-3000:]
    calls, right = done.stdout.split()
    assert right == "True"
    if steps is not None:
        assert int(calls) == steps - left  # nothing was done twice
    assert len(list(folder.glob("steps-*"))) == 1


def _steps(folder: Path) -> int:
    try:
        return json.loads((folder / "restart.json").read_text())["steps"]
    except FileNotFoundError:
        return 0


def test_folders_are_read_by_any_number_of_ranks(tmp_path):
    for ranks in (2, 3):  # the first job writes it
        done = launch(ranks, sys.executable, str(PROGRAM), "folder_of_parts", FOLDER_OF_PARTS=str(tmp_path))
        assert done.returncode == 0, done.stderr[-3000:]
        assert done.stdout.split()[0] == "folder_of_parts"
