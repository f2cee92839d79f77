"""The text of sums of vectors, rows of matrices, arithmetic on Scalars, and the condition of a loop."""

from __future__ import annotations

from textwrap import indent
from typing import Any

import numpy as np

from ...programs.terms import BodyStep, Kind, Unfusable
from ..inline import literal
from .context import COUNT, INT64, INTERPRET, RESULT as KEPT, Context, listing
from .emit_positions import Pass, swapped

RESULT = ("result",)


def reduce(context: Context, at: int, step: BodyStep) -> Pass:
    """All entries of a vector combined, by parts: each returns the number of its entries, and their result."""
    monoid, number = step.op, step.args[0].number
    slot, kind = context.facts.slots[number], step.op.type.np_type
    value = context.inliner.load(context.at(number), slot.dtype, kind)
    add = context.inliner.call(monoid.binaryop, x="total", y="value")
    names, drivers = context.arrays(number), [number] if slot.listed and not slot.full else []
    arguments = [*names, *(["L", "listed"] if drivers else [])]
    combine = f"value = {value}\nif n == 0:\n    total = value\nelse:\n    total = {add}\nn += 1\n"
    if slot.full:  # which is what a processor can do many of at a time
        text = (
            f"    i = U(lo)\n    total = {value}\n    for i in range(U(lo) + U(1), U(hi)):\n"
            f"        value = {value}\n        total = {add}\n    return hi - lo, total\n"
        )
    else:
        where = "U(L[t]) if listed else t" if drivers else "t"
        text = (
            f"    n = 0\n    total = {literal(0, kind)}\n    for t in range(U(lo), U(hi)):\n        i = {where}\n"
            f"        if {context.has(number)}:\n{indent(combine, ' ' * 12)}    return n, total\n"
        )
    context.functions.append(f"@summing_kernel\ndef step{at}({', '.join(arguments)}, lo, hi):\n{text}\n\n")
    return Pass(f"step{at}", listing(arguments), drivers, context.word("size", number), _sum(context, step))


def _sum(context: Context, step: BodyStep) -> str:
    """The use of the result of a reduction: an empty result is not accumulated."""
    monoid, kind, out = step.op, step.op.type.np_type, context.facts.variables[step.out]
    present = context.word("present", step.out)
    result = context.typed(kind, *RESULT) if kind.kind == "f" else context.inliner.load(f"S[{KEPT}]", INT64, kind)
    text = f"found = S[{COUNT}] > 0\n"
    if step.kind == Kind.REDUCE_IDENTITY:
        keep = "F[0]" if kind.kind == "f" else f"S[{KEPT}]"
        value = literal(monoid.identity, kind)
        text += f"if not found:\n    {keep} = {value if kind.kind == 'f' else f'np.int64({value})'}\n    found = True\n"
    alone = context.stored(out, context.inliner.load(result, kind, out), "variable", step.out)
    if step.accum is None:
        return f"{text}{present} = found\nif found:\n    {alone}\n"
    accum = getattr(step.accum, "binaryop", step.accum)
    if accum.positional is not None:
        raise Unfusable(f"{accum} as an accumulator", step.number)
    name = f"accumulate{len(context.functions)}"
    left = context.inliner.load("x", out, accum.type.np_type)
    right = context.inliner.load("y", kind, accum.type2.np_type)
    call = context.inliner.load(context.inliner.call(accum, x="x", y="y"), accum.return_type.np_type, out)
    context.functions.append(f"@kernel\ndef {name}(x, y):\n    x = {left}\n    y = {right}\n    return {call}\n\n\n")
    both = context.stored(out, f"{name}({context.typed(out, 'variable', step.out)}, {result})", "variable", step.out)
    return f"{text}if found:\n    if {present} != 0:\n        {both}\n    else:\n        {alone}\n    {present} = 1\n"


