"""The text of steps that run position by position: one function each, over a part of a list or of all positions."""

from __future__ import annotations

from textwrap import indent
from typing import NamedTuple

import numpy as np

from ....foundation.types import TypedOperator
from ...programs.reading import EACH
from ...programs.steps import overwrites
from ...programs.terms import BodyStep, Kind, Operand, Unfusable
from ..inline import where
from ..operands import Form, Text, both
from .context import ALSO, BUFFERS, COUNT, INTERPRET, Context, listing


class Pass(NamedTuple):
    """A function that runs a step, how to call it, and the statements after it."""

    name: str
    arguments: list[str]
    drivers: list[int]  # the vectors whose lists it may follow
    size: str  # how many positions there are otherwise
    after: str
    load: str = "1"  # how many entries a position has


def position(context: Context, at: int, step: BodyStep) -> Pass:
    facts, w, slot = context.facts, step.out, context.facts.slots[step.out]
    drivers, swaps = facts.drivers(step), facts.swaps(step)
    computed, first = _gathered(context, step) if step.kind == Kind.GATHER else (_result(context, step), "")
    letters = "gwm" if swaps else "fvl"
    if overwrites(step):
        inside = _overwriting(context, step, computed, letters)
        head, result = "n = U(lo)", "np.int64(n) - lo, 0"
    else:
        inside = _changing(context, step, computed)
        head = f"added = removed = 0\nkeeps = {context.word('listed', w)} != 0\nn = U({context.word('count', w)})"
        result = "added, removed"
    arguments = function(context, at, step, letters, head, first + inside, result)
    after = (wrong_index(step) if step.kind == Kind.GATHER else "") + _after(context, step, swaps, slot.full)
    return Pass(f"step{at}", arguments, drivers, context.word("size", w), after)


def function(context: Context, at: int, step: BodyStep, letters: str, head: str, inside: str, result: str) -> list[str]:
    """The function of a step, with the statements for position i; and its arguments."""
    drivers = context.facts.drivers(step)
    names = [name for arg in step.args if arg.kind == "vector" for name in context.arrays(arg.number)]
    names += context.arrays(step.mask.vector) if step.mask is not None else []
    arguments = ["S", "F", *listing([*names, *context.arrays(step.out, letters)])]
    arguments += ["L", "listed"] if drivers else []
    place = "U(L[t]) if listed else t" if drivers else "t"
    context.functions.append(
        f"@kernel\ndef step{at}({', '.join(arguments)}, lo, hi):\n{indent(head, '    ')}\n"
        f"    for t in range(U(lo), U(hi)):\n        i = {place}\n{indent(inside, ' ' * 8)}"
        f"    return {result}\n\n\n"
    )
    return arguments


def wrong_index(step: BodyStep) -> str:
    """Returns to the host, which raises the error about the index; no visible output has been written."""
    return f"if S[{COUNT}] < 0:\n    return {INTERPRET - step.number}\n"


def _gathered(context: Context, step: BodyStep) -> tuple[tuple[str, str, np.dtype], str]:
    """``v[index]``: an entry where the index has one, and v has one there. Also the lines that compute the place."""
    source, index = (arg.number for arg in step.args)
    slot, lines = context.facts.slots[source], named_position(context, index, source)
    value = f"value = v{source}[{'0' if slot.iso else 'k'}]\n"
    return ("True" if slot.full else f"f{source}[k]", value, slot.dtype), lines


def named_position(context: Context, index: int, size_of: int) -> str:
    """The lines that compute the position k in a vector that an index has at position i."""
    has = context.has(index)
    skip = "" if has == "True" else f"if not {has}:\n    continue\n"
    return f"{skip}k = U({context.at(index)})\nif k >= U({context.word('size', size_of)}):\n    return -1, 0\n"


