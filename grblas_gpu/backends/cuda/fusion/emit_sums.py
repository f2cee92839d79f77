"""The text of sums of vectors, rows of matrices, and arithmetic on Scalars."""

from __future__ import annotations

import numpy as np

from ....foundation.types import TypedBinary
from ...programs.terms import BodyStep, Kind, Unfusable
from ..runtime.compile import binary
from ..runtime.translate import c_type, literal
from .emit_barriers import others_clean
from .emit_context import Context, counters_of, truth, valued
from .items import Reduce, Row, ScalarStep


def parts(context: Context, item: Reduce) -> str:
    """Where the blocks leave their parts of a sum."""
    kind = c_type(context.facts.steps[item.step].op.type.np_type)
    return f"(Cell<{kind}>*)({context.word('partial')} + {item.number} * MOST_BLOCKS * 16)"


def sum_of_entries(context: Context, item: Reduce, where: str) -> str:
    """The part of every block."""
    monoid = context.facts.steps[item.step].op
    kind, name = c_type(monoid.type.np_type), f"S.s{item.slot}"
    text = binary("add", monoid.binaryop)
    text += f"\nstruct Add {{\n    DEVICE {kind} operator()({kind} x, {kind} y) const {{ return add(x, y); }}\n}};"
    context.namespace(f"r{item.step}", text)
    index = "0" if context.facts.slots[item.slot].iso else "i"
    return (
        f"        sum_entries({name}, {where}, r{item.step}::Add(), "
        f"[&](int64 i) {{ return cast<{kind}>({name}.values()[{index}]); }});\n"
    )


def sum_of_blocks(context: Context, at: int, where: str) -> str:
    """The sum of all parts, in every block."""
    step = context.facts.steps[at]
    monoid, cell = step.op, f"S.c{step.out}"
    result = c_type(context.facts.variables[step.out])
    lines = [f"auto total = sum_blocks({where}, r{at}::Add());"]
    if step.kind == Kind.REDUCE_IDENTITY:
        lines.append(f"if (!total.present) total = {{{literal(monoid.identity, monoid.type.np_type)}, true}};")
    value = f"cast<{result}>(total.value)"
    if step.accum is None:
        lines.append(f"if (threadIdx.x == 0) {cell} = {{total.present ? bits_of({value}) : 0, total.present}};")
    else:  # nothing is added to a sum if there is nothing
        accum = getattr(step.accum, "binaryop", step.accum)
        context.namespace(f"a{at}", binary("op", accum))
        left, right = c_type(accum.type.np_type), c_type(accum.type2.np_type)
        both = f"a{at}::op(cast<{left}>(value_of<{result}>({cell}.bits)), cast<{right}>(total.value))"
        chosen = f"{cell}.present ? cast<{result}>({both}) : {value}"
        lines.append(f"if (threadIdx.x == 0 && total.present) {cell} = {{bits_of({chosen}), true}};")
    lines.append("__syncthreads();")
    return "        {\n" + "".join(f"            {line}\n" for line in lines) + "        }\n"


def row(context: Context, item: Row) -> str:
    at, step = item.step, context.facts.steps[item.step]
    if step.accum is not None or step.mask is not None:
        raise Unfusable("a row of a Matrix through a mask or an accumulator", step.number)
    matrix, index = step.args
    store, out, W = context.facts.matrices[matrix.number], context.facts.slots[step.out], f"S.s{step.out}"
    types = (store.indptr.dtype, store.indices.dtype, store.dtype)
    indptr, indices, values = (
        f"(const {c_type(dtype)}*){context.of_matrix('rows', matrix.number, field=field)}"
        for field, dtype in zip(("indptr", "indices", "values"), types, strict=True)
    )
    return (
        f"        int64 row{at} = {context.scalar(index, np.dtype(np.int64))};\n"
        f"        if (uint64(row{at}) >= uint64({context.of_matrix('nrows', matrix.number)})) {{\n"
        f"            if (thread() == 0) stop_because(counters + STOP, OUT_OF_RANGE + REASONS * {step.number});\n"
        f"            row{at} = 0;\n"
        f"        }}\n"
        f"        int64 start{at} = ({indptr})[row{at}], length{at} = int64(({indptr})[row{at} + 1]) - start{at};\n"
        f"{others_clean(context, [step.out])}"
        f"        overwrite_by_row<{valued(out)}, {truth(not store.iso)}>({W}, {indices} + start{at}, "
        f"{values} + {'0' if store.iso else f'start{at}'}, length{at}, {context.next_offsets(step.out)}, "
        f"{counters_of(at)});\n"
    )


def scalar_step(context: Context, item: ScalarStep) -> str:
    step = context.facts.steps[item.step]
    if step.kind in (Kind.SCALAR_ADD, Kind.SCALAR_MULT):
        context.namespace(f"e{item.step}", binary("op", _operator(step)))
    return (
        f"        __syncthreads();\n"
        f"        if (threadIdx.x == 0) {{ {scalar_text(context, item.step)} }}\n"
        f"        __syncthreads();\n"
    )


def _operator(step: BodyStep) -> TypedBinary:
    return getattr(step.op, "binaryop", step.op)


def scalar_text(context: Context, at: int) -> str:
    """A Scalar of other Scalars, as a thread computes it that has the block's state for itself."""
    step = context.facts.steps[at]
    if step.accum is not None:
        raise Unfusable("a Scalar with an accumulator", step.number)
    result = context.facts.variables[step.out]
    has = [f"S.c{arg.number}.present" if arg.kind == "variable" else "true" for arg in step.args]
    if step.kind == Kind.SCALAR_ASSIGN:
        text, present = context.scalar(step.args[0], result), has[0]
    else:
        op = _operator(step)
        x, y = (context.scalar(arg, t.np_type) for arg, t in zip(step.args, (op.type, op.type2), strict=True))
        text, present = f"cast<{c_type(result)}>(e{at}::op({x}, {y}))", f"({has[0]} && {has[1]})"
        if step.kind == Kind.SCALAR_ADD:
            left, right = (context.scalar(arg, result) for arg in step.args)
            text, present = f"({present} ? {text} : {has[0]} ? {left} : {right})", f"({has[0]} || {has[1]})"
    cell = f"S.c{step.out}"
    return f"{cell}.bits = bits_of({text}); {cell}.present = {present};"
