"""Typed operators as text inside a kernel."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from textwrap import indent
from typing import Any

import numpy as np

from ...foundation.types import TypedOperator
from ...plan.facts import names_in, uses
from .compile import Function

__all__ = ["Inliner", "kept_end", "literal", "static_cast", "uses", "where"]

_KNOWN = {"np", "math", "x", "y", "i", "j", *dir(builtins)}


@cache
def _helpers() -> set[str]:
    """The names that ``operators/prelude.py`` defines, from its text: importing it imports Numba."""
    name = "grblas_gpu.operators.prelude"
    loader: Any = getattr(find_spec(name), "loader", None)
    tree = ast.parse(loader.get_source(name))
    assigned = (node for line in tree.body for node in ast.walk(line) if isinstance(line, (ast.Assign, ast.AnnAssign)))
    stored = {node.id for node in assigned if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return stored | {line.name for line in tree.body if isinstance(line, ast.FunctionDef)}


class Inliner:
    """Turns operators into expressions and collects their requirements: helpers, user functions, imports."""

    def __init__(self) -> None:
        self.functions: dict[str, Function] = {}
        self._imports: set[str] = set()
        self._helpers: dict[str, str] = {}

    def header(self) -> str:
        imports = "".join(f"from grblas_gpu.operators.prelude import {name}\n" for name in sorted(self._imports))
        return imports + "".join(text for _, text in sorted(self._helpers.items()))

    def call(self, op: TypedOperator, **operands: str) -> str:
        """The operator applied to these scalar expressions, cast to its result type."""
        return static_cast(op.return_type.np_type, self.raw(op, **operands))

    def indexed(self, op: TypedOperator, x: str, y: str, at: Mapping[str, str]) -> str:
        """An operator that reads values and their positions."""
        ix, jx, iy, jy = (f"np.int64({at[name]})" for name in ("firsti", "firstj", "secondi", "secondj"))
        theta = literal(op.theta[0], op.theta.dtype)
        return self.call(op, x=x, ix=ix, jx=jx, y=y, iy=iy, jy=jy, theta=theta)

    def of_vectors(self, op: TypedOperator, **operands: str) -> str:
        """An operator on the elements of vectors at position i."""
        if op.positional is None:
            return self.call(op, **operands)
        if op.indexed:
            return self.indexed(op, **operands, at={"firsti": "i", "firstj": "0", "secondi": "i", "secondj": "0"})
        place = "i" if op.positional.endswith("i") else "0"
        return static_cast(op.return_type.np_type, f"np.int64({place}) + {op.offset}")

    def raw(self, op: TypedOperator, **operands: str) -> str:
        if op.source is None:
            function: Any = getattr(op.function, "py_func", op.function)
            name = next((name for name, known in self.functions.items() if known is function), "")
            name = name or f"user_{len(self.functions)}"
            self.functions[name] = function
            return f"{name}({', '.join(operands.values())})"
        tree = ast.parse(op.source, mode="eval")
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                if node.id in operands:
                    node.id = operands[node.id]
                elif node.id not in _KNOWN and node.id in _helpers():
                    self._imports.add(node.id)
        return f"({ast.unparse(tree)})"

    def load(self, expression: str, stored: np.dtype, wanted: np.dtype) -> str:
        """A stored value in the type an operator wants: floats saturate to integers and NaN becomes 0."""
        if stored == wanted:
            return expression
        if wanted == bool:
            return f"({expression} != 0)"
        if stored.kind == "c" and wanted.kind != "c":
            return self.load(f"({expression}).real", np.dtype(f"f{stored.itemsize // 2}"), wanted)
        if stored.kind == "f" and wanted.kind in "iu":
            name = f"saturate_{wanted.name}"
            limits = np.iinfo(wanted)
            cast = f"np.{wanted.name}"
            self._helpers[name] = (
                f"@numba.njit\ndef {name}(x):\n"
                f"    if x != x:\n        return {cast}(0)\n"
                f"    if x <= {float(limits.min)!r}:\n        return {cast}({limits.min})\n"
                f"    if x >= {float(limits.max)!r}:\n        return {cast}({limits.max})\n"
                f"    return {cast}(x)\n\n"
            )
            return f"{name}({expression})"
        return static_cast(wanted, expression)


def where(condition: str, text: str, otherwise: str = "") -> str:
    """Statements under a condition, and others where it does not hold; one that always holds is "True" or empty.

    >>> where("True", "n += 1\\n", "n = 0\\n"), where("found", "n += 1\\n", "n = 0\\n")
    ('n += 1\\n', 'if found:\\n    n += 1\\nelse:\\n    n = 0\\n')
    """
    if condition in ("", "True"):
        return text
    chosen = f"if {condition}:\n" + indent(text or "pass\n", "    ")
    return f"{chosen}else:\n{indent(otherwise, '    ')}" if otherwise else chosen


def static_cast(dtype: np.dtype, expression: str) -> str:
    return f"bool({expression})" if dtype == bool else f"np.{dtype.name}({expression})"


def literal(value: Any, dtype: np.dtype) -> str:
    """A Python scalar as a constant of this type; infinities and NaN have no literal."""
    if dtype == bool:
        return str(bool(value))
    if dtype.kind == "c":
        parts = (literal(part, np.dtype(f"f{dtype.itemsize // 2}")) for part in (value.real, value.imag))
        return f"np.{dtype.name}(complex({', '.join(parts)}))"
    if dtype.kind == "f":
        number = float(value)
        text = repr(number) if np.isfinite(number) else {"inf": "np.inf", "-inf": "-np.inf"}.get(str(number), "np.nan")
        return f"np.{dtype.name}({text})"
    return f"np.{dtype.name}({int(value)})"


@cache
def kept_end(source: str | None) -> str | None:
    """Which end of a row a test of positions keeps: the "first" entries, the "last", or None if unknown.

    A column compared with a number that is constant within the row splits the row, whose columns ascend, in two.
    """
    tree = None if source is None else ast.parse(source, mode="eval").body
    if not isinstance(tree, ast.Compare) or len(tree.ops) > 1 or "x" in names_in(source):
        return None
    if "j" not in names_in(source):
        return "first"  # all of them or none
    if ast.unparse(tree.left) != "j" or "j" in names_in(ast.unparse(tree.comparators[0])):
        return None
    return {ast.Lt: "first", ast.LtE: "first", ast.Gt: "last", ast.GtE: "last"}.get(type(tree.ops[0]))
