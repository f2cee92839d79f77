"""What a step finds at position i, as C++ expressions: whether there is a result, and which.

The text is the same in a loop (:mod:`.emit_positions`) and in a launch of one step (:mod:`.emit_one_step`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ...programs.steps import may_be_empty
from ...programs.terms import BodyStep, Kind, MaskUse, Operand
from ..runtime import compile as programs
from ..runtime.compile import binary, index_unary, unary
from ..runtime.translate import c_type


class Surroundings(Protocol):
    """The program that a step's text is part of: a loop, or one launch."""

    @property
    def slots(self) -> Sequence[Any]:
        """Of every vector its type, and whether it is full or iso."""

    def namespace(self, name: str, text: str) -> None: ...

    def scalar(self, operand: Operand, dtype: np.dtype) -> str: ...


@dataclass
class Reading:
    """Where a pass finds position i of vectors: in memory, or in variables of steps before in the same pass."""

    context: Surroundings
    registers: dict[int, tuple[str, str]] = field(default_factory=dict)  # whether there is an entry, and its value
    loaded: dict[str, str] | None = None  # variables for what is read, if that is read first
    row: str = "i"  # the position that an operator is given
    column: str = "0"
    second_row: str = ""  # of the second operand, if it is elsewhere
    second_column: str = ""
    there: int | None = field(default=None, kw_only=True)  # the vector whose entries the pass visits

    @property
    def places(self) -> str:
        """Rows and columns of two operands."""
        return f"{self.row}, {self.column}, {self.second_row or self.row}, {self.second_column or self.column}"

    def has(self, number: int) -> str:
        """Whether a vector has an entry at position i."""
        if number in self.registers:
            return self.registers[number][0]
        known = self.context.slots[number].full or number == self.there
        return "true" if known else self._load(f"bool has{number}", f"S.s{number}.has(i)")

    def at(self, number: int) -> str:
        """The value of a vector at position i."""
        if number in self.registers:
            return self.registers[number][1]
        slot = self.context.slots[number]
        if slot.iso:
            return f"S.s{number}.values()[0]"
        return self._load(f"{c_type(slot.dtype)} at{number}", f"S.s{number}.values()[i]")

    def _load(self, variable: str, text: str) -> str:
        if self.loaded is None:
            return text
        self.loaded[variable] = text
        return variable.rpartition(" ")[2]

    def opened(self, mask: MaskUse | None) -> str:
        """Whether a mask is open."""
        if mask is None:
            return "true"
        inside = self.has(mask.vector)
        if not mask.structure:
            zero = f"{c_type(self.context.slots[mask.vector].dtype)}(0)"
            inside = f"({inside} && {self.at(mask.vector)} != {zero})"
        return f"!({inside})" if mask.complement else inside


def computed(reading: Reading, at: int, step: BodyStep) -> tuple[str, str]:
    """Whether there is a result at position i, and what it is: for an accumulator in a type of its own."""
    out = c_type(reading.context.slots[step.out].dtype)
    if step.kind == Kind.CLEAR:
        return "false", f"{out}()"
    found, result = _result(reading, at, step)
    return found, result if step.accum is not None else f"cast<{out}>({result})"


