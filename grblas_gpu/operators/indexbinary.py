"""IndexBinaryOp: two values, their positions, and a number called theta. With theta bound it is a BinaryOp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..dtypes import INT64, SUBARRAY, DataType, lookup_dtype
from ..foundation.types import DTypeKey, Value
from .base import OpBase, TypedOpBase
from .binary import BinaryOp, TypedBuiltinBinaryOp, TypedUserBinaryOp
from .parameterized import ParameterizedFunction, Registered
from .udf import Arguments

if TYPE_CHECKING:
    from ..foundation.types import Array, DTypeLike, Function


class TypedUserIndexBinaryOp(TypedOpBase):
    """An IndexBinaryOp for one type; ``type2`` is the type of the second value and of theta.

    Calling it with theta gives a BinaryOp.
    """

    __slots__ = ()
    opclass = "IndexBinaryOp"
    _modname = "indexbinary"

    def _operands(self, dtypes: tuple[DataType, DataType]) -> Arguments:
        return IndexBinaryOp._arguments(*dtypes)

    def __call__(self, theta: object = None) -> BoundIndexBinaryOp:
        """The BinaryOp for this theta, a number, a value of a user-defined type or a Scalar; by default 0."""
        return BoundIndexBinaryOp(self, theta)


class BoundIndexBinaryOp(TypedUserBinaryOp):
    """The BinaryOp that an IndexBinaryOp is with one theta.

    Engines call it with values and positions (``indexed``): ``numpy(x, ix, jx, y, iy, jy)``.
    """

    __slots__ = ("_op", "theta")
    indexed = True
    monoid = commutes_to = _semiring_commutes_to = None
    is_positional = True

    def __init__(self, op: TypedUserIndexBinaryOp, theta: object) -> None:
        super().__init__(op.parent, op.type, op.return_type, op.type2)
        self._op = op
        #: An array of one value: records of user-defined types have no scalar that fits all engines.
        self.theta = _as_array(getattr(theta, "value", theta), op.type2)
        self.positional = "indexed"
        self.key = f"{op.key}({self.theta.tobytes().hex()})"

    def __repr__(self) -> str:
        return f"{self._op!r}({self._theta})"

    @property
    def _theta(self) -> Value:
        return self.theta[0] if self.type2.subarray is None else self.theta[SUBARRAY][0]

    @property
    def arguments(self) -> Arguments:
        """The types of all arguments of the function, theta the last."""
        return IndexBinaryOp._arguments(self.type, self.type2)

    @property
    def accumulating(self) -> TypedBuiltinBinaryOp:
        return self

    def _make_numpy(self) -> Function:
        function, theta = self._op.numpy, self.theta

        def bound(*operands: Array) -> Array:
            return function(*operands, theta)

        return bound

    def __reduce__(self) -> tuple[object, ...]:
        return _bind, (self._op.parent, self.type, self.type2, self.theta)


class OneTypeBinaryOp(BinaryOp):
    """A BinaryOp with one typed operator, to which operands are cast: how a semiring holds a bound operator."""

    __slots__ = ("_bound",)

    def __init__(self, bound: BoundIndexBinaryOp) -> None:
        super().__init__(bound.name, anonymous=True)
        self._bound = bound
        self._is_udt = bound.type._is_udt or bound.type2._is_udt

    def _signature(self) -> dict:
        return {self._bound.type: (self._bound.type, self._bound.return_type)}

    def __getitem__(self, key: DTypeKey) -> BoundIndexBinaryOp:
        dtype = lookup_dtype(key[0] if type(key) is tuple else key)
        if dtype._is_udt != self._bound.type._is_udt or (dtype._is_udt and dtype is not self._bound.type):
            raise KeyError(f"{self.name} does not work with {dtype}: theta is bound for {self._bound.type}")
        return self._bound

    def _compile_udt(self, dtype: DataType, dtype2: DataType | None) -> BoundIndexBinaryOp:
        return self[dtype]

    def _find_for_types(self, dtype: DataType, dtype2: DataType | None) -> TypedOpBase:
        return self[dtype]

    def __reduce__(self) -> tuple[object, ...]:
        return OneTypeBinaryOp, (self._bound,)


def _bind(op: IndexBinaryOp, dtype: DataType, dtype2: DataType, theta: Array) -> BoundIndexBinaryOp:
    return op[dtype, dtype2](theta[0] if dtype2.subarray is None else theta[SUBARRAY][0])


def _as_array(theta: Any, dtype: DataType) -> Array:
    found = np.zeros(1, dtype.np_type)
    if dtype.subarray is not None:
        found[SUBARRAY][0] = theta
    elif dtype._is_udt and theta is not None:
        found[0] = theta if isinstance(theta, np.void) else tuple(theta)
    elif theta is not None:
        found[0] = theta
    return found


class IndexBinaryOp(Registered, OpBase):
    """Takes two values with their positions, and theta: ``f(x, ix, jx, y, iy, jy, theta)``.

    ``op[dtype](theta)`` is a BinaryOp for every operation that takes one, and for semirings. The columns of a Vector
    are 0, and the rows of one that a Matrix is multiplied with from the right.

    >>> from grblas_gpu import Vector, indexbinary
    >>> op = indexbinary.register_anonymous(lambda x, ix, jx, y, iy, jy, theta: x * y + ix * theta)
    >>> v = Vector.from_coo([1, 3], [10, 20])
    >>> v.ewise_mult(v, op[int](100)).new().to_dict()
    {1: 200, 3: 700}
    """

    __slots__ = ()
    _modname = "indexbinary"
    _in_op = False
    _typed_user_class = TypedUserIndexBinaryOp

    if TYPE_CHECKING:

        def __getitem__(self, key: DTypeKey) -> TypedUserIndexBinaryOp: ...

    @staticmethod
    def _arguments(dtype: DataType, dtype2: DataType) -> Arguments:
        return dtype, INT64, INT64, dtype2, INT64, INT64, dtype2

    def __call__(self, theta: object = None, dtype: DTypeLike | None = None) -> BoundIndexBinaryOp:
        """The BinaryOp for this theta, in its type or another one (``dtype``)."""
        given = dtype if dtype is not None else getattr(theta, "dtype", None)
        if given is None:
            if theta is not None and not isinstance(theta, bool | int | float | complex):
                raise TypeError(
                    f"Cannot infer a dtype for theta={theta!r} of {self!r}: use op[dtype](theta) or "
                    "op(theta, dtype=...)"
                )
            given = bool if theta is None else type(theta)
        elif isinstance(theta, np.ndarray) and dtype is None:
            raise TypeError(f"Cannot infer a dtype for theta={theta!r} of {self!r}: use op[dtype](theta)")
        return self[lookup_dtype(given)](theta)


class ParameterizedIndexBinaryOp(ParameterizedFunction, of=IndexBinaryOp):
    """Makes IndexBinaryOps from parameters."""

    __slots__ = ()
