"""The text of a product: a call of what ``kernels/loop_mxv.cuh`` defines in a namespace made for it alone.

Types, flags and strategies of a product are constants of its namespace, so that the compiler leaves out the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ....foundation.types import Value
from ....ir.descriptor import Counted
from ...programs.requests import direction_of, reuses_mask
from ...programs.steps import product_operands
from ...programs.terms import BodyStep, MaskUse
from ..eager.mxv_product import Product as Kind
from ..runtime import compile as programs
from ..runtime.compile import constant, mask_flags, using
from ..runtime.translate import literal
from . import emit_sums
from .analyse import Analysis
from .direction import STRATEGIES, policy_of, rule_text
from .emit_barriers import noted
from .emit_context import Context, arithmetic, counters_of, filled
from .emit_flow import COUNT
from .emit_kernel import COMMON
from .emit_product_names import Names, adds_up_marked, names_of, operands_text
from .emit_product_plan import dense_text, edges_text, plan_text
from .emit_reading import values_needed
from .emit_traced import noted_begin, noted_end, noted_settling, row_of
from .items import Product, Settle
from .layout import ROW


class ProductText(NamedTuple):
    plan: str  # for thread 0 of every block, at the barrier before the product
    text: str


def product_text(context: Context, item: Product) -> ProductText:
    facts, step = context.facts, context.facts.steps[item.step]
    names = names_of(context, item, step)
    _namespace(context, item, step, names.hub_neighbours != "nullptr")
    plan = plan_text(context, item, step, names)
    planned = ""
    if not item.planned_ahead:
        planned = f"            if (thread() == 0) {{\n{plan}            }}\n            __syncthreads();\n"
    space, U, W = names.space, f"S.s{item.operand}", f"S.s{item.out}"
    done = facts.products[item.step]
    initial = facts.slots[item.out].initial if done.initial is None else literal(done.initial, done.dtype)
    looks, notes = noted(context, item.notes)
    marked = ""
    if step.desc is not None and step.desc.settles_at is not None:
        marked = f"{{(uint8*){context.word('marks')}, {_final(step.desc.settles_at, space, done)}}}, "
    multiply = f"{'pull_asynchronously' if marked else 'multiply'}_into(operands, {U}, {W}, {marked}{initial}, "
    text = (
        f"        {{\n"
        f"{operands_text(context, item, step, names)}"
        f"{planned}"
        f"            auto then = [&] {{\n"
        f"{noted_end(facts, item, f'{W}.count', item.decides)}"
        f"                {context.decide if item.decides else ''}\n"
        f"            }};\n"
        f"{_advance(context, item, step, names)}"
        f"            {space}::{multiply}{counters_of(item.step)}, parts, {_changes(item.epilogue)}, "
        f"{_rounds_left(context, item)}, advance, stays, "
        f"[&] {{ {looks} return [=, &S] {{ {notes} }}; }}, then);\n"
        f"        }}\n"
    )
    return ProductText(plan, text)


def settling_text(context: Context, item: Settle) -> str:
    """Several rounds at once, which are one in the trace."""
    facts, step = context.facts, context.facts.steps[item.product.step]
    found, names = facts.settling[item.product.step], names_of(context, item.product, step)
    limit = context.scalar(found.limit, facts.products[item.product.step].dtype)
    counters = f"{counters_of(found.selecting)}, {counters_of(found.lowering)}"
    return (
        f"{values_needed(facts.steps[found.selecting])}"
        f"        {{\n"
        f"{operands_text(context, item.product, step, names)}"
        f"{noted_settling(facts, item.product)}"
        f"            {names.space}::settle(operands, S.s{item.frontier}, S.s{item.values}, {limit}, {counters});\n"
        f"        }}\n"
    )


def _advance(context: Context, item: Product, step: BodyStep, names: Names) -> str:
    """What thread 0 of every block does between two levels in shared memory (kernels/loop_shared_frontier.cuh)."""
    if not item.in_shared:
        return "            auto advance = [](int64, int64) {};\n            NoRule stays;\n"
    facts, U = context.facts, f"S.s{item.operand}"
    # What was reached was open, and is closed now: the counts of mask and operand are not there before the last level.
    allowed = f"({row_of(facts, item.step, 'S.tick - 1')})[{ROW.at['allowed']}] - reached"
    begins = noted_begin(facts, item, names.space, dense_text(item, step), allowed)
    return (
        f"            auto advance = [&](int64 reached, int64 following) {{\n"
        f"#if !PLAIN\n"
        f"{noted_end(facts, item, 'reached', False)}"
        f"                {U}.advanced(reached, following);\n"
        f"                ++{_rounds(item)}, ++S.tick;\n"
        f"{''.join(f'                {emit_sums.scalar_text(context, at)}{chr(10)}' for at in item.between)}"
        f"                if (trace) {{\n{edges_text(context, item, step, names)}{begins}                }}\n"
        f"#endif\n"
        f"            }};\n"
        f"{_stays(item, step, names)}"
    )


def _rounds(item: Product) -> str:
    """The count of rounds of the loop that these levels are."""
    return f"S.step{item.loop}" if item.loop else "S.step"


def _rounds_left(context: Context, item: Product) -> str:
    if not item.loop:
        return "limit - S.step"
    return "int64(1) << 62" if item.limit is None else f"{context.scalar(item.limit, COUNT)} - {_rounds(item)}"


def _stays(item: Product, step: BodyStep, names: Names) -> str:
    """Whether a level that fits shared memory is pushed there. By cost it always is: a pull takes longer."""
    if policy_of(step) == "cost":
        return "            NoRule stays;\n"
    space, nvals, size = names.space, f"double({names.nvals})", f"double(S.s{item.operand}.size)"
    return (
        f"            auto stays = [&](double entries, double edges, double entries_before, double edges_before) {{\n"
        f"                return {space}::pushes(edges, edges_before, 0.0, entries, entries_before, {size}, false, "
        f"{nvals}, 0.0, double({names.nrows})) && !{space}::scans(edges, edges_before, {nvals});\n"
        f"            }};\n"
    )


def _changes(steps: Sequence[int]) -> str:
    """What a product does at every entry of its operand."""
    names = [f"change{at}" for at in steps]
    return f"both({', '.join(names)})" if len(names) > 1 else "".join(names) or "NoChange{}"


def _final(value: Value, space: str, done: Kind) -> str:
    """The value at which rows settle."""
    if isinstance(value, Counted):
        return f"cast<{space}::Value>(int64({arithmetic(value.arithmetic)}))"
    return literal(value, done.dtype)


def _namespace(context: Context, item: Product, step: BodyStep, hub_neighbours: bool) -> None:
    facts, done = context.facts, context.facts.products[item.step]
    matrix, _, _ = product_operands(step)
    store, strategies = facts.matrices[matrix.number], facts.strategies[item.step]
    row_type = context.row_type(item.step)
    pieces = [
        *done.pieces(store, store.copies > 1, adds_up_marked(facts, item, step)),
        constant("FULL", facts.slots[item.operand].full),
        constant("CLOSING", item.closing is not None),
        constant("FILLED", filled(facts.slots[item.out]) == "true"),
        constant("HUB_NEIGHBOURS", hub_neighbours),
        constant("SHARED_FRONTIER", item.in_shared),
        constant("KEEPS_BITS", item.keeps_bits),
        using("RowId", row_type),
        constant("PUSH_BY", STRATEGIES.index(strategies.push)),
        constant("PULL_BY", STRATEGIES.index(strategies.pull)),
        constant("BALANCED", item.step in facts.balanced),
        constant("REUSES_MASK", reuses_mask(step.desc, step.mask is not None)),
        constant("ONE_VALUE", done.one_value),
        constant("MAY_PUSH", direction_of(step) != "pull"),
        *_mask_pieces(facts, step.mask),
        *rule_text(step, done, strategies),
    ]
    name = "loop_asynchronous.cuh" if context.is_asynchronous(item.step) else "loop_mxv.cuh"
    name = "loop_settling.cuh" if item.step in facts.settling else name
    text = programs.paste(name, set(COMMON))
    context.namespace(f"p{item.step}", "\n".join(pieces) + f"\n{text}")


def _mask_pieces(facts: Analysis, mask: MaskUse | None) -> list[str]:
    if mask is None:
        return [using("MaskValue", np.dtype(bool)), *mask_flags(False, False, False, False, False)]
    slot = facts.slots[mask.vector]
    flags = mask_flags(True, not slot.full, not mask.structure, slot.iso, mask.complement)
    return [using("MaskValue", slot.dtype), *flags]