def _result(reading: Reading, at: int, step: BodyStep) -> tuple[str, str]:
    context, space = reading.context, f"e{at}"
    if step.kind == Kind.ASSIGN:
        found = f"bool(S.c{step.args[0].number}.present)" if may_be_empty(step) else "true"
        return found, context.scalar(step.args[0], step.args[0].dtype)
    vectors = [arg for arg in step.args if arg.kind == "vector"]
    has = [reading.has(arg.number) for arg in vectors]

    def read(arg: Operand, dtype: np.dtype) -> str:
        return f"cast<{c_type(dtype)}>({reading.at(arg.number)})"

    if step.kind == Kind.COPY:
        return has[0], reading.at(vectors[0].number)
    if step.kind == Kind.GATHER:
        return _gathered(reading, step, vectors)
    op = getattr(step.op, "binaryop", step.op)
    if step.kind in (Kind.ADD, Kind.MULT, Kind.UNION):
        context.namespace(space, programs.product("op", op))
        left, right = op.type.np_type, op.type2.np_type
        x, y = read(vectors[0], left), read(vectors[1], right)
        both = f"{space}::op({x}, {y}, {reading.places})"
        if step.kind == Kind.MULT:
            return f"({has[0]} && {has[1]})", both
        if step.kind == Kind.UNION:
            scalars = [arg for arg in step.args if arg.kind != "vector"]
            x = f"({has[0]} ? {x} : {context.scalar(scalars[0], left)})"
            y = f"({has[1]} ? {y} : {context.scalar(scalars[1], right)})"
            return f"({has[0]} || {has[1]})", f"{space}::op({x}, {y}, {reading.places})"
        alone = [read(arg, op.return_type.np_type) for arg in vectors]
        return f"({has[0]} || {has[1]})", f"({has[0]} && {has[1]} ? {both} : {has[0]} ? {alone[0]} : {alone[1]})"
    if step.kind == Kind.APPLY:
        context.namespace(space, unary("op", op))
        return has[0], f"{space}::op({read(vectors[0], op.type.np_type)})"
    if step.kind in (Kind.APPLY_LEFT, Kind.APPLY_RIGHT, Kind.APPLY_INDEX, Kind.SELECT):
        x, y = (
            read(arg, kind.np_type) if arg.kind == "vector" else context.scalar(arg, kind.np_type)
            for arg, kind in zip(step.args, (op.type, op.type2), strict=True)
        )
        if step.kind in (Kind.APPLY_LEFT, Kind.APPLY_RIGHT):
            context.namespace(space, binary("op", op))
            return has[0], f"{space}::op({x}, {y})"
        context.namespace(space, index_unary("op", op))
        call = f"{space}::op({x}, {reading.row}, {reading.column}, {y})"
        if step.kind == Kind.SELECT:
            return f"({has[0]} && cast<bool>({call}))", reading.at(vectors[0].number)
        return has[0], call
    raise AssertionError(f"{step.kind} does not run position by position")


def _gathered(reading: Reading, step: BodyStep, vectors: list[Operand]) -> tuple[str, str]:
    """``v[index]``: an entry where the index has one, and v has one there."""
    source, index = (arg.number for arg in vectors)
    slots, name, place = reading.context.slots, f"S.s{source}", f"int64({reading.at(index)})"
    problem = f"{place}, {wrong(step, 'OUT_OF_RANGE')}"
    found = [] if slots[index].full else [reading.has(index)]
    found += [] if slots[source].full else [f"{name}.has_at({problem})"]
    at = f"{name}.values()[0]" if slots[source].iso else f"{name}.at({problem})"
    return f"({' && '.join(found)})" if found else "true", at


def values_needed(step: BodyStep) -> str:
    """Notes for the host that a Scalar is empty whose value this step needs. To assign one is another thing."""
    if step.kind not in (Kind.UNION, Kind.APPLY_LEFT, Kind.APPLY_RIGHT, Kind.APPLY_INDEX, Kind.SELECT):
        return ""
    variables = [arg.number for arg in step.args if arg.kind == "variable"]
    return "".join(
        f"        if (!S.c{number}.present && thread_in_grid() == 0) Wrong{wrong(step, 'NO_VALUE')}.note();\n"
        for number in variables
    )


def wrong(step: BodyStep, what: str) -> str:
    """How a pass notes that something is wrong, for the host to raise an error: what, and in which step."""
    return f"{{counters + STOP, {what}, {step.number}}}"


def changed(
    context: Surroundings, at: int, step: BodyStep, result: tuple[str, str], names: tuple[str, str, str]
) -> str:
    """What a step does where its mask is open to the variables that say whether there is an entry, and which.

    The third name is of what is done where it computes a value.
    """
    (found, value_text), (has, value, also) = result, names
    if step.kind == Kind.CLEAR:
        return f"{has} = false;"
    if step.accum is None:
        return f"{has} = {found}; if ({has}) {value} = {value_text};{also}"
    accum = getattr(step.accum, "binaryop", step.accum)
    context.namespace(f"a{at}", programs.product("op", accum))
    kind = c_type(context.slots[step.out].dtype)
    left, right = c_type(accum.type.np_type), c_type(accum.type2.np_type)
    both = f"cast<{kind}>(a{at}::op(cast<{left}>({value}), cast<{right}>(t), i, 0, i, 0))"
    combined = f"{value} = {has} ? {both} : cast<{kind}>(t);"
    return f"if ({found}) {{ auto t = {value_text}; {combined} {has} = true;{also} }}"
