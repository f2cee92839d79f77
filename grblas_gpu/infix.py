"""Infix notation: ``x | y``, ``x & y``, ``A @ B`` wait for an operator; ``x + y``, ``x < y``... have theirs."""

from __future__ import annotations

from typing import Any

from . import binary, unary
from .base import output_type
from .dtypes import BOOL
from .errors import DimensionMismatch
from .expressions import (
    Delayed,
    MatrixExpression,
    MatrixIndexExpr,
    ScalarExpression,
    ScalarIndexExpr,
    VectorExpression,
    VectorIndexExpr,
)
from .mask import Mask
from .matrix import Matrix, MatrixOperations, TransposedMatrix
from .scalar import Scalar
from .tensor import Tensor
from .vector import Vector

_COLLECTIONS = (Vector, Matrix, TransposedMatrix)


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

    def _format_expr(self) -> str:
        return f"{_shown(self.left)} {self._infix} {_shown(self.right)}"


def _shown(x: Any) -> str:
    return x._format_expr() if isinstance(x, Delayed) else getattr(x, "name", repr(x))


class _BooleanDefault(InfixExpr):
    """``x | y`` and ``x & y`` compute by themselves only for BOOL."""

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

    __and__ = __rand__ = _mixed


class _And(_BooleanDefault):
    __slots__ = ()
    _infix = "&"
    _default = binary.land

    def __and__(self, other: Any) -> Any:
        return ewise_infix(self, other, "__and__")

    def __rand__(self, other: Any) -> Any:
        return ewise_infix(other, self, "__and__", reflected=True)

    __or__ = __ror__ = _mixed


