"""The text of a scatter: values go to the positions of an index, into the other arrays of a vector."""

from __future__ import annotations

from ...programs.terms import BodyStep, Kind
from ..inline import where
from .context import Context
from .emit_positions import Pass, function, named_position, swapped, wrong_index


def scatter(context: Context, at: int, step: BodyStep) -> Pass:
    """Values for one position are combined, the first one is taken, or a second one is an error."""
    facts, w, slot = context.facts, step.out, context.facts.slots[step.out]
    *values, index = step.args
    entry = named_position(context, index.number, w)
    value = "True"
    if values and values[0].kind == "vector":
        (arg,) = values
        there = context.has(arg.number)
        entry += "" if there == "True" else f"if not {there}:\n    continue\n"
        value = context.inliner.load(context.at(arg.number), facts.slots[arg.number].dtype, slot.dtype)
    elif values:
        value = context.scalar(values[0], slot.dtype)
    more = {Kind.SCATTER_ONCE: "    return -1, 0\n", Kind.SCATTER_ANY: "    pass\n"}.get(step.kind)
    if more is None:
        combined = context.inliner.call(step.op.binaryop, x="before", y="after")
        more = f"    before = w{w}[i]\n    after = value\n    w{w}[i] = {combined}\n"
    keep = f"if not g{w}[i]:\n    g{w}[i] = True\n    m{w}[n] = i\n    n += U(1)\n    w{w}[i] = value\nelse:\n{more}"
    inside = f"{entry}value = {value}\ni = k\n{where(context.opened(step.mask), keep)}"
    arguments = function(context, at, step, "gwm", "n = U(0)", inside, "np.int64(n), 0")
    size, after = context.word("size", index.number), wrong_index(step) + swapped(context, w)
    return Pass(f"step{at}", arguments, facts.drivers(step), size, after)
