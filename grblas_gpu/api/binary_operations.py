"""Operations of two objects: element by element, and products. Each makes an expression.

With ``is_infix``, operands may be chains that the same operator computes: ``op(x | y | z)``, ``op(A @ B @ C)``.
"""

from __future__ import annotations

from typing import Any

from ..dtypes import unify
from ..exceptions import DimensionMismatch
from ..foundation.types import Elementwise, Expression, Operand, OperatorLike, Scalar, TypedOperator
from ..ir import ops
from ..ir.ops import Op
from ..operators import get_typed_op
from . import kinds
from .base import as_scalar, check_same_backend, expect_op, expect_type
from .execution import check_shapes
from .expressions import MatrixExpression, ScalarExpression, VectorExpression


def _typed_op_of_chain(op: OperatorLike, left: Any, right: Any, kind: str) -> TypedOperator:
    """The typed operator for ``op(x | y | z)``."""
    dtypes = [
        _typed_op_of_chain(op, x.left, x.right, kind).type if x._role == "infix" else x.dtype for x in (left, right)
    ]
    return get_typed_op(op, *dtypes, kind=kind)


def _computed(op: Any, *operands: object, **defaults: Operand) -> list[Any]:
    """The operands, chains among them computed."""
    return [op(x, **defaults).new() if getattr(x, "_role", None) == "infix" else x for x in operands]


def _ewise_operands(
    x: Elementwise, y: Any, op: OperatorLike, method: str, is_infix: bool, **defaults: Operand
) -> list[object]:
    """The operands: a chain with vectors or matrices stays, as the types of all of them select the operator."""
    if x._is_scalar:
        if is_infix:
            x, y = _computed(op, x, y, **defaults)
        return [x, as_scalar(x, y, method, "other", op)]
    if is_infix and getattr(y, "_role", None) == "infix" and y._infix == ("&" if method == "ewise_mult" else "|"):
        return [x, y]
    return [x, expect_type(x, y, kinds.COLLECTIONS, within=method, argname="other", op=op)]


def _alike(x: Any, y: Any) -> bool:
    return type(x) is type(y) in kinds.COLLECTIONS and x._engine is y._engine and bool(x.shape == y.shape)


def ewise(x: Any, y: Any, op: OperatorLike, method: str, is_infix: bool = False) -> Expression:
    """``ewise_add`` and ``ewise_mult`` for all combinations of vectors and matrices, and for scalars."""
    ir_op = ops.EWISE_ADD if method == "ewise_add" else ops.EWISE_MULT
    if _alike(x, y):
        typed = get_typed_op(op, x.dtype, y.dtype, kind="binary")  # the common case: no conversion, no errors
        if typed.opclass in ("BinaryOp", "Monoid"):
            return x._expression_type(method, ir_op, [x, y], x.shape, typed)
    x, y = _ewise_operands(x, y, op, method, is_infix)
    op = _typed_op_of_chain(op, x, y, "binary")
    expect_op(x, op, ("BinaryOp", "Monoid"), within=method, argname="op")
    if is_infix:
        x, y = _computed(op, x, y)
    return _ewise_expression(x, y, method, ir_op, [x, y], op=op)


def _union_operator(
    x: Elementwise, y: Any, op: OperatorLike, left_default: Operand, right_default: Operand
) -> tuple[TypedOperator, Scalar, Scalar]:
    """The typed operator of an ewise_union, which depends on the types of the defaults, and the defaults as Scalars."""
    get_typed_op(op, x.dtype, y.dtype, kind="binary")
    left = as_scalar(x, left_default, "ewise_union", "left_default")
    right = as_scalar(y, right_default, "ewise_union", "right_default")
    op1 = get_typed_op(op, x.dtype, right.dtype, kind="binary")
    op2 = get_typed_op(op, left.dtype, y.dtype, kind="binary")
    if op1 is not op2:
        left_type = unify(op1.type, op2.type, is_right_scalar=True)
        right_type = unify(getattr(op1, "type2", op1.type), getattr(op2, "type2", op2.type), is_left_scalar=True)
        op1 = get_typed_op(op, left_type, right_type, kind="binary")
    x._expect_op(op1, ("BinaryOp", "Monoid"), within="ewise_union", argname="op")
    return (op1.binaryop if op1.opclass == "Monoid" else op1), left, right


