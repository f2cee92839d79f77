"""Whether this thread is recording the body of a loop (``loops.py``) just now.

Everything that runs an operation or reads a value asks :data:`active` first, which costs next to nothing otherwise.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable
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


def read(what: str, obj: Any) -> None:
    """Somebody is about to look at an object: before that, for what a loop changes, recording ends."""
    notice_thread()
    if active and (recording := current()) is not None:
        recording.read(what, obj)


def refuse(what: str) -> None:
    """Something is about to be done that cannot be recorded: before that, recording ends."""
    if active and (recording := current()) is not None:
        recording.refuse(what)


class Number:
    """The count of a loop, or simple arithmetic on it: symbolic while the body is recorded, a number afterwards.

    >>> class Counting:
    ...     step, symbolic = 7, False
    >>> count = Number(Counting(), "step", lambda step: step)
    >>> int(count), int(2 * count + 1), count == 7
    (7, 15, True)
    """

    __slots__ = ("_compute", "_loop", "text")

    def __init__(self, loop: Any, text: str, compute: Callable[[int], int]) -> None:
        self._loop = loop
        self._compute = compute
        self.text = text  # as C++, with the count called `step`

    @property
    def symbolic(self) -> bool:
        return bool(self._loop.symbolic)

    def counts(self, loop: Any) -> bool:
        """Whether this is the count of that loop, and not of one before it."""
        return self._loop is loop

    def __index__(self) -> int:
        if self._loop.symbolic:
            self._loop.read("the count of the loop")
        return self._compute(self._loop.step)

    __int__ = __index__

    def __array__(self, dtype: Any = None, *, copy: Any = None) -> Any:
        import numpy as np

        return np.array(int(self), dtype)

    def _with(self, other: Any, sign: str, flip: bool = False) -> Any:
        if isinstance(other, Number):
            text, value = other.text, other._compute
        elif isinstance(other, int):
            text, value = f"int64({int(other)}ll)", lambda step: int(other)
        else:
            return NotImplemented
        mine, operate = self._compute, _SIGNS[sign]
        if flip:
            return Number(self._loop, f"({text} {sign} {self.text})", lambda step: operate(value(step), mine(step)))
        return Number(self._loop, f"({self.text} {sign} {text})", lambda step: operate(mine(step), value(step)))

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
        return f"<{self.text} of a loop>" if self._loop.symbolic else repr(int(self))
