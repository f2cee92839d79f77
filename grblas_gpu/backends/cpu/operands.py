"""One operator on the values of two stores, its text inside a kernel, and how kernels read the values."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np

from ...foundation.caches import Bounded
from ...foundation.types import Accum, TypedOperator, Value
from ..programs.reading import EACH, ISO, UNUSED, mode
from ..stores.entries import cast
from ..stores.storage import Array
from . import buffers
from .compile import Source
from .inline import Inliner, uses, where


class Operands:
    """One operator on two stores: its key, how values are read, and the single value of the result if it has one.

    Without an operator the second value takes the place of the first.
    """

    def __init__(
        self, x: Array, y: Array, op: Accum, union: bool, defaults: tuple[Value, Value] | None = None, dtype: Any = None
    ) -> None:
        assert op is not None or dtype is not None
        self.op, self.union = op, union
        self.dtype: np.dtype = op.return_type.np_type if dtype is None and op is not None else dtype
        self.types = (x.dtype, y.dtype)
        self.x, self.y = (reading(v, union or op is None or uses(op, name)) for v, name in ((x, "x"), (y, "y")))
        self.defaults: tuple[Array, ...] = ()
        if defaults is not None and op is not None:
            self.defaults = tuple(
                cast(np.asarray(default).reshape(1), wanted.np_type)
                for default, wanted in zip(defaults, (op.type, op.type2), strict=True)
            )
        self.constant = self._constant(x, y)
        self.key: Hashable = None
        if self.constant is None:
            name = None if op is None else op.key
            self.key = (name, x.dtype.char, y.dtype.char, self.dtype.char, self.x, self.y, len(self.defaults))
        else:  # kernels read no values
            self.x, self.y, self.defaults = UNUSED, UNUSED, ()

    def _constant(self, x: Array, y: Array) -> Array | None:
        if self.x == EACH or self.y == EACH or len(x) == 0 or len(y) == 0:
            return None
        op = self.op
        both = cast(y[:1].copy() if op is None else single(op, x, y), self.dtype)
        if not self.union:
            return both
        if op is not None and self.defaults:
            only_x, only_y = single(op, x, self.defaults[1]), single(op, self.defaults[0], y)
        else:
            only_x, only_y = cast(x[:1].copy(), self.dtype), cast(y[:1].copy(), self.dtype)
        return both if bool(both[0] == only_x[0]) and bool(both[0] == only_y[0]) else None

    def arguments(self, x: Array, y: Array) -> tuple[Array, ...]:
        given = ((x,) if self.x else ()) + ((y,) if self.y else ())
        return given + self.defaults

    def text(self, x_at: str, y_at: str, target: str) -> Text:
        """For values at these places of ``x_values`` and ``y_values``."""
        form = None
        if self.constant is None:
            defaults = ("left_default[0]", "right_default[0]") if self.defaults else ()
            form = Form(self.op, self.types, self.x, self.y, self.dtype, defaults)
        return Text(form, f"x_values[{x_at}]", f"y_values[{y_at}]", target)

    def names(self) -> str:
        text = (", x_values" if self.x else "") + (", y_values" if self.y else "")
        return text + (", left_default, right_default" if self.defaults else "")

    def output(self, count: int) -> tuple[Array, tuple[Array, ...]]:
        """The result's values, and the same as kernel arguments."""
        if self.constant is not None:
            return (self.constant.copy() if count else self.constant[:0]), ()
        values = buffers.empty(count, self.dtype)
        return values, (values,)


_known: dict[Hashable, Operands] = Bounded("operators on stores by types", 1000)


def operands_of(x: Array, y: Array, op: Accum, union: bool, defaults: Any = None, dtype: Any = None) -> Operands:
    """The operands; cached where they do not depend on values."""
    if defaults is not None or len(x) < 2 or len(y) < 2:
        return Operands(x, y, op, union, defaults, dtype)
    key = None if op is None else op.key, union, x.dtype, y.dtype, dtype
    found = _known.get(key)
    if found is None:
        found = _known[key] = Operands(x, y, op, union, None, dtype)
    return found


class Form(NamedTuple):
    """What an operator combines: the types of two values, how they are read, and the type of the result."""

    op: Accum  # without one the second value takes the place of the first
    types: tuple[np.dtype, np.dtype]
    x: int
    y: int
    dtype: np.dtype
    defaults: tuple[str, ...] = ()  # for a missing operand, in the operator's types


class Text:
    """The assignments to a value: from both operands, or from one of them. Nothing without a form.

    The operands are elements of arrays by name; one that is the same for all is read in the ``prologue``.
    """

    def __init__(self, form: Form | None, x: str, y: str, target: str, inliner: Inliner | None = None) -> None:
        self.inliner = inliner = inliner or Inliner()
        self.prologue = self.both = self.only_x = self.only_y = self.operands = self.call = ""
        if form is None:
            return
        self.op, (x_type, y_type), result = form.op, form.types, form.dtype
        self.x_alone = inliner.load(x if form.x == EACH else first_of(x), x_type, result)
        self.y_alone = inliner.load(y if form.y == EACH else first_of(y), y_type, result)
        self.only_x, self.only_y = f"{target} = {self.x_alone}\n", f"{target} = {self.y_alone}\n"
        if self.op is None:
            self.both = self.only_y
            return
        left, right = self.op.type.np_type, self.op.type2.np_type
        self.prologue = prologue(inliner, x.partition("[")[0], form.x, x_type, left, "x_first")
        self.prologue += prologue(inliner, y.partition("[")[0], form.y, y_type, right, "y_first")
        x = inliner.load(x, x_type, left) if form.x == EACH else "x_first"
        y = inliner.load(y, y_type, right) if form.y == EACH else "y_first"
        self.operands = f"left = {x}\nright = {y}\n"
        call = inliner.of_vectors(self.op, x="left", y="right")
        self.call = inliner.load(call, self.op.return_type.np_type, result)
        self.both = f"{self.operands}{target} = {self.call}\n"
        if form.defaults:
            self.only_x = f"left = {x}\nright = {form.defaults[1]}\n{target} = {self.call}\n"
            self.only_y = f"left = {form.defaults[0]}\nright = {y}\n{target} = {self.call}\n"

    def combined(self, has_x: str, has_y: str, union: bool) -> tuple[str, str]:
        """Whether there is a result, for operands that are there under these conditions; and its statements."""
        if not union:
            return both(has_x, has_y), self.both
        either = "True" if "True" in (has_x, has_y) else f"({has_x} or {has_y})"
        return either, where(has_x, where(has_y, self.both, self.only_x), self.only_y)

    def change(
        self, found: str, has: str, opened: str, new: str, remove: str = "", replace: bool = False, lines: str = ""
    ) -> str:
        """The output step at one position, whose value is x: y is written there if it is ``found``.

        ``has`` says whether there is an entry, ``lines`` compute y, and others note a new or removed entry.
        """
        if self.op is None:
            text = self.only_y + (where(f"not {has}", new) if new else "")
        else:
            text = where(has, self.both, self.only_y + new)
        text = where(found, lines + text, remove if self.op is None else "")
        return where(opened, text, remove if replace else "")

    def finish(self, text: str) -> Source:
        return self.inliner.header() + "@kernel\n" + text, self.inliner.functions


def both(one: str, other: str) -> str:
    """Two conditions, of which "True" always holds."""
    return one if other == "True" else other if one == "True" else f"({one} and {other})"


def first_of(element: str) -> str:
    """
    >>> first_of("x_values[p]")
    'x_values[0]'
    """
    return f"{element.partition('[')[0]}[0]"


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
