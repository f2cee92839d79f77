"""What no engine runs as a part of one kernel: its memory, or what it reads, is not known before it runs.

A loop with such a node in it runs from the list of its nodes, one after another.
"""

from __future__ import annotations

from typing import Any

from ...ir import ops
from ...ir.ops import Op
from ...ir.program import Program

OF_A_MATRIX = ops.MATVEC | {ops.EXTRACT_ROW}  # what a kernel may do with one


def is_apart(op: Op, out: Any, operands: Any) -> str:
    """What keeps an operation from being a part of a kernel; nothing of one that may be."""
    if out.ndim == 2:
        return f"{op} into a Matrix"
    if op is ops.ASSIGN and operands[1] is not None:
        return "assign to a part of a Vector"
    if op not in ops.LOOP_OPS:
        return f"{op} into a {'Vector' if out.ndim else 'Scalar'}"
    if op not in OF_A_MATRIX and any(getattr(x, "ndim", 0) == 2 for x in operands):
        return f"{op} of a Matrix"
    return ""


def why_apart(program: Program) -> str | None:
    """Why a loop cannot run as a whole, on any engine and whatever it is given: the line, and the operation."""
    for node in program.flat:
        if node.op not in ops.CONTROL and (what := is_apart(node.op, node.out, node.operands)):
            return f"line {program.line(node)}: {what}"
        if node.op in ops.CONTROL and node.operands[0].condition.ndim == 2:
            return f"line {program.line(node)}: the condition is a Matrix"
    condition: Any = program.condition
    return "the condition is a Matrix" if condition is not None and condition.ndim == 2 else None
