"""The text of a scatter: what goes where, and how values for one position are combined."""

from __future__ import annotations

from ...programs.terms import BodyStep, Kind
from ..eager.mxv_product import native_atomic
from ..runtime import compile as programs
from ..runtime.compile import binary, constant, using
from ..runtime.translate import c_type
from .emit_barriers import others_clean
from .emit_context import Context, counters_of
from .emit_kernel import COMMON
from .emit_reading import Reading, wrong
from .items import Scatter


def scatter(context: Context, item: Scatter) -> str:
    at, step = item.step, context.facts.steps[item.step]
    out, W, space = context.facts.slots[step.out], f"S.s{step.out}", f"x{at}"
    _namespace(context, step, space)
    found, value, target = _entry(context, step)
    driver = f"S.s{item.length if item.driver is None else item.driver}"
    by_list = "false" if item.driver is None else f"{driver}.listed"
    return (
        f"{others_clean(context, [step.out])}"
        f"        {space}::scatter({driver}, {by_list}, {W}, {context.next_offsets(step.out)}, {counters_of(at)}, "
        f"{wrong(step, 'NAMED_TWICE')}, [&](int64 p, int64& target, {c_type(out.dtype)}& value) -> bool {{\n"
        f"            {{\n"
        f"                int64 i = p;\n"
        f"                if (!({found})) return false;\n"
        f"                target = {target};\n"
        f"                value = {value};\n"
        f"            }}\n"
        f"            if (!{W}.in_range(target, {wrong(step, 'OUT_OF_RANGE')})) return false;\n"
        f"            int64 i = target;\n"
        f"            return {Reading(context).opened(step.mask)};\n"
        f"        }});\n"
    )


def _namespace(context: Context, step: BodyStep, space: str) -> None:
    """The pieces of ``kernels/loop_scatter.cuh``."""
    dtype, combined = context.facts.slots[step.out].dtype, step.kind == Kind.SCATTER
    first = f"DEVICE {c_type(dtype)} add({c_type(dtype)} x, {c_type(dtype)}) {{ return x; }}"
    pieces = [
        using("Value", dtype),
        constant("NATIVE", native_atomic(step.op, dtype) if combined else 0),
        constant("FIRST_COMES", not combined),
        constant("ONLY_ONE", step.kind == Kind.SCATTER_ONCE),
        binary("add", step.op.binaryop) if combined else first,
    ]
    context.namespace(space, "\n".join(pieces) + f"\n{programs.paste('loop_scatter.cuh', set(COMMON))}")


def _entry(context: Context, step: BodyStep) -> tuple[str, str, str]:
    """Whether there is an entry for any position, its value, and which position: at position i of values and index."""
    *values, index = step.args
    dtype, reading = context.facts.slots[step.out].dtype, Reading(context)
    there, value = [reading.has(index.number)], "true"
    for given in values:
        if given.kind == "vector":
            there.append(reading.has(given.number))
            value = f"cast<{c_type(dtype)}>({reading.at(given.number)})"
        else:
            there += [f"S.c{given.number}.present"] if given.kind == "variable" else []
            value = context.scalar(given, dtype)
    return " && ".join(there), value, f"int64({reading.at(index.number)})"
