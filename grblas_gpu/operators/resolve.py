"""From what a user writes (an operator, a string, a function) to the operator that is meant."""

from __future__ import annotations

from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType
from typing import Any

from ..dtypes import DataType
from ..foundation.types import Operator
from .base import OpBase, TypedOpBase
from .binary import BinaryOp
from .opclass import builtin_to_op
from .parameterized import ParameterizedUdf
from .semiring import get_semiring
from .strings import (
    aggregator_from_string,
    binary_from_string,
    find_string,
    indexunary_from_string,
    monoid_from_string,
    select_from_string,
    unary_from_string,
)
from .unary import UnaryOp


def get_typed_op(
    op: Any,
    dtype: DataType,
    dtype2: DataType | None = None,
    *,
    is_left_scalar: bool = False,
    is_right_scalar: bool = False,
    kind: str | None = None,
) -> Any:
    """The typed operator for operands of these types.

    ``op`` may be an operator, a typed operator (returned as it is), a string such as ``"+"`` or ``"min_plus[int]"`` of
    this ``kind``, a Python function, or one of ``abs``, ``min``, ``max``.

    >>> from grblas_gpu import binary, dtypes
    >>> get_typed_op(binary.plus, dtypes.INT8, dtypes.FP32)
    binary.plus[FP32]
    >>> get_typed_op("<", dtypes.INT64, kind="binary")
    binary.lt[INT64]
    """
    if isinstance(op, TypedOpBase):
        return op
    try:
        return op._cache[dtype, dtype2]
    except (AttributeError, KeyError, TypeError):
        pass
    if isinstance(op, OpBase):
        return op._for_types(dtype, dtype2)
    if isinstance(op, ParameterizedUdf):
        return get_typed_op(op(), dtype, dtype2)
    if isinstance(op, str):
        return get_typed_op(_from_kind(op, kind), dtype, dtype2)
    if isinstance(op, FunctionType) and kind is not None:
        if kind == "unary":
            return UnaryOp.register_anonymous(op, is_udt=True)._compile_udt(dtype, dtype2)
        if kind.startswith("binary"):
            return BinaryOp.register_anonymous(op, is_udt=True)._compile_udt(dtype, dtype2)
    if isinstance(op, BuiltinFunctionType) and (found := builtin_to_op(op)) is not None:
        return get_typed_op(found, dtype, dtype2)
    if getattr(op, "opclass", None) == "Aggregator":
        return op.for_dtype(dtype)
    raise TypeError(f"Unable to get typed operator from object with type {type(op)}")


def semiring_from_string(string: str) -> Operator:
    """``"min_plus"``, ``"min.plus"``, ``"min.+[int]"`` ..."""
    parts = string.split(".")
    if len(parts) == 1:
        try:
            return find_string(string, "semiring")
        except ValueError:
            pass
    if len(parts) != 2:
        raise ValueError(
            f"Bad semiring string: {string!r}.  The monoid and binaryop should be separated by exactly one period, "
            '".".  Example usage: min.+[int]'
        )
    return get_semiring(monoid_from_string(parts[0]), binary_from_string(parts[1]))


_PARSERS: dict[str, Callable[[str], Operator]] = {
    "unary": unary_from_string,
    "binary": binary_from_string,
    "monoid": monoid_from_string,
    "semiring": semiring_from_string,
    "indexunary": indexunary_from_string,
    "select": select_from_string,
    "aggregator": aggregator_from_string,
}


def op_from_string(string: str) -> Operator:
    """The first kind of operator that knows the string."""
    for parse in _PARSERS.values():
        try:
            return parse(string)
        except (ValueError, TypeError, KeyError):
            pass
    raise ValueError(f"Unknown op string: {string!r}.  Example usage: 'abs[int]'")


def _from_kind(string: str, kind: str | None) -> Operator:
    if kind in _PARSERS:
        return _PARSERS[kind](string)
    if kind == "binary|aggregator":
        for parse in (binary_from_string, aggregator_from_string):
            try:
                return parse(string)
            except ValueError:
                pass
        raise ValueError(f"Unknown binary or aggregator string: {string!r}.  Example usage: '+[int]'")
    raise ValueError(
        f'Unable to get op from string {string!r}.  `kind=` argument must be provided as "unary", "binary", '
        '"monoid", "semiring", "indexunary", "select", or "binary|aggregator".'
    )
