"""Infix notation: ``x | y``, ``x & y`` and ``A @ B`` become expressions when an operator is called on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import binary
from ..dtypes import BOOL
from ..exceptions import DimensionMismatch
from . import kinds
from .base import html_name
from .computed import ComputedMatrix, ComputedScalar, ComputedVector
from .expressions import Delayed, MatrixExpression, ScalarExpression, VectorExpression
from .kinds import output_type
from .mask import Mask

if TYPE_CHECKING:
    from .matrix import Matrix
    from .scalar import Scalar
    from .vector import Vector


class InfixExpr(Delayed):
    """Two operands and the sign between them; ``op(expr)`` makes it an expression."""

    __slots__ = ("left", "right", "method_name", "_expr", "__weakref__")
    _role = "infix"
    _infix = ""

    def __init__(self, left: Any, right: Any, method_name: str) -> None:
        self.left = left
        self.right = right
        self.method_name = method_name
        self._expr: Any = None

    def _to_expr(self) -> Any:
        if self._expr is None:
            self._expr = self._with_default_operator()
        return self._expr

    def _with_default_operator(self) -> Any:
        return getattr(self.left, self.method_name)(self.right)

    @property
    def dtype(self) -> Any:
        return self._to_expr().dtype

    @property
    def _value(self) -> Any:
        return None if self._expr is None else self._expr._value

    @_value.setter
    def _value(self, value: Any) -> None:
        self._to_expr()._value = value

    def new(self, dtype: Any = None, **kwargs: Any) -> Any:
        return self._to_expr().new(dtype, **kwargs)

    def dup(self, dtype: Any = None, **kwargs: Any) -> Any:
        return self._to_expr().dup(dtype, **kwargs)

    def _format_expr(self, html: bool = False) -> str:
        return f"{_shown(self.left, html)} {self._infix} {_shown(self.right, html)}"


def _shown(x: Any, html: bool = False) -> str:
    if isinstance(x, Delayed):
        return x._format_expr(html)
    return html_name(x.name) if html else x.name


class _BooleanDefault(InfixExpr):
    """``x | y`` and ``x & y``: only those of BOOL operands are computed automatically."""

    __slots__ = ()
    _default: Any = None

    def _with_default_operator(self) -> Any:
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


def _mixed(self: Any, other: Any) -> Any:
    raise TypeError(
        "Cannot mix `|` and `&` in one infix expression: compute one of them first, e.g. `plus(x | times(y & z).new())`"
    )


class _Or(_BooleanDefault):
    __slots__ = ()
    _infix = "|"
    _default = binary.lor

    def __or__(self, other: Any) -> Any:
        return ewise_infix(self, other, "__or__")

    def __ror__(self, other: Any) -> Any:
        return ewise_infix(other, self, "__or__", reflected=True)

    # An operand of a chain, `op(x | y | z)`: the class of its result has the method.
    def _ewise_add(self, other: Any, op: Any, is_infix: bool = False) -> Any:
        return self._output_type._ewise_add(self, other, op, is_infix)

    def _ewise_union(self, other: Any, op: Any, **kwargs: Any) -> Any:
        return self._output_type._ewise_union(self, other, op, **kwargs)

    __and__ = __rand__ = _mixed


class _And(_BooleanDefault):
    __slots__ = ()
    _infix = "&"
    _default = binary.land

    def __and__(self, other: Any) -> Any:
        return ewise_infix(self, other, "__and__")

    def __rand__(self, other: Any) -> Any:
        return ewise_infix(other, self, "__and__", reflected=True)

    def _ewise_mult(self, other: Any, op: Any, is_infix: bool = False) -> Any:
        return self._output_type._ewise_mult(self, other, op, is_infix)

    __or__ = __ror__ = _mixed


class _MatMul(InfixExpr):
    __slots__ = ()
    _infix = "@"

    def __matmul__(self, other: Any) -> Any:
        return matmul_infix(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return matmul_infix(other, self, reflected=True)


class VectorInfix:
    __slots__ = ()
    ndim = 1
    output_type = VectorExpression
    shape: Any

    if TYPE_CHECKING:

        def new(self, dtype: Any = None, *, mask: Any = None, name: str | None = None, **opts: Any) -> Vector: ...

    @property
    def size(self) -> int:
        return self.shape[0]

    _size = size


class MatrixInfix:
    __slots__ = ()
    ndim = 2
    output_type = MatrixExpression
    shape: Any

    if TYPE_CHECKING:

        def new(self, dtype: Any = None, *, mask: Any = None, name: str | None = None, **opts: Any) -> Matrix: ...

    @property
    def nrows(self) -> int:
        return self.shape[0]

    @property
    def ncols(self) -> int:
        return self.shape[1]

    _nrows = nrows
    _ncols = ncols


class ScalarInfix:
    __slots__ = ()
    ndim = 0
    shape = ()
    output_type = ScalarExpression
    _is_scalar = True
    _is_cscalar = False
    is_cscalar = False
    is_grbscalar = True

    if TYPE_CHECKING:

        def new(self, dtype: Any = None, *, is_cscalar: bool | None = None, **opts: Any) -> Scalar: ...


def _shape_of_ewise(self: Any) -> tuple:
    return self.right.shape if self.left.ndim < self.right.ndim else self.left.shape


class VectorEwiseAddExpr(VectorInfix, _Or, ComputedVector):
    __slots__ = ()
    shape = property(_shape_of_ewise)


class VectorEwiseMultExpr(VectorInfix, _And, ComputedVector):
    __slots__ = ()
    shape = property(_shape_of_ewise)


class VectorMatMulExpr(VectorInfix, _MatMul, ComputedVector):
    __slots__ = ()

    def _vxm(self, other: Any, op: Any, is_infix: bool = True) -> Any:
        return kinds.Vector._vxm(self, other, op, is_infix)

    def _inner(self, other: Any, op: Any, is_infix: bool = True) -> Any:
        return kinds.Vector._inner(self, other, op, is_infix)

    @property
    def shape(self) -> tuple[int]:
        return (self.right._ncols if self.method_name == "vxm" else self.left._nrows,)


class MatrixEwiseAddExpr(MatrixInfix, _Or, ComputedMatrix):
    __slots__ = ()
    shape = property(_shape_of_ewise)


class MatrixEwiseMultExpr(MatrixInfix, _And, ComputedMatrix):
    __slots__ = ()
    shape = property(_shape_of_ewise)


class MatrixMatMulExpr(MatrixInfix, _MatMul, ComputedMatrix):
    __slots__ = ()

    def _mxm(self, other: Any, op: Any, is_infix: bool = True) -> Any:
        return kinds.Matrix._mxm(self, other, op, is_infix)

    def _mxv(self, other: Any, op: Any, is_infix: bool = True) -> Any:
        return kinds.Matrix._mxv(self, other, op, is_infix)

    @property
    def shape(self) -> tuple[int, int]:
        return (self.left._nrows, self.right._ncols)


class ScalarEwiseAddExpr(ScalarInfix, _Or, ComputedScalar):
    __slots__ = ()


class ScalarEwiseMultExpr(ScalarInfix, _And, ComputedScalar):
    __slots__ = ()


class ScalarMatMulExpr(ScalarInfix, _MatMul, ComputedScalar):
    __slots__ = ()


_EWISE = {
    ("__or__", 0): ScalarEwiseAddExpr,
    ("__or__", 1): VectorEwiseAddExpr,
    ("__or__", 2): MatrixEwiseAddExpr,
    ("__and__", 0): ScalarEwiseMultExpr,
    ("__and__", 1): VectorEwiseMultExpr,
    ("__and__", 2): MatrixEwiseMultExpr,
}


def ewise_infix(left: Any, right: Any, sign: str, reflected: bool = False) -> Any:
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


def _check_ewise_shapes(left: Any, right: Any, method: str) -> None:
    if left.ndim == right.ndim:
        matches = left.shape == right.shape
    elif left.ndim == 1:
        matches = left._size == right._nrows
    else:
        matches = left._ncols == right._size
    if not matches:
        raise DimensionMismatch(
            f"{method}: {_shown(left)} has shape {left.shape}, {_shown(right)} has shape {right.shape}"
        )


def matmul_infix(left: Any, right: Any, reflected: bool = False) -> Any:
    """``left @ right``: vxm, mxv, mxm or inner, by the types of the operands."""
    left_type, right_type = output_type(left), output_type(right)
    if left_type is kinds.Vector:
        if right_type is kinds.Matrix or right_type is kinds.TransposedMatrix:
            if left._size != right._nrows:
                _mismatch("vxm", left, right)
            return VectorMatMulExpr(left, right, "vxm")
        if right_type is kinds.Vector:
            if left._size != right._size:
                _mismatch("inner", left, right)
            return ScalarMatMulExpr(left, right, "inner")
        left._expect_type(right, (*kinds.MATRICES, kinds.Vector), within="__matmul__", argname="right")
    if left_type is kinds.Matrix or left_type is kinds.TransposedMatrix:
        if right_type is kinds.Vector:
            if left._ncols != right._size:
                _mismatch("mxv", left, right)
            return VectorMatMulExpr(left, right, "mxv")
        if right_type is kinds.Matrix or right_type is kinds.TransposedMatrix:
            if left._ncols != right._nrows:
                _mismatch("mxm", left, right)
            return MatrixMatMulExpr(left, right, "mxm")
        left._expect_type(right, kinds.COLLECTIONS, within="__matmul__", argname="right")
    types = kinds.MATRICES if right_type is kinds.Vector else kinds.COLLECTIONS
    right._expect_type(left, types, within="__rmatmul__", argname="left")
    raise TypeError(f"Bad types for matmul: {type(left).__name__}, {type(right).__name__}")


def _mismatch(method: str, left: Any, right: Any) -> None:
    raise DimensionMismatch(
        f"{method}: {_shown(left)} has shape {left.shape}, {_shown(right)} has shape {right.shape}; "
        "in `x @ y` the last size of x must be the first size of y"
    )


class EwiseSigns:
    """``x | y`` and ``x & y`` of objects."""

    __slots__ = ()

    def __or__(self, other: Any) -> Any:
        return ewise_infix(self, other, "__or__")

    def __ror__(self, other: Any) -> Any:
        return ewise_infix(other, self, "__or__", True)

    def __and__(self, other: Any) -> Any:
        return ewise_infix(self, other, "__and__")

    def __rand__(self, other: Any) -> Any:
        return ewise_infix(other, self, "__and__", True)


class ProductSigns:
    """``A @ B`` of Vectors and Matrices."""

    __slots__ = ()
    __matmul__ = matmul_infix

    def __rmatmul__(self, other: Any) -> Any:
        return matmul_infix(other, self, True)
