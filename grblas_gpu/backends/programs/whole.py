"""A function as one kernel: tried again when its operands have other forms than at the last failure."""

from __future__ import annotations

from collections.abc import Callable

from ...foundation.types import Engine
from ...ir.node import Handle
from ...ir.ops import CONTROL
from ...ir.program import Program
from .terms import Fields
from .unfusable import unfusable_reason

LATER = -1  # in place of the number of steps: nothing has changed, and a kernel is being compiled


class Whole:
    """The compiled function of an engine, or the forms of its operands for which compiling failed."""

    __slots__ = ("_failed", "_matrices", "_prepared", "_scalars")

    def __init__(self, program: Program, engine: Engine, meanwhile: Callable[[], None]) -> None:
        never = unfusable_reason(program) is not None
        self._prepared = None if never else engine.prepare(program, meanwhile)
        handles = {id(x): x for x in _operands(program)}.values()
        self._matrices = [x for x in handles if x.ndim == 2]
        self._scalars = [x for x in handles if x.ndim == 0]
        self._failed: Fields | None = None

    def runs(self) -> bool:
        """Run it, if it can be run as a whole."""
        if self._prepared is None:
            return False
        if self._failed is not None and self._failed == self._forms():
            return False
        steps = self._prepared()
        if steps is None:
            self._failed = self._forms()  # nothing has changed
        elif steps != LATER:
            self._failed = None
            return True
        return False

    def _forms(self) -> Fields:
        """All properties that may prevent operands of the same types from being fused."""
        matrices = [(x._store.form, x._store.copies) for x in self._matrices]
        return *matrices, *[x._content is None for x in self._scalars]


def _operands(program: Program) -> list[Handle]:
    """The handles that nodes and conditions read."""
    found: list[Handle] = []
    for node in program.flat:
        if node.op in CONTROL:
            condition = node.operands[0].condition
            found += getattr(condition, "args", [condition])
        else:
            found += [getattr(x, "_matrix", x) for x in node.operands]
    return [x for x in found if getattr(x, "_engine", None) is not None and hasattr(x, "_role")]
