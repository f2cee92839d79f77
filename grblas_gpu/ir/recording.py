"""Whether this thread is recording the body of a loop (``api/loop.py``) just now.

Everything that runs an operation or reads a value asks :data:`active` first, which costs next to nothing otherwise.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ..undivided import notice_thread

active = 0  # how many threads are recording
_local = threading.local()
_lock = threading.Lock()
_SIGNS: dict[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def current() -> Any:
    """The recording of this thread, or None."""
    return getattr(_local, "recording", None) if active else None


def begin(recording: Any) -> None:
    global active
    _local.recording = recording
    with _lock:
        active += 1


def end() -> None:
    global active
    _local.recording = None
    with _lock:
        active -= 1


class _Paused:
    """Nothing is recorded inside: see :func:`paused`."""

    def __enter__(self) -> None:
        self._recording = _local.recording
        _local.recording = None

    def __exit__(self, *_: object) -> None:
        _local.recording = self._recording


_NOT_RECORDING: AbstractContextManager[None] = nullcontext()


def paused() -> AbstractContextManager[None]:
    """Inside, what is done is done at once, as if nothing were recorded: for what does not depend on what changes."""
    return _Paused() if active and current() is not None else _NOT_RECORDING


def read(what: str, obj: Any) -> None:
    """Somebody is about to look at an object: before that, for what a loop changes, recording ends."""
    notice_thread()
    if active and (recording := current()) is not None:
        recording.read(what, obj)


def refuse(what: str) -> None:
    """Something is about to be done that cannot be recorded: before that, recording ends."""
    if active and (recording := current()) is not None:
        recording.refuse(what)


class Count:
    """The steps of a loop so far; not known while the loop is recorded, which ``recorder`` tells.

    ``name`` tells the loops of one recording apart: the others are inside of the first.
    """

    __slots__ = ("_recorder", "name", "step")

    def __init__(self, recorder: Any, name: str = "step") -> None:
        self._recorder = recorder
        self.name = name
        self.step = 0

    @property
    def symbolic(self) -> bool:
        return bool(self._recorder.symbolic)

    def known(self) -> int:
        if self._recorder.symbolic:
            self._recorder.read("the count of the loop")
        return self.step

    def number(self) -> Number:
        return Number((self,), self.name, self.known)


class Number:
    """The count of a loop, or simple arithmetic on counts: symbolic while a body is recorded, a number afterwards.

    >>> class Recorded:
    ...     symbolic = False
    >>> count = Count(Recorded())
    >>> count.step, depth = 7, count.number()
    >>> int(depth), int(2 * depth + 1), depth == 7
    (7, 15, True)
    """

    __slots__ = ("_compute", "counts", "text")

    def __init__(self, counts: tuple[Count, ...], text: str, compute: Callable[[], int]) -> None:
        self._compute = compute
        self.counts = counts
        self.text = text  # as C++, with the counts by their names

    @property
    def symbolic(self) -> bool:
        return any(count.symbolic for count in self.counts)

    def __index__(self) -> int:
        return self._compute()

    __int__ = __index__

    def __array__(self, dtype: Any = None, *, copy: Any = None) -> Any:
        import numpy as np

        return np.array(int(self), dtype)

    def _with(self, other: Any, sign: str, flip: bool = False) -> Any:
        counts = self.counts
        if isinstance(other, Number) and other.symbolic:
            counts, text, value = (*counts, *other.counts), other.text, other._compute
        elif isinstance(other, (int, Number)):
            number = int(other)
            text, value = f"int64({number}ll)", lambda: number
        else:
            return NotImplemented
        mine, operate = self._compute, _SIGNS[sign]
        if flip:
            return Number(counts, f"({text} {sign} {self.text})", lambda: operate(value(), mine()))
        return Number(counts, f"({self.text} {sign} {text})", lambda: operate(mine(), value()))

    def __add__(self, other: Any) -> Any:
        return self._with(other, "+")

    def __radd__(self, other: Any) -> Any:
        return self._with(other, "+", True)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, "-")

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, "-", True)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, "*")

    def __rmul__(self, other: Any) -> Any:
        return self._with(other, "*", True)

    def __neg__(self) -> Any:
        return self._with(-1, "*")

    def __eq__(self, other: object) -> bool:
        return int(self) == other

    def __lt__(self, other: Any) -> bool:
        return int(self) < other

    def __le__(self, other: Any) -> bool:
        return int(self) <= other

    def __gt__(self, other: Any) -> bool:
        return int(self) > other

    def __ge__(self, other: Any) -> bool:
        return int(self) >= other

    def __bool__(self) -> bool:
        return int(self) != 0

    def __hash__(self) -> int:
        return hash(int(self))

    def __repr__(self) -> str:
        return f"<{self.text} of a loop>" if self.symbolic else repr(int(self))
