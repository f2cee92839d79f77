"""The main module of processes that a program spawns under ``python -m grblas_gpu.run``: the program's definitions."""

from __future__ import annotations

import os
import runpy

from grblas_gpu.compat.drop_in import PROGRAM, install_as_graphblas

if __name__ == "__mp_main__":
    install_as_graphblas()
    kind, _, program = os.environ[PROGRAM].partition(" ")
    run = runpy.run_path if kind == "path" else runpy.run_module
    globals().update(run(program, run_name=__name__))
