"""Compiling a loop in a process of its own, while this one runs its nodes one by one.

Numba takes seconds for a loop, and holds a lock meanwhile that other kernels need. The process keeps the machine code
on disk, where this one and later ones find it. An interrupt does not reach it, and it may outlive its caller.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ... import kernel_cache
from .. import compile, pool

NICENESS = 10  # calls come first
SEARCHED = Path(__file__).parents[4]  # where the package is

_running: list[subprocess.Popen[bytes]] = []


class Compilation:
    """A source text that is compiled for arrays like these."""

    def __init__(self, process: subprocess.Popen[bytes], errors: Any) -> None:
        self._process, self._errors = process, errors
        self.failed = False

    def done(self) -> bool:
        """Whether machine code can be loaded; a failure is one warning."""
        if self.failed or self._process.poll() is None:
            return False
        if not self._errors.closed:
            self._finish()
        return not self.failed

    def _finish(self) -> None:
        with self._errors as file:
            file.seek(0)
            lines = file.read().decode(errors="replace").strip().splitlines()
        if self._process.returncode:
            self.failed = True
            problem = lines[-1] if lines else f"exit code {self._process.returncode}"
            warnings.warn(f"a loop runs node by node: it cannot be compiled in the background: {problem}", stacklevel=2)


def is_possible() -> bool:
    """Whether another process can compile, and this one find the result."""
    return bool(sys.executable) and kernel_cache.folder() is not None


def begin(source: str, arrays: Iterable[np.ndarray]) -> Compilation | None:
    """Start a process, if there is a core for it; None if there is none now."""
    _running[:] = [process for process in _running if process.poll() is None]
    if len(_running) >= max(1, pool.threads() - 1):
        return None
    described = [(array.dtype, array.ndim, array.flags.c_contiguous, array.flags.writeable) for array in arrays]
    errors = tempfile.TemporaryFile()  # noqa: SIM115 (it is read when the process has ended)
    places = [str(SEARCHED), *filter(None, [os.environ.get("PYTHONPATH")])]
    try:
        with tempfile.TemporaryFile() as given:
            pickle.dump((source, described), given)
            given.seek(0)
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__],
                stdin=given,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(places)},
                start_new_session=True,
            )
    except BaseException:
        errors.close()
        raise
    _running.append(process)
    return Compilation(process, errors)


def main() -> None:
    """Compile what standard input says; if another process does so, wait for it and load the result."""
    from ...cuda.runtime.turns import turn

    source, described = pickle.load(sys.stdin.buffer)
    if hasattr(os, "nice"):
        with contextlib.suppress(OSError):
            os.nice(NICENESS)
    import numba

    signature = tuple(
        numba.types.Array(numba.from_dtype(dtype), ndim, "C" if contiguous else "A", readonly=not writeable)
        for dtype, ndim, contiguous, writeable in described
    )
    with turn(source):
        compile.load(source).compile(signature)  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
