"""The text of the heaviest groups of rows."""

from __future__ import annotations

from ...programs.terms import BodyStep, Operand, Unfusable
from ..runtime import compile as programs
from ..runtime.compile import constant, using
from .emit_barriers import others_clean
from .emit_context import Context, counters_of
from .emit_kernel import COMMON
from .emit_reading import Reading, wrong
from .items import Groups
from .layout import IN_SHARED


def groups(context: Context, item: Groups) -> str:
    at, step = item.step, context.facts.steps[item.step]
    slots, W, space = context.facts.slots, f"S.s{step.out}", f"g{at}"
    matrix, _, _, rows, *_ = step.args
    beside = _beside(step)
    if not all(slots[arg.number].full for arg in beside if arg.kind == "vector"):
        raise Unfusable("heaviest groups of which a position may have none", step.number)
    _namespace(context, step, space)
    arrays = [f"(const {space}::{name}*){_array(context, matrix.number, field)}" for name, field in ARRAYS.items()]
    values = [f"S.s{arg.number}.values()" if arg.kind == "vector" else "nullptr" for arg in beside]
    sizes = [context.of_matrix(side, matrix.number) for side in ("nrows", "ncols")]
    driver = W if item.driver is None else f"S.s{item.driver}"
    by_list = "false" if item.driver is None else f"{driver}.listed"
    longest = context.of_matrix("longest", matrix.number, True)
    wanted = "true" if rows.kind != "vector" else Reading(context).has(rows.number)
    return (
        f"{others_clean(context, [step.out])}"
        f"        {space}::heaviest_groups({space}::Graph{{{', '.join([*arrays, *values, *sizes])}}}, {longest}, "
        f"{driver}, {by_list}, {W}, {context.next_offsets(step.out)}, {counters_of(at)}, parts, "
        f"{wrong(step, 'OUT_OF_RANGE')}, [&](int64 i) -> bool {{ return {wanted}; }});\n"
    )


ARRAYS = {"Offset": "indptr", "Column": "indices", "Stored": "values"}
BESIDE = ("Group", "Handicap", "Factor", "Diagonal")
GIVEN = {"Handicap": "HANDICAP", "Factor": "FACTORS", "Diagonal": "DIAGONAL_GIVEN"}


def _beside(step: BodyStep) -> list[Operand]:
    """The groups, handicaps, factors and the diagonal, of which all but the first may be no vectors."""
    return [*step.args[1:3], *step.args[4:]]


def _array(context: Context, matrix: int, field: str) -> str:
    return context.of_matrix(IN_SHARED, matrix, field=field)


def _namespace(context: Context, step: BodyStep, space: str) -> None:
    """The pieces of ``kernels/loop_groups.cuh``."""
    slots, store = context.facts.slots, context.facts.matrices[step.args[0].number]
    pieces = [using(name, getattr(store, field).dtype) for name, field in ARRAYS.items()]
    for name, arg in zip(BESIDE, _beside(step), strict=True):
        slot = slots[arg.number if arg.kind == "vector" else step.args[1].number]
        pieces += [using(name, slot.dtype), constant(f"ONE_{name.upper()}", slot.iso)]
        pieces += [constant(GIVEN[name], arg.kind == "vector")] if name in GIVEN else []
    pieces.append(constant("COUNTS", store.iso))
    context.namespace(space, "\n".join(pieces) + f"\n{programs.paste('loop_groups.cuh', set(COMMON))}")
