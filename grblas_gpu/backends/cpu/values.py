"""How element-wise kernels read the values of their operands."""

from __future__ import annotations

import numpy as np

from ...foundation.types import TypedOperator
from ..programs.reading import ISO, UNUSED, mode
from ..stores.entries import cast
from ..stores.storage import Array
from .inline import Inliner


def reading(values: Array, used: bool = True) -> int:
    return mode(used, len(values) == 1)


def prologue(inliner: Inliner, name: str, mode: int, stored: np.dtype, wanted: np.dtype, variable: str) -> str:
    """The line before the loop that loads an iso value, or a placeholder for an unused value."""
    if mode == ISO:
        return f"    {variable} = {inliner.load(f'{name}[0]', stored, wanted)}\n"
    if mode == UNUSED:
        return f"    {variable} = {inliner.load('np.int8(1)', np.dtype(np.int8), wanted)}\n"
    return ""


def single(op: TypedOperator, x: Array, y: Array) -> Array:
    """``op`` on the first value of each operand, as an array of one."""
    left, right = cast(x[:1].copy(), op.type.np_type), cast(y[:1].copy(), op.type2.np_type)
    return np.array(op.numpy(left, right), op.return_type.np_type).reshape(1)
