"""The text of a chain of steps in one pass: from memory to variables, from step to step, and back to memory once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from ...programs.steps import PRODUCTS, overwrites
from ...programs.terms import BodyStep, Kind
from ..runtime.translate import c_type
from .analyse import Analysis
from .emit_barriers import others_clean
from .emit_context import Context, counters_of, valued
from .emit_reading import Reading, changed, computed
from .emit_traced import noted_rows
from .items import Positions
from .schedule import written_order


@dataclass
class _Pass:
    """What the steps of a chain leave to write."""

    reading: Reading
    before: list[str] = field(default_factory=list)  # lines before the pass
    wrote: dict[int, list[str]] = field(default_factory=dict)  # variables that tell whether a value was written


class Rows(NamedTuple):
    """The product that a chain begins with."""

    step: int
    operand: int
    matrix: str  # C++, by rows
    nvals: str


def chain(context: Context, item: Positions, rows: Rows | None = None) -> str:
    facts = context.facts
    steps = [facts.steps[at] for at in item.steps]
    last_step = {step.out: at for at, step in zip(item.steps, steps, strict=True) if step.out not in item.unwritten}
    if rows is not None and not {steps[0].out} & {*item.swapped, *item.overwritten, *(step.out for step in steps[1:])}:
        del last_step[steps[0].out]  # no other step reads it
    order, swapped = written_order(last_step, item.swapped), set(item.swapped)
    listed = f"listed{item.steps[0]}"
    cleaned = ""
    if swapped:  # what is written by a list goes to clean buffers
        cleaned = f"        bool {listed} = S.s{item.driver}.listed;\n{others_clean(context, item.swapped, listed)}"
    running = _Pass(_reading(context, item.driver, f"{listed} || S.s{item.driver}.has(i)" if swapped else "true"))
    reading = running.reading
    had = {number: reading.has(number) for number in sorted(set(last_step) - swapped - {*item.overwritten})}
    visit = [line for at, step in zip(item.steps, steps, strict=True) for line in _in_variables(running, at, step)]
    visit[:0] = _loads(reading)
    puts, ends = _rows_begin_and_end(facts, rows)
    for number in order:
        slot = facts.slots[number]
        found, value = reading.registers[number]
        if slot.iso:
            value = f"{c_type(slot.dtype)}()"
        given = f"<{valued(slot)}>(S.s{number}, {context.next_offsets(number)}, {counters_of(last_step[number])}"
        if number in swapped or number in item.overwritten:
            by_list = listed if number in swapped else "false"
            puts.append(f"            auto put{number} = overwriting{given}, {by_list});\n")
            visit.append(f"put{number}.write(i, {found}, {value});")
        else:
            puts.append(f"            auto put{number} = changing{given});\n")
            wrote = " || ".join(running.wrote[number])
            visit.append(f"put{number}.write(i, {had[number]}, {found}, {wrote}, {value});")
    if swapped:
        lists = [number for number in order if number in swapped]
        puts.append(f"            NewList lists[] = {{{', '.join(f'put{number}.list' for number in lists)}}};\n")
        bits = [f"unsigned({reading.registers[number][0]}) << {n}" for n, number in enumerate(lists)]
        visit.append(f"return {' | '.join(bits)};")
        head = f"pass(S.s{item.driver}, {listed}, lists, [&](int64 i) -> unsigned {{"
    else:
        nothing = f"(const Slot<{c_type(facts.slots[order[0]].dtype)}>*)nullptr"
        pointer = nothing if item.driver is None else f"&S.s{item.driver}"
        head = f"for_each_entry({pointer}, S.s{order[0]}.size, [&](int64 i) {{"
    return (
        f"{cleaned}{''.join(running.before)}        {{\n{''.join(puts)}            {head}\n"
        + "".join(f"                {line}\n" for line in visit)
        + f"            }});\n            {' '.join(f'put{number}.publish();' for number in order)}\n{ends}        }}\n"
    )


def _rows_begin_and_end(facts: Analysis, rows: Rows | None) -> tuple[list[str], str]:
    if rows is None:
        return [], ""
    at, space, U = rows.step, f"p{rows.step}", f"S.s{rows.operand}"
    begin, end = noted_rows(facts, at, rows.operand, rows.nvals)
    operands = (
        f"            const {space}::Matrix matrix{at} = {rows.matrix};\n"
        f"            const {space}::Vector operand{at} = {{{U}.flags(), {U}.values()}};\n"
    )
    return [operands, begin], end


def _row_in_variables(running: _Pass, at: int, step: BodyStep) -> list[str]:
    """The row of a product at position i, if the mask is open there."""
    kind = c_type(running.reading.context.slots[step.out].dtype)
    running.wrote[step.out] = [f"found{at}"]
    lines = [
        f"p{at}::Sum sum{at} = {{false, p{at}::Value(0)}};",
        f"if ({running.reading.opened(step.mask)}) sum{at} = p{at}::sum_of_row(matrix{at}, operand{at}, i);",
        f"bool found{at} = sum{at}.found;",
        f"{kind} value{at} = cast<{kind}>(sum{at}.value);",
        f"rows{at} += found{at};",
    ]
    running.reading.registers[step.out] = f"found{at}", f"value{at}"
    return lines


def _reading(context: Context, driver: int | None, there: str) -> Reading:
    """At an entry of a driver most of what the steps might read will be read: all at once, without waiting for the
    one before. Over all positions, vectors without an entry had better not be read."""
    if driver is None:
        return Reading(context)
    reading = Reading(context, loaded={})
    reading.registers[driver] = "there", reading.at(driver)
    assert reading.loaded is not None
    reading.loaded["bool there"] = there
    return reading


def _loads(reading: Reading) -> list[str]:
    """What is read at position i."""
    if reading.loaded is None:
        return []
    loads = [
        f"{variable} = there ? {text} : {variable.partition(' ')[0]}();"
        for variable, text in reading.loaded.items()
        if variable != "bool there"
    ]
    return [f"bool there = {reading.loaded['bool there']};", *loads]


def _in_variables(running: _Pass, at: int, step: BodyStep) -> list[str]:
    """A step at position i: from memory or the variables of steps before it to variables of its own."""
    if step.kind in PRODUCTS:
        return _row_in_variables(running, at, step)
    reading = running.reading
    slot = reading.context.slots[step.out]
    kind, has, value, wrote = c_type(slot.dtype), f"found{at}", f"value{at}", f"wrote{at}"
    opened = reading.opened(step.mask)
    found, result = computed(reading, at, step)
    if overwrites(step):
        lines = [f"bool {has} = {found if step.mask is None else f'{opened} && {found}'};"]
        if slot.iso:
            value = _one_value(running, step)
        else:
            lines += [f"{kind} {value} = {kind}();", f"if ({has}) {value} = {result};"]
        running.wrote[step.out] = [has]
    else:
        change = changed(reading.context, at, step, (found, result), (has, value, f" {wrote} = true;"))
        lines = [
            f"bool {has} = {reading.has(step.out)}, {wrote} = false;",
            f"{kind} {value} = {kind}();",
            f"if ({has}) {value} = {reading.at(step.out)};",
            f"if ({opened}) {{ {change} }}" + (f" else {{ {has} = false; }}" if step.replace else ""),
        ]
        running.wrote.setdefault(step.out, []).append(wrote)
    reading.registers[step.out] = "true" if slot.full else has, value
    return lines


def _one_value(running: _Pass, step: BodyStep) -> str:
    """A copy of one value for all is that value; no step of the chain changes it where it is."""
    if step.kind == Kind.CLEAR:
        return running.reading.at(step.out)
    source = step.args[0].number
    value = running.reading.at(source)
    there = f"thread_in_grid() == 0 && S.s{source}.count"  # without entries it may have no memory either
    running.before.append(f"        if ({there}) S.s{step.out}.other_values()[0] = {value};\n")
    return value