def _overwriting(context: Context, step: BodyStep, result: tuple[str, str, np.dtype], letters: str) -> str:
    """Position i of an overwritten output: in other arrays, or in place if the step visits all positions."""
    found, lines, kind = result
    w, slot = step.out, context.facts.slots[step.out]
    flags, values, entries = tuple(letters)
    value = context.inliner.load("value", kind, slot.dtype)
    store = "" if slot.iso else f"{lines}{values}{w}[i] = {value}\n"
    if slot.full:
        return store or "pass\n"
    store += f"{flags}{w}[i] = True\n"
    store += f"{entries}{w}[n] = i\n" if slot.listed else ""
    store += "n += U(1)\n"
    test = both(context.opened(step.mask), found)
    return where(test, store, "" if letters == "gwm" else f"{flags}{w}[i] = False\n")


def _changing(context: Context, step: BodyStep, result: tuple[str, str, np.dtype]) -> str:
    """Position i of an output that is changed in place."""
    found, lines, kind = result
    w, slot = step.out, context.facts.slots[step.out]
    has, at = context.has(w), f"v{w}[i]"
    remove = f"if {has}:\n    f{w}[i] = False\n    removed += 1\n"
    new = "" if slot.full else f"f{w}[i] = True\nadded += 1\n"
    if slot.listed and not slot.full:
        new += f"if keeps:\n    l{w}[n] = i\n    n += U(1)\n"
    accum = getattr(step.accum, "binaryop", step.accum)
    if accum is not None and accum.positional is not None:
        raise Unfusable(f"{accum} as an accumulator", step.number)
    text = Text(Form(accum, (slot.dtype, kind), EACH, EACH, slot.dtype), at, "value", at, context.inliner)
    opened, remove = context.opened(step.mask), "" if slot.full else remove
    return text.change(found, has, opened, new, remove, step.replace, lines)


def _after(context: Context, step: BodyStep, swaps: bool, full: bool) -> str:
    """The statements after a step has visited all of its positions."""
    w, slot = step.out, context.facts.slots[step.out]
    if swaps:
        first = f"w{w}[0] = v{step.args[0].number}[0]\n" if slot.iso else ""
        return first + swapped(context, w)
    one = f"v{w}[0] = v{step.args[0].number}[0]\n" if slot.iso else ""
    if full:
        return one
    checked = f"{context.word('checked', w)} = 0\n"
    if overwrites(step):
        listed = f"{context.word('listed', w)} = {int(slot.listed)}\n"
        return f"{one}{context.word('count', w)} = S[{COUNT}]\n{listed}{checked}"
    return (
        f"{context.word('count', w)} += S[{COUNT}] - S[{ALSO}]\n"
        f"if S[{ALSO}] > 0:\n    {context.word('listed', w)} = 0\n{checked}"
    )


def swapped(context: Context, w: int, checked: str = "0") -> str:
    """Exchange the arrays of a vector with the other ones, and clean the old ones."""
    if context.facts.slots[w].full:
        return f"v{w}, w{w} = w{w}, v{w}\n{context.word('swapped', w)} ^= 1\n"
    swaps = "".join(f"{a}{w}, {b}{w} = {b}{w}, {a}{w}\n" for a, b in BUFFERS)
    count, listed = context.word("count", w), context.word("listed", w)
    return (
        f"{swaps}{context.word('swapped', w)} ^= 1\nclean(g{w}, m{w}, {count}, {listed} != 0)\n"
        f"{count} = S[{COUNT}]\n{listed} = 1\n{context.word('checked', w)} = {checked}\n"
    )


CLEAN = """\
@kernel
def clean(flags, entries, count, listed):
    if listed and count * 8 < len(flags):
        for t in range(U(count)):
            flags[U(entries[t])] = False
    elif count:
        flags[:] = False


"""


