"""How many threads programs allow: ``gb.ss.config["nthreads"]``, and contexts, whose limit is that of one thread."""

from __future__ import annotations

import threading

_everywhere = 0
_here = threading.local()


def limit_threads(count: int | None) -> None:
    """In this process; 0 or None: no limit."""
    global _everywhere
    _everywhere = count or 0


def limit_threads_here(count: int | None) -> None:
    """For operations that this thread calls; 0 or None: the limit of the process."""
    _here.count = count or 0


def limited(threads: int) -> int:
    """So many threads, or as many as are allowed.

    >>> limit_threads_here(2)
    >>> limited(8), limited(1)
    (2, 1)
    >>> limit_threads_here(None)
    """
    allowed = getattr(_here, "count", 0) or _everywhere
    return min(threads, allowed) if allowed > 0 else threads
