"""One step that runs position by position as a launch of its own: the text that a loop has for it, with its operands.

The pieces are for ``kernels/step.cu`` and the kernels beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from ....dtypes import INT64
from ....foundation.types import Accum, TypedOperator
from ...programs.terms import BodyStep, Kind, MaskUse, Operand, VectorUse
from ..runtime.compile import constant
from ..runtime.translate import c_type
from .emit_reading import Reading, changed, computed


@dataclass(frozen=True)
class Launch:
    """The surroundings of a step that is launched alone."""

    slots: Sequence[VectorUse]
    pieces: list[str] = field(default_factory=list)

    def namespace(self, name: str, text: str) -> None:
        piece = f"namespace {name} {{\n{text}\n}}"
        if piece not in self.pieces:
            self.pieces.append(piece)

    def scalar(self, operand: Operand, dtype: np.dtype) -> str:
        return f"cast<{c_type(dtype)}>(value_of<{c_type(operand.dtype)}>(S.c{operand.number}))"


def use(dtype: np.dtype, full: bool = True) -> VectorUse:
    """What the text of a step depends on; whether one value stands for all is an argument of the launch."""
    return VectorUse(dtype, full, False, False)


def result(dtype: np.dtype) -> VectorUse:
    """A vector that the step makes."""
    return VectorUse(dtype, False, False, True)


@cache
def read(*numbers: int) -> tuple[Operand, ...]:
    return tuple(Operand("vector", number) for number in numbers)


@cache
def scalars(*dtypes: np.dtype) -> tuple[Operand, ...]:
    return tuple(Operand("constant", number, dtype) for number, dtype in enumerate(dtypes))


def step_of(
    kind: Kind,
    out: int,
    op: TypedOperator | None,
    args: tuple[Operand, ...],
    mask: MaskUse | None = None,
    accum: Accum = None,
    replace: bool = False,
) -> BodyStep:
    return BodyStep(kind, out, op, args, mask, accum, replace, None, 0, 0)


def step_pieces(
    step: BodyStep,
    slots: Sequence[VectorUse],
    full: bool,
    *,
    one_value: bool = False,
    by_place: Sequence[int] = (),
    indices: Sequence[int] = (),
    positions: int = 0,
) -> list[str]:
    """The result has an entry everywhere if it is ``full``, and may have ``one_value`` for all.

    A vector that the step only writes is the last one. Those ``by_place`` have an entry for each item of the list that
    the launch goes through, which may come as so many ``positions`` with the launch. The operator gets the position, or
    the numbers that the vectors ``indices`` have.
    """
    given = len(slots) - (step.out == len(slots) - 1 and slots[step.out].written)
    launch = Launch(slots)
    entries = {n: ("true" if slots[n].full else f"S.s{n}.has(p)", f"S.s{n}.values()[p]") for n in by_place}
    reading = Reading(launch, entries, None, *(f"S.s{number}.values()[i]" for number in indices))
    result = computed(reading, 0, step)
    # Flags of two vectors are read at once: with `&&` the second load would wait for the first.
    operands = {arg.number for arg in step.args if arg.kind == "vector"}.difference(by_place)
    flags = {n: reading.has(n) for n in sorted(operands) if not slots[n].full}
    known = {n: (f"has{n}", reading.at(n)) for n in flags} if len(flags) > 1 else {}
    inside = "".join(f"bool {has} = {flags[n]}; " for n, (has, _) in known.items())
    told = computed(replace(reading, registers=entries | known), 0, step)
    inside += changed(launch, 0, step, told, ("found", "value", ""))
    before = "return false;"
    if step.out < given:
        before = f"bool found = {reading.has(step.out)}; if (found) value = {reading.at(step.out)}; return found;"
    constants = max((arg.number + 1 for arg in step.args if arg.kind == "constant"), default=0)
    members = [f"Operand<{c_type(slot.dtype)}> s{number};" for number, slot in enumerate(slots[:given])]
    members += [f"uint64 c{number};" for number in range(constants)]
    members += [f"int64 positions[{positions}];"] if positions else []
    return [
        *launch.pieces,
        f"struct Operands {{ {' '.join(members)} }};",
        f"using Out = {c_type(slots[step.out].dtype)};",
        f"DEVICE bool opened(const Operands& S, int64 i, int64 p) {{ return {reading.opened(step.mask)}; }}",
        f"DEVICE auto value_at(const Operands& S, int64 i, int64 p) {{ return {result[1]}; }}",
        f"DEVICE bool before(const Operands& S, int64 i, Out& value) {{ {before} }}",
        f"DEVICE void change(const Operands& S, int64 i, int64 p, bool& found, Out& value) {{ {inside} }}",
        constant("ONE_VALUE", one_value),
        constant("OUT_FULL", full),
        constant("ACCUM", step.accum is not None),
        constant("REPLACE", step.replace or step.mask is None),
    ]


def operator_pieces(op: TypedOperator, arity: int) -> list[str]:
    """An operator on so many arrays: ``op(x)``, ``op(x, y)``, ``op(x, i, j, y)`` or ``op(x, i, j, y, k, l)``."""
    types = {1: (op.type,), 2: (op.type, op.type2)}.get(arity, (op.type, INT64, INT64, op.type2, INT64, INT64)[:arity])
    kind = {1: Kind.APPLY, 2: Kind.MULT, 4: Kind.APPLY_INDEX, 6: Kind.MULT}[arity]
    step = step_of(kind, arity, op, read(0) if arity == 1 else read(0, 1 if arity == 2 else 3))
    dtypes = [dtype.np_type for dtype in (*types, op.return_type)]
    return array_pieces(step, dtypes, indices={4: (1, 2), 6: (1, 2, 4, 5)}.get(arity, ()))


def array_pieces(step: BodyStep, dtypes: Sequence[np.dtype], indices: Sequence[int] = ()) -> list[str]:
    """A step on arrays of these types, the last of which it makes."""
    slots = [*map(use, dtypes[:-1]), result(dtypes[-1])]
    return step_pieces(step, slots, True, indices=indices)
