"""The text of a step that runs position by position, alone: into the other buffer of its vector, or in place."""

from __future__ import annotations

from ...programs.terms import BodyStep
from ..runtime.translate import c_type
from .analyse import gathers_all
from .emit_barriers import others_clean
from .emit_context import Context, counters_of, truth, valued
from .emit_reading import Reading, changed, computed, wrong
from .items import Positions


def position(context: Context, item: Positions) -> str:
    at, step = item.steps[0], context.facts.steps[item.steps[0]]
    reading = Reading(context, there=None if item.swapped else item.driver)
    result = computed(reading, at, step)
    opened = reading.opened(step.mask)
    first = _one_value(item, step) if item.one_value else ""
    if item.swapped:
        return first + _overwriting(context, item, step, opened, result)
    if gathers_all(step, context.facts.listable):
        return _gathering(context, item, step)
    return first + _changing(context, item, step, opened, result)


def _one_value(item: Positions, step: BodyStep) -> str:
    target = f"S.s{step.out}.{'other_values' if item.swapped else 'values'}()"
    source = f"S.s{step.args[0].number}"  # without entries it may have no memory either
    return f"        if (thread_in_grid() == 0 && {source}.count) {target}[0] = {source}.values()[0];\n"


def _overwriting(context: Context, item: Positions, step: BodyStep, opened: str, result: tuple[str, str]) -> str:
    at, out, (found, value) = item.steps[0], context.facts.slots[step.out], result
    W, driver = f"S.s{step.out}", f"S.s{item.driver}"
    given = f"{context.next_offsets(step.out)}, {counters_of(at)}"
    compute = (
        f"[&](int64 i, {c_type(out.dtype)}& value) -> bool {{\n"
        f"            if (!({opened}) || !({found})) return false;\n"
        f"            value = {value};\n"
        f"            return true;\n"
        f"        }});\n"
    )
    if item.driver is None:
        return (
            f"        bool listed{at} = !{W}.other_is_dirty();\n"
            f"        pick<{valued(out)}>({W}, {given}, listed{at}, {compute}"
        )
    return (
        f"        bool listed{at} = {driver}.listed;\n"
        f"{others_clean(context, [step.out], f'listed{at}')}"
        f"        overwrite<{valued(out)}>({driver}, {W}, {given}, {compute}"
    )


def _gathering(context: Context, item: Positions, step: BodyStep) -> str:
    """A gather at all positions: what several of them ask for is in flight at once."""
    slots = context.facts.slots
    numbers = step.out, *(arg.number for arg in step.args)
    out, source, index = (slots[number] for number in numbers)
    first = out.gathered == item.steps[0]
    facts = (valued(out), *map(truth, (out.full, first, source.full, source.iso, index.full, index.iso)))
    return (
        f"        gather_all<{', '.join(facts)}>({', '.join(f'S.s{number}' for number in numbers)}, "
        f"{context.next_offsets(step.out)}, {counters_of(item.steps[0])}, {wrong(step, 'OUT_OF_RANGE')});\n"
    )


def _changing(context: Context, item: Positions, step: BodyStep, opened: str, result: tuple[str, str]) -> str:
    at, out, driver = item.steps[0], context.facts.slots[step.out], item.driver
    kind, following = c_type(out.dtype), context.next_offsets(step.out)
    closed = "found = false;" if step.replace else ""
    inside = changed(context, at, step, result, ("found", "value", ""))
    change = (
        f"        auto change{at} = change<{valued(out)}>(S.s{step.out}, {following}, {counters_of(at)}, "
        f"[&](int64 i, bool& found, {kind}& value) {{\n"
        f"            if ({opened}) {{ {inside} }} else {{ {closed} }}\n"
        f"        }});\n"
    )
    if item.epilogue:  # the product calls it
        return change
    pointer = f"&S.s{driver}" if driver is not None else f"(const Slot<{kind}>*)nullptr"
    return f"{change}        change{at}.visit_all({pointer});\n        change{at}.publish();\n"
