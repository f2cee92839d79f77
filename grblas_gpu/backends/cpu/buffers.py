"""Memory of large results, kept when they are dropped and used again.

The system maps and clears new pages at their first write. For a result of 45 MB this can take longer than computing it.
Whether ``malloc`` maps new pages depends on all other allocations of the process. So the engine keeps the memory of
some large arrays after their last reference is gone.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from . import pool

LARGE = 2**20  # bytes: smaller arrays come from the heap, which mostly has free pages
KEPT = 2**28  # the most bytes of unused memory
LOOSE = 1.25  # the largest ratio of a kept buffer's size to the needed size

_lock = threading.Lock()  # never waited for: garbage collection may call keep() in the thread that holds it
_kept: list[np.ndarray] = []  # the longest unused first


class _LentArray:
    """Owns the memory of an array and its views; returns it when the last of them is deleted."""

    __slots__ = ("__array_interface__", "memory")

    def __init__(self, memory: np.ndarray, size: int, dtype: np.dtype) -> None:
        self.memory = memory
        self.__array_interface__: dict[str, object] = {
            "version": 3,
            "shape": (size,),
            "typestr": dtype.str,
            "data": (memory.ctypes.data, False),
        }

    def __del__(self) -> None:
        try:  # noqa: SIM105  (`suppress` would be None as well)
            keep(self.memory)
        except (AttributeError, TypeError):  # an interrupted __init__; the end of the process, when names are None
            pass


def empty(size: int, dtype: np.dtype | type) -> np.ndarray:
    """An array with arbitrary contents, as ``np.empty`` gives."""
    dtype = np.dtype(dtype)
    needed = size * dtype.itemsize
    if needed < LARGE or dtype.hasobject or dtype.names or dtype.subdtype:
        return np.empty(size, dtype)
    memory = _take(needed)
    return np.asarray(_LentArray(np.empty(needed, np.uint8) if memory is None else memory, size, dtype))


def copy(array: np.ndarray) -> np.ndarray:
    """A copy, in memory that is kept."""
    if array.nbytes < LARGE:
        return array.copy()
    result = empty(len(array), array.dtype)
    result[:] = array
    return result


def joined(pieces: Sequence[np.ndarray]) -> np.ndarray:
    """One array of all pieces."""
    if len(pieces) == 1:
        return pieces[0]
    ends = np.cumsum([len(piece) for piece in pieces]).tolist()
    whole: np.ndarray = empty(ends[-1], pieces[0].dtype)

    def copy(number: int) -> None:
        whole[ends[number] - len(pieces[number]) : ends[number]] = pieces[number]

    pool.run(copy, range(len(pieces)))
    return whole


def _take(needed: int) -> np.ndarray | None:
    """The kept memory that fits best, or None; among equal sizes the latest, which may still be cached."""
    if not _kept or not _lock.acquire(blocking=False):
        return None
    try:
        fitting = [at for at, memory in enumerate(_kept) if needed <= len(memory) <= LOOSE * needed]
        return _kept.pop(min(reversed(fitting), key=lambda at: len(_kept[at]))) if fitting else None
    finally:
        _lock.release()


def keep(memory: np.ndarray) -> None:
    """Keep this memory for later, and free the memory unused for longest if that exceeds the limit."""
    if len(memory) > KEPT or not _lock.acquire(blocking=False):
        return
    try:
        _kept.append(memory)
        while sum(map(len, _kept)) > KEPT:
            del _kept[0]
    finally:
        _lock.release()


def forget() -> None:
    """Free all kept memory."""
    with _lock:
        _kept.clear()
