"""Run a program written for python-graphblas on this library: ``python -m grblas_gpu.run script.py arguments...``

``-m module`` in place of the script runs a module, as Python does; ``--backend cpu`` before it chooses an engine.
"""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from multiprocessing import spawn
from pathlib import Path

from . import set_backend
from .compat.drop_in import PROGRAM, install_as_graphblas


def _in_children() -> None:
    """Processes that multiprocessing spawns run the program again, on this library, by ``compat/spawned.py``."""
    prepare = spawn.get_preparation_data

    def prepared(name: str) -> dict[str, object]:
        data = prepare(name)
        path, module = data.pop("init_main_from_path", None), data.pop("init_main_from_name", None)
        if path or module:
            os.environ[PROGRAM] = f"{'path' if path else 'module'} {path or module}"
            data["init_main_from_name"] = spawned
        return data

    spawned, spawn.get_preparation_data = f"{__package__}.compat.spawned", prepared


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m grblas_gpu.run",
        usage="%(prog)s [--backend NAME] (script.py | -m module) [arguments ...]",
        description="Run a program that says `import graphblas` on grblas_gpu.",
    )
    parser.add_argument("--backend", metavar="NAME", help="an engine: auto, cpu, cuda, numpy")
    parser.add_argument("-m", dest="module", action="store_true", help="what follows is the name of a module")
    parser.add_argument("program", help="a file, or with -m a module")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the program gets")
    given = parser.parse_args(arguments)
    if given.backend:
        set_backend(given.backend)
        os.environ["GRBLAS_GPU_BACKEND"] = given.backend  # for processes that it spawns
    install_as_graphblas()
    _in_children()
    sys.argv = [given.program, *given.arguments]
    if given.module:
        sys.path[0:1] = [str(Path.cwd())]
        runpy.run_module(given.program, run_name="__main__", alter_sys=True)
    else:
        if not Path(given.program).is_file():
            parser.error(f"no such file: {given.program}")
        sys.path[0:1] = [str(Path(given.program).resolve().parent)]
        runpy.run_path(given.program, run_name="__main__")


if __name__ == "__main__":
    main()
