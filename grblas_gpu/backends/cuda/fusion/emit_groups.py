"""The text of the heaviest groups of rows."""

from __future__ import annotations

from ...programs.terms import BodyStep, Unfusable
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
    matrix, names, handicap, rows = step.args
    beside = [arg for arg in (names, handicap) if arg.kind == "vector"]
    if not all(slots[arg.number].full for arg in beside):
        raise Unfusable("heaviest groups of which a position may have none", step.number)
    _namespace(context, step, space)
    arrays = [f"(const {space}::{name}*){_array(context, matrix.number, field)}" for name, field in ARRAYS.items()]
    values = [f"S.s{arg.number}.values()" for arg in beside] + ["nullptr"] * (2 - len(beside))
    sizes = [context.of_matrix(side, matrix.number) for side in ("nrows", "ncols")]
    driver = W if item.driver is None else f"S.s{item.driver}"
    by_list = "false" if item.driver is None else f"{driver}.listed"
    wanted = "true" if rows.kind != "vector" else Reading(context).has(rows.number)
    return (
        f"{others_clean(context, [step.out])}"
        f"        {space}::heaviest_groups({space}::Graph{{{', '.join([*arrays, *values, *sizes])}}}, {driver}, "
        f"{by_list}, {W}, {context.next_offsets(step.out)}, {counters_of(at)}, {wrong(step, 'OUT_OF_RANGE')}, "
        f"[&](int64 i) -> bool {{ return {wanted}; }});\n"
    )


ARRAYS = {"Offset": "indptr", "Column": "indices", "Stored": "values"}


def _array(context: Context, matrix: int, field: str) -> str:
    return context.of_matrix(IN_SHARED, matrix, field=field)


def _namespace(context: Context, step: BodyStep, space: str) -> None:
    """The pieces of ``kernels/loop_groups.cuh``."""
    slots, (matrix, names, handicap, _) = context.facts.slots, step.args
    store = context.facts.matrices[matrix.number]
    given = slots[names.number], slots[handicap.number if handicap.kind == "vector" else names.number]
    pieces = [using(name, getattr(store, field).dtype) for name, field in ARRAYS.items()]
    pieces += [using(name, slot.dtype) for name, slot in zip(("Group", "Handicap"), given, strict=True)]
    pieces += [constant(f"ONE_{name}", slot.iso) for name, slot in zip(("GROUP", "HANDICAP"), given, strict=True)]
    pieces += [constant("COUNTS", store.iso), constant("HANDICAP", handicap.kind == "vector")]
    context.namespace(space, "\n".join(pieces) + f"\n{programs.paste('loop_groups.cuh', set(COMMON))}")
