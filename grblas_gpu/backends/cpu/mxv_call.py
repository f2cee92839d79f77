"""What a product is, once its operator, types and single values are known: found out once, and kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..entries import cast
from ..storage import Array, MatrixStore, VectorStore
from . import mxv_source as text
from .inline import uses
from .mxv_source import ARRAY, ISO, UNUSED
from .tier import KernelTable

MIXED_ABOVE, MIXED_BELOW = 0.03, 0.97  # fills of a bitmap between which its flags are unpredictable
MOST_CALLS = 4096  # after so many all are forgotten

kernels = KernelTable()  # of all strategies
_calls: dict[Any, Call] = {}


def prepared(a_values: Array, u_values: Array, semiring: Any, flip: bool, early: bool) -> Call:
    """What is known of a product once its operator, types and single values are; found out once."""
    a_iso = a_values.tobytes() if len(a_values) == 1 else None
    u_iso = u_values.tobytes() if len(u_values) == 1 else None
    key = (semiring.key, flip, early, a_values.dtype.char, u_values.dtype.char, a_iso, u_iso)
    call = _calls.get(key)
    if call is None:
        if len(_calls) > MOST_CALLS:
            _calls.clear()
        # The semiring stays alive with its key: a user-defined one is told apart by its address.
        call = _calls[key] = Call(a_values, u_values, semiring, flip, early)
    return call


class Call:
    """What all strategies need to know about a product, whatever its size."""

    __slots__ = ("constant", "early", "flip", "key", "leave", "matrix", "reading", "semiring", "types", "vector")

    def __init__(self, a_values: Array, u_values: Array, semiring: Any, flip: bool, early: bool) -> None:
        self.semiring = semiring
        self.flip = flip
        a_type, u_type = a_values.dtype, u_values.dtype
        self.types = (a_type, u_type)
        self.constant, self.matrix, self.vector, can_exit = _how_to_read(a_values, u_values, semiring, flip)
        self.early = early and can_exit
        self.leave = early  # structure alone: a row may end at its first hit
        #: What a kernel that computes values depends on, and (as a key) one that computes no more than it must.
        self.reading = (semiring.key, flip, a_type.char, self.matrix, u_type.char, self.vector, self.early)
        self.key: Any = self.reading if self.constant is None else None if early else "whole rows"

    def terms(self) -> text.Terms | None:
        if self.constant is not None:
            return None
        a_type, u_type = self.types
        return text.Terms(self.semiring, self.flip, self.matrix, a_type, self.vector, u_type, self.early)

    def can_blend(self, m: MatrixStore, u: VectorStore) -> bool:
        """Whether to list present entries before using them: where a branch on presence would often be mispredicted."""
        hits, columns = u.nvals / u.size, m._transpose
        if u.edges is not None and columns is not None and u.edges[0] is columns.indptr:
            hits = u.edges[1].known() / max(1, m.nvals)  # counted: so many of the probes will hit
        if self.constant is not None or not MIXED_ABOVE < hits < MIXED_BELOW:
            return False
        return not (self.early and self.semiring.monoid.any_value)

    def value_arguments(self, a_values: Array, u_values: Array) -> tuple[Array, ...]:
        if self.constant is not None:
            return ()
        if self.matrix != UNUSED:
            return (a_values, u_values) if self.vector != UNUSED else (a_values,)
        return (u_values,) if self.vector != UNUSED else ()


def _how_to_read(a_values: Array, u_values: Array, semiring: Any, flip: bool) -> tuple[Array | None, int, int, bool]:
    """The result's single value if it has one, how to read the operands' values, and whether early exit is possible."""
    op, monoid = semiring.binaryop, semiring.monoid
    left_used, right_used = uses(op, "x"), uses(op, "y")
    a_used, u_used = (right_used, left_used) if flip else (left_used, right_used)
    matrix = UNUSED if not a_used else ISO if len(a_values) == 1 else ARRAY
    vector = UNUSED if not u_used else ISO if len(u_values) == 1 else ARRAY
    can_exit = bool(monoid.any_value) or monoid.terminal is not None
    constant = None
    if op.positional is None and matrix != ARRAY and vector != ARRAY:
        left, right = (u_values, a_values) if flip else (a_values, u_values)
        x = cast(left[:1].copy(), op.type.np_type)
        y = cast(right[:1].copy(), op.type2.np_type)
        z = np.asarray(op.numpy(x, y)).astype(semiring.return_type.np_type)
        again = np.asarray(monoid.binaryop.numpy(z, z))
        if bool((z == again).all()):
            constant = z.reshape(1).copy()
    return constant, matrix, vector, can_exit
