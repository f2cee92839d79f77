"""The objects of a recorded function, and their shapes in calls with arguments of other shapes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..ir.program import Program
from .handles import empty
from .rounds import Walk
from .sizes import Shape, Size, Sizes


class SizedHandles(Walk):
    """All objects of a program whose shapes have a :class:`.sizes.Size`, and where the arguments have that size.

    A size anywhere else, or the contents of an object with one, make the recording one for these sizes only.
    """

    def __init__(
        self, program: Program, handles: Iterable[Any], begun: Iterable[tuple[Any, Any]], sizes: Sizes
    ) -> None:
        self._sizes = sizes
        self._found: dict[int, Any] = {}
        for one in handles:
            self.handle(one)
        contained = set(self._found)  # each call gives these their contents
        for one, initial in begun:
            if one.ndim and has_size(one._shape) and initial.nvals:
                sizes.seen = True
        self.condition(program.condition)
        self.nodes(program.nodes)
        self._templates = [(one, [sizes.place(n) for n in one._shape]) for one in self._found.values()]
        made = (one for key, one in self._found.items() if key not in contained and not one._is_transposed)
        self._made_in_rounds = list(made)

    def handle(self, x: Any, written: bool = False) -> object:
        if getattr(x, "ndim", 0) and has_size(x._shape):
            self._found[id(x)] = x
        return x

    def operand(self, x: Any) -> object:
        if getattr(x, "_is_transposed", False):
            self.handle(x)
        return super().operand(x)

    def condition(self, condition: Any) -> object:
        if has_size(getattr(condition, "shape", ())) and condition._role == "expression":
            self._sizes.seen = True
        return super().condition(condition)

    def fact(self, x: object) -> None:
        if type(x) is Size or (type(x) is tuple and has_size(x)):
            self._sizes.seen = True

    def resize(self, shapes: Sequence[Shape]) -> None:
        """Set the shapes for arguments of these; what rounds make has no contents of other shapes."""
        for one, template in self._templates:
            one._shape = tuple([n if place is None else shapes[place[0]][place[1]] for n, place in template])
        for one in self._made_in_rounds:
            empty(one)


def has_size(shape: Iterable[object]) -> bool:
    return any(type(n) is Size for n in shape)
