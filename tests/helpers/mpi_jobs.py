"""Jobs of several ranks: one launch of ``mpiexec`` for each."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent / "distributed_program.py"
BESIDE = Path(sys.executable).parent
LAUNCHER = str(BESIDE / "mpiexec") if (BESIDE / "mpiexec").exists() else shutil.which("mpiexec")


def environment(**settings: str) -> dict[str, str]:
    """The environment of a job, without compiled kernels: every rank would compile its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GRBLAS_GPU_MPI")}
    # The program imports modules of its folder, even with PYTHONSAFEPATH.
    kept["PYTHONPATH"] = os.pathsep.join(filter(None, [str(PROGRAM.parent), kept.get("PYTHONPATH")]))
    # Containers run as root, which Open MPI allows only with both variables.
    kept |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return {**kept, "GRBLAS_GPU_BACKEND": "cpu", "GRBLAS_GPU_CPU_TIER": "numpy", **settings}


def launch(ranks: int, *command: str, options: tuple[str, ...] = (), **settings: str):
    assert LAUNCHER is not None, "mpi4py is here, but no mpiexec"
    return subprocess.run(
        [LAUNCHER, *options, "-n", str(ranks), *command],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env=environment(**settings),
    )


def program(text: str) -> tuple[str, ...]:
    """A Python program with the name RANK."""
    return sys.executable, "-c", "from mpi4py import MPI\nRANK = MPI.COMM_WORLD.Get_rank()\n" + text
