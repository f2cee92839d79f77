"""An end to what takes too long."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class TimeIsUp(KeyboardInterrupt):
    """As if somebody had interrupted it: no ``except Exception`` on the way takes it for its own failure."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """TimeIsUp in what takes longer; None: no limit. A kernel that runs ends first. For the main thread of POSIX only.

    >>> with time_limit(10):
    ...     1 + 1
    2
    """
    if seconds is None:
        yield
        return

    def stop(number: int, frame: Any) -> None:
        raise TimeIsUp

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
