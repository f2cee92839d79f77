"""The functions of a program: loaded, or compiled quickly for the calls of the next seconds and then optimized.

NVRTC takes a third of the time or less for slower code, and loops have a plain form. Another process compiles the
optimized code, which may outlast this one: its result stays on disk. The setting ``compile`` selects: "wait" for the
optimized kernel, "auto" or "background" for the quick one until the optimized one is on disk, "quick" for the quick
one always.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
import warnings
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from typing import TypeVar

from ....config import config
from ....foundation.progress import busy
from ....foundation.types import Kernels
from ....trace.records import Record, current
from ...cpu import background, pool
from . import archive, link, nvrtc
from .nvrtc import OPTIONS, QUICK
from .turns import turn

WITHOUT = "kernels stay slow"  # if no other process can compile
MANY_CORES = 4  # from here on other processes compile what will be needed: NVRTC has one thread work at a time, mostly
YOUNG = 0.5  # seconds after which another process is likely to be done: before that, quick functions are sooner here
_at_once: list[str] = []  # programs that threads are compiling
_ahead: dict[str, background.Compilation] = {}  # programs that other processes compile before they are needed


class Tiers:
    """The functions of a program: whichever are ready."""

    def __init__(self, text: str, names: Sequence[str], what: str, plain: str = "") -> None:
        self.text, self._names, self._what = text, names, what
        self._plain = plain or text  # a shorter program for the quick functions
        self.of_this_device = False  # whether other devices need functions of their own
        self._linked = bool(link.declared_in(text))
        self.on_disk = self._linked or archive.find(text, architecture()) is not None
        self._thread: Future[tuple[Kernels, bool]] | None = None
        self._process = _ahead.pop(text, None)
        self._waits = self._process is not None  # for that process, if it has begun
        self._quick: Kernels | None = None

    def begin(self) -> None:
        """Compile in another thread while the call prepares its operands. Each thread occupies a core."""
        self._thread = _submitted(self._now)

    @staticmethod
    def begin_ahead(text: str, names: Sequence[str]) -> None:
        """Compile a program that will be needed soon."""
        library = nvrtc.of_cupy() if pool.threads() >= MANY_CORES and background.is_possible() else None
        with contextlib.suppress(OSError):
            if library is not None and archive.find(text, architecture()) is None:
                _ahead[text] = background.submit(WITHOUT, archive.keep, text, architecture(), library)
                return
        Tiers(text, names, "").begin()  # CuPy's cache on disk has it when a call asks

    def functions(self) -> tuple[Kernels, bool]:
        """Functions to call now, and whether they are the optimized ones."""
        thread, self._thread = self._thread, None
        if self._quick is None:
            with busy(announced(self._what, self.text)):
                found, optimized = self._now() if thread is None else thread.result()
        else:
            found, optimized = self._now()
        if not optimized and (collector := current()) is not None:
            why = "its optimized kernel is not compiled yet"
            collector.records.append(Record(self._what.removeprefix("a "), 0.0, 0, "quick", why))
        return found, optimized

    def is_there(self) -> bool:
        """Whether functions need not be waited for, or the setting says to; if not, another process compiles them."""
        return config["compile"] not in ("auto", "background") or pool.threads() < MANY_CORES or self._is_ready()

    def _now(self) -> tuple[Kernels, bool]:
        chosen = config["compile"]
        if not self._linked:
            archive.record(self.text)
        if chosen == "wait" or (chosen != "quick" and self._is_ready()):
            return self._optimized(), True
        if self._quick is None:
            try:
                self._quick, _ = functions_of(self._plain, self._names, (*OPTIONS, *QUICK))
            except Exception:  # the program is wrong, or this NVRTC does not know the option
                return self._optimized(), True
        return self._quick, False

    def _optimized(self) -> Kernels:
        found, self.of_this_device = functions_of(self.text, self._names)
        return found

    def _is_ready(self) -> bool:
        """Whether the optimized functions are on disk, or no other process can compile them; otherwise one begins."""
        if self._process is not None and self._waits:
            self._waits = False
            if self._process.age() >= YOUNG and self._process.needed():
                return True
        if self._process is not None and not self._process.lost:
            return self._process.done()
        library = None if self.on_disk or not background.is_possible() else nvrtc.of_cupy()
        if library is None:
            return True
        try:
            self._process = background.submit(WITHOUT, archive.keep, self.text, architecture(), library)
        except OSError:
            return True
        return False


def announced(what: str, text: str = "") -> str:
    """What a call waits for, if it does so for long, and how to avoid that; its text, if that is being compiled."""
    others = sum(each != text for each in list(_at_once))
    left = f" ({others} more at the same time)" if others else ""
    return f"compiling {what} for this device, once{left}; `grblas-gpu kernels warm` does so for all algorithms"


def functions_of(text: str, names: Iterable[str], options: tuple[str, ...] = OPTIONS) -> tuple[Kernels, bool]:
    """Functions of a compiled program, and whether they are for this device only."""
    import cupy

    symbols = link.declared_in(text)
    _at_once.append(text)
    try:
        with turn(text if options == OPTIONS else f"{options}{text}"):
            if not symbols and options == OPTIONS and (found := _from_disk(text, names)) is not None:
                return found, _devices_differ()
            if symbols:
                capability = str(cupy.cuda.Device().compute_capability)
                module = cupy.RawModule(path=str(link.linked_file(text, symbols, capability)))
            else:
                module = cupy.RawModule(code=text, options=options)
            found = tuple(module.get_function(name) for name in names)  # the first one compiles
    finally:
        _at_once.remove(text)
    if not symbols and options == OPTIONS:
        archive.note(text, architecture())
    return found, bool(symbols)


def _from_disk(text: str, names: Iterable[str]) -> Kernels | None:
    """Functions of machine code that was compiled before, if there is any that the driver accepts."""
    import cupy

    name = architecture()
    code = archive.find(text, name)
    if not code:
        return None
    module = cupy.RawModule(path=str(link.file_of(archive.on_disk(text, name), code)))
    try:
        return tuple(module.get_function(name) for name in names)
    except cupy.cuda.driver.CUDADriverError as error:  # it was compiled for a newer driver
        warnings.warn(f"the archive of kernels for {name} is not used: {error}", stacklevel=2)
        return None


def architecture() -> str:
    import cupy

    return f"sm_{cupy.cuda.Device().compute_capability}"


@cache
def _devices_differ() -> bool:
    """Whether machine code for one device of this machine may not run on another one."""
    import cupy

    devices = map(cupy.cuda.Device, range(cupy.cuda.runtime.getDeviceCount()))
    return len({device.compute_capability for device in devices}) > 1


def together(key: Hashable, programs: Callable[[], Iterable[Callable[[], object]]]) -> None:
    """Compile the programs that an operation is going to need, each in a thread of its own; once for a key."""
    if key not in _begun:
        wait([_submitted(each) for each in programs()])  # a failure shows where the program is used
        _begun.add(key)


_begun: set[Hashable] = set()
Result = TypeVar("Result")


def _submitted(call: Callable[[], Result]) -> Future[Result]:
    import cupy

    device = cupy.cuda.runtime.getDevice()

    def compiled() -> Result:
        with cupy.cuda.Device(device):
            return call()

    return _pool().submit(compiled)


@cache
def _pool() -> ThreadPoolExecutor:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    pool = ThreadPoolExecutor(cores + 1, thread_name_prefix="grblas_gpu compiler")
    before_threads_end = getattr(threading, "_register_atexit", atexit.register)
    before_threads_end(pool.shutdown, False, cancel_futures=True)  # a process that ends compiles nothing more
    return pool
