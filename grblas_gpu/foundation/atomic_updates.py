"""All-or-nothing updates: neither an interrupt nor another thread sees an object between two parts of a change.

An object changes when a new store is assigned to it. A change in place of the arrays of a store is much cheaper, and
follows this pattern::

    try:
        atomic_updates.changing = True
        c = atomic_updates.own(c)
        c.nvals += kernel(*arguments)
    except BaseException:
        c.uncount()
        raise
    finally:
        atomic_updates.changing = False

* A kernel is not interrupted. An interrupt between the kernel and the update of the count clears the count, and the
  next reader counts again. A change by several kernels uses ``with atomic_updates.uninterrupted():``, which defers
  signals to its end.
* Once a second thread has used this library, it may be reading ``c``. From then on ``own`` returns a copy, which
  replaces ``c`` in one step.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import os
import signal
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from threading import get_ident
from time import sleep
from types import FrameType, ModuleType
from typing import Any, TypeVar

from .types import Store

#: The functions below ``signal.signal``, which spends 15 microseconds on enumerations.
getsignal, set_signal = (getattr(_signal, name, getattr(signal, name)) for name in ("getsignal", "signal"))

Handler = Callable[[int, FrameType | None], object]
Result = TypeVar("Result")
_NAMES = "SIGINT SIGTERM SIGALRM SIGHUP SIGUSR1 SIGUSR2".split()
_SIGNALS = [int(getattr(signal, name)) for name in _NAMES if hasattr(signal, name)]

multithreaded = False  # whether more than one thread has used this library
changing = False  # the only thread so far is changing a store in place; a lock would cost as much as the change
first_thread: int | None = None  # the first thread that used this library
_main_thread = threading.main_thread().ident
_first_look = threading.Lock()


def own(store: Store) -> Any:
    """The store itself, or a copy if another thread may be reading it."""
    return store.copy() if multithreaded else store


def notice_thread() -> None:
    """Called before this thread reads an object; a second thread waits here for a change in place to end."""
    if not multithreaded and get_ident() != first_thread:
        _notice()


def _notice() -> None:
    global multithreaded, first_thread
    with _first_look:
        if first_thread is None:
            first_thread = get_ident()
            return
        multithreaded = True  # from here on changes are made to copies; the loop waits for one in progress
    while changing:
        sleep(0)


def forget_threads() -> None:
    """Reset the state: in the child of a fork, and in tests."""
    global multithreaded, changing, first_thread, _first_look, _main_thread
    multithreaded, changing, first_thread, _first_look = False, False, None, threading.Lock()
    _main_thread = threading.main_thread().ident


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget_threads)


class uninterrupted:
    """``with uninterrupted():`` defers signals to the end of the block, in the order of their arrival."""

    __slots__ = ("_handlers", "_waiting")

    def __enter__(self) -> None:
        self._handlers: list[tuple[int, Handler]] = []
        self._waiting: list[tuple[Handler, int, FrameType | None]] = []
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
            except BaseException as raised:  # raised by a restored handler: restore the others, too
                error = error or raised
        if error is not None:
            raise error

    def __exit__(self, *error: object) -> None:
        self._restore()
        for handler, number, frame in self._waiting:
            handler(number, frame)


def completed(function: Callable[..., Result], *arguments: object) -> Result:
    """The result of a call in a separate thread, which completes it even if a signal interrupts the caller.

    An exception that leaves Numba half imported, or a compilation half done, would make all later calls fail.
    """
    if threading.current_thread() is not threading.main_thread():  # signals do not reach it
        return function(*arguments)
    results: list[Result] = []
    errors: list[BaseException] = []

    def complete() -> None:
        try:
            results.append(function(*arguments))
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=complete, name="grblas_gpu compiler")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


def imported(name: str) -> ModuleType:
    """Import a module completely: a signal does not interrupt the import."""
    found = sys.modules.get(name)
    if found is not None and not getattr(found.__spec__, "_initializing", False):
        return found
    return completed(import_module, name)
