"""Detects whether this thread prints or logs while recording: Python would repeat that in every round of a loop."""

from __future__ import annotations

import sys
from threading import Lock, get_ident
from typing import Any, TextIO

_lock = Lock()
_watching: dict[int, bool] = {}  # by thread: whether it has written
_replaced: dict[str, Any] = {}


class Watch:
    """Detects output between :meth:`begin` and :meth:`end`. All watching threads share the substitute streams."""

    __slots__ = ("_thread",)

    def __init__(self) -> None:
        self._thread: int | None = None

    def begin(self) -> None:
        self._thread = get_ident()
        with _lock:
            if not _watching:
                for name in ("stdout", "stderr"):
                    _replaced[name] = getattr(sys, name)
                    setattr(sys, name, _Stream(_replaced[name]))
                if (logging := sys.modules.get("logging")) is not None:
                    _replaced["logging"] = logging.getLogRecordFactory()
                    logging.setLogRecordFactory(_record)
            _watching[self._thread] = False

    def end(self) -> bool:
        """Stop watching; returns whether there was output, and False from the second call on."""
        thread, self._thread = self._thread, None
        if thread is None:
            return False
        with _lock:
            wrote = _watching.pop(thread, False)
            if not _watching:
                for name in ("stdout", "stderr"):
                    if isinstance(getattr(sys, name), _Stream):
                        setattr(sys, name, _replaced[name])
                if "logging" in _replaced:
                    sys.modules["logging"].setLogRecordFactory(_replaced["logging"])
                _replaced.clear()
        return wrote


def _note() -> None:
    thread = get_ident()
    if thread in _watching:
        _watching[thread] = True


def _record(*arguments: object, **options: object) -> object:
    _note()
    return _replaced["logging"](*arguments, **options)


class _Stream:
    """A stream that records which threads write to it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> object:
        _note()
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
