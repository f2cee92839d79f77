"""Whether this thread is recording the body of a loop (``api/loop.py``).

Every operation and every read of a value tests :data:`active` first, which is nearly free otherwise.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from ..exceptions import LoopError, user_place
from ..foundation.atomic_updates import notice_thread

active = 0  # how many threads are recording
_local = threading.local()
_lock = threading.Lock()
_SIGNS: dict[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def current() -> Any:
    """The recording of this thread, or None. A recording whose end was interrupted has ended as well."""
    found = getattr(_local, "recording", None) if active else None
    if found is not None and found.is_over():
        end(found)
        return None
    return found


def begin(recording: object) -> None:
    global active
    _local.recording = recording
    with _lock:
        active += 1


def end(recording: object) -> None:
    global active
    if getattr(_local, "recording", None) is not recording:
        return
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
    """Operations inside run at once and are not recorded: for work that does not depend on changing objects."""
    return _Paused() if active and current() is not None else _NOT_RECORDING


def read(what: str, obj: object) -> None:
    """Called before an object is read: recording ends if the recorded loop changes the object."""
    notice_thread()
    if active and (recording := current()) is not None:
        recording.read(what, obj)


def refuse(what: str) -> None:
    """Called before an action that cannot be recorded: recording ends."""
    if active and (recording := current()) is not None:
        recording.refuse(what)


class Count:
    """The steps of a loop so far; unknown while ``recorder`` records the loop.

    ``name`` distinguishes the loops of one recording: all others are inside of the first. A loop whose body is unrolled
    has a derived count for each copy of the body: :meth:`derive`.
    """

    __slots__ = ("_derived", "_recorder", "_step", "copies", "is_lost", "name")

    def __init__(self, recorder: Any, name: str = "step") -> None:
        self._recorder = recorder
        self._derived: tuple[Count, int, int] | None = None
        self._step = 0
        self.is_lost = False  # of a loop inside, after all: an engine does not say how often that ran last
        self.copies: tuple[Count, ...] = ()
        self.name = name

    @property
    def step(self) -> int:
        if self._derived is None:
            return self._step
        base, factor, offset = self._derived
        return factor * base.step + offset

    @step.setter
    def step(self, step: int) -> None:
        self._step, self._derived = step, None

    def derive(self, base: Count, factor: int, offset: int) -> None:
        """From now on this is ``factor * base + offset``, under a name of its own."""
        self._derived, self.name = (base, factor, offset), f"step{100 + offset}"
        base.copies = (*base.copies, self)

    @property
    def tree(self) -> tuple[object, ...]:
        """A derived count in terms of the one it is derived from, as in :meth:`Number.tree`."""
        assert self._derived is not None
        _, factor, offset = self._derived
        return "+", ("*", factor, "step"), offset

    @property
    def symbolic(self) -> bool:
        return bool(self._recorder.symbolic)

    def known(self) -> int:
        if self._recorder.symbolic:
            self._recorder.read("the count of the loop")
        if self.is_lost:
            what = "the number of a loop inside of another is not kept: assign it to a Scalar in that loop"
            raise LoopError(f"{user_place()}: {what}")
        return self.step

    def number(self) -> Number:
        return Number(self)


class Number:
    """The count of a loop, or simple arithmetic on counts: symbolic while a body is recorded, a number afterwards.

    >>> class Recorded:
    ...     symbolic = False
    >>> count = Count(Recorded())
    >>> count.step, depth = 7, count.number()
    >>> int(depth), int(2 * depth + 1), depth == 7
    (7, 15, True)
    """

    __slots__ = ("__weakref__", "_term")

    def __init__(self, term: Count | tuple[str, Number | int, Number | int]) -> None:
        self._term = term

    @property
    def counts(self) -> tuple[Count, ...]:
        if isinstance(self._term, Count):
            return (self._term,)
        return tuple(count for part in self._term[1:] if isinstance(part, Number) for count in part.counts)

    @property
    def text(self) -> str:
        """As C++, with the counts by their names."""
        if isinstance(self._term, Count):
            return self._term.name
        sign, left, right = self._term
        parts = [part.text if isinstance(part, Number) else f"int64({part}ll)" for part in (left, right)]
        return f"({parts[0]} {sign} {parts[1]})"

    def tree(self, names: Mapping[str, object]) -> object:
        """The arithmetic as ``(sign, left, right)`` of such, numbers, and counts by these names."""
        if isinstance(self._term, Count):
            return names[self._term.name]
        sign, left, right = self._term
        return sign, *(part.tree(names) if isinstance(part, Number) else part for part in (left, right))

    @property
    def symbolic(self) -> bool:
        if isinstance(self._term, Count):
            return self._term.symbolic
        return any(count.symbolic for count in self.counts)

    def __index__(self) -> int:
        if isinstance(self._term, Count):
            return self._term.known()
        sign, left, right = self._term
        return _SIGNS[sign](int(left), int(right))

    __int__ = __index__

    def __array__(self, dtype: Any = None, *, copy: object = None) -> Any:
        import numpy as np

        return np.array(int(self), dtype)

    def _with(self, other: object, sign: str, flip: bool = False) -> Number:
        if not isinstance(other, (int, Number)):
            refused: Number = NotImplemented
            return refused
        part = other if isinstance(other, Number) and other.symbolic else int(other)
        return Number((sign, part, self) if flip else (sign, self, part))

    def __add__(self, other: object) -> Number:
        return self._with(other, "+")

    def __radd__(self, other: object) -> Number:
        return self._with(other, "+", True)

    def __sub__(self, other: object) -> Number:
        return self._with(other, "-")

    def __rsub__(self, other: object) -> Number:
        return self._with(other, "-", True)

    def __mul__(self, other: object) -> Number:
        return self._with(other, "*")

    def __rmul__(self, other: object) -> Number:
        return self._with(other, "*", True)

    def __neg__(self) -> Number:
        return self._with(-1, "*")

    def __eq__(self, other: object) -> bool:
        return int(self) == other

    def __bool__(self) -> bool:
        return int(self) != 0

    def __hash__(self) -> int:
        return hash(int(self))

    if TYPE_CHECKING:

        def __lt__(self, other: object) -> bool: ...

    def __repr__(self) -> str:
        return f"<{self.text} of a loop>" if self.symbolic else repr(int(self))

    def __str__(self) -> str:
        return str(int(self))

    def __format__(self, form: str) -> str:
        return format(int(self), form)


def _define_by_value() -> None:
    """Other methods of int need the value, which is unknown while a body is recorded."""
    one = {f"__{name}__": getattr(operator, f"__{name}__") for name in ("abs", "invert", "pos")}
    one |= {"__float__": float, "__complex__": complex, "__round__": round}
    for name, of_one in one.items():
        setattr(Number, name, lambda self, of_one=of_one: of_one(int(self)))
    two = {
        name: getattr(operator, f"__{name}__") for name in "mod floordiv truediv pow and or xor lshift rshift".split()
    }
    for name, of_two in (two | {"divmod": divmod}).items():
        setattr(Number, f"__{name}__", lambda self, other, of_two=of_two: of_two(int(self), other))
        setattr(Number, f"__r{name}__", lambda self, other, of_two=of_two: of_two(other, int(self)))
    for name in ("lt", "le", "gt", "ge"):
        compare = getattr(operator, name)
        setattr(Number, f"__{name}__", lambda self, other, compare=compare: compare(int(self), other))


_define_by_value()
