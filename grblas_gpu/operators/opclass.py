"""The kind of an operator."""

from __future__ import annotations

from types import BuiltinFunctionType, ModuleType
from typing import Any

from . import registry
from .base import OpBase, TypedOpBase
from .parameterized import ParameterizedUdf

UNKNOWN_OPCLASS = "UnknownOpClass"


def find_opclass(op: object) -> tuple[Any, str]:
    """The operator itself and the name of its class; parameterized ones are called with their defaults."""
    if isinstance(op, OpBase):
        return op, type(op).__name__
    if isinstance(op, TypedOpBase):
        return op, op.opclass
    if isinstance(op, ParameterizedUdf):
        return find_opclass(op())
    if isinstance(op, BuiltinFunctionType):
        found = builtin_to_op(op)
        if found is not None:
            return find_opclass(found)
    return op, getattr(op, "opclass", UNKNOWN_OPCLASS) if not isinstance(op, (type, ModuleType)) else UNKNOWN_OPCLASS


def builtin_to_op(function: BuiltinFunctionType) -> OpBase | None:
    """Python's ``abs``, ``min`` and ``max`` are operators too."""
    table: dict[object, tuple[str, str]] = {abs: ("unary", "abs"), min: ("binary", "min"), max: ("binary", "max")}
    return registry.builtin(*table[function]) if function in table else None
