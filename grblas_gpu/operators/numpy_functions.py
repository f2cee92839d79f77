"""NumPy's functions as operators of their own, for ``config.set(mapnumpy=False)``.

GraphBLAS has operators of the same meaning, which are taken by default. What differs are the types: ``numpy.add`` of
two BOOL is a BOOL, ``plus`` does not take them. Numba determines the types that a function takes and returns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ..dtypes import DataType
from . import registry
from .binary import BinaryOp
from .monoid import Monoid
from .monoid_tables import MONOIDS, highest
from .numpy_tables import BINARY_ALIASES, MONOID_ALIASES
from .tables import BINARY
from .typing_rules import BOOLS, COMPLEX, EVERY, INTS, SIGNED, Types
from .udf import Arguments, Compiled
from .unary import UnaryOp

if TYPE_CHECKING:
    from ..foundation.types import Array, Function
    from .base import OpBase


#: The types for which a function is a monoid, where it is not one for all that it returns unchanged.
_MONOID_TYPES: dict[str, Types] = {
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor"), INTS | BOOLS),
    **dict.fromkeys(("equal", "logical_and", "logical_or", "logical_xor"), BOOLS),
}


def build(kind: str, name: str) -> OpBase:
    """The operator of a NumPy function."""
    own = f"numpy.{name}"
    if kind == "unary":
        return _operator(UnaryOp, own, _of_one(getattr(np, name)), getattr(np, name))
    if kind == "monoid":
        return registry.unmapped("binary", own).monoid
    op = _operator(BinaryOp, own, _of_two(getattr(np, name)), getattr(np, name))
    op._commutes_to = _exchanged(name, op)
    if name in MONOID_ALIASES:
        row, types = MONOIDS[MONOID_ALIASES[name]], _MONOID_TYPES.get(name, EVERY | COMPLEX)
        identity = _all_bits if name == "bitwise_and" else row.identity
        identities = {
            dtype: identity(dtype) for dtype, result in op.types.items() if dtype is result and dtype in types
        }
        Monoid._of_parts(own, op, identities, is_idempotent=row.idempotent)  # which the operator knows from now on
    return op


Kind = TypeVar("Kind", bound="OpBase")


class _Function(Compiled):
    """On arrays, NumPy's own function: Numba need not compile it."""

    ufunc: np.ufunc

    def vectorized(self, arguments: Arguments, result: DataType) -> Function:
        ufunc, dtype = self.ufunc, result.np_type
        if ufunc in _UNLIKE_NUMBA or any(each._is_udt for each in arguments):
            return super().vectorized(arguments, result)

        def call(*operands: Array) -> Array:
            arrays = [np.asarray(operand) for operand in operands]
            if dtype.kind in "iuf":  # of small integers NumPy would make floats of 16 bits, of booleans nothing
                arrays = [array.astype(dtype, copy=False) if array.dtype.kind in "biu" else array for array in arrays]
            with np.errstate(all="ignore"):
                return ufunc(*arrays).astype(dtype, copy=False)

        return call


#: Integers to a negative power, and an exponent that is not of a C type, are errors in NumPy.
_UNLIKE_NUMBA = (np.power, np.ldexp)


def _operator(kind: type[Kind], name: str, function: Function, ufunc: np.ufunc) -> Kind:
    op = kind._build(name, function)
    op._compiled = _Function(function, kind._arguments)
    op._compiled.ufunc = ufunc
    return op


def _of_one(function: np.ufunc) -> Function:
    def call(x: Array) -> Array:
        return function(x)

    return call


def _of_two(function: np.ufunc) -> Function:
    def call(x: Array, y: Array) -> Array:
        return function(x, y)

    return call


def _exchanged(name: str, op: BinaryOp) -> BinaryOp | str | None:
    """The operator, or the name of the one, that takes the operands in the other order."""
    target = BINARY_ALIASES[name]
    commutes_to = BINARY[target].commutes_to
    if commutes_to == target:
        return op
    return next((f"numpy.{other}" for other, of in BINARY_ALIASES.items() if of == commutes_to), None)


def _all_bits(dtype: DataType) -> complex | np.generic:
    return -1 if dtype in SIGNED else highest(dtype)
