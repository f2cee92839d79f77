"""Progress of long computations: a line on standard error, on a terminal or in a notebook, after a short delay.

tqdm draws it where it is installed. ``gb.config.set(progress=False)`` switches it off.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from types import TracebackType
from typing import Any, TypeVar

from ..config import config

Item = TypeVar("Item")

WIDTH = 30  # characters
PATIENCE = 1.0  # seconds before a line appears
INTERVAL = 0.1  # seconds between two updates

_bars = 0  # open bars; one line has room, and a bar has priority
_showing = False  # whether an outer block shows the seconds already


def progress(items: Sequence[Item], label: str) -> Iterator[Item]:
    """The items, one after the other, while a bar shows how many are done and how long the others may take.

    >>> list(progress([1, 2, 3], "counting"))
    [1, 2, 3]
    """
    if not is_shown():
        yield from items
        return
    with Meter(label, len(items)) as meter:
        for done, item in enumerate(items):
            meter.reach(done)
            yield item


def is_shown() -> bool:
    """Whether progress is shown: on a terminal or in a notebook, unless ``config`` turns it off."""
    return bool(config["progress"]) and (sys.stderr.isatty() or _in_notebook())


class Meter:
    """A bar from 0 to ``total`` for the time of a ``with`` block; ``reach`` moves it, and may be called often.

    >>> with Meter("reading", 100) as meter:
    ...     meter.reach(50)
    """

    def __init__(self, label: str, total: int, unit: str = "") -> None:
        self._label, self._total, self._unit = label, total, unit
        self._start = self._shown = time.perf_counter()
        self._bar: Any = None
        self._drawn = False
        self._watched = is_shown()

    def __enter__(self) -> Meter:
        global _bars
        _bars += 1
        return self

    def reach(self, done: int) -> None:
        if not self._watched:
            return
        now = time.perf_counter()
        if now - self._start > PATIENCE and now - self._shown > INTERVAL:
            self._draw(done, now)
            self._shown, self._drawn = now, True

    def __exit__(self, kind: type | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        global _bars
        _bars -= 1
        if self._bar is not None:
            self._bar.close()
        elif self._drawn:
            clear_line()

    def _draw(self, done: int, now: float) -> None:
        if self._bar is None and not self._drawn:
            self._bar = _tqdm_bar(self._label, self._total, self._unit, now - self._start)
        if self._bar is not None:
            self._bar.update(done - self._bar.n)
            return
        total = max(self._total, 1)
        left = (now - self._start) / max(done, 1) * (total - done)
        filled = min(WIDTH, WIDTH * done // total)
        bar = "#" * filled + "." * (WIDTH - filled)
        show_line(f"{self._label} [{bar}] {_amount(done, self._unit)}/{_amount(total, self._unit)}, {left:.0f} s left")


_spent = 0.0  # seconds in all earlier `busy` blocks: many short ones are long work, too


@contextmanager
def _line(text: Callable[[], str], patience: float) -> Iterator[None]:
    """A line during a ``with`` block that takes longer than this, updated until its end."""
    done, shown = threading.Event(), patience <= 0 and not _bars
    if shown:
        show_line(text())

    def show() -> None:
        nonlocal shown
        wait = max(patience, INTERVAL)
        while not done.wait(wait):
            wait = INTERVAL
            if not _bars:
                shown = True
                show_line(text())

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        if shown:
            clear_line()


@contextmanager
def busy(label: str) -> Iterator[None]:
    """A line during a ``with`` block of unknown progress, such as a compilation.

    It appears when all such blocks together have taken a while: at once, or in the middle of this one.

    >>> with busy("compiling"):
    ...     pass
    """
    global _spent
    start = time.perf_counter()
    try:
        with _line(lambda: label, PATIENCE - _spent) if is_shown() else nullcontext():
            yield
    finally:
        _spent += time.perf_counter() - start


@contextmanager
def elapsed(label: str) -> Iterator[None]:
    """A line with the seconds so far, for a ``with`` block of unknown duration.

    Only the outermost of nested blocks shows it.

    >>> with elapsed("generating"):
    ...     pass
    """
    global _showing
    if _showing or not is_shown():
        yield
        return
    _showing, start = True, time.perf_counter()
    try:
        with _line(lambda: f"{label}: {time.perf_counter() - start:.0f} s", PATIENCE):
            yield
    finally:
        _showing = False


def show_line(text: str) -> None:
    print(f"\r{text} \x1b[K", end="", file=sys.stderr, flush=True)


def clear_line() -> None:
    print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _amount(count: int, unit: str) -> str:
    return f"{count / 2**20:.0f} MiB" if unit == "B" else str(count)


def _in_notebook() -> bool:
    """Whether IPython runs as a kernel: its standard error is visible, although it is no terminal."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    return running is not None and hasattr(running, "kernel")


def _tqdm_bar(label: str, total: int, unit: str, since: float) -> Any:
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    bar = tqdm(total=total, desc=label, unit=unit or "it", unit_scale=bool(unit), leave=False, dynamic_ncols=True)
    bar.start_t -= since
    return bar
