"""Operations that are never fused into a kernel: the size of their output, or of their operand, depends on the data.

A loop that contains such an operation runs node by node.
"""

from __future__ import annotations

from typing import Any

from ...ir import ops
from ...ir.ops import Op
from ...ir.program import Program

#: Operations with a Matrix operand that a kernel supports.
OF_A_MATRIX = ops.MATVEC | {ops.EXTRACT_ROW, ops.HEAVIEST_GROUPS}


def unfusable_operation(op: Op, out: Any, operands: Any) -> str:
    """A description of the operation if it cannot be fused; otherwise an empty string."""
    if out.ndim == 2:
        return f"{op} into a Matrix"
    if op is ops.ASSIGN and operands[1] is not None:
        return "assign to a part of a Vector"
    if op not in ops.LOOP_OPS:
        return f"{op} into a {'Vector' if out.ndim else 'Scalar'}"
    if op not in OF_A_MATRIX and any(getattr(x, "ndim", 0) == 2 for x in operands):
        return f"{op} of a Matrix"
    return ""


def unfusable_reason(program: Program) -> str | None:
    """The line and the operation that prevent every engine from fusing a loop; None if an engine may fuse it."""
    for node in program.flat:
        if node.op not in ops.CONTROL and (what := unfusable_operation(node.op, node.out, node.operands)):
            return f"line {program.line(node)}: {what}"
        if node.op in ops.CONTROL and node.operands[0].condition.ndim == 2:
            return f"line {program.line(node)}: the condition is a Matrix"
    return "the condition is a Matrix" if program.condition is not None and program.condition.ndim == 2 else None
