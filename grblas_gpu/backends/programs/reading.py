"""How a product reads the values of its operands, multiplies and adds them: one description for the kernels of all
engines, of single calls and of loops."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from ...foundation.types import Array, TypedSemiring
from ...plan.facts import uses
from .monoids import keeps_equal, order_dependent

UNUSED, ISO, EACH = 0, 1, 2  # how the values of an operand are read


class Values(NamedTuple):
    """The values of an operand: their type, and whether one stands for all."""

    dtype: np.dtype
    iso: bool

    @staticmethod
    def of(values: Array) -> Values:
        return Values(values.dtype, len(values) == 1)


def mode(used: bool, iso: bool) -> int:
    """Not at all, once, or one by one."""
    return UNUSED if not used else ISO if iso else EACH


class Reading:
    """The ``first`` operand is the matrix, or the left one of two; the ``second`` is the vector, or the right matrix.

    With ``flip`` the multiplication takes the second operand first.
    """

    __slots__ = (
        "dtype",
        "early_exit",
        "exit_at_first",
        "first",
        "first_type",
        "flip",
        "has_terminal",
        "order_dependent",
        "second",
        "second_type",
        "semiring",
        "structure",
    )

    def __init__(self, semiring: TypedSemiring, first: Values, second: Values, flip: bool, early_exit: bool) -> None:
        op, monoid = semiring.binaryop, semiring.monoid
        left, right = uses(op, "x"), uses(op, "y")
        self.semiring, self.flip, self.early_exit = semiring, flip, early_exit
        self.dtype: np.dtype = monoid.return_type.np_type
        self.first_type, self.second_type = first.dtype, second.dtype
        self.first = mode(right if flip else left, first.iso)
        self.second = mode(left if flip else right, second.iso)
        # Equal products whose sum is again the same: the values need not be known to see that.
        equal = op.positional is None and self.first != EACH and self.second != EACH
        self.structure = equal and keeps_equal(monoid)
        self.exit_at_first = self.structure or (early_exit and bool(monoid.any_value))
        self.has_terminal = early_exit and monoid.terminal is not None
        #: Whether the order of additions may change the result.
        self.order_dependent = order_dependent(monoid, self.structure)

    @property
    def added(self) -> Self | None:
        """How products are combined; None if only their existence matters."""
        return None if self.structure else self
