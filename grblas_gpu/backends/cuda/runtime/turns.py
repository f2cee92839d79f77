"""Processes that need the same program at once: one compiles it, and the others wait and find it in CuPy's cache.

Compiling keeps a core busy for seconds: five processes that each compiled took as long as the slowest, and five cores.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Iterator

from ...machine.kernel_cache import base_folder, private_folder

try:
    import fcntl
except ImportError:  # Windows: every process compiles
    fcntl = None  # type: ignore[assignment]

PATIENCE = 300.0  # seconds: the longest wait for another process, which may have stopped
INTERVAL = 0.02


@contextlib.contextmanager
def turn(text: str) -> Iterator[None]:
    """No other process has a turn with the same text meanwhile. The end of its process always ends a turn."""
    lock = _opened(text)
    if lock is None:
        yield
        return
    try:
        _wait(lock)
        yield
    finally:
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_UN)  # closing does not unlock after a fork
        os.close(lock)


def _opened(text: str) -> int | None:
    """One of a few thousand empty files; None if no file can be made."""
    if fcntl is None or os.environ.get("CUPY_CACHE_IN_MEMORY") == "1":  # no shared cache
        return None
    try:
        folder = base_folder().absolute() / "turns"
        if not private_folder(folder):
            return None
        return os.open(folder / hashlib.sha256(text.encode()).hexdigest()[:3], os.O_RDWR | os.O_CREAT, 0o600)
    except (OSError, RuntimeError):  # no home, no permission, a full disk
        return None


def _wait(lock: int) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(INTERVAL)
        except OSError:  # a file system without locks
            return
        else:
            return
