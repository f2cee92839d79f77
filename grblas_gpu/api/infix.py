"""Infix notation: ``x | y``, ``x & y`` and ``A @ B`` become expressions when an operator is called on them."""

from __future__ import annotations

from typing import Any, NoReturn

from .. import binary
from ..dtypes import BOOL
from ..exceptions import DimensionMismatch
from ..foundation.display import html_name
from ..foundation.types import Computed, DataType, DTypeLike, Elementwise, Expression, Matrix, Operator, Scalar, Vector
from . import kinds
from .computed import ComputedMatrix, ComputedScalar, ComputedVector
from .expressions import Delayed, DelayedScalar, MatrixExpression, Result, ScalarExpression, VectorExpression
from .kinds import output_type
from .mask import Mask


class EwiseSigns:
    """``x | y`` and ``x & y`` of objects."""

    __slots__ = ()

    def __or__(self, other: Any) -> Computed | Mask:
        return ewise_infix(self, other, "__or__")

    def __ror__(self, other: object) -> Computed | Mask:
        return ewise_infix(other, self, "__or__", True)

    def __and__(self, other: Any) -> Computed | Mask:
        return ewise_infix(self, other, "__and__")

    def __rand__(self, other: object) -> Computed | Mask:
        return ewise_infix(other, self, "__and__", True)


class ProductSigns:
    """``A @ B`` of Vectors and Matrices."""

    __slots__ = ()

    def __matmul__(self, other: Any) -> _MatMul:
        return matmul_infix(self, other)

    def __rmatmul__(self, other: object) -> _MatMul:
        return matmul_infix(other, self, True)


class InfixExpr(Delayed[Result]):
    """Two operands and the sign between them; ``op(expr)`` makes it an expression."""

    __slots__ = ("left", "right", "method_name", "_expr", "__weakref__")
    _role = "infix"
    _infix = ""

    def __init__(self, left: Any, right: Any, method_name: str) -> None:
        self.left = left
        self.right = right
        self.method_name = method_name
        self._expr: Expression | None = None

    def _to_expr(self) -> Expression:
        if self._expr is None:
            self._expr = self._with_default_operator()
        return self._expr

    def _with_default_operator(self) -> Expression:
        return getattr(self.left, self.method_name)(self.right)

    @property
    def dtype(self) -> DataType:
        return self._to_expr().dtype

    @property
    def _value(self) -> Any:
        return None if self._expr is None else self._expr._value

    @_value.setter
    def _value(self, value: object) -> None:
        self._to_expr()._value = value

    def new(self, dtype: DTypeLike | None = None, **kwargs: Any) -> Result:
        return self._to_expr().new(dtype, **kwargs)

    def _format_expr(self, html: bool = False) -> str:
        return f"{_shown(self.left, html)} {self._infix} {_shown(self.right, html)}"


def _shown(x: Elementwise | Delayed, html: bool = False) -> str:
    if isinstance(x, Delayed):
        return x._format_expr(html)
    return html_name(x.name) if html else x.name


class _BooleanDefault(InfixExpr[Result]):
    """``x | y`` and ``x & y``: only those of BOOL operands are computed automatically."""

    __slots__ = ()
    _default: Operator | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.right.shape if self.left.ndim and self.left.ndim < self.right.ndim else self.left.shape

    def _with_default_operator(self) -> Expression:
        if self.left.dtype == BOOL and self.right.dtype == BOOL:
            return getattr(self.left, self.method_name)(self.right, self._default)
        raise TypeError(
            f"Bad dtypes for `x {self._infix} y`!  Automatic computation of `x {self._infix} y` infix expressions is "
            f"only valid for BOOL dtypes.  The argument dtypes are {self.left.dtype} and {self.right.dtype}.\n\n"
            f"Typical usage is to create an expression such as `binary.plus(x {self._infix} y)`."
        )

    def _get_value(self, attr: str | None = None) -> Any:
        self._to_expr()  # types other than BOOL are the error to report, even if automatic computation is off
        return super()._get_value(attr)


def _mixed(self: object, other: object) -> NoReturn:
    raise TypeError(
        "Cannot mix `|` and `&` in one infix expression: compute one of them first, e.g. `plus(x | times(y & z).new())`"
    )


class _Or(_BooleanDefault[Result]):
    __slots__ = ()
    _infix = "|"
    _default = binary.lor

    __or__, __ror__ = EwiseSigns.__or__, EwiseSigns.__ror__

    __and__ = __rand__ = _mixed


class _And(_BooleanDefault[Result]):
    __slots__ = ()
    _infix = "&"
    _default = binary.land

    __and__, __rand__ = EwiseSigns.__and__, EwiseSigns.__rand__

    __or__ = __ror__ = _mixed


class _MatMul(InfixExpr[Result]):
    __slots__ = ()
    _infix = "@"
    shape = property(lambda self: self.left.shape[:-1] + self.right.shape[1:])
    __matmul__, __rmatmul__ = ProductSigns.__matmul__, ProductSigns.__rmatmul__


