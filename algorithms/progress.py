"""A progress bar for long work: on standard error, only on a terminal, and only after a while."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")

WIDTH = 30  # characters
PATIENCE = 1.0  # seconds before it appears
INTERVAL = 0.1  # seconds between two looks


def progress(items: Sequence[Item], label: str) -> Iterator[Item]:
    """The items, one after the other, while a bar shows how many are done and how long the others may take.

    >>> list(progress([1, 2, 3], "counting"))
    [1, 2, 3]
    """
    if not sys.stderr.isatty():
        yield from items
        return
    start = shown = time.perf_counter()
    drawn = False
    try:
        for done, item in enumerate(items):
            now = time.perf_counter()
            if now - start > PATIENCE and now - shown > INTERVAL:
                left = (now - start) / max(done, 1) * (len(items) - done)
                filled = WIDTH * done // len(items)
                bar = "#" * filled + "." * (WIDTH - filled)
                print(f"\r{label} [{bar}] {done}/{len(items)}, {left:.0f} s left \x1b[K", end="", file=sys.stderr)
                shown, drawn = now, True
            yield item
    finally:
        if drawn:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
