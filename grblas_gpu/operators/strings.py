"""Operators by their names and symbols: ``"min"``, ``"+[int]"``."""

from __future__ import annotations

from typing import Any

from ..dtypes import lookup_dtype
from ..foundation.types import Operator
from . import registry
from .registry import OpPath

SYMBOLS: dict[str, dict[str, str]] = {
    "unary": {"-": "ainv", "~": "lnot"},
    "binary": {
        "<": "lt",
        ">": "gt",
        "<=": "le",
        ">=": "ge",
        "!=": "ne",
        "==": "eq",
        "+": "plus",
        "-": "minus",
        "*": "times",
        "/": "truediv",
        "//": "floordiv",
        "%": "numpy.mod",
        "**": "pow",
        "&": "land",
        "|": "lor",
        "^": "lxor",
    },
    "monoid": {"==": "eq", "+": "plus", "*": "times", "&": "land", "|": "lor", "^": "lxor"},
    "semiring": {},
    "select": {
        "<": "valuelt",
        ">": "valuegt",
        "<=": "valuele",
        ">=": "valuege",
        "!=": "valuene",
        "==": "valueeq",
        "col<=": "colle",
        "col>": "colgt",
        "row<=": "rowle",
        "row>": "rowgt",
        "index<=": "indexle",
        "index>": "indexgt",
    },
    "agg": {"+": "sum", "*": "prod", "&": "all", "|": "any"},
}
SYMBOLS["indexunary"] = SYMBOLS["select"]
_EXAMPLES = {
    "unary": "abs[int]",
    "binary": "+[int]",
    "monoid": "+[int]",
    "semiring": "min.+[int]",
    "indexunary": "row_index",
    "select": "tril",
    "agg": "sum[int]",
}


def find_string(string: str, kind: str) -> Operator:
    """The operator of this kind that a string such as ``"plus[int]"`` names."""
    usage = f"Example usage: {_EXAMPLES[kind]!r}"
    base, *brackets = string.lower().strip().split("[")
    if len(brackets) > 1:
        raise ValueError(f'Bad {kind} string: {string!r}.  Contains too many "[".  {usage}')
    if brackets and not brackets[0].endswith("]"):
        raise ValueError(f'Bad {kind} string: {string!r}.  Datatype specification does not end with "]".  {usage}')
    if "]" in base:
        raise ValueError(f'Bad {kind} string: {string!r}.  "]" not matched by "[".  {usage}')
    name = SYMBOLS[kind].get(base, base)
    candidates = (found for path in (name, f"numpy.{name}") if (found := registry.find(kind, path)) is not None)
    op = next((found for found in candidates if not isinstance(found, OpPath)), None) if name else None
    if op is None:
        raise ValueError(f"Unknown {kind} string: {string!r}.  {usage}")
    return op[lookup_dtype(brackets[0][:-1])] if brackets else op


def unary_from_string(string: str) -> Operator:
    """``"-"``, ``"abs"``, ``"abs[int]"`` ..."""
    return find_string(string, "unary")


def binary_from_string(string: str) -> Any:
    """``"+"``, ``"minus"``, ``"%[int]"`` ..."""
    return find_string(string, "binary")


def monoid_from_string(string: str) -> Operator:
    """``"+"``, ``"min[float]"`` ..."""
    return find_string(string, "monoid")


def indexunary_from_string(string: str) -> Operator:
    """``"rowindex"``, ``"<="`` ..."""
    return find_string(string, "indexunary")


def select_from_string(string: str) -> Operator:
    """``"tril"``, ``">"``, ``"row<="`` ..."""
    return find_string(string, "select")


def aggregator_from_string(string: str) -> Operator:
    """``"sum"``, ``"+"`` ..."""
    return find_string(string, "agg")
