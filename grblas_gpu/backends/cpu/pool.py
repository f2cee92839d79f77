"""Threads that run nogil kernels over ranges.

The calling thread works too, so a pool of *n* threads has *n - 1* helpers. Chunks are handed out at run time. Helpers
never submit work themselves, so calls from several Python threads at once share them without waiting for each other.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from ...foundation.threads import limited

Chunk = TypeVar("Chunk")
Result = TypeVar("Result")
_lock = threading.Lock()
_queue: SimpleQueue[_Job | None] | None = None
_threads: int | None = None


def threads() -> int:
    """The number of threads a large operation uses: those of the pool, or as many as the program allows."""
    return limited(_size())


def _size() -> int:
    """The number of threads of the pool: ``GRBLAS_GPU_THREADS``, else one per core."""
    global _threads
    if _threads is None:
        try:
            _threads = max(1, int(os.environ["GRBLAS_GPU_THREADS"]))
        except (KeyError, ValueError):
            _threads = max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    return _threads


def set_threads(count: int | None) -> None:
    """Use this many threads from now on; None for the default."""
    global _threads, _queue
    with _lock:
        if _queue is not None:
            _stop(_queue)
        _queue = None
        _threads = count


class _Job(Generic[Chunk, Result]):
    """Chunks of one call, taken by idle threads."""

    __slots__ = ("chunks", "error", "finished", "function", "results")

    def __init__(self, function: Callable[[Chunk], Result], chunks: Sequence[Chunk]) -> None:
        self.function: Callable[[Chunk], Result] | None = function
        self.chunks = deque(enumerate(chunks))
        self.results: list[Any] = [None] * len(chunks)
        self.error: BaseException | None = None
        self.finished: SimpleQueue[int] = SimpleQueue()

    def work(self) -> int:
        """Take chunks until none is left; the number taken. After an error the remaining ones are skipped."""
        taken = 0
        while True:
            try:
                number, chunk = self.chunks.popleft()
            except IndexError:
                return taken
            taken += 1
            if self.error is None and self.function is not None:
                try:
                    self.results[number] = self.function(chunk)
                except BaseException as error:
                    self.error = error

    def done(self) -> list[Result]:
        """The results. A slow helper may still come for this job: it finds nothing, and keeps nothing alive."""
        results, self.results, self.function = self.results, [], None
        return results


def _stop(queue: SimpleQueue[_Job | None]) -> None:
    for _ in range(_size() - 1):
        queue.put(None)


def _help(queue: SimpleQueue[_Job | None]) -> None:
    while True:
        job = queue.get()
        if job is None:
            return
        taken = job.work()
        if taken:
            job.finished.put(taken)
        del job  # or its arrays would live until the next call


def _helpers() -> SimpleQueue[_Job | None]:
    global _queue
    with _lock:
        if _queue is None:
            _queue = SimpleQueue()
            for number in range(_size() - 1):
                name = f"grblas_gpu-{number}"
                threading.Thread(target=_help, args=(_queue,), name=name, daemon=True).start()
        return _queue


def run(function: Callable[[Chunk], Result], chunks: Sequence[Chunk]) -> list[Result]:
    """``[function(chunk) for chunk in chunks]``, on all threads."""
    helpers = 0 if len(chunks) < 2 else min(threads(), len(chunks)) - 1
    if helpers < 1:
        return [function(chunk) for chunk in chunks]
    queue = _queue or _helpers()
    job = _Job(function, chunks)
    for _ in range(helpers):
        queue.put(job)
    left = len(chunks) - job.work()
    while left:  # helpers that were busy elsewhere took none and are not waited for
        left -= job.finished.get()
    results = job.done()
    if job.error is not None:
        raise job.error
    return results


def launch(kernel: Callable[..., Result], parts: Sequence[tuple[int, ...]], *arguments: object) -> list[Result]:
    """``[kernel(*arguments, *part) for part in parts]``, on all threads."""
    if len(parts) == 1:
        return [kernel(*arguments, *parts[0])]
    return run(lambda part: kernel(*arguments, *part), parts)


def _forget_helpers() -> None:
    """Threads do not survive a fork, and another one may have held the lock."""
    global _queue, _lock
    _queue, _lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_helpers)
