"""The text of the heaviest groups of rows: those of the list of wanted rows, or of all."""

from __future__ import annotations

from textwrap import indent

import numpy as np

from ...programs.terms import BodyStep, Operand, Unfusable
from ..groups import ROW
from .context import Context, listing
from .emit_positions import Pass, swapped, wrong_index

FLOAT, NUMBER = np.dtype(np.float64), np.dtype(np.int64)


def heaviest(context: Context, at: int, step: BodyStep) -> Pass:
    matrix, groups, handicap, rows, factors, diagonal = step.args
    slots, w, store = context.facts.slots, step.out, context.facts.matrices[matrix.number]
    beside = [arg.number for arg in (groups, handicap, factors, diagonal) if arg.kind == "vector"]
    if not all(slots[number].full for number in beside):
        raise Unfusable("heaviest groups of which a position may have none", step.number)

    def read(arg: Operand, place: str, dtype: np.dtype) -> str:
        if arg.kind != "vector":
            return "1.0"
        slot = slots[arg.number]
        return context.inliner.load(f"v{arg.number}[{'0' if slot.iso else place}]", slot.dtype, dtype)

    end, drivers = f"{matrix.number}_0", context.facts.drivers(step)
    wanted = [rows.number] if rows.kind == "vector" else []
    vectors = [name for number in beside + wanted for name in context.arrays(number)]
    names = ["S", *(f"{letter}{end}" for letter in "pjx"), *vectors, *context.arrays(w, "gwm")]
    arguments = listing(names) + (["L", "listed"] if drivers else [])
    ncols = context.word("size", groups.number)
    cost = f"{read(handicap, 'U(group)', FLOAT)} * {read(factors, 'i', FLOAT)}"
    row = ROW.format(
        offsets=f"p{end}",
        columns=f"j{end}",
        group_of_j=read(groups, "j", NUMBER),
        check=f"if U(group) >= U({ncols}):\n        return -1, 0\n    ",
        cost=cost if handicap.kind == "vector" else "0.0",
        has_diagonal=diagonal.kind == "vector",
        diagonal=read(diagonal, "i", FLOAT),
        value=f"x{end}[{'0' if store.iso else 'start + t'}]",
    )
    skip = "".join(f"if not {context.has(number)}:\n    continue\n" for number in wanted)
    body = f"{skip}{row}g{w}[i] = True\nw{w}[i] = first\nm{w}[n] = i\nn += U(1)\n"
    context.functions.append(
        f"@kernel\ndef step{at}({', '.join(arguments)}, lo, hi):\n    n = U(lo)\n"
        f"    sums = np.empty({ncols})\n    near = np.empty({context.word('longest', matrix.number)}, np.int64)\n"
        f"    for r in range(U(lo), U(hi)):\n        i = {'U(L[r]) if listed else r' if drivers else 'r'}\n"
        f"{indent(body, ' ' * 8)}    return np.int64(n) - lo, 0\n\n\n"
    )
    size, load = context.word("size", w), context.word("per_row", matrix.number)
    return Pass(f"step{at}", arguments, drivers, size, wrong_index(step) + swapped(context, w), load)
