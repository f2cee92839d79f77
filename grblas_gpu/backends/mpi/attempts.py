"""What may fail on some rank, or never come back on the others because of it: all ranks try, and decide together."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic
from typing import Any

from .faults import timeout
from .wire import Wire

LOOK = 0.01  # seconds that a rank waits for its own attempt before it asks how the others are doing


class Attempt:
    """``work()`` in a thread of its own: what waits for a rank that has failed may wait for ever."""

    def __init__(self, work: Callable[[], Any], limit: float) -> None:
        self.result: Any = None
        self.error = ""
        self._work, self._limit = work, limit
        self._begun, self._ended = monotonic(), threading.Event()
        threading.Thread(target=self._run, daemon=True).start()  # the program may end before it does

    def _run(self) -> None:
        try:
            self.result = self._work()
        except Exception as raised:  # whatever a library may raise: there are others
            self.error = said(raised)
        self._ended.set()

    def succeeded(self) -> bool:
        """After a moment; ``error`` says why not, if that is known."""
        if not self._ended.wait(LOOK) and monotonic() - self._begun > self._limit:
            self.error = f"not done after {self._limit:g} s"
        return self._ended.is_set() and not self.error


def try_together(wire: Wire, work: Callable[[], Any], limit: float | None = None) -> tuple[Any, str]:
    """The result of ``work()`` and "", if it has succeeded on all ranks; else None and why, the same on all of them.

    Ranks ask each other again and again, so that one that has failed ends the wait of those that are still busy. These
    leave what they do to itself. ``limit`` is in seconds, GRBLAS_GPU_MPI_TIMEOUT unless it is given. Collective;
    ``work`` must not use ``wire``.
    """
    attempt = Attempt(work, timeout() if limit is None else limit)
    while True:
        succeeded = attempt.succeeded()
        done, failed = wire.add_up([int(succeeded), int(bool(attempt.error))])
        if done == wire.size:
            return attempt.result, ""
        if failed:
            return None, first_reason(wire, attempt.error)


def first_reason(wire: Wire, reason: str) -> str:
    """What is said by the first rank that says anything, with its number unless all say so; collective."""
    reasons = wire.gather_objects(reason)
    if len(set(reasons)) == 1:
        return reason
    return next(f"rank {rank}: {each}" for rank, each in enumerate(reasons) if each)


def said(error: BaseException) -> str:
    """An error in a line.

    >>> said(OSError("no such library"))
    'OSError: no such library'
    """
    return f"{type(error).__name__}: {error}"