class _MatMul(InfixExpr):
    __slots__ = ()
    _infix = "@"

    def __matmul__(self, other: Any) -> Any:
        return matmul_infix(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return matmul_infix(other, self, reflected=True)


class _VectorShape:
    __slots__ = ()
    ndim = 1
    output_type = VectorExpression
    _output_type = Vector
    shape: Any

    @property
    def size(self) -> int:
        return self.shape[0]

    _size = size


class _MatrixShape:
    __slots__ = ()
    ndim = 2
    output_type = MatrixExpression
    _output_type = Matrix
    shape: Any

    @property
    def nrows(self) -> int:
        return self.shape[0]

    @property
    def ncols(self) -> int:
        return self.shape[1]

    _nrows = nrows
    _ncols = ncols


class _ScalarShape:
    __slots__ = ()
    ndim = 0
    shape = ()
    output_type = ScalarExpression
    _output_type = Scalar
    _is_scalar = True
    _is_cscalar = False
    is_cscalar = False
    is_grbscalar = True


def _shape_of_ewise(self: Any) -> tuple:
    return self.right.shape if self.left.ndim < self.right.ndim else self.left.shape


class VectorEwiseAddExpr(_VectorShape, _Or):
    __slots__ = ()
    shape = property(_shape_of_ewise)
    _ewise_add = Tensor._ewise_add
    _ewise_union = Tensor._ewise_union


class VectorEwiseMultExpr(_VectorShape, _And):
    __slots__ = ()
    shape = property(_shape_of_ewise)
    _ewise_mult = Tensor._ewise_mult


class VectorMatMulExpr(_VectorShape, _MatMul):
    __slots__ = ()
    _vxm = Vector._vxm
    _inner = Vector._inner

    @property
    def shape(self) -> tuple[int]:
        return (self.right._ncols if self.method_name == "vxm" else self.left._nrows,)


class MatrixEwiseAddExpr(_MatrixShape, _Or):
    __slots__ = ()
    shape = property(_shape_of_ewise)
    _ewise_add = Tensor._ewise_add
    _ewise_union = Tensor._ewise_union


class MatrixEwiseMultExpr(_MatrixShape, _And):
    __slots__ = ()
    shape = property(_shape_of_ewise)
    _ewise_mult = Tensor._ewise_mult


class MatrixMatMulExpr(_MatrixShape, _MatMul):
    __slots__ = ()
    _mxm = MatrixOperations._mxm
    _mxv = MatrixOperations._mxv

    @property
    def shape(self) -> tuple[int, int]:
        return (self.left._nrows, self.right._ncols)


class ScalarEwiseAddExpr(_ScalarShape, _Or):
    __slots__ = ()
    _ewise_add = Scalar._ewise_add
    _ewise_union = Scalar._ewise_union


class ScalarEwiseMultExpr(_ScalarShape, _And):
    __slots__ = ()
    _ewise_mult = Scalar._ewise_mult


class ScalarMatMulExpr(_ScalarShape, _MatMul):
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
    if left_type in _COLLECTIONS and right_type in _COLLECTIONS:
        _check_ewise_shapes(left, right, method)
        return _EWISE[sign, max(left.ndim, right.ndim)](left, right, method)
    if isinstance(right, Mask):
        return right.__ror__(left) if sign == "__or__" else right.__rand__(left)
    if left_type in _COLLECTIONS:
        left._expect_type(right, _COLLECTIONS, within=sign, argname="right")
    if right_type in _COLLECTIONS:
        right._expect_type(left, _COLLECTIONS, within=f"__r{sign[2:]}" if reflected else sign, argname="left")
    if left_type is Scalar:
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
    if left_type is Vector:
        if right_type is Matrix or right_type is TransposedMatrix:
            if left._size != right._nrows:
                _mismatch("vxm", left, right)
            return VectorMatMulExpr(left, right, "vxm")
        if right_type is Vector:
            if left._size != right._size:
                _mismatch("inner", left, right)
            return ScalarMatMulExpr(left, right, "inner")
        left._expect_type(right, (Matrix, TransposedMatrix, Vector), within="__matmul__", argname="right")
    if left_type is Matrix or left_type is TransposedMatrix:
        if right_type is Vector:
            if left._ncols != right._size:
                _mismatch("mxv", left, right)
            return VectorMatMulExpr(left, right, "mxv")
        if right_type is Matrix or right_type is TransposedMatrix:
            if left._ncols != right._nrows:
                _mismatch("mxm", left, right)
            return MatrixMatMulExpr(left, right, "mxm")
        left._expect_type(right, (Vector, Matrix, TransposedMatrix), within="__matmul__", argname="right")
    types = (Matrix, TransposedMatrix) if right_type is Vector else _COLLECTIONS
    right._expect_type(left, types, within="__rmatmul__", argname="left")
    raise TypeError(f"Bad types for matmul: {type(left).__name__}, {type(right).__name__}")


def _mismatch(method: str, left: Any, right: Any) -> None:
    raise DimensionMismatch(f"{method}: {_shown(left)} has shape {left.shape}, {_shown(right)} has shape {right.shape}")


# --------------------------------------------------------------------------------------------------------------
# Arithmetic and comparison: ``x + y`` is a union, ``x * y`` an intersection, ``x - y`` a union with zeros


def _combine(left: Any, right: Any, op: Any, how: str) -> Any:
    left_type, right_type = output_type(left), output_type(right)
    if left_type in _COLLECTIONS and right_type in _COLLECTIONS:
        return _ewise_call(left, right, op, how)
    if left_type in _COLLECTIONS or right_type in _COLLECTIONS:
        return op(left, right)
    if left_type is Scalar:
        return _ewise_call(left, right, op, how)
    return _ewise_call(right, left, op.commutes_to, how)


def _ewise_call(left: Any, right: Any, op: Any, how: str) -> Any:
    if how == "union":
        return left.ewise_union(right, op, False, False)
    return left.ewise_add(right, op) if how == "add" else left.ewise_mult(right, op)


# sign -> (operator, how entries that only one side has are treated)
_ARITHMETIC = {
    "add": ("plus", "add"),
    "sub": ("minus", "union"),
    "mul": ("times", "mult"),
    "truediv": ("truediv", "mult"),
    "floordiv": ("floordiv", "mult"),
    "mod": ("numpy.mod", "mult"),
    "pow": ("pow", "mult"),
}
_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")


def _binary_method(opname: str, how: str, reflected: bool = False) -> Any:
    def method(self: Any, other: Any) -> Any:
        op = binary
        for part in opname.split("."):
            op = getattr(op, part)
        return _combine(other, self, op, how) if reflected else _combine(self, other, op, how)

    return method


def _in_place(sign: str, opname: str, how: str) -> Any:
    compute = _binary_method(opname, how)

    def method(self: Any, other: Any) -> Any:
        if how == "add" and not _spreads(self, other):
            self(getattr(binary, opname)) << other
        else:
            self << compute(self, other)
        return self

    return method


def _spreads(self: Any, other: Any) -> bool:
    """Whether ``other`` must be spread over ``self``: then ``self op= other`` is no accumulation."""
    kind = output_type(other)
    return (kind is Vector and self.ndim == 2) or (not self._is_scalar and kind not in _COLLECTIONS)


def _boolean_only(sign: str, shown: str, dtype: Any) -> None:
    if dtype != BOOL:
        raise TypeError(
            f"The {sign} infix operator, `{shown}`, is not supported for {dtype.name} dtype.  "
            "It is only supported for BOOL dtype."
        )


def _xor(self: Any, other: Any) -> Any:
    expr = _combine(self, other, binary.lxor, "add")
    _boolean_only("__xor__", "x ^ y", expr.dtype)
    return expr


def _rxor(self: Any, other: Any) -> Any:
    expr = _combine(other, self, binary.lxor, "add")
    _boolean_only("__xor__", "x ^ y", expr.dtype)
    return expr


def _ixor(self: Any, other: Any) -> Any:
    if _spreads(self, other):
        self << _xor(self, other)
    else:
        _boolean_only("__ixor__", "x ^= y", other.dtype)
        self(binary.lxor) << other
    return self


def _ior(self: Any, other: Any) -> Any:
    if _spreads(self, other):
        expr = _combine(self, other, binary.lor, "add")
        _boolean_only("__ior__", "x |= y", expr.dtype)
        self << expr
    else:
        _boolean_only("__ior__", "x |= y", other.dtype)
        self(binary.lor) << other
    return self


def _iand(self: Any, other: Any) -> Any:
    expr = _combine(self, other, binary.land, "mult")
    _boolean_only("__iand__", "x &= y", expr.dtype)
    self << expr
    return self


def _imatmul(self: Any, other: Any) -> Any:
    if self._is_scalar:
        raise TypeError("'__imatmul__' not supported for Scalar")
    self << self @ other
    return self


def _abs(self: Any) -> Any:
    return unary.abs(self)


def _neg(self: Any) -> Any:
    return unary.ainv(self)


def _invert(self: Any) -> Any:
    if self.dtype != BOOL:
        raise TypeError(
            f"The invert operator, `~`, is not supported for {self.dtype.name} dtype.  "
            "It is only supported for BOOL dtype."
        )
    return unary.lnot(self)


def _divmod(self: Any, other: Any) -> Any:
    return self // other, self % other


def _rdivmod(self: Any, other: Any) -> Any:
    return other // self, other % self


def _no_in_place(sign: str) -> Any:
    def method(self: Any, other: Any) -> Any:
        raise TypeError(f"{sign!r} not supported for {type(self).__name__}")

    return method


_OBJECTS = (Vector, Matrix, Scalar)
_EXPRESSIONS = (
    VectorExpression,
    MatrixExpression,
    ScalarExpression,
    VectorIndexExpr,
    MatrixIndexExpr,
    ScalarIndexExpr,
    VectorEwiseAddExpr,
    VectorEwiseMultExpr,
    VectorMatMulExpr,
    MatrixEwiseAddExpr,
    MatrixEwiseMultExpr,
    MatrixMatMulExpr,
    ScalarEwiseAddExpr,
    ScalarEwiseMultExpr,
    ScalarMatMulExpr,
)

# What an expression computes itself for, when automatic computation is on.
_AUTO_COMMON = (
    "apply",
    "ewise_add",
    "ewise_mult",
    "ewise_union",
    "isclose",
    "isequal",
    "nvals",
    "_nvals",
    "select",
    "wait",
    "get",
    "_store",
    "_engine",
)
_AUTO_COLLECTION = (
    *_AUTO_COMMON,
    "S",
    "V",
    "__contains__",
    "__getitem__",
    "__iter__",
    "diag",
    "reposition",
    "to_coo",
    "to_dense",
)
_AUTO = {
    Vector: (*_AUTO_COLLECTION, "_as_matrix", "inner", "outer", "reduce", "to_dict", "vxm"),
    Matrix: (
        *_AUTO_COLLECTION,
        "T",
        "_as_vector",
        "kronecker",
        "mxm",
        "mxv",
        "power",
        "reduce_columnwise",
        "reduce_rowwise",
        "reduce_scalar",
        "to_csc",
        "to_csr",
        "to_dcsc",
        "to_dcsr",
        "to_dicts",
        "to_edgelist",
    ),
    Scalar: (
        *_AUTO_COMMON,
        "__array__",
        "__bool__",
        "__complex__",
        "__float__",
        "__index__",
        "__int__",
        "_as_matrix",
        "_as_vector",
        "_get",
        "_is_empty",
        "is_empty",
        "value",
    ),
}


def _auto(name: str) -> Any:
    return property(lambda self: self._get_value(name))


def _scalar_eq(self: Any, other: Any) -> bool:
    return self._get_value("__eq__")(other)


def _scalar_ne(self: Any, other: Any) -> bool:
    return self._get_value("__ne__")(other)


def _set_name(self: Any, name: str) -> None:
    self._get_value("name")
    self._value.name = name


def _install() -> None:
    """Give every class its operators; one table instead of a method in each class."""
    methods: dict[str, Any] = {
        "__xor__": _xor,
        "__rxor__": _rxor,
        "__abs__": _abs,
        "__neg__": _neg,
        "__invert__": _invert,
        "__divmod__": _divmod,
        "__rdivmod__": _rdivmod,
    }
    in_place: dict[str, Any] = {"__ixor__": _ixor, "__ior__": _ior, "__iand__": _iand, "__imatmul__": _imatmul}
    for sign, (opname, how) in _ARITHMETIC.items():
        methods[f"__{sign}__"] = _binary_method(opname, how)
        methods[f"__r{sign}__"] = _binary_method(opname, how, reflected=True)
        in_place[f"__i{sign}__"] = _in_place(sign, opname, how)
    for sign in _COMPARISONS:
        methods[f"__{sign}__"] = _binary_method(sign, "mult")
    cls: Any
    for cls in (*_OBJECTS, TransposedMatrix, *_EXPRESSIONS):
        is_scalar = cls._output_type is Scalar
        for name, method in methods.items():
            if not (is_scalar and name in ("__eq__", "__ne__")):
                setattr(cls, name, method)
        for name, method in in_place.items():
            setattr(cls, name, method if cls in _OBJECTS else _no_in_place(name))
        cls.__hash__ = None
    for cls in (*_OBJECTS, TransposedMatrix):
        cls.__or__ = lambda self, other: ewise_infix(self, other, "__or__")
        cls.__ror__ = lambda self, other: ewise_infix(other, self, "__or__", True)
        cls.__and__ = lambda self, other: ewise_infix(self, other, "__and__")
        cls.__rand__ = lambda self, other: ewise_infix(other, self, "__and__", True)
        if cls is not Scalar:
            cls.__matmul__ = lambda self, other: matmul_infix(self, other)
            cls.__rmatmul__ = lambda self, other: matmul_infix(other, self, True)
    for cls in _EXPRESSIONS:
        kind = cls._output_type
        infixes: tuple[str, ...] = ("__or__", "__ror__", "__and__", "__rand__")
        infixes += () if kind is Scalar else ("__matmul__", "__rmatmul__")
        for name in (*_AUTO[kind], *infixes):
            if not any(name in base.__dict__ for base in cls.__mro__[:-1]):
                setattr(cls, name, _auto(name))
        if kind is Scalar:  # as plain methods: Python swallows the error of a property here
            cls.__eq__ = _scalar_eq
            cls.__ne__ = _scalar_ne
        cls.name = property(lambda self: self._get_value("name"), _set_name)
        if kind is not Scalar:
            cls.__bool__ = kind.__bool__
            cls.__array__ = kind.__array__


_install()
