"""Arithmetic and comparison signs: ``x + y`` is a union, ``x * y`` an intersection, ``x - y`` a union with zeros."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Never, NoReturn, Protocol, TypeVar

from .. import binary, unary
from ..dtypes import BOOL, DataType
from ..foundation.types import Computed, Elementwise, Expression
from . import kinds
from .kinds import output_type


def _apply(op: Any, operand: object) -> Any:
    return op(operand)


def _combine(left: object, right: object, op: Any, method: str, *defaults: object) -> Any:
    left_type, right_type = output_type(left), output_type(right)
    left_is_collection = left_type in kinds.COLLECTIONS
    if left_is_collection != (right_type in kinds.COLLECTIONS):  # one side is a scalar
        return op(left, right)
    if left_is_collection or left_type is kinds.Scalar:
        return getattr(left, method)(right, op, *defaults)
    return getattr(right, method)(left, op.commutes_to, *defaults)


def _boolean_only(sign: str, shown: str, dtype: DataType) -> None:
    if dtype != BOOL:
        raise TypeError(
            f"The {sign} infix operator, `{shown}`, is not supported for {dtype.name} dtype.  "
            "It is only supported for BOOL dtype."
        )


Other = TypeVar("Other", contravariant=True)
Result = TypeVar("Result", covariant=True)


class Operand(Protocol[Other, Result]):
    """What type checkers know of signs: the types of the other operand and of the expression."""

    @property
    def dtype(self) -> DataType: ...
    def _signs(self, other: Other, /) -> Result: ...


if TYPE_CHECKING:

    class Sign:
        """A method of two operands, as type checkers bind it."""

        def __get__(self, x: Operand[Other, Result], owner: object = None, /) -> Callable[[Other], Result]: ...


def _pair(operator_name: str, method: str, *defaults: object) -> tuple[Sign, Sign]:
    """The sign of an operator, and the reflected one."""
    operator_of = operator.attrgetter(operator_name)
    return _both_ways(lambda left, right: _combine(left, right, operator_of(binary), method, *defaults))


def _both_ways(combined: Callable[..., object]) -> tuple[Any, Any]:
    return combined, lambda self, other: combined(other, self)


def _exclusive_or(left: object, right: object) -> Expression:
    expr = _combine(left, right, binary.lxor, "ewise_add")
    _boolean_only("__xor__", "x ^ y", expr.dtype)
    return expr


class Arithmetic:
    """``x + y``, ``-x``, ``x < y``, ...: each makes a delayed expression."""

    __slots__ = ()
    dtype: Any

    __add__, __radd__ = _pair("plus", "ewise_add")  # positions with one entry keep that entry
    __sub__, __rsub__ = _pair("minus", "ewise_union", False, False)  # a missing entry counts as zero
    __mul__, __rmul__ = _pair("times", "ewise_mult")
    __truediv__, __rtruediv__ = _pair("truediv", "ewise_mult")
    __floordiv__, __rfloordiv__ = _pair("floordiv", "ewise_mult")
    __mod__, __rmod__ = _pair("numpy.mod", "ewise_mult")
    __pow__, __rpow__ = _pair("pow", "ewise_mult")
    __xor__, __rxor__ = _both_ways(_exclusive_or)
    __lt__ = _pair("lt", "ewise_mult")[0]  # Python exchanges comparisons itself
    __le__ = _pair("le", "ewise_mult")[0]
    __gt__ = _pair("gt", "ewise_mult")[0]
    __ge__ = _pair("ge", "ewise_mult")[0]
    __eq__, __ne__ = _pair("eq", "ewise_mult")[0], _pair("ne", "ewise_mult")[0]  # type: ignore[assignment]

    def __divmod__(self: Any, other: object) -> tuple[Computed, Computed]:
        return self // other, self % other

    def __rdivmod__(self: object, other: Any) -> tuple[Computed, Computed]:
        return other // self, other % self

    __hash__ = object.__hash__  # mutable objects are keys by identity, not by contents

    def __abs__(self: Operand[Never, Result]) -> Result:
        return _apply(unary.abs, self)

    def __neg__(self: Operand[Never, Result]) -> Result:
        return _apply(unary.ainv, self)

    def __invert__(self: Operand[Never, Result]) -> Result:
        if self.dtype != BOOL:
            raise TypeError(
                f"The invert operator, `~`, is not supported for {self.dtype.name} dtype.  "
                "It is only supported for BOOL dtype."
            )
        return _apply(unary.lnot, self)


def _spreads(self: Elementwise, other: object) -> bool:
    """Whether ``other`` is broadcast over ``self``: then ``self op= other`` is not an accumulation."""
    kind = output_type(other)
    return (kind is kinds.Vector and self.ndim == 2) or (not self._is_scalar and kind not in kinds.COLLECTIONS)


def _rewritten(sign: Callable[[Any, object], object]) -> Callable[..., object]:
    def method(self: Any, other: object) -> Any:
        self << sign(self, other)
        return self

    return method


class ArithmeticInPlace:
    """``x += y``, ... of mutable objects: ``y`` is accumulated into ``x`` if both have the same shape."""

    __slots__ = ()

    def __iadd__(self: Any, other: object) -> Any:
        if _spreads(self, other):
            self << self + other
        else:
            self(binary.plus) << other
        return self

    __isub__ = _rewritten(operator.sub)
    __imul__ = _rewritten(operator.mul)
    __itruediv__ = _rewritten(operator.truediv)
    __ifloordiv__ = _rewritten(operator.floordiv)
    __imod__ = _rewritten(operator.mod)
    __ipow__ = _rewritten(operator.pow)

    def __ixor__(self: Any, other: Any) -> Any:
        if _spreads(self, other):
            self << (self ^ other)
        else:
            _boolean_only("__ixor__", "x ^= y", other.dtype)
            self(binary.lxor) << other
        return self

    def __ior__(self: Any, other: Any) -> Any:
        if _spreads(self, other):
            expr = _combine(self, other, binary.lor, "ewise_add")
            _boolean_only("__ior__", "x |= y", expr.dtype)
            self << expr
        else:
            _boolean_only("__ior__", "x |= y", other.dtype)
            self(binary.lor) << other
        return self

    def __iand__(self: object, other: object) -> Any:
        expr = _combine(self, other, binary.land, "ewise_mult")
        _boolean_only("__iand__", "x &= y", expr.dtype)
        self << expr
        return self

    def __imatmul__(self: Any, other: object) -> Any:
        if self._is_scalar:
            raise TypeError("'__imatmul__' not supported for Scalar")
        self << self @ other
        return self


def _refused(sign: str) -> Callable[..., object]:
    def method(self: object, other: object) -> NoReturn:
        raise TypeError(f"{sign!r} not supported for {type(self).__name__}")

    return method


class NothingInPlace:
    """Read-only objects, such as expressions: Python must not turn ``x += y`` into ``x = x + y``."""

    __slots__ = ()

    __iadd__, __isub__, __imul__, __itruediv__ = map(_refused, ("__iadd__", "__isub__", "__imul__", "__itruediv__"))
    __ifloordiv__, __imod__, __ipow__ = map(_refused, ("__ifloordiv__", "__imod__", "__ipow__"))
    __ixor__, __ior__, __iand__, __imatmul__ = map(_refused, ("__ixor__", "__ior__", "__iand__", "__imatmul__"))
