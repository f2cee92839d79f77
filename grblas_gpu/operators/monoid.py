"""Monoid: an associative BinaryOp on one type with an identity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..dtypes import DataType, lookup_dtype
from ..exceptions import DomainMismatch
from ..foundation.types import DTypeKey, Function, OperatorLike, Value
from . import registry
from .base import OpBase, TypedOpBase, caller
from .binary import BinaryOp, ParameterizedBinaryOp
from .call_types import BinaryCall
from .lifting import numbers
from .parameterized import InNamespace, ParameterizedUdf
from .reductions import Reduce, ReduceAt, first_reduceat, tree_reduceat, ufunc_reduce, ufunc_reduceat, whole
from .strings import binary_from_string
from .typing_rules import Signature


class TypedBuiltinMonoid(TypedOpBase):
    """A Monoid for one type.

    ``terminal`` is the value at which a reduction may stop, ``any_value`` says that it may stop at once.

    >>> from grblas_gpu import monoid
    >>> monoid.min["INT8"].identity, monoid.min["INT8"].terminal, monoid.any["INT8"].any_value
    (127, -128, True)
    >>> monoid.plus["INT64"].reduceat(np.array([1, 2, 3]), np.array([0, 2]))
    array([3, 3])
    """

    __slots__ = ("any_value", "binaryop", "identity", "reduce", "reduceat", "terminal")
    parent: Monoid
    opclass = "Monoid"
    _modname = "monoid"
    _lazy = TypedOpBase._lazy | {"reduce", "reduceat"}
    is_commutative = True
    __call__: BinaryCall = caller("monoid_call")

    def __init__(self, parent: Monoid, dtype: DataType, return_type: DataType, dtype2: DataType | None = None) -> None:
        super().__init__(parent, dtype, return_type)
        self.binaryop = parent.binaryop[dtype]
        self.identity: Any = None
        self.terminal: Value | None = None
        self.any_value = False

    def _make_numpy(self) -> Function | None:
        return self.binaryop.numpy

    def _make_source(self) -> str | None:
        return self.binaryop.source

    def _ufunc(self) -> np.ufunc | None:
        row = None if self.type._is_udt else self.binaryop.parent._row
        function = None if row is None else row.form(self.type).numpy
        return function if isinstance(function, np.ufunc) else None

    def _make_reduceat(self) -> ReduceAt:
        if self.any_value:
            return first_reduceat
        ufunc = self._ufunc()
        if ufunc is not None:
            return ufunc_reduceat(ufunc, self.type.np_type)
        return tree_reduceat(self.numpy, self.type.np_type)

    def _make_reduce(self) -> Reduce:
        ufunc = self._ufunc()
        if ufunc is not None and not self.any_value:
            return ufunc_reduce(ufunc, self.identity, self.type.np_type)
        return whole(self.reduceat, self.identity, self.type.np_type)

    @property
    def commutes_to(self) -> Self:
        return self

    @property
    def is_idempotent(self) -> bool:
        """True if ``monoid(x, x) == x`` for any x."""
        return self.parent.is_idempotent


class TypedUserMonoid(TypedBuiltinMonoid):
    """A user-defined Monoid for one type."""

    __slots__ = ()


class Monoid(InNamespace, OpBase):
    """An associative operator with an identity.

    >>> from grblas_gpu import monoid
    >>> monoid.times.identities[monoid.times["FP64"].type], monoid.times.binaryop
    (1.0, binary.times)
    """

    __slots__ = ("_binaryop", "_identity", "_is_idempotent")
    _modname = "monoid"
    _typed_class = TypedBuiltinMonoid
    _typed_user_class = TypedUserMonoid
    _for_truth_values = "for truth values there are lor and land, and agg.count counts entries"
    is_positional = False
    is_commutative = True
    __call__: BinaryCall = caller("monoid_call")

    if TYPE_CHECKING:

        def __getitem__(self, key: DTypeKey) -> TypedBuiltinMonoid: ...

    def __init__(
        self,
        name: str,
        binaryop: BinaryOp | None = None,
        identity: Value | dict[DataType, Value] | None = None,
        *,
        is_idempotent: bool = False,
        anonymous: bool = False,
    ) -> None:
        super().__init__(name, anonymous=anonymous)
        self._binaryop = binaryop
        self._identity = identity
        self._is_idempotent = is_idempotent
        if binaryop is not None:
            binaryop._monoid = self
            self._is_udt = binaryop._is_udt
            self.orig_func = binaryop.orig_func

    @classmethod
    def _from_row(cls, row: Any, *, anonymous: bool = False) -> Self:
        op = super()._from_row(row, anonymous=anonymous)
        op._is_idempotent = row.idempotent
        return op

    def _signature(self) -> Signature:
        if self._row is not None:
            return super()._signature()
        types = self._identity if isinstance(self._identity, dict) else self.binaryop.types
        same = {t: self.binaryop[t].return_type for t in types}
        return {t: (t, t) for t, result in same.items() if t is result}

    def _lookup(self, dtype: DataType) -> tuple[DataType, DataType]:
        if self._row is not None:
            return super()._lookup(dtype)
        if (isinstance(self._identity, dict) and dtype not in self._identity) or dtype in self._deleted:
            raise KeyError(f"{self.name} does not work with {dtype}")
        if dtype not in self.binaryop or self.binaryop[dtype].return_type is not dtype:
            raise KeyError(f"{self.name} does not work with {dtype}")
        return dtype, dtype

    def _typed(self, dtype: DataType, result: DataType, dtype2: DataType | None = None) -> TypedBuiltinMonoid:
        if self._row is None:
            user = TypedUserMonoid(self, dtype, result)
            user.identity = self._identity[dtype] if isinstance(self._identity, dict) else self._identity
            return user
        row = self._row
        typed = TypedBuiltinMonoid(self, dtype, result)
        typed.identity = _of_every_number(row.identity, dtype) if dtype._is_udt else row.identity(dtype)
        typed.any_value = row.any_value
        if row.terminal is not None and dtype in row.terminal_types:
            typed.terminal = row.terminal(dtype)
        return typed

    def _beside_a_record(self, dtype: DataType, dtype2: DataType) -> TypedOpBase | None:
        return self[dtype] if dtype is dtype2 else self.binaryop._for_types(dtype, dtype2)

    def _of_record(self, dtype: DataType) -> tuple[DataType, DataType] | None:
        found = self.binaryop._of_record(dtype)
        return found if found == (dtype, dtype) else None

    def _compile_udt(self, dtype: DataType, dtype2: DataType | None) -> TypedOpBase:
        if dtype2 is not None and dtype2 is not dtype:
            raise TypeError(f"Monoid inputs must be the same dtype (got {dtype} and {dtype2})")
        if dtype not in self._typed_ops:
            self._typed_ops[dtype] = self._typed(dtype, self.binaryop._compile_udt(dtype, dtype).return_type)
        return self._typed_ops[dtype]

    @property
    def binaryop(self) -> BinaryOp:
        """The BinaryOp of this monoid."""
        if self._binaryop is None:
            self._binaryop = registry.builtin("binary", self.name)
        return self._binaryop

    @property
    def identities(self) -> dict[DataType, Value]:
        """The identity for each data type."""
        return {dtype: self[dtype].identity for dtype in self.types}

    @property
    def is_idempotent(self) -> bool:
        """True if ``monoid(x, x) == x`` for any x."""
        return self._is_idempotent

    @property
    def commutes_to(self) -> Self:
        return self

    @classmethod
    def _of_parts(
        cls, name: str | None, binaryop: object, identity: Any, *, is_idempotent: bool = False, anonymous: bool = False
    ) -> ParameterizedMonoid | Self:
        if isinstance(binaryop, str):
            binaryop = binary_from_string(binaryop)
        if type(binaryop) is ParameterizedBinaryOp:
            return ParameterizedMonoid(name, binaryop, identity, is_idempotent, anonymous)
        if type(binaryop) is not BinaryOp:
            raise TypeError(f"binaryop must be a BinaryOp, not {type(binaryop)}")
        if identity is None:
            raise TypeError(f"a monoid needs an identity; {binaryop} was given None")
        if isinstance(identity, Mapping):
            identity = {lookup_dtype(key): value for key, value in identity.items()}
            for dtype in identity:
                result = binaryop[dtype].return_type
                if result is not dtype:
                    raise DomainMismatch(f"{binaryop[dtype]!r} returns {result}; a monoid must return {dtype}")
        return cls(name or binaryop.name, binaryop, identity, is_idempotent=is_idempotent, anonymous=anonymous)

    @classmethod
    def register_anonymous(
        cls, binaryop: OperatorLike, identity: object, name: str | None = None, *, is_idempotent: bool = False
    ) -> Any:
        """Make a Monoid without adding it to the namespace.

        Parameters
        ----------
        binaryop : BinaryOp
            An associative operator.
        identity : scalar or dict
            What leaves every value as it is, for all types or by type.
        name : str, optional
            The name to show; by default that of its parts.
        is_idempotent : bool
            Whether ``x`` combined with itself is ``x``.
        """
        return cls._of_parts(name, binaryop, identity, is_idempotent=is_idempotent, anonymous=True)

    @classmethod
    def register_new(
        cls, name: str, binaryop: OperatorLike, identity: object, *, is_idempotent: bool = False, lazy: bool = False
    ) -> Any:
        """Make a Monoid and add it to the namespace.

        Parameters
        ----------
        name : str
            Where to find it from then on; dots nest it: ``monoid.mine.gap``.
        binaryop : BinaryOp
            An associative operator.
        identity : scalar or dict
            What leaves every value as it is, for all types or by type.
        is_idempotent : bool
            Whether ``x`` combined with itself is ``x``.
        lazy : bool
            Whether to make nothing until it is looked up.
        """
        return cls._register(name, lambda: cls._of_parts(name, binaryop, identity, is_idempotent=is_idempotent), lazy)

    def _recipe(self) -> tuple[object, ...]:
        return self._binaryop, self._identity, self.name

    def _options(self) -> dict[str, object]:
        return {"is_idempotent": True} if self._is_idempotent else {}


def _of_every_number(identity: Callable[[DataType], Value], dtype: DataType) -> Value:
    """The record with the identity of each of its numbers."""
    record = np.zeros(1, dtype.np_type)
    for part in numbers(record):
        part[...] = identity(lookup_dtype(part.dtype))
    return record[0]


class ParameterizedMonoid(ParameterizedUdf):
    """Makes Monoids from parameters."""

    __slots__ = ("__signature__", "_is_idempotent", "binaryop", "identity")
    _modname = "monoid"
    is_commutative = True

    def __init__(
        self,
        name: str | None,
        binaryop: ParameterizedBinaryOp,
        identity: object,
        is_idempotent: bool = False,
        anonymous: bool = False,
    ) -> None:
        import inspect

        if type(binaryop) is not ParameterizedBinaryOp:
            raise TypeError("binaryop must be parameterized")
        self.binaryop = binaryop
        self.__signature__ = binaryop.__signature__
        if callable(identity) and inspect.signature(identity) != self.__signature__:
            raise ValueError(
                f"Signatures of binaryop and identity passed to {type(self).__name__} must be the same.  "
                f"Got: binaryop{self.__signature__} and identity{inspect.signature(identity)}"
            )
        self.identity = identity
        self._is_idempotent = is_idempotent
        super().__init__(name or binaryop.name, anonymous)
        binaryop._monoid = self
        binaryop._cached_call.cache_clear()  # operators made before know nothing of this monoid

    def _call(self, *args: object, **kwargs: object) -> Monoid:
        binaryop = self.binaryop(*args, **kwargs)
        identity = self.identity(*args, **kwargs) if callable(self.identity) else self.identity
        op = Monoid.register_anonymous(binaryop, identity, self.name, is_idempotent=self._is_idempotent)
        op._parameterized_info = (self, args, kwargs)
        return op

    @property
    def commutes_to(self) -> Self:
        return self

    @property
    def is_idempotent(self) -> bool:
        return self._is_idempotent

    def _recipe(self) -> tuple[object, ...]:
        return self.binaryop, self.identity, self._is_idempotent
