"""The terms of programs for engines that run them as a whole: steps, their operands, and reasons why not.

Vectors, matrices and scalars are numbers here, so that no pass of an engine keeps objects alive.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...foundation.types import Accum

#: Fields in the key of a body, which is compared at every call.
Fields: TypeAlias = tuple[Any, ...]
#: Arithmetic on counts: a number, the name of a count, or a sign with two operands.
Arithmetic: TypeAlias = "int | str | tuple[str, Arithmetic, Arithmetic]"


class Unfusable(Exception):
    """Why a body cannot run as one kernel, and the number of the operation in the recording that prevents it."""

    def __init__(self, why: str, number: int | None = None) -> None:
        super().__init__(why)
        self.number = number


class Kind(StrEnum):
    """All kinds of steps; both engines have source text for each."""

    VXM = "vxm"
    MXV = "mxv"
    COPY = "copy"
    ASSIGN = "assign"
    ADD = "add"
    MULT = "mult"
    UNION = "union"
    APPLY = "apply"
    APPLY_LEFT = "apply_left"
    APPLY_RIGHT = "apply_right"
    APPLY_INDEX = "apply_index"
    SELECT = "select"
    CLEAR = "clear"
    GATHER = "gather"
    ROW = "row"
    HEAVIEST_GROUPS = "heaviest_groups"  # of a matrix: groups; handicaps, rows, factors and a diagonal, or nothing
    # Values for one position are combined by a monoid, the first one is taken, or a second one is an error. Arguments
    # are the values, unless only positions matter, and the index.
    SCATTER = "scatter"
    SCATTER_ANY = "scatter.any"
    SCATTER_ONCE = "scatter.once"
    REDUCE = "reduce"
    REDUCE_IDENTITY = "reduce.identity"
    SCALAR_ASSIGN = "scalar.assign"
    SCALAR_ADD = "scalar.add"
    SCALAR_MULT = "scalar.mult"
    SCALAR_APPLY = "scalar.apply"
    SCALAR_APPLY_LEFT = "scalar.apply_left"
    SCALAR_APPLY_RIGHT = "scalar.apply_right"
    BEGIN = "begin"  # of a loop inside of a loop
    END = "end"


class VectorUse(NamedTuple):
    """The properties of a vector that a program is compiled for."""

    dtype: np.dtype
    full: bool
    iso: bool
    written: bool


class Operand(NamedTuple):
    """An argument of a step: a vector, a matrix, a scalar of the loop, a constant, or arithmetic on the count."""

    kind: str  # "vector", "matrix", "variable", "constant", "count", "nothing"
    number: int
    dtype: Any = None  # of numbers
    transposed: bool = False
    arithmetic: Arithmetic = 0  # see counted()
    by_rows: bool = False  # of a matrix: a product with it never pushes, see rules.stays_by_rows


def counted(tree: Arithmetic, name: Callable[[str], str], number: Callable[[int], str]) -> str:
    """Arithmetic on counts (:meth:`.Number.tree`) as text: a count's name and a number are written by functions.

    >>> counted(("+", ("*", 2, "step"), 1), "S.{}".format, str)
    '((2 * S.step) + 1)'
    """
    if isinstance(tree, str):
        return name(tree)
    if not isinstance(tree, tuple):
        return number(tree)
    sign, left, right = tree
    return f"({counted(left, name, number)} {sign} {counted(right, name, number)})"


class MaskUse(NamedTuple):
    vector: int
    structure: bool
    complement: bool


class BodyStep(NamedTuple):
    kind: Kind
    out: int
    op: Any  # a typed operator, monoid or semiring; a :class:`Flow`
    args: tuple[Operand, ...]
    mask: MaskUse | None
    accum: Accum
    replace: bool
    desc: Any  # a Descriptor, or None
    number: int  # in the program
    line: int


class Flow(NamedTuple):
    """The operator of a step "begin": a loop inside of the loop (or ``once`` at most) from there to its "end"."""

    number: int  # of its count
    condition: Fields
    limit: Operand | None
    once: bool
