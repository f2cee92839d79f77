"""Memory of large results, kept when they are dropped and used again.

The system gives out new memory page by page, cleared, when it is first written: to make a result of 45 MB can take
longer to get the pages than to compute. Whether ``malloc`` asks for new ones depends on what everybody else in the
process allocates and frees. So the engine keeps some of the large arrays that it made and that nobody has any more.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

LARGE = 2**20  # bytes: what is smaller comes from the heap, which mostly has it
KEPT = 2**28  # bytes of unused memory, at most
LOOSE = 1.25  # so many times larger than needed may a kept one be

_lock = threading.Lock()  # nobody waits for it: collecting garbage may bring a thread here that holds it already
_kept: list[np.ndarray] = []  # the longest unused first


class _Loan:
    """Owns the memory of one array, and so of its views; gives it back when the last of them is gone."""

    __slots__ = ("__array_interface__", "memory")

    def __init__(self, memory: np.ndarray, size: int, dtype: np.dtype) -> None:
        self.memory = memory
        self.__array_interface__: dict[str, Any] = {
            "version": 3,
            "shape": (size,),
            "typestr": dtype.str,
            "data": (memory.ctypes.data, False),
        }

    def __del__(self) -> None:
        keep(self.memory)


def empty(size: int, dtype: Any) -> np.ndarray:
    """An array with arbitrary contents, as ``np.empty`` gives."""
    dtype = np.dtype(dtype)
    needed = size * dtype.itemsize
    if needed < LARGE or dtype.hasobject or dtype.names or dtype.subdtype:
        return np.empty(size, dtype)
    memory = _take(needed)
    return np.asarray(_Loan(np.empty(needed, np.uint8) if memory is None else memory, size, dtype))


def _take(needed: int) -> np.ndarray | None:
    """The kept memory that fits best, if any fits; of several the latest, which may still be in a cache."""
    if not _kept or not _lock.acquire(blocking=False):
        return None
    try:
        fitting = [at for at, memory in enumerate(_kept) if needed <= len(memory) <= LOOSE * needed]
        return _kept.pop(min(reversed(fitting), key=lambda at: len(_kept[at]))) if fitting else None
    finally:
        _lock.release()


def keep(memory: np.ndarray) -> None:
    """Have this memory for later, and let go of what was unused for longest if that is too much."""
    if len(memory) > KEPT or not _lock.acquire(blocking=False):
        return
    try:
        _kept.append(memory)
        while sum(map(len, _kept)) > KEPT:
            del _kept[0]
    finally:
        _lock.release()


def forget() -> None:
    """Let go of all kept memory."""
    with _lock:
        _kept.clear()