def row(context: Context, at: int, step: BodyStep) -> tuple[str, Pass]:
    """A row of a matrix is a list already. Also the lines that find it; the host raises errors about its number."""
    if step.accum is not None or step.mask is not None:
        raise Unfusable("a row of a Matrix through a mask or an accumulator", step.number)
    matrix, index = step.args
    w, slot, store = step.out, context.facts.slots[step.out], context.facts.matrices[matrix.number]
    end = f"{matrix.number}_0"
    arguments = [f"p{end}", f"j{end}", f"x{end}", *context.arrays(w, "gm" if slot.iso else "gwm"), "row"]
    value = context.inliner.load(f"x{end}[{'0' if store.iso else 'p'}]", store.dtype, slot.dtype)
    keep = "" if slot.iso else f"        w{w}[i] = {value}\n"
    context.functions.append(
        f"@kernel\ndef step{at}({', '.join(arguments)}, lo, hi):\n    first = U(p{end}[row])\n"
        f"    for t in range(U(lo), U(hi)):\n        p = first + t\n        i = U(j{end}[p])\n"
        f"        g{w}[i] = True\n        m{w}[t] = i\n{keep}    return hi - lo, 0\n\n\n"
    )
    find = (
        f"row = {context.scalar(index, np.dtype(np.int64))}\n"
        f"if row < 0 or row >= {context.word('nrows', matrix.number)}:\n    return {INTERPRET - step.number}\n"
    )
    one = f"w{w}[0] = {value}\n" if slot.iso else ""
    size = f"np.int64(p{end}[row + 1] - p{end}[row])"
    return find, Pass(f"step{at}", arguments, [], size, one + swapped(context, w))


def scalar(context: Context, at: int, step: BodyStep) -> str:
    """A step on Scalars, inlined in the loop."""
    if step.accum is not None:
        raise Unfusable("a Scalar with an accumulator", step.number)
    out = context.facts.variables[step.out]
    has = [context.present(arg) for arg in step.args]
    keep = f"{context.word('present', step.out)} = %s\n"
    if step.kind == Kind.SCALAR_ASSIGN:
        value = context.stored(out, context.scalar(step.args[0], out), "variable", step.out)
        return f"found = {has[0]}\nif found:\n    {value}\n{keep % 'found'}"
    op = getattr(step.op, "binaryop", step.op)
    if op.positional is not None:
        raise Unfusable(f"{op} of Scalars", step.number)
    both = context.stored(out, f"number{at}(S, F)", "variable", step.out)
    names = "xy"[: len(step.args)]
    lines = "".join(
        f"    {name} = {context.scalar(arg, wanted.np_type)}\n"
        for name, arg, wanted in zip(names, step.args, (op.type, op.type2)[: len(names)], strict=True)
    )
    call = context.inliner.load(context.inliner.call(op, **{name: name for name in names}), op.return_type.np_type, out)
    context.functions.append(f"@kernel\ndef number{at}(S, F):\n{lines}    return {call}\n\n\n")
    if step.kind == Kind.SCALAR_ADD:
        left, right = (
            context.stored(
                out,
                context.inliner.load(context.scalar(arg, op.return_type.np_type), op.return_type.np_type, out),
                "variable",
                step.out,
            )
            for arg in step.args
        )
        return (
            f"first = {has[0]}\nsecond = {has[1]}\nif first and second:\n    {both}\nelif first:\n    {left}\n"
            f"elif second:\n    {right}\n{keep % '(first or second)'}"
        )
    if step.kind == Kind.SCALAR_MULT:
        return f"found = {has[0]} and {has[1]}\nif found:\n    {both}\n{keep % 'found'}"
    return _applied(context, step, both, keep)


def _applied(context: Context, step: BodyStep, both: str, keep: str) -> str:
    """An operator on a Scalar: empty gives empty, but its bound operand must have a value (or the host raises)."""
    bound = {Kind.SCALAR_APPLY_LEFT: 0, Kind.SCALAR_APPLY_RIGHT: 1}.get(step.kind)
    lines = ""
    for number, arg in enumerate(step.args):
        present = context.present(arg)
        if present != "True" and number == bound:
            lines += f"if not {present}:\n    return {INTERPRET - step.number}\n"
    free = next(arg for number, arg in enumerate(step.args) if number != bound)
    return f"{lines}found = {context.present(free)}\nif found:\n    {both}\n{keep % 'found'}"


def condition(context: Context, given: Any, name: str) -> str:
    """Whether a loop continues; ``name`` is for the function that compares."""
    kind, *rest = given
    if kind == "always":
        return "True"
    if kind == "entries":
        return f"{context.count(rest[0])} > 0"
    if kind == "true":
        (operand,) = rest
        return f"({context.present(operand)} and {context.scalar(operand, np.dtype(bool))})"
    op, operands = rest
    op = getattr(op, "binaryop", op)
    lines = "".join(
        f"    {side} = {context.scalar(arg, wanted.np_type)}\n"
        for side, arg, wanted in zip("xy", operands, (op.type, op.type2), strict=True)
    )
    call = context.inliner.load(context.inliner.call(op, x="x", y="y"), op.return_type.np_type, np.dtype(bool))
    context.functions.append(f"@kernel\ndef {name}(S, F):\n{lines}    return {call}\n\n\n")
    present = [text for text in map(context.present, operands) if text != "True"]
    return " and ".join([*present, f"{name}(S, F)"])
