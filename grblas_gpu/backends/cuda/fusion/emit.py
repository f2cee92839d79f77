"""The text of a program: one kernel in which a team of blocks repeats the steps of a schedule.

Products are the functions of ``kernels/loop_mxv.cuh``, everything else runs position by position
(``kernels/slot.cuh``), over the list of an operand where one has few entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...programs.lower import Body, BodyStep
from ..eager.mxv_product import Product as Kind
from ..runtime import compile as programs
from ..runtime.translate import c_type
from . import emit_kernel, emit_sums
from .analyse import SlotFacts, analyse
from .emit_barriers import barrier, cleaning
from .emit_chains import chain
from .emit_context import MOST_BLOCKS, PER_STEP, Context
from .emit_positions import position
from .emit_products import COMMON, product
from .items import Barrier, Clean, Item, Positions, Product, Reduce, Row, Schedule
from .layout import HEAD, WORDS, Layout, declarations
from .schedule import schedule

THREADS = 512  # in a block
BLOCKS = 2  # in a processor: more make barriers slower, and have fewer registers
CLUSTER = 8  # blocks, as in kernels/grid_barrier.cuh, where a device has clusters
TIME_SLICE = 200_000_000  # nanoseconds after which the host gets a chance to interrupt
MATRIX_WORDS = ("columns", "rows", "hub_neighbours", "nvals", "nrows", "once")


@dataclass(frozen=True, eq=False)
class LoopKernel:
    """The text of a kernel, and the words that it wants. It outlives the objects that it was made for."""

    text: str
    layout: Layout
    slots: Sequence[SlotFacts]
    initial_values: dict[int, Any]
    copied: Sequence[int]  # whose sizes the hidden vectors have
    products: Sequence[tuple[BodyStep, Kind]]
    counters: int
    reductions: int
    starts: Sequence[int]  # words that say where each vector's entries come from
    matrix_words: Sequence[tuple[int, str, str, int, bool]]  # words that belong to matrices


def kernel_of(body: Body) -> LoopKernel:
    return emit(schedule(analyse(body)))


def emit(order: Schedule) -> LoopKernel:
    facts = order.facts
    layout = Layout(len(facts.slots), len(facts.variables))
    context = Context(facts, layout)
    counters = max(PER_STEP * (len(facts.steps) + 1), len(facts.slots) + 1)
    text = _text(context, order, counters)
    names = layout.names
    return LoopKernel(
        text,
        layout,
        facts.slots,
        facts.initial_values,
        facts.copied,
        [(facts.steps[at], kind) for at, kind in facts.products.items()],
        counters,
        order.reductions,
        [names.get(("start", number), 0) for number in range(len(facts.slots))],
        [(at, side, *_matrix_word(side, rest)) for (side, *rest), at in names.items() if side in MATRIX_WORDS],
    )


def _text(context: Context, order: Schedule, counters: int) -> str:
    facts, layout = context.facts, context.layout
    plan, steps = _round(context, order.items)
    kernel = emit_kernel.KERNEL.format(
        threads=THREADS,
        blocks=BLOCKS,
        prologue=emit_kernel.prologue(context),
        condition=emit_kernel.condition(context),
        small=emit_kernel.small(facts),
        plan=plan,
        steps=steps,
        finish=emit_kernel.epilogue(facts),
        counters=counters,
        state_words=layout.state_words,
        report_text=emit_kernel.report(layout),
        **{name: context.word(name) for name in WORDS},
    )
    slots = "".join(f"    Slot<{c_type(slot.dtype)}> s{n};\n" for n, slot in enumerate(facts.slots))
    variables = "".join(f"    Variable c{n};\n" for n in range(len(facts.variables)))
    head = (
        f"constexpr int64 SETS_OF_COUNTERS = 3, COUNTERS_IN_SET = {counters};\n"
        f"constexpr int64 MOST_BLOCKS = {MOST_BLOCKS};\n"
        f"constexpr uint64 TIME_SLICE = {TIME_SLICE};\n"
        f"struct State {{\n{HEAD.members}{slots}{variables}}};\n"
        f"struct Words {{\n    int64 word[{layout.size}];\n}};\n"
    )
    pasted: set[str] = set()
    first, *others = (programs.paste(name, pasted) for name in COMMON)  # in this order
    common = f"{first}{declarations()}{''.join(others)}"
    return f'{common}#line 1 "generated for a loop"\n{head}{"".join(context.pieces)}{kernel}'


def _round(context: Context, items: Sequence[Item]) -> tuple[str, str]:
    """The plan of the product that comes first, for the end of the round before; and everything in a round."""
    ahead, texts = "", []
    sums: dict[int, str] = {}
    for item in items:
        texts.append(_comments(context, item))
        if isinstance(item, Product):
            made = product(context, item)
            texts.append(made.text)
            if item.planned_ahead:
                ahead = made.plan
        elif isinstance(item, Reduce):
            parts = emit_sums.parts(context, item)
            texts.append(emit_sums.sum_of_entries(context, item, parts))
            sums[item.step] = emit_sums.sum_of_blocks(context, item.step, parts)
        elif isinstance(item, Barrier):
            texts.append(barrier(context, item, sums))
        elif isinstance(item, Clean):
            texts.append(cleaning(context, item.slot))
        elif isinstance(item, Positions):
            texts.append(position(context, item) if len(item.steps) == 1 else chain(context, item))
        elif isinstance(item, Row):
            texts.append(emit_sums.row(context, item))
        else:
            texts.append(emit_sums.scalar_step(context, item))
    return ahead, "".join(texts)


def _comments(context: Context, item: Item) -> str:
    lines = [f"        // {line}\n" for line in str(item).splitlines()]
    steps = item.steps if isinstance(item, Positions) else (getattr(item, "step", None),)
    for at in steps:
        if at is not None:
            step = context.facts.steps[at]
            lines.append(f"        // step {at}, line {step.line}: {step.kind}\n")
    return "".join(lines)


def _matrix_word(side: str, rest: list[Any]) -> tuple[str, int, bool]:
    """Field, matrix and orientation of a word's name."""
    if side in ("nvals", "once"):
        *field, number = rest
        return "".join(field), number, False
    field, number, transposed = ("", *rest) if side == "nrows" else rest
    return field, number, transposed