def clear(context: Context, step: BodyStep) -> str:
    w = step.out
    slot = context.facts.slots[w]
    count, listed = context.word("count", w), context.word("listed", w)
    clean = f"clean(f{w}, l{w}, {count}, {listed} != 0)\n" if slot.listed else f"f{w}[:] = False\n"
    return f"{clean}{count} = 0\n{listed} = {int(slot.listed)}\n{context.word('checked', w)} = 0\n"


# --- the result of a step at position i
# --------------------------------------------------------------------------------


def _result(context: Context, step: BodyStep) -> tuple[str, str, np.dtype]:
    """Whether there is a result at position i; the lines that put it into ``value``; and its type."""
    load, vectors = context.inliner.load, [arg for arg in step.args if arg.kind == "vector"]
    slots = context.facts.slots
    if step.kind == Kind.ASSIGN:
        (arg,) = step.args
        if arg.kind == "vector":
            return context.has(arg.number), f"value = {context.at(arg.number)}\n", slots[arg.number].dtype
        return "True", f"value = {context.scalar(arg, arg.dtype)}\n", arg.dtype
    if step.kind == Kind.COPY:
        number = vectors[0].number
        return context.has(number), f"value = {context.at(number)}\n", slots[number].dtype
    op = getattr(step.op, "binaryop", step.op)

    def read(arg: Operand, dtype: np.dtype) -> str:
        return load(context.at(arg.number), slots[arg.number].dtype, dtype)

    if step.kind in (Kind.ADD, Kind.MULT, Kind.UNION):
        return _two(context, step, op, vectors)
    x, kind = vectors[0], op.return_type.np_type
    has = context.has(x.number)
    if step.kind == Kind.APPLY:
        return has, f"x = {read(x, op.type.np_type)}\nvalue = {context.inliner.of_vectors(op, x='x')}\n", kind
    if step.kind in (Kind.APPLY_LEFT, Kind.APPLY_RIGHT):
        left, right = (
            read(arg, wanted.np_type) if arg.kind == "vector" else context.scalar(arg, wanted.np_type)
            for arg, wanted in zip(step.args, (op.type, op.type2), strict=True)
        )
        return has, f"x = {left}\ny = {right}\nvalue = {context.inliner.of_vectors(op, x='x', y='y')}\n", kind
    if step.kind in (Kind.APPLY_INDEX, Kind.SELECT):
        y = f"y = {context.scalar(step.args[1], op.type2.np_type)}\n"
        call = context.inliner.call(op, x="x", i="np.int64(i)", j="np.int64(0)", y="y")
        if step.kind == Kind.APPLY_INDEX:
            return has, f"x = {read(x, op.type.np_type)}\n{y}value = {call}\n", kind
        stored, test = slots[x.number].dtype, f"keeps_{step.number}({context.at(x.number)}, S, F, i)"
        context.functions.append(
            f"@kernel\ndef keeps_{step.number}(x, S, F, i):\n    x = {load('x', stored, op.type.np_type)}\n"
            f"    {y}    return {load(call, kind, np.dtype(bool))}\n\n\n"
        )
        return both(has, test), f"value = {context.at(x.number)}\n", stored
    raise AssertionError(f"{step.kind} does not go position by position")


def _two(context: Context, step: BodyStep, op: TypedOperator, vectors: list[Operand]) -> tuple[str, str, np.dtype]:
    kind, slots = op.return_type.np_type, context.facts.slots
    has_x, has_y = (context.has(arg.number) for arg in vectors)
    x_type, y_type = (slots[arg.number].dtype for arg in vectors)
    scalars = zip((arg for arg in step.args if arg.kind != "vector"), (op.type, op.type2), strict=False)
    defaults = tuple(context.scalar(arg, wanted.np_type) for arg, wanted in scalars)
    form = Form(op, (x_type, y_type), EACH, EACH, kind, defaults)
    x, y = (context.at(arg.number) for arg in vectors)
    text = Text(form, x, y, "value", context.inliner)
    return *text.combined(has_x, has_y, step.kind != Kind.MULT), kind