def ewise_union(
    x: Any, y: object, op: OperatorLike, left_default: Operand, right_default: Operand, is_infix: bool = False
) -> Expression:
    defaults = {"left_default": left_default, "right_default": right_default}
    x, y = _ewise_operands(x, y, op, "ewise_union", is_infix, **defaults)
    if is_infix:
        x, y = _computed(op, x, y, **defaults)
    op, left, right = _union_operator(x, y, op, left_default, right_default)
    shown = "{0.name}.{method_name}({2.name}, {op}, {1._expr_name}, {3._expr_name})"
    return _ewise_expression(x, y, "ewise_union", ops.EWISE_UNION, [x, left, y, right], op=op, expr_repr=shown)


def _ewise_expression(
    x: Elementwise, y: Any, method: str, ir_op: Op, args: list[object], **kwargs: object
) -> Expression:
    if x.ndim:
        check_same_backend(x, y, method)
    if x.ndim == y.ndim:
        check_shapes(method, x, y)
        return x._expression(method, ir_op, args, **kwargs)
    if x.ndim == 1:
        if y.shape[0] != x.shape[0]:
            raise DimensionMismatch(
                f"Dimensions not compatible for broadcasting Vector from the left to columns of Matrix in {method}.  "
                f"Matrix.nrows (={y.shape[0]}) must equal Vector.size (={x.shape[0]})."
            )
        return y._expression(method, ir_op, args, **kwargs)
    if x.shape[1] != y.shape[0]:
        raise DimensionMismatch(
            f"Dimensions not compatible for broadcasting Vector from the right to rows of Matrix in {method}.  "
            f"Matrix.ncols (={x.shape[1]}) must equal Vector.size (={y.shape[0]})."
        )
    return x._expression(method, ir_op, args, **kwargs)


#: Products by the method: the operation, the dimensions of the second operand, and the expression.
PRODUCTS: dict[str, tuple[Op, int, type[Expression]]] = {
    "vxm": (ops.VXM, 2, VectorExpression),
    "mxv": (ops.MXV, 1, VectorExpression),
    "mxm": (ops.MXM, 2, MatrixExpression),
    "inner": (ops.INNER, 1, ScalarExpression),
}


def _extent(x: Elementwise) -> str:
    return f"size {x.shape[0]}" if x.ndim == 1 else f"shape {x.shape}"


def product(x: Any, y: Any, op: OperatorLike, method: str, is_infix: bool = False) -> Any:
    """``mxm``, ``mxv``, ``vxm`` and ``inner``: the last dimension of ``x`` meets the first of ``y``."""
    ir_op, ndim, expression = PRODUCTS[method]
    x, y, typed = _product_operands(x, y, kinds.MATRICES if ndim == 2 else (kinds.Vector,), op, method, is_infix)
    left, right = x.shape, y.shape
    if left[-1] != right[0]:
        raise DimensionMismatch(f"{method}: {x.name} has {_extent(x)}, {y.name} has {_extent(y)}")
    return expression(method, ir_op, [x, y], left[:-1] + right[1:], typed)


def _product_operands(
    x: Any, y: Any, types: tuple[type, ...], op: Any, method: str, is_infix: bool
) -> tuple[Any, Any, TypedOperator]:
    """Operands and typed semiring of a product; inner products of a chain are computed first."""
    if type(y) in types and x._role != "infix" and x._engine is y._engine:  # the common case: no conversion, no errors
        typed = get_typed_op(op, x.dtype, y.dtype, kind="semiring")
        if typed.opclass == "Semiring":
            return x, y, typed
    is_chain = is_infix and (x._role == "infix" or getattr(y, "_role", None) == "infix")
    if type(y) not in types and not (is_chain and y._role == "infix" and y._infix == "@" and y._output_type in types):
        y = x._expect_type(y, types, within=method, argname="other", op=op)
    if is_chain:
        op = _typed_op_of_chain(op, x, y, "semiring")
    else:
        op = get_typed_op(op, x.dtype, y.dtype, kind="semiring")
    expect_op(x, op, "Semiring", within=method, argname="op")
    if is_chain:
        x, y = _computed(op, x, y)
    check_same_backend(x, y, method)
    return x, y, op


def pairwise_operator(x: Elementwise, y: Elementwise, op: OperatorLike, method: str) -> TypedOperator:
    """The typed operator of ``kronecker`` and ``outer``, of objects on one engine."""
    typed = get_typed_op(op, x.dtype, y.dtype, kind="binary")
    expect_op(x, typed, ("BinaryOp", "Monoid"), within=method, argname="op")
    check_same_backend(x, y, method)
    return typed
