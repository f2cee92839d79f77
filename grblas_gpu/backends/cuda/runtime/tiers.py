"""A program compiled in another thread; or twice, quickly for the calls of the next seconds, and optimized.

The thread compiles while the call prepares its operands, for which it may compile other kernels. NVRTC takes a third of
the time for slower code. The setting ``compile`` selects: "wait" for the optimized kernel,
"background" for the quick one until the optimized one is ready, "quick" for the quick one always; "auto" waits.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import cache
from typing import Any

from ....config import config
from .compile import functions_of
from .nvrtc import OPTIONS, QUICK

LOADED = 0.1  # seconds: a kernel from a cache or an archive is there by then

Functions = tuple[Any, ...]


def begin(text: str, names: Sequence[str], options: tuple[str, ...] = OPTIONS) -> Future[Functions]:
    """Compile a program in another thread, for the current device. Each thread occupies a core."""
    return _submitted(lambda: functions_of(text, names, options)[0])


def together(key: Hashable, programs: Callable[[], Iterable[Callable[[], Functions]]]) -> None:
    """Compile the programs that an operation is going to need, each in a thread of its own; once for a key."""
    if key not in _begun:
        wait([_submitted(each) for each in programs()])  # a failure shows where the program is used
        _begun.add(key)


_begun: set[Any] = set()


def _submitted(call: Callable[[], Functions]) -> Future[Functions]:
    import cupy

    device = cupy.cuda.runtime.getDevice()

    def compiled() -> Functions:
        with cupy.cuda.Device(device):
            return call()

    return _pool().submit(compiled)


@cache
def _pool() -> ThreadPoolExecutor:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return ThreadPoolExecutor(cores + 1, thread_name_prefix="grblas_gpu compiler")


class Tiers:
    """The functions of a program: whichever are ready."""

    def __init__(self, text: str, names: Sequence[str]) -> None:
        self.text, self._names = text, names
        self._optimized = None if config["compile"] == "quick" else begin(text, names)
        self._quick: Functions | None = None
        self._failed = False  # whether there is no optimized kernel to wait for

    def functions(self) -> tuple[Functions, bool]:
        """Functions to call now, and whether they are the optimized ones."""
        optimized, chosen = self._optimized, config["compile"]
        if optimized is None and chosen != "quick":
            return functions_of(self.text, self._names)[0], True
        if optimized is not None and not self._failed and chosen != "quick":
            patience = None if chosen in ("auto", "wait") else LOADED if self._quick is None else 0.0
            wait([optimized], patience)
            if optimized.done():
                return self._result(optimized)
        if self._quick is None:
            quick = begin(self.text, self._names, (*OPTIONS, *QUICK))
            wait([quick] if optimized is None else [quick, optimized], return_when=FIRST_COMPLETED)
            if not quick.done() or quick.exception() is not None:  # also if this NVRTC does not know the option
                return self._result(optimized or quick)
            self._quick = quick.result()
        return self._quick, False

    def _result(self, optimized: Future[Functions]) -> tuple[Functions, bool]:
        """The optimized functions; if they cannot be compiled, those that ran before run on."""
        try:
            return optimized.result(), True
        except Exception as error:
            if self._quick is None:
                raise
            self._failed = True
            problem = (str(error).splitlines() or [type(error).__name__])[0]
            warnings.warn(f"a loop stays slow: the compiler cannot optimize its kernel: {problem}", stacklevel=2)
            return self._quick, False
