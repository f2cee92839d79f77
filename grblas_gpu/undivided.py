"""Changes that nobody sees half done: neither an interrupt nor another thread comes between their parts.

An object is changed by the assignment of a new store. Where arrays of the old one are changed instead, because that is
much cheaper, it is done like this::

    try:
        undivided.changing = True
        c = undivided.own(c)
        c.nvals += kernel(*arguments)
    except BaseException:
        c.uncount()
        raise
    finally:
        undivided.changing = False

* A kernel is not interrupted. If an interrupt comes between it and what is noted of its result, the store has no count,
  and whoever asks for one counts. Changes by several kernels say ``with undivided.uninterrupted():``, and signals wait
  for its end.
* As soon as a second thread has used this library, which may be looking at ``c`` just now, ``own`` gives a copy, which
  will take the place of ``c`` in one step.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import os
import signal
import threading
from threading import get_ident
from time import sleep
from types import FrameType
from typing import Any

#: What these wrap, if they wrap anything: they spend 15 microseconds on enumerations.
getsignal, set_signal = (getattr(_signal, name, getattr(signal, name)) for name in ("getsignal", "signal"))

_NAMES = "SIGINT SIGTERM SIGALRM SIGHUP SIGUSR1 SIGUSR2".split()
_SIGNALS = [int(getattr(signal, name)) for name in _NAMES if hasattr(signal, name)]

several = False  # threads have used this library
changing = False  # the only thread so far is changing something in place; a lock would take as long as the change
first_thread: int | None = None  # that has used it
_main_thread = threading.main_thread().ident
_first_look = threading.Lock()


def own(store: Any) -> Any:
    """The store itself, or a copy if another thread may be looking at it."""
    return store.copy() if several else store


def notice_thread() -> None:
    """This thread is about to look at an object. The first look of a second thread waits for a change in place."""
    if not several and get_ident() != first_thread:
        _notice()


def _notice() -> None:
    global several, first_thread
    with _first_look:
        if first_thread is None:
            first_thread = get_ident()
            return
        several = True  # a change that begins from here on is made to a copy; one that began before is waited for
    while changing:
        sleep(0)


def forget_threads() -> None:
    """As if no thread had used this library yet: in the child of a fork, and for tests."""
    global several, changing, first_thread, _first_look, _main_thread
    several, changing, first_thread, _first_look = False, False, None, threading.Lock()
    _main_thread = threading.main_thread().ident


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget_threads)


class uninterrupted:
    """``with uninterrupted():`` signals that come now are handled at the end, in the order in which they came."""

    __slots__ = ("_handlers", "_waiting")

    def __enter__(self) -> None:
        self._handlers: list[tuple[int, Any]] = []
        self._waiting: list[tuple[Any, int, FrameType | None]] = []
        if get_ident() != _main_thread:
            return  # handlers run in the main thread only
        try:
            for number in _SIGNALS:
                handler = getsignal(number)
                if callable(handler):
                    self._handlers.append((number, handler))
                    set_signal(number, self._wait)
        except BaseException:
            self._restore()
            raise

    def _wait(self, number: int, frame: FrameType | None) -> None:
        handler = next(handler for known, handler in self._handlers if known == number)
        self._waiting.append((handler, number, frame))

    def _restore(self) -> None:
        error: BaseException | None = None
        while self._handlers:
            try:
                while self._handlers:
                    set_signal(*self._handlers[-1])
                    self._handlers.pop()
            except BaseException as raised:  # of a handler that is back in its place: the others must be, too
                error = error or raised
        if error is not None:
            raise error

    def __exit__(self, *error: object) -> None:
        self._restore()
        for handler, number, frame in self._waiting:
            handler(number, frame)
