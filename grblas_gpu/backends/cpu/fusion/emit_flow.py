"""Nested loops and conditions: places where the kernel continues."""

from __future__ import annotations

from ...programs.terms import BodyStep, Kind
from . import context as c
from .context import Context
from .emit_scalars import condition


def begin(context: Context, at: int, step: BodyStep) -> str:
    """Whether the steps up to the end run (again); if not, the kernel continues after the end.

    A count keeps its last value, as the variable of a Python loop does.
    """
    flow, before, after = step.op, 2 * at + 2, 2 * at + 3
    count, goes_on = context.steps(flow.number), condition(context, flow.condition, f"goes_on{at}")
    if flow.limit is not None:
        goes_on = f"{count} < {context.scalar(flow.limit, c.INT64)} and ({goes_on})"
    return (
        f"if S[{c.AT}] == {before}:\n    {count} = 0\n    S[{c.AT}] = {after}\n"
        f"if S[{c.AT}] == {after}:\n    if {goes_on}:\n        S[{c.AT}] = {after + 1}\n"
        f"    else:\n        {count} = max({count} - 1, 0)\n        S[{c.AT}] = {2 * _end(context, at) + 4}\n"
    )


def end(context: Context, at: int) -> str:
    """The end of a loop or block: jumps back or continues. A condition is evaluated once."""
    here, first = 2 * at + 2, _begin(context, at)
    flow = context.facts.steps[first].op
    if flow.once:
        return f"if S[{c.AT}] == {here}:\n    S[{c.AT}] = {here + 2}\n"
    return (
        f"if S[{c.AT}] == {here}:\n    {context.steps(flow.number)} += 1\n    S[{c.AT}] = {2 * first + 3}\n"
        f"    S[{c.WORK}] += 16\n    if S[{c.WORK}] > S[{c.BUDGET}]:\n        return {c.PAUSED}\n    continue\n"
    )


def _end(context: Context, at: int) -> int:
    number = context.facts.steps[at].out
    return next(k for k, step in enumerate(context.facts.steps) if (step.kind, step.out) == (Kind.END, number))


def _begin(context: Context, at: int) -> int:
    number = context.facts.steps[at].out
    return next(k for k, step in enumerate(context.facts.steps) if (step.kind, step.out) == (Kind.BEGIN, number))
