"""Whether this thread prints or logs something: Python would do that in every round of a loop."""

from __future__ import annotations

import sys
from threading import Lock, get_ident
from typing import Any

_lock = Lock()
_watching: dict[int, bool] = {}  # threads, and whether they have written something
_replaced: dict[str, Any] = {}


class Watch:
    """Notes output between :meth:`begin` and :meth:`end`. All threads that watch share the streams' stand-ins."""

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
        """Whether there was output; False from the second call on."""
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


def _record(*arguments: Any, **options: Any) -> Any:
    _note()
    return _replaced["logging"](*arguments, **options)


class _Stream:
    """A stream that notes which threads write to it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> Any:
        _note()
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
