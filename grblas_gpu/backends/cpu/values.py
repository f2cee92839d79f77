"""How element-wise kernels read the values of their operands."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..entries import cast
from ..storage import Array
from .inline import Inliner

UNUSED, ISO, ARRAY = 0, 1, 2


def reading(values: Array, used: bool = True) -> int:
    """Not at all, once, or one by one."""
    return UNUSED if not used else ISO if len(values) == 1 else ARRAY


def prologue(inliner: Inliner, name: str, mode: int, stored: np.dtype, wanted: np.dtype, variable: str) -> str:
    """The line before the loop that loads an iso value, or a stand-in for one that nobody looks at."""
    if mode == ISO:
        return f"    {variable} = {inliner.load(f'{name}[0]', stored, wanted)}\n"
    if mode == UNUSED:
        return f"    {variable} = {inliner.load('np.int8(1)', np.dtype(np.int8), wanted)}\n"
    return ""


def single(op: Any, x: Array, y: Array) -> Array:
    """``op`` on the first value of each operand, as an array of one."""
    left, right = cast(x[:1].copy(), op.type.np_type), cast(y[:1].copy(), op.type2.np_type)
    return np.array(op.numpy(left, right), op.return_type.np_type).reshape(1)
