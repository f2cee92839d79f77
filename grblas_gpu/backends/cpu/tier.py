"""NumPy or Numba: which form of an operation runs.

Compiling a kernel costs a few tenths of a second and loading one some milliseconds, so small work starts on the NumPy
definitions. Every specialisation counts the work done without it, and gets its kernel once that is enough.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Hashable
from typing import Any

from . import compile

CALL_WORK = 1_000  # what a call counts for, in addition to the entries it touches
COMPILE_WORK = 200_000  # entries of NumPy work that pay for a compilation
LOAD_WORK = 20_000  # ... for loading machine code from disk
IMPORT_WORK = 100_000  # ... for importing Numba as well

MOST_USER_KERNELS = 64

TIERS = ("auto", "numpy", "numba")
_tier = "auto"
_pending: dict[Hashable, int] = {}
_not_on_disk: set[Hashable] = set()


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


class KernelTable(dict[Hashable, Any]):
    """Compiled kernels of one family by specialisation."""

    tables: list[KernelTable] = []  # noqa: RUF012 (every table there is)

    def __init__(self) -> None:
        super().__init__()
        self.enabled = _tier != "numpy"
        KernelTable.tables.append(self)

    def find(self, key: Hashable, work: int, source: Callable[[], tuple[str, dict[str, Any]]]) -> Any:
        """The kernel for ``key``, or None if the definitions shall do this work."""
        if not self.enabled:
            return None
        kernel = self.get(key)
        if kernel is not None:
            return kernel
        text: tuple[str, dict[str, Any]] | None = None
        if _tier == "auto":
            done = _pending.get(key, 0) + work + CALL_WORK
            if done < COMPILE_WORK:
                _pending[key] = done
                if key in _not_on_disk or done < (LOAD_WORK if "numba" in sys.modules else IMPORT_WORK):
                    return None
                text = source()
                if not compile.on_disk(*text):
                    _not_on_disk.add(key)
                    return None
        text = text or source()
        kernel = compile.load(*text)
        self[key] = kernel
        if text[1]:
            _keep_user_kernel(self, key, source)
        return kernel


#: Kernels with user-defined functions, the oldest first. Their operators are told apart by address, so they stay alive
#: (``source`` has them) as long as the kernel, and no longer: programs may make new operators for ever.
_user_kernels: deque[tuple[KernelTable, Hashable, Any]] = deque()


def _keep_user_kernel(table: KernelTable, key: Hashable, source: Any) -> None:
    _user_kernels.append((table, key, source))
    while len(_user_kernels) > MOST_USER_KERNELS:
        old, old_key, _ = _user_kernels.popleft()
        old.pop(old_key, None)
        _pending.pop(old_key, None)
        _not_on_disk.discard(old_key)


set_tier(os.environ.get("GRBLAS_GPU_CPU_TIER", "auto"))
