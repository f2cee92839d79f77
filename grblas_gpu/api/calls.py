"""Calls of operators: ``semiring.plus_times(A @ B)``, ``unary.abs(v)``, ``binary.plus(v, 1)``, ..."""

from __future__ import annotations

from typing import Any

from ..foundation.types import Expression, Operand, OperatorLike
from ..operators.base import define_calls
from . import kinds
from .binary_operations import PRODUCTS, ewise, ewise_union, product
from .kinds import output_type


def _is_infix(x: object) -> bool:
    return getattr(x, "_role", None) == "infix"


def _of_infix(op: OperatorLike, expr: Any) -> Expression:
    """``op(x | y)``, ``op(x & y)``, ``op(A @ B)``."""
    combined = product if expr.method_name in PRODUCTS else ewise
    return combined(expr.left, expr.right, op, expr.method_name, True)


def _usage(op: OperatorLike, *args: object) -> TypeError:
    kinds = ", ".join(str(type(arg)) for arg in args)
    return TypeError(
        f"Bad type when calling {op!r}.  Got type: {kinds}.\n"
        "Expected an infix expression or an apply with a Vector or Matrix and a scalar:\n"
        f"    - {op!r}(A & B)\n    - {op!r}(A, 1)\n    - {op!r}(1, A)"
    )


def _as_operand(x: object) -> Any:
    """A Vector, Matrix, Scalar or expression unchanged; a literal as a Scalar; None for other objects."""
    kind = output_type(x)
    if kind is kinds.Scalar or kind in kinds.COLLECTIONS:
        return x
    try:
        return kinds.Scalar.from_value(x, name="")
    except TypeError:
        return None


def unary_call(op: OperatorLike, expr: object = None, *args: object, **kwargs: object) -> Expression:
    """``unary.abs(v)``."""
    operand = _as_operand(expr)
    if operand is None or args or kwargs:
        raise TypeError(
            f"Bad type in {op!r}.__call__.\n    - Expected one argument of type: Scalar, Vector, Matrix, "
            f"TransposedMatrix.\n    - Got: {type(expr)}."
        )
    return operand.apply(op)


def binary_call(
    op: OperatorLike,
    left: Any,
    right: Any = None,
    *,
    left_default: Operand | None = None,
    right_default: Operand | None = None,
) -> Expression:
    """``binary.plus(v & w)``, ``binary.plus(v | w)``, ``binary.plus(v, 1)``; with defaults an ewise_union."""
    if left_default is not None or right_default is not None:
        if (
            left_default is None
            or right_default is None
            or right is not None
            or not (_is_infix(left) and left._infix == "|")
        ):
            raise TypeError(
                "Specifying `left_default` or `right_default` keyword arguments implies performing `ewise_union` "
                "operation with infix notation: both must be given, and the operand must be `x | y`, such as:\n"
                f"    - {op!r}(x | y, left_default=0, right_default=0)\nGot left={left!r}, right={right!r}"
            )
        return ewise_union(left.left, left.right, op, left_default, right_default, True)
    if right is None:
        if _is_infix(left):
            return _of_infix(op, left)
        raise _usage(op, left)
    left_kind, right_kind = output_type(left), output_type(right)
    if left_kind in kinds.COLLECTIONS:
        return left.apply(op, right=right)
    if right_kind in kinds.COLLECTIONS:
        return right.apply(op, left=left)
    if left_kind is kinds.Scalar:
        return left.apply(op, right=right)
    if right_kind is kinds.Scalar:
        return right.apply(op, left=left)
    operand = _as_operand(left)
    if operand is None:
        raise _usage(op, left, right)
    return operand.apply(op, right=right)


def semiring_call(op: OperatorLike, expr: Any, right: object = None) -> Expression:
    """``semiring.min_plus(A @ B)``."""
    if right is None and getattr(expr, "_role", None) == "infix":
        if expr._infix == "@":
            return product(expr.left, expr.right, op, expr.method_name, True)
        return ewise(expr.left, expr.right, op, expr.method_name, True)  # an error that names the operator
    if right is not None:
        raise TypeError(
            f"Bad types when calling {op!r}.  Got types: {type(expr)}, {type(right)}.\n"
            f"Expected an infix expression, such as: {op!r}(A @ B)"
        )
    raise TypeError(
        f"Bad type when calling {op!r}.  Got type: {type(expr)}.\nExpected an infix expression, such as: {op!r}(A @ B)"
    )


def indexunary_call(op: OperatorLike, expr: object, thunk: Operand | None = None) -> Expression:
    """``indexunary.rowindex(A)``, ``indexunary.valuegt(v, 3)``."""
    operand = _as_operand(expr)
    if operand is None:
        raise _usage(op, expr)
    return operand.apply(op, right=False if thunk is None else thunk)


def select_call(op: OperatorLike, expr: object, thunk: Operand | None = None) -> Expression:
    """``select.tril(A)``, ``select.valuegt(v, 3)``."""
    operand = _as_operand(expr)
    if operand is None:
        raise _usage(op, expr)
    return operand.select(op, thunk=False if thunk is None else thunk)


def agg_call(op: OperatorLike, expr: Any, *, rowwise: bool = False, columnwise: bool = False) -> Expression:
    """``agg.sum(v)``, ``agg.sum(A, rowwise=True)``."""
    kind = output_type(expr)
    if kind in kinds.MATRICES:
        if rowwise and columnwise:
            raise ValueError("rowwise and columnwise arguments cannot both be True")
        if rowwise:
            return expr.reduce_rowwise(op)
        return expr.reduce_columnwise(op) if columnwise else expr.reduce_scalar(op)
    if kind is kinds.Vector:
        if rowwise or columnwise:
            raise ValueError("rowwise and columnwise arguments are only for a Matrix")
        return expr.reduce(op)
    raise TypeError(
        f"Bad type when calling {op!r}.\n    - Expected type: Vector, Matrix, TransposedMatrix.\n"
        f"    - Got: {type(expr)}.\nCalling an Aggregator is syntactic sugar for calling reduce methods."
    )


define_calls(
    unary_call=unary_call,
    binary_call=binary_call,
    monoid_call=binary_call,
    semiring_call=semiring_call,
    indexunary_call=indexunary_call,
    select_call=select_call,
    agg_call=agg_call,
)