class VectorEwiseAddExpr(_Or[Vector], ComputedVector):
    __slots__ = ()
    output_type = VectorExpression


class VectorEwiseMultExpr(_And[Vector], ComputedVector):
    __slots__ = ()
    output_type = VectorExpression


class VectorMatMulExpr(_MatMul[Vector], ComputedVector):
    __slots__ = ()
    output_type = VectorExpression


class MatrixEwiseAddExpr(_Or[Matrix], ComputedMatrix):
    __slots__ = ()
    output_type = MatrixExpression


class MatrixEwiseMultExpr(_And[Matrix], ComputedMatrix):
    __slots__ = ()
    output_type = MatrixExpression


class MatrixMatMulExpr(_MatMul[Matrix], ComputedMatrix):
    __slots__ = ()
    output_type = MatrixExpression


class ScalarEwiseAddExpr(_Or[Scalar], DelayedScalar, ComputedScalar):
    __slots__ = ()
    output_type = ScalarExpression


class ScalarEwiseMultExpr(_And[Scalar], DelayedScalar, ComputedScalar):
    __slots__ = ()
    output_type = ScalarExpression


class ScalarMatMulExpr(_MatMul[Scalar], DelayedScalar, ComputedScalar):
    __slots__ = ()
    output_type = ScalarExpression


_EWISE = {
    ("__or__", 0): ScalarEwiseAddExpr,
    ("__or__", 1): VectorEwiseAddExpr,
    ("__or__", 2): MatrixEwiseAddExpr,
    ("__and__", 0): ScalarEwiseMultExpr,
    ("__and__", 1): VectorEwiseMultExpr,
    ("__and__", 2): MatrixEwiseMultExpr,
}


def ewise_infix(left: Any, right: Any, sign: str, reflected: bool = False) -> Computed | Mask:
    """``left | right`` and ``left & right``."""
    method = "ewise_add" if sign == "__or__" else "ewise_mult"
    other_sign = "&" if sign == "__or__" else "|"
    for operand in (left, right):
        if getattr(operand, "_infix", None) == other_sign:
            _mixed(left, right)
    left_type, right_type = output_type(left), output_type(right)
    if left_type in kinds.COLLECTIONS and right_type in kinds.COLLECTIONS:
        _check_ewise_shapes(left, right, method)
        return _EWISE[sign, max(left.ndim, right.ndim)](left, right, method)
    if isinstance(right, Mask):
        return right.__ror__(left) if sign == "__or__" else right.__rand__(left)
    if left_type in kinds.COLLECTIONS:
        left._expect_type(right, kinds.COLLECTIONS, within=sign, argname="right")
    if right_type in kinds.COLLECTIONS:
        right._expect_type(left, kinds.COLLECTIONS, within=f"__r{sign[2:]}" if reflected else sign, argname="left")
    if left_type is kinds.Scalar:
        return _EWISE[sign, 0](left, right, method)
    return _EWISE[sign, 0](right, left, method)


def _check_ewise_shapes(left: Elementwise, right: Elementwise, method: str) -> None:
    if left.ndim == right.ndim:
        matches = left.shape == right.shape
    else:
        matches = left.shape[-1] == right.shape[0]
    if not matches:
        raise DimensionMismatch(
            f"{method}: {_shown(left)} has shape {left.shape}, {_shown(right)} has shape {right.shape}"
        )


#: Products by the numbers of dimensions of their operands.
_PRODUCTS: dict[tuple[int, int], tuple[str, type[_MatMul]]] = {
    (1, 2): ("vxm", VectorMatMulExpr),
    (2, 1): ("mxv", VectorMatMulExpr),
    (2, 2): ("mxm", MatrixMatMulExpr),
    (1, 1): ("inner", ScalarMatMulExpr),
}


def matmul_infix(left: Any, right: Any, reflected: bool = False) -> _MatMul:
    """``left @ right``: vxm, mxv, mxm or inner, by the types of the operands."""
    left_type, right_type = output_type(left), output_type(right)
    if left_type not in kinds.COLLECTIONS:
        types: tuple[type, ...] = kinds.MATRICES if right_type is kinds.Vector else kinds.COLLECTIONS
        right._expect_type(left, types, within="__rmatmul__", argname="left")
    if right_type not in kinds.COLLECTIONS:
        types = (*kinds.MATRICES, kinds.Vector) if left_type is kinds.Vector else kinds.COLLECTIONS
        left._expect_type(right, types, within="__matmul__", argname="right")
    method, kind = _PRODUCTS[left.ndim, right.ndim]
    if left.shape[-1] != right.shape[0]:
        raise DimensionMismatch(
            f"{method}: {_shown(left)} has shape {left.shape}, {_shown(right)} has shape {right.shape}; "
            "in `x @ y` the last size of x must be the first size of y"
        )
    return kind(left, right, method)
