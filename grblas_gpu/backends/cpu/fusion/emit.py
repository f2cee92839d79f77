"""The text of a loop: a function for each step, and one that repeats them while the condition holds.

``kernel`` runs all steps, one after another. It returns to the host when it is done, after some time (so that users can
interrupt it), and before a step with enough work for several threads: the host then calls the step's function for parts
of the work, and the kernel continues after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import indent
from typing import assert_never

from ...programs.lower import Body
from ...programs.requests import direction_of
from ...programs.steps import REDUCTIONS, SCATTERS
from ...programs.terms import BodyStep, Kind
from ..compile import Source
from . import context as c, emit_scalars
from .analyse import Analysis, analyse
from .context import Context, listing
from .emit_flow import begin, end
from .emit_groups import heaviest
from .emit_positions import CLEAN, Pass, clear, position
from .emit_products import CONSTANTS, KEEP_DENSE, ProductText, drives, product
from .emit_scatters import scatter


@dataclass(frozen=True, eq=False)
class LoopText:
    """The text of a loop, and its arguments. It outlives the objects that it was made for."""

    source: Source
    facts: Analysis
    arguments: Sequence[str]
    words: dict[tuple, int]
    floats: dict[tuple, int]
    passes: dict[int, Pass]
    products: dict[int, ProductText]


def loop_text(body: Body) -> LoopText:
    facts = analyse(body)
    context = Context(facts)
    passes: dict[int, Pass] = {}
    products: dict[int, ProductText] = {}
    blocks = [_block(context, at, step, passes, products) for at, step in enumerate(facts.steps)]
    goes_on = emit_scalars.condition(context, facts.condition, "goes_on")
    arguments = _arguments(facts)
    lines = "".join(f"{indent(block, ' ' * 8)}" for block in blocks)
    kernel = (
        f"@kernel\ndef kernel({', '.join(arguments)}):\n    while True:\n        if S[{c.AT}] == 0:\n"
        f"            if S[{c.STEP}] >= S[{c.LIMIT}] or not ({goes_on}):\n                return {c.DONE}\n"
        f"            if S[{c.WORK}] > S[{c.BUDGET}]:\n                return {c.PAUSED}\n            S[{c.AT}] = 2\n"
        f"{lines}        S[{c.STEP}] += 1\n        S[{c.WORK}] += 16\n        S[{c.AT}] = 0\n"
    )
    text = f"{context.inliner.header()}{CONSTANTS}\n\n{CLEAN}{KEEP_DENSE}{''.join(context.functions)}{kernel}"
    source = text, context.inliner.functions
    return LoopText(source, facts, arguments, context.words, context.floats, passes, products)


def _arguments(facts: Analysis) -> list[str]:
    """The arrays of all vectors and matrices, without those that are known to be unused."""
    context = Context(facts)
    names = ["S", "F"]
    for number in range(len(facts.slots)):
        names += context.arrays(number, "fvlgwm")
    for done in facts.products.values():
        for push in (True, False):
            side = context.side(done, push)
            names += filter(None, (side.indptr, side.indices, side.first))
        if done.structure and done.first:
            names.append(f"x{done.matrix}_0")
        if facts.searches(done):
            names.append(context.hubs(done))
    for step in facts.steps:
        if step.kind in (Kind.ROW, Kind.HEAVIEST_GROUPS):
            names += [f"{letter}{step.args[0].number}_0" for letter in "pjx"]
    return listing(names)


def _block(context: Context, at: int, step: BodyStep, passes: dict[int, Pass], products: dict[int, ProductText]) -> str:
    """A step in the kernel: before its work, and after it."""
    before, after = 2 * at + 2, 2 * at + 3
    work, then, found = "", "", None
    match step.kind:
        case Kind.BEGIN:
            return begin(context, at, step)
        case Kind.END:
            return end(context, at)
        case Kind.VXM | Kind.MXV:
            made = products[at] = product(context, at, step)
            work, then = _multiply(context, at, step, made), made.after
        case Kind.SCALAR_ASSIGN | Kind.SCALAR_ADD | Kind.SCALAR_MULT:
            work = emit_scalars.scalar(context, at, step)
        case Kind.SCALAR_APPLY | Kind.SCALAR_APPLY_LEFT | Kind.SCALAR_APPLY_RIGHT:
            work = emit_scalars.scalar(context, at, step)
        case Kind.CLEAR:
            work = clear(context, step)
        case Kind.ROW:
            work, found = emit_scalars.row(context, at, step)
        case Kind.HEAVIEST_GROUPS:
            found = heaviest(context, at, step)
        case Kind.SCATTER | Kind.SCATTER_ANY | Kind.SCATTER_ONCE:
            found = scatter(context, at, step)
        case Kind.REDUCE | Kind.REDUCE_IDENTITY:
            found = emit_scalars.reduce(context, at, step)
        case Kind.COPY | Kind.ASSIGN | Kind.ADD | Kind.MULT | Kind.UNION | Kind.GATHER | Kind.SELECT:
            work, found = _values_needed(context, step), position(context, at, step)
        case Kind.APPLY | Kind.APPLY_LEFT | Kind.APPLY_RIGHT | Kind.APPLY_INDEX:
            work, found = _values_needed(context, step), position(context, at, step)
        case _:
            assert_never(step.kind)
    if found is not None:
        passes[at] = found
        work, then = work + _go_over(context, at, step, found), found.after
    head = f"if S[{c.AT}] == {before}:\n{indent(work, '    ')}    S[{c.AT}] = {after}\n"
    return f"{head}if S[{c.AT}] == {after}:\n{indent(then, '    ')}    S[{c.AT}] = {after + 1}\n"


def _values_needed(context: Context, step: BodyStep) -> str:
    """The host runs a step that needs the value of a Scalar which is empty."""
    return "".join(
        f"if {context.word('present', arg.number)} == 0:\n    return {c.INTERPRET - step.number}\n"
        for arg in step.args
        if arg.kind == "variable"
    )


def _go_over(context: Context, at: int, step: BodyStep, done: Pass) -> str:
    """A pass, by the shortest list of a vector that has one, or over all positions."""
    text = f"n = {done.size}\nS[{c.BY}] = -1\n"
    call = list(done.arguments)
    if done.drivers:
        text += f"L = l{done.drivers[0]}\n"
        for number in done.drivers:
            listed, count = context.word("listed", number), context.word("count", number)
            text += f"if {listed} != 0 and {count} <= n:\n    n = {count}\n"
            text += f"    L = l{number}\n    S[{c.BY}] = {number}\n"
        call[-1] = f"S[{c.BY}] >= 0"
    text += f"S[{c.N}] = n\n"
    for arg in step.args:
        if arg.kind == "variable" and step.kind in SCATTERS:  # nothing is written elsewhere
            text += f"if {context.word('present', arg.number)} == 0:\n    n = 0\n"
    if step.kind != Kind.ROW and step.kind not in SCATTERS:  # which are for one thread
        text += f"if n * {done.load} > S[{c.LIGHT}]:\n    return {at + 1}\n"
    text += f"S[{c.WORK}] += n * {done.load}\n"
    if step.kind not in REDUCTIONS:
        return text + f"S[{c.COUNT}], S[{c.ALSO}] = {done.name}({', '.join(call)}, 0, n)\n"
    kept = f"F[0] = total{at}\n" if step.op.type.np_type.kind == "f" else f"S[{c.RESULT}] = np.int64(total{at})\n"
    total = f"S[{c.COUNT}], total{at} = {done.name}({', '.join(call)}, 0, n)"
    return f"{text}S[{c.COUNT}] = 0\nif n > 0:\n    {total}\n    {kept}"


def _multiply(context: Context, at: int, step: BodyStep, made: ProductText) -> str:
    """A product: its plan, and a push or a pull; or the host does that."""
    u, slot, mask = context.facts.products[at].operand, context.facts.slots, step.mask
    columns, is_list, n = f"m{step.out}", "False", context.word("size", u)
    pushed = f"n = {n}\n"
    if not slot[u].full:
        columns, is_list = f"l{u}", f"{context.word('listed', u)} != 0"
        pushed += f"if {is_list}:\n    n = {context.word('count', u)}\n"
    push = f"{pushed}S[{c.COUNT}] = push{at}({', '.join(made.push)}, {columns}, {is_list}, 0, n)\n"
    rows, is_list = f"m{step.out}", "False"
    pulled = f"n = {context.word('rows', at)}\n"
    if mask is not None and drives(context, mask):
        rows, is_list = f"l{mask.vector}", f"{context.word('listed', mask.vector)} != 0"
        pulled += f"if {is_list}:\n    n = {context.word('count', mask.vector)}\n"
    pull = f"{pulled}S[{c.COUNT}] = pull{at}({', '.join(made.pull)}, {rows}, {is_list}, 0, n)\n"
    other = f"if {context.word('both', at)} == 0:\n    return {c.TRANSPOSE + at}\n"
    push += f"S[{c.WORK}] += S[{c.EDGES}]\n"
    pull = f"{other}{pull}S[{c.WORK}] += S[{c.LOAD}]\n{context.word('pulls', at)} += 1\n"
    text = f"{made.plan}\nif S[{c.TRACED}] != 0 or S[{c.LOAD}] > S[{c.HEAVY}]:\n    return {at + 1}\n"
    if direction_of(step) == "push":  # functions that are never called are not compiled
        return text + push
    return f"{text}if S[{c.PUSH}] != 0:\n{indent(push, '    ')}else:\n{indent(pull, '    ')}"
