"""The text of a scatter: values go to the positions of an index, into the other arrays of a vector."""

from __future__ import annotations

from textwrap import indent

from ...programs.terms import BodyStep, Kind
from ..inline import where
from .context import Context, listing
from .emit_positions import Pass, swapped, wrong_index


def scatter(context: Context, at: int, step: BodyStep) -> Pass:
    """Values for one position are combined, the first one is taken, or a second one is an error."""
    facts, w, slot = context.facts, step.out, context.facts.slots[step.out]
    *values, index = step.args
    drivers = facts.drivers(step)
    names = [name for arg in step.args if arg.kind == "vector" for name in context.arrays(arg.number)]
    names += context.arrays(step.mask.vector) if step.mask is not None else []
    arguments = ["S", "F", *listing([*names, *context.arrays(w, "gwm")]), *(["L", "listed"] if drivers else [])]
    has = context.has(index.number)
    entry = "" if has == "True" else f"if not {has}:\n    continue\n"
    entry += f"k = U({context.at(index.number)})\nif k >= U({context.word('size', w)}):\n    return -1, 0\n"
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
    keep, place = where(context.opened(step.mask), keep), "U(L[t]) if listed else t" if drivers else "t"
    context.functions.append(
        f"@kernel\ndef step{at}({', '.join(arguments)}, lo, hi):\n    n = U(0)\n    for t in range(U(lo), U(hi)):\n"
        f"        i = {place}\n{indent(entry, ' ' * 8)}        value = {value}\n        i = k\n{indent(keep, ' ' * 8)}"
        "    return np.int64(n), 0\n\n\n"
    )
    return Pass(
        f"step{at}", arguments, drivers, context.word("size", index.number), wrong_index(step) + swapped(context, w)
    )
