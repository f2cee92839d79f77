"""Work that may fail on one rank and then block the others: all ranks try it, and decide together."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic
from typing import Any

from .faults import timeout
from .wire import Wire

LOOK = 0.01  # seconds that a rank waits for its own attempt before it checks the others


class Attempt:
    """``work()`` in a thread of its own, because it may wait for a failed rank for ever."""

    def __init__(self, work: Callable[[], Any], limit: float) -> None:
        self.result: Any = None
        self.error = ""
        self._work, self._limit = work, limit
        self._begun, self._ended = monotonic(), threading.Event()
        threading.Thread(target=self._run, daemon=True).start()  # the program may end before this thread

    def _run(self) -> None:
        try:
            self.result = self._work()
        except Exception as raised:  # libraries may raise any exception
            self.error = said(raised)
        self._ended.set()

    def succeeded(self) -> bool:
        """Whether the work has succeeded, after a short wait; ``error`` is the reason of a failure, if known."""
        if not self._ended.wait(LOOK) and monotonic() - self._begun > self._limit:
            self.error = f"not done after {self._limit:g} s"
        return self._ended.is_set() and not self.error


def try_together(wire: Wire, work: Callable[[], Any], limit: float | None = None) -> tuple[Any, str]:
    """The result of ``work()`` and "" if it succeeded on all ranks; else None and the reason, equal on all ranks.

    Ranks poll each other, so that a failed rank ends the wait of busy ones; these abandon their threads. ``limit`` is
    in seconds, by default GRBLAS_GPU_MPI_TIMEOUT. Collective; ``work`` must not use ``wire``.
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
    """The first reason that is not empty, with the number of its rank unless all ranks agree; collective."""
    reasons = wire.gather_objects(reason)
    if len(set(reasons)) == 1:
        return reason
    return next(f"rank {rank}: {each}" for rank, each in enumerate(reasons) if each)


def said(error: BaseException) -> str:
    """An error as one line.

    >>> said(OSError("no such library"))
    'OSError: no such library'
    """
    return f"{type(error).__name__}: {error}"
