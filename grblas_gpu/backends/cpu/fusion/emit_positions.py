"""The text of steps that run position by position: one function each, over a part of a list or of all positions."""

from __future__ import annotations

from textwrap import indent
from typing import Any, NamedTuple

import numpy as np

from ....foundation.types import TypedOperator
from ...programs.steps import overwrites
from ...programs.terms import BodyStep, Kind, Operand, Unfusable
from ..inline import static_cast
from .context import ALSO, BUFFERS, COUNT, INTERPRET, Context, listing


class Pass(NamedTuple):
    """A function that runs a step, how to call it, and the statements after it."""

    name: str
    arguments: list[str]
    drivers: list[int]  # the vectors whose lists it may follow
    size: str  # how many positions there are otherwise
    after: str


def position(context: Context, at: int, step: BodyStep) -> Pass:
    facts, w, slot = context.facts, step.out, context.facts.slots[step.out]
    drivers, swaps = facts.drivers(step), facts.swaps(step)
    computed, first = _gathered(context, step) if step.kind == Kind.GATHER else (_result(context, step), "")
    names = [name for arg in step.args if arg.kind == "vector" for name in context.arrays(arg.number)]
    names += context.arrays(step.mask.vector) if step.mask is not None else []
    names += context.arrays(w, "gwm" if swaps else "fvl")
    arguments = ["S", "F", *listing(names), *(["L", "listed"] if drivers else [])]
    if overwrites(step):
        inside = _overwriting(context, step, computed, "gwm" if swaps else "fvl")
        head, result = "n = U(lo)", "np.int64(n) - lo, 0"
    else:
        inside = _changing(context, step, computed)
        head = f"added = removed = 0\nkeeps = {context.word('listed', w)} != 0\nn = U({context.word('count', w)})"
        result = "added, removed"
    where = "U(L[t]) if listed else t" if drivers else "t"
    context.functions.append(
        f"@kernel\ndef step{at}({', '.join(arguments)}, lo, hi):\n{indent(head, '    ')}\n"
        f"    for t in range(U(lo), U(hi)):\n        i = {where}\n{indent(first + inside, ' ' * 8)}"
        f"    return {result}\n\n\n"
    )
    after = (wrong_index(step) if step.kind == Kind.GATHER else "") + _after(context, step, swaps, slot.full)
    return Pass(f"step{at}", arguments, drivers, context.word("size", w), after)


def wrong_index(step: BodyStep) -> str:
    """Returns to the host, which raises the error about the index; no visible output has been written."""
    return f"if S[{COUNT}] < 0:\n    return {INTERPRET - step.number}\n"


def _gathered(context: Context, step: BodyStep) -> tuple[tuple[str, str, np.dtype], str]:
    """``v[index]``: an entry where the index has one, and v has one there. Also the lines that compute the place."""
    source, index = (arg.number for arg in step.args)
    slot, has = context.facts.slots[source], context.has(index)
    lines = "" if has == "True" else f"if not {has}:\n    continue\n"
    lines += f"k = U({context.at(index)})\nif k >= U({context.word('size', source)}):\n    return -1, 0\n"
    value = f"value = v{source}[{'0' if slot.iso else 'k'}]\n"
    return ("True" if slot.full else f"f{source}[k]", value, slot.dtype), lines


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
    opened = context.opened(step.mask)
    test = found if opened == "True" else opened if found == "True" else f"{opened} and {found}"
    text = f"if {test}:\n{indent(store, '    ')}"
    return text if letters == "gwm" else f"{text}else:\n    {flags}{w}[i] = False\n"


