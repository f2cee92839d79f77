"""Sizes of the formal arguments of a recorded function, which note whether the function looks at them.

A function that only creates objects of the sizes of its arguments, and compares these with each other, does the same
for all sizes: its recording serves calls with other shapes. Any other use of a size is a look at its number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Shape = tuple[int, ...]


class Size:
    """A number of rows, columns or positions, above 1; equal ones are one object. It is no ``int``, so that every way
    to its number passes through here."""

    __slots__ = ("_group", "_number")

    def __init__(self, number: int, group: Sizes) -> None:
        self._number, self._group = number, group

    def seen(self) -> int:
        """The number: the recording then serves only this size."""
        self._group.seen = True
        return self._number

    def __eq__(self, other: object) -> bool:
        return True if other is self else False if type(other) is Size else self.seen() == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __bool__(self) -> bool:
        return True

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # for isinstance
        self.seen()
        return int

    def __getattr__(self, name: str) -> Any:
        return getattr(self.seen(), name)

    def __reduce_ex__(self, protocol: Any) -> Any:  # a copy is the number
        return self.seen().__reduce_ex__(protocol)


def _method(name: str) -> Callable[..., object]:
    def method(self: Size, *others: object) -> object:
        return getattr(self.seen(), name)(*(other.seen() if type(other) is Size else other for other in others))

    return method


#: All that the class of a number does, but for what makes objects and what is written above.
_KEPT = frozenset(vars(Size)) - {"__hash__"} | {"__new__", "__getattribute__", "__doc__"}
for _name in {*vars(int), "__str__"} - _KEPT:
    if _name.startswith("__"):
        setattr(Size, _name, _method(_name))


def is_size(n: object) -> bool:
    return type(n) is Size


class Sizes:
    """The sizes of the arguments of a call: one :class:`Size` for all dimensions of the same size above 1."""

    def __init__(self, shapes: Sequence[Shape]) -> None:
        self.seen = False
        self._sizes = {n: Size(n, self) for shape in shapes for n in shape if n > 1}
        self._places = {n: (at, axis) for at, shape in enumerate(shapes) for axis, n in enumerate(shape)}

    def of(self, shape: Shape) -> tuple[Any, ...]:
        return tuple(self._sizes.get(n, n) for n in shape)

    def place(self, n: Any) -> tuple[int, tuple[int, int] | None]:
        """A number that stays; or 0, and which axis of which argument has this size."""
        return (0, self._places[n._number]) if type(n) is Size else (n, None)


def numbers_of(shape: Shape) -> Shape:
    """The shape of an empty store, which calls of a recording with other sizes replace."""
    return tuple(getattr(n, "_number", n) for n in shape)


def pattern(shapes: Sequence[Shape]) -> tuple[Shape, ...]:
    """Which of the sizes are equal, and those below 2: calls with the same pattern may share a recording.

    >>> pattern([(7, 9), (9,), (1,)]) == pattern([(5, 3), (3,), (1,)]) != pattern([(5, 3), (5,), (1,)])
    True
    """
    number: dict[int, int] = {}
    return tuple(tuple(number.setdefault(n, len(number) + 2) if n > 1 else n for n in shape) for shape in shapes)
