"""Operators as data: tables, typed operators, user-defined operators, typing rules.

The objects above use :func:`get_typed_op`, :func:`find_opclass` and :func:`get_semiring`; users find operators in the
namespaces ``grblas_gpu.unary``, ``binary``, ``monoid``, ``semiring``, ``indexunary``, ``select``, ``agg`` and ``op``.
"""

# ruff: noqa: F401 (other layers import these from here)

from . import builtin as builtin  # fills the registry
from .base import OpBase, TypedOpBase
from .binary import BinaryOp, ParameterizedBinaryOp, TypedBuiltinBinaryOp, TypedUserBinaryOp
from .indexbinary import IndexBinaryOp, ParameterizedIndexBinaryOp, TypedUserIndexBinaryOp
from .indexunary import (
    IndexUnaryOp,
    ParameterizedIndexUnaryOp,
    ParameterizedSelectOp,
    SelectOp,
    TypedBuiltinIndexUnaryOp,
    TypedBuiltinSelectOp,
    TypedUserIndexUnaryOp,
    TypedUserSelectOp,
)
from .lifting import same_fields
from .monoid import Monoid, ParameterizedMonoid, TypedBuiltinMonoid, TypedUserMonoid
from .opclass import UNKNOWN_OPCLASS, find_opclass
from .parameterized import ParameterizedUdf
from .registry import OpPath
from .resolve import get_typed_op, op_from_string, semiring_from_string
from .semiring import ParameterizedSemiring, Semiring, TypedBuiltinSemiring, TypedUserSemiring, get_semiring
from .strings import (
    aggregator_from_string,
    binary_from_string,
    indexunary_from_string,
    monoid_from_string,
    select_from_string,
    unary_from_string,
)
from .unary import ParameterizedUnaryOp, TypedBuiltinUnaryOp, TypedUserUnaryOp, UnaryOp
