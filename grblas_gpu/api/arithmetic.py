"""Arithmetic and comparison signs: ``x + y`` is a union, ``x * y`` an intersection, ``x - y`` a union with zeros.

One table says which operator stands behind which sign; at import every class gets its methods from it, and every
expression the attributes that compute it when automatic computation is on.
"""

from __future__ import annotations

from typing import Any

from .. import binary, unary
from ..dtypes import BOOL
from .base import output_type
from .expressions import (
    MatrixExpression,
    MatrixIndexExpr,
    ScalarExpression,
    ScalarIndexExpr,
    VectorExpression,
    VectorIndexExpr,
)
from .infix import (
    COLLECTIONS,
    MatrixEwiseAddExpr,
    MatrixEwiseMultExpr,
    MatrixMatMulExpr,
    ScalarEwiseAddExpr,
    ScalarEwiseMultExpr,
    ScalarMatMulExpr,
    VectorEwiseAddExpr,
    VectorEwiseMultExpr,
    VectorMatMulExpr,
    ewise_infix,
    matmul_infix,
)
from .matrix import Matrix, TransposedMatrix
from .scalar import Scalar
from .vector import Vector


def _combine(left: Any, right: Any, op: Any, how: str) -> Any:
    left_type, right_type = output_type(left), output_type(right)
    if left_type in COLLECTIONS and right_type in COLLECTIONS:
        return _ewise_call(left, right, op, how)
    if left_type in COLLECTIONS or right_type in COLLECTIONS:
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
    return (kind is Vector and self.ndim == 2) or (not self._is_scalar and kind not in COLLECTIONS)


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
            cls.__matmul__ = matmul_infix
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