def _changing(context: Context, step: BodyStep, result: tuple[str, str, np.dtype]) -> str:
    """Position i of an output that is changed in place."""
    found, lines, kind = result
    w, slot = step.out, context.facts.slots[step.out]
    has = context.has(w)
    remove = f"if {has}:\n    f{w}[i] = False\n    removed += 1\n"
    new = "" if slot.full else f"f{w}[i] = True\nadded += 1\n"
    if slot.listed and not slot.full:
        new += f"if keeps:\n    l{w}[n] = i\n    n += U(1)\n"
    if step.accum is None:
        write = f"{lines}v{w}[i] = {context.inliner.load('value', kind, slot.dtype)}\n"
        write += "" if slot.full else f"if not {has}:\n{indent(new, '    ')}"
        text = write if found == "True" else f"if {found}:\n{indent(write, '    ')}"
        if found != "True" and not slot.full:
            text += f"else:\n{indent(remove, '    ')}"
    else:
        accum = getattr(step.accum, "binaryop", step.accum)
        if accum.positional is not None:
            raise Unfusable(f"{accum} as an accumulator", step.number)
        left = context.inliner.load(f"v{w}[i]", slot.dtype, accum.type.np_type)
        right = context.inliner.load("value", kind, accum.type2.np_type)
        both = f"before = {left}\nafter = {right}\n"
        combined = context.inliner.call(accum, x="before", y="after")
        both += f"v{w}[i] = {context.inliner.load(combined, accum.return_type.np_type, slot.dtype)}\n"
        alone = f"v{w}[i] = {context.inliner.load('value', kind, slot.dtype)}\n{new}"
        write = lines + (both if slot.full else f"if {has}:\n{indent(both, '    ')}else:\n{indent(alone, '    ')}")
        text = write if found == "True" else f"if {found}:\n{indent(write, '    ')}"
    opened = context.opened(step.mask)
    if opened == "True":
        return text
    text = f"if {opened}:\n{indent(text, '    ')}"
    return text + (f"else:\n{indent(remove, '    ')}" if step.replace and not slot.full else "")


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
        return _two(context, step, op, vectors, read)
    x, kind = vectors[0], op.return_type.np_type
    has = context.has(x.number)
    if step.kind == Kind.APPLY:
        return has, f"x = {read(x, op.type.np_type)}\nvalue = {_call(context, op, x='x')}\n", kind
    if step.kind in (Kind.APPLY_LEFT, Kind.APPLY_RIGHT):
        left, right = (
            read(arg, wanted.np_type) if arg.kind == "vector" else context.scalar(arg, wanted.np_type)
            for arg, wanted in zip(step.args, (op.type, op.type2), strict=True)
        )
        return has, f"x = {left}\ny = {right}\nvalue = {_call(context, op, x='x', y='y')}\n", kind
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
        return (test if has == "True" else f"({has} and {test})"), f"value = {context.at(x.number)}\n", stored
    raise AssertionError(f"{step.kind} does not go position by position")


def _two(
    context: Context, step: BodyStep, op: TypedOperator, vectors: list[Operand], read: Any
) -> tuple[str, str, np.dtype]:
    left, right, kind = op.type.np_type, op.type2.np_type, op.return_type.np_type
    has = [context.has(arg.number) for arg in vectors]
    both = f"x = {read(vectors[0], left)}\ny = {read(vectors[1], right)}\nvalue = {_call(context, op, x='x', y='y')}\n"
    if step.kind == Kind.MULT:
        return " and ".join(part for part in has if part != "True") or "True", both, kind
    found = "True" if "True" in has else f"({has[0]} or {has[1]})"
    if has == ["True", "True"]:
        return found, both, kind
    if step.kind == Kind.UNION:
        scalars = [arg for arg in step.args if arg.kind != "vector"]
        lines = ""
        for name, arg, there, default, wanted in zip("xy", vectors, has, scalars, (left, right), strict=True):
            lines += f"if {there}:\n    {name} = {read(arg, wanted)}\n"
            lines += f"else:\n    {name} = {context.scalar(default, wanted)}\n"
        return found, f"{lines}value = {_call(context, op, x='x', y='y')}\n", kind
    alone = [f"value = {read(arg, kind)}\n" for arg in vectors]
    return (
        found,
        f"if {has[0]} and {has[1]}:\n{indent(both, '    ')}elif {has[0]}:\n    {alone[0]}else:\n    {alone[1]}",
        kind,
    )


def _call(context: Context, op: TypedOperator, **operands: str) -> str:
    if op.positional is None:
        return context.inliner.call(op, **operands)
    if op.indexed:
        return context.inliner.indexed(
            op, **operands, at={"firsti": "i", "firstj": "0", "secondi": "i", "secondj": "0"}
        )
    place = "i" if op.positional.endswith("i") else "0"
    return static_cast(op.return_type.np_type, f"np.int64({place}) + {op.offset}")
