"""What comes next: the text of conditions, and of the decision at the end of each part of a body with loops inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...programs.terms import Kind, Operand
from ..runtime.compile import binary
from .emit_context import Context
from .items import Schedule

COUNT = np.dtype(np.int64)
DONE = -1


class FlowText(NamedTuple):
    first: str  # for thread 0 of every block, before the first round
    following: Sequence[str]  # for thread 0 of every block: what follows each part, where there are several
    goes_on: str  # whether there is another round, or another part


def one_part(context: Context) -> FlowText:
    """A body without loops inside: as long as the condition holds."""
    return FlowText("", (), f"({condition(context, context.facts.condition, 'condition')})")


def several_parts(context: Context, order: Schedule) -> FlowText:
    """S.part is the part that comes next, or DONE."""
    flow = _Flow(context, order)
    following = [
        f"    auto after{number} = [&] {{ {flow.to(part.ends, part.ends == part.begins)} }};\n"
        for number, part in enumerate(order.parts)
    ]
    first = f"if ({flow.holds} && 0 < limit) {{ S.part = 0; }} else {{ S.part = {DONE}; }}"
    return FlowText(first, following, f"S.part != {DONE}")


class _Flow:
    """From the end of a part to the beginning of the next, past the conditions of the loops between them."""

    def __init__(self, context: Context, order: Schedule) -> None:
        self._context = context
        self._steps = steps = context.facts.steps
        self._part_at = {part.begins: number for number, part in enumerate(order.parts)}
        self.holds = f"({condition(context, context.facts.condition, 'condition')})"
        begun: list[int] = []
        self._other: dict[int, int] = {}  # the "end" of a "begin", and the other way round
        self._goes_on: dict[int, str] = {}  # whether a loop that begins there does
        for at, step in enumerate(steps):
            if step.kind == Kind.BEGIN:
                begun.append(at)
                self._goes_on[at] = self._condition(at)
            elif step.kind == Kind.END:
                first = begun.pop()
                self._other[first], self._other[at] = at, first

    def _condition(self, at: int) -> str:
        flow = self._steps[at].op
        text = condition(self._context, flow.condition, f"condition{flow.number}")
        if flow.limit is None:
            return text
        return f"({text}) && S.step{flow.number} < {self._context.scalar(flow.limit, COUNT)}"

    def to(self, at: int, left: bool = False) -> str:
        """What is done to go on from a step; ``left``: the (empty) part that begins there is over."""
        if at in self._part_at and not left:
            return f"S.part = {self._part_at[at]};"
        if at == len(self._steps):
            return f"++S.step; if ({self.holds} && S.step < limit) {{ S.part = 0; }} else {{ S.part = {DONE}; }}"
        step, other = self._steps[at], self._other[at]
        if step.kind == Kind.BEGIN:
            into = f"if ({self._goes_on[at]}) {{ {self.to(at + 1)} }} else {{ {self.to(other + 1)} }}"
            return f"S.step{step.op.number} = 0; {into}"
        flow = self._steps[other].op
        if flow.once:
            return self.to(at + 1)
        count = f"S.step{flow.number}"  # is left as Python's loops leave theirs
        again = f"if ({self._goes_on[other]}) {{ {self.to(other + 1)} }} else {{ --{count}; {self.to(at + 1)} }}"
        return f"++{count}; {again}"


def condition(context: Context, given: tuple, space: str) -> str:
    """Whether a condition holds; an operator that compares has a namespace."""
    kind, *parts = given
    if kind == "always":
        return "true"
    if kind == "entries":
        return f"S.s{parts[0]}.count > 0"
    if kind == "true":
        return f"({context.scalar(parts[0], np.dtype(bool))}{_present(parts)})"
    op, (left, right) = parts
    op = getattr(op, "binaryop", op)
    context.namespace(space, binary("op", op))
    x, y = context.scalar(left, op.type.np_type), context.scalar(right, op.type2.np_type)
    return f"(cast<bool>({space}::op({x}, {y})){_present((left, right))})"


def _present(operands: Sequence[Operand]) -> str:
    return "".join(f" && S.c{operand.number}.present" for operand in operands if operand.kind == "variable")
