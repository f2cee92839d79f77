"""UnaryOp: one operand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..dtypes import DataType
from ..foundation.types import DTypeKey
from .base import OpBase, TypedOpBase, caller
from .call_types import UnaryCall
from .parameterized import ParameterizedFunction, Registered
from .udf import Arguments


class TypedBuiltinUnaryOp(TypedOpBase):
    """A UnaryOp for one type.

    >>> from grblas_gpu import unary
    >>> unary.sqrt["INT8"], unary.sqrt["INT8"].return_type
    (unary.sqrt[FP32], FP32)
    """

    __slots__ = ()
    opclass = "UnaryOp"
    _modname = "unary"
    __call__: UnaryCall = caller("unary_call")

    def _operands(self, dtypes: tuple[DataType, DataType]) -> Arguments:
        return dtypes[:1]


class TypedUserUnaryOp(TypedBuiltinUnaryOp):
    """A user-defined UnaryOp for one type."""

    __slots__ = ()


class UnaryOp(Registered, OpBase):
    """Takes one value and returns one.

    >>> from grblas_gpu import unary
    >>> unary.abs.types[unary.abs["INT8"].type]
    INT8
    >>> UnaryOp.register_anonymous(lambda x: x * x + 1)["INT8"].return_type
    INT8
    """

    __slots__ = ()
    _modname = "unary"
    _typed_class = TypedBuiltinUnaryOp
    _typed_user_class = TypedUserUnaryOp
    __call__: UnaryCall = caller("unary_call")

    if TYPE_CHECKING:

        def __getitem__(self, key: DTypeKey) -> TypedBuiltinUnaryOp: ...

    @property
    def is_positional(self) -> bool:
        return self._row is not None and self._row.positional is not None

    @staticmethod
    def _arguments(dtype: DataType, dtype2: DataType) -> Arguments:
        return (dtype,)


class ParameterizedUnaryOp(ParameterizedFunction, of=UnaryOp):
    """Makes UnaryOps from parameters."""

    __slots__ = ()
