"""NumPy or Numba: which form of an operation runs.

Compiling a kernel costs a few tenths of a second and loading one some milliseconds, so small work starts on the NumPy
definitions. Every specialisation counts the work done without it, and gets its kernel once that is enough. Another
process compiles the kernel, and the definitions run until it is there; a call that would take them longer waits.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Hashable

from ...config import config
from ..engine import Declined
from . import background, compile
from .compile import Kernel, Source

CALL_WORK = 1_000  # what a call counts for, in addition to the entries it touches
COMPILE_WORK = 200_000  # entries of NumPy work that pay for a compilation
LOAD_WORK = 20_000  # ... for loading machine code from disk
IMPORT_WORK = 100_000  # ... for importing Numba as well
TAKE_OVER_WORK = 5_000_000  # ... for importing Numba in the middle of a call, since a kernel was compiled elsewhere
WAIT_WORK = 5_000_000  # ... of one call that had better wait for its kernel
LATE_WORK = 25_000_000  # ... of all calls since a kernel is being compiled: other processes may keep that from running

MOST_USER_KERNELS = 64


TIERS = ("auto", "numpy", "numba")
_tier = "auto"
_pending: dict[Hashable, int] = {}
_not_on_disk: set[Hashable] = set()
_missed = 0  # work that compiled kernels might have done
_asking = threading.Lock()


def set_tier(tier: str) -> None:
    """Choose "numpy" or "numba" for everything, or "auto"."""
    global _tier
    if tier not in TIERS:
        raise ValueError(f"unknown tier {tier!r}; one of {', '.join(TIERS)}")
    _tier = tier
    for table in KernelTable.tables:
        table.enabled = tier != "numpy"


def get_tier() -> str:
    return _tier


def in_background() -> bool:
    """Whether other processes compile: calls do not wait for that unless they are told to."""
    return _tier == "auto" and config["compile"] in ("auto", "background") and background.is_possible()


class Waiting:
    """In the place of a kernel that is not compiled yet: a call has it compiled for its arguments, and declines."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.impossible = False  # elsewhere
        self.missed = 0  # work that the kernel might have done
        self.compilation: background.Compilation | None = None

    def __call__(self, *arguments: object) -> object:
        with _asking:  # threads may call at once
            if self.compilation is None:
                try:
                    self.compilation = background.begin(self.source, arguments)
                except (OSError, TypeError):
                    self.impossible = True
        raise Declined


class KernelTable(dict[Hashable, Kernel]):
    """Compiled kernels of one family by specialisation."""

    tables: list[KernelTable] = []  # noqa: RUF012 (every table there is)

    def __init__(self) -> None:
        super().__init__()
        self.enabled = _tier != "numpy"
        self._waiting: dict[Hashable, Waiting] = {}
        KernelTable.tables.append(self)

    def find(self, key: Hashable, work: int, source: Callable[[], Source]) -> Kernel:
        """The kernel for ``key``; the call is declined if the definitions shall do this work."""
        kernel = self.get(key) or self.ready(key, work, source)
        if kernel is None:
            raise Declined
        return kernel

    def ready(self, key: Hashable, work: int, source: Callable[[], Source]) -> Kernel | None:
        """The kernel for ``key``, or None if the definitions shall do this work."""
        if not self.enabled:
            return None
        kernel = self.get(key)
        if kernel is not None:
            return kernel
        text: Source | None = None
        if _tier == "auto" and key not in self._waiting:
            done = _pending.get(key, 0) + work + CALL_WORK
            if done < COMPILE_WORK:
                _pending[key] = done
                if key in _not_on_disk or done < (LOAD_WORK if "numba" in sys.modules else IMPORT_WORK):
                    return None
                text = source()
                if not compile.on_disk(*text):
                    _not_on_disk.add(key)
                    return None
        return self._made(key, work, source, text)

    def also(self, key: Hashable, work: int, source: Callable[[], Source]) -> Kernel:
        """Another kernel for a call that has found one; the call is declined if there is none yet."""
        kernel = self.get(key) or self._made(key, work, source)
        if kernel is None:
            raise Declined
        return kernel

    def _made(
        self, key: Hashable, work: int, source: Callable[[], Source], text: Source | None = None
    ) -> Kernel | None:
        waiting = self._waiting.get(key)
        if waiting is None:
            text = text or source()
            if text[1]:
                _keep_user_kernel(self, key, source)
            if work < WAIT_WORK and in_background() and not compile.on_disk(*text):
                waiting = self._waiting[key] = Waiting(text)
        if waiting is not None and not waiting.impossible and _tier == "auto":
            found, goes_on = waiting.compilation, in_background()
            if found is None or found.lost:
                waiting.compilation = None
                if goes_on:
                    return waiting
            elif work >= WAIT_WORK or waiting.missed >= LATE_WORK or not goes_on:
                if not found.needed() and not found.lost:
                    return None
            elif not found.done() or not _take_over_pays(work):
                waiting.missed += work + CALL_WORK
                return None
        self._waiting.pop(key, None)
        text = text or source()
        kernel = self[key] = compile.load(*text)
        return kernel

    def clear(self) -> None:
        super().clear()
        self._waiting.clear()


def _take_over_pays(work: int) -> bool:
    """Whether to use a kernel that another process compiled: the first one needs Numba here, too."""
    global _missed
    _missed += work + CALL_WORK
    return "numba" in sys.modules or _missed >= TAKE_OVER_WORK


#: Kernels with user-defined functions, the oldest first. Their operators are told apart by address, so they stay alive
#: (``source`` has them) as long as the kernel, and no longer: programs may make new operators for ever.
_user_kernels: deque[tuple[KernelTable, Hashable, Callable[[], Source]]] = deque()


def _keep_user_kernel(table: KernelTable, key: Hashable, source: Callable[[], Source]) -> None:
    _user_kernels.append((table, key, source))
    while len(_user_kernels) > MOST_USER_KERNELS:
        old, old_key, _ = _user_kernels.popleft()
        old.pop(old_key, None)
        old._waiting.pop(old_key, None)
        _pending.pop(old_key, None)
        _not_on_disk.discard(old_key)


set_tier(os.environ.get("GRBLAS_GPU_CPU_TIER", "auto"))
