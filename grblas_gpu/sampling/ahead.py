"""Calls whose results are computed one step ahead, in a thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

Result = TypeVar("Result")


def one_ahead(calls: Iterable[Callable[[], Result]]) -> Iterator[Result]:
    """The results of calls, in order; the next call runs while the caller uses a result.

    >>> list(one_ahead([lambda: 3, lambda: 4]))
    [3, 4]
    """
    with ThreadPoolExecutor(1) as thread:
        before: Future[Result] | None = None
        for call in calls:
            after = thread.submit(copy_context().run, call)
            if before is not None:
                yield before.result()
            before = after
        if before is not None:
            yield before.result()
