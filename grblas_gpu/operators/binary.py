"""BinaryOp: two operands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..dtypes import BOOL, INT64, DataType, lookup_dtype
from . import registry
from .base import OpBase, TypedOpBase, caller
from .call_types import BinaryCall
from .lifting import KINDS, LIFTED, REDUCING, number_in, result_type
from .parameterized import ParameterizedFunction, Registered
from .reductions import ReduceAt, fold_reduceat, ufunc_reduceat
from .typing_rules import COMPLEX_DIVISION
from .udf import Arguments

if TYPE_CHECKING:
    from ..foundation.types import DTypeKey, Operator, Udf
    from .monoid import Monoid, ParameterizedMonoid, TypedBuiltinMonoid


class TypedBuiltinBinaryOp(TypedOpBase):
    """A BinaryOp for one type.

    ``reduceat(values, starts)`` folds each segment from the left: duplicates are combined so.

    >>> from grblas_gpu import binary
    >>> binary.minus["INT8"].numpy(np.int8([1, 2]), np.int8([5, 5]))
    array([-4, -3], dtype=int8)
    """

    __slots__ = ("reduceat",)
    parent: BinaryOp
    opclass = "BinaryOp"
    _modname = "binary"
    _lazy = TypedOpBase._lazy | {"reduceat"}
    __call__: BinaryCall = caller("binary_call")

    def _operands(self, dtypes: tuple[DataType, DataType]) -> Arguments:
        return dtypes

    def _make_reduceat(self) -> ReduceAt:
        monoid = self.monoid
        ufunc = monoid._ufunc() if monoid is not None and monoid.type is self.type else self.numpy
        if isinstance(ufunc, np.ufunc):
            return ufunc_reduceat(ufunc, self.return_type.np_type)
        return fold_reduceat(self.numpy, self.return_type.np_type)

    @property
    def monoid(self) -> TypedBuiltinMonoid | None:
        monoid = self.parent.monoid
        return monoid[self.type] if monoid is not None and self.type in monoid.types else None

    @property
    def accumulating(self) -> TypedBuiltinBinaryOp:
        """The operator of an accumulation; for integers, a division computes new values in its own type."""
        row = self.parent._row
        divides = row is not None and row.signature is COMPLEX_DIVISION and self.type is not self.return_type
        return self.parent[self.return_type] if divides else self

    @property
    def commutes_to(self) -> TypedBuiltinBinaryOp | None:
        return self._same_type(self.parent.commutes_to)

    @property
    def _semiring_commutes_to(self) -> TypedBuiltinBinaryOp | None:
        return self._same_type(self.parent._semiring_commutes_to)

    def _same_type(self, op: BinaryOp | None) -> TypedBuiltinBinaryOp | None:
        types = (self.type2, self.type) if self.type is not self.type2 else self.type
        return op[types] if op is not None and types in op else None

    @property
    def is_commutative(self) -> bool:
        return self.commutes_to is self


class TypedUserBinaryOp(TypedBuiltinBinaryOp):
    """A user-defined BinaryOp for one type."""

    __slots__ = ()


class BinaryOp(Registered, OpBase):
    """Takes two values and returns one.

    >>> from grblas_gpu import binary
    >>> binary.minus.commutes_to, binary.plus.is_commutative
    (binary.rminus, True)
    """

    __slots__ = ("_commutes_to", "_monoid")
    _modname = "binary"
    _typed_class = TypedBuiltinBinaryOp
    _typed_user_class = TypedUserBinaryOp
    __call__: BinaryCall = caller("binary_call")

    if TYPE_CHECKING:

        def __getitem__(self, key: DTypeKey) -> TypedBuiltinBinaryOp: ...
        def _compile_udt(self, dtype: DataType, dtype2: DataType | None) -> TypedBuiltinBinaryOp: ...
        def _for_types(self, dtype: DataType, dtype2: DataType | None) -> TypedBuiltinBinaryOp: ...

    def __init__(self, name: str, *, anonymous: bool = False) -> None:
        super().__init__(name, anonymous=anonymous)
        self._monoid: Monoid | None = None
        self._commutes_to: Any = None

    @property
    def is_positional(self) -> bool:
        return self._row is not None and self._row.positional is not None

    @staticmethod
    def _arguments(dtype: DataType, dtype2: DataType) -> Arguments:
        return dtype, dtype2

    def _for_two(self, dtype: DataType, dtype2: DataType) -> TypedOpBase | None:
        # `pair` does not look at its operands; two types say that its result is a count.
        is_record = dtype._is_udt or dtype2._is_udt
        return self[INT64] if self._ignores_operands() and not is_record else None

    def _beside_a_record(self, dtype: DataType, dtype2: DataType) -> TypedOpBase | None:
        if dtype is dtype2:
            return self[dtype]
        results = {"first": dtype, "second": dtype2, "any": dtype2, "pair": INT64}
        if self._row is not None and self.name in results:
            return self._typed_class(self, dtype, results[self.name], dtype2)
        if not self._lifts():
            return None
        result = result_type(self._row, dtype, dtype2)
        return self._typed(dtype, BOOL if self.name in REDUCING else result, dtype2)

    def _lifts(self) -> bool:
        """Whether the operator is what it is on the numbers of records."""
        return self._row is not None and self.name in LIFTED.union(REDUCING)

    def _literal_type(self, dtype: DataType, value: Any) -> DataType | None:
        """The type of a literal beside records; None: its own. Python numbers have that of each field that can hold
        them, and their own where none can; arrays keep theirs."""
        if not self._lifts():
            return dtype
        if dtype.subarray is not None and isinstance(value, list | tuple | np.ndarray):
            base = lookup_dtype(dtype.subarray.base)
            try:
                array = np.asarray(value)
            except ValueError:  # of rows of several lengths
                return dtype
            if base._is_udt or array.dtype.kind not in "biufc":
                return dtype
            if array.ndim == 0:
                return None
            is_typed = array is value or self.name in REDUCING
            own = array.dtype if is_typed else number_in(base, array.dtype.type(0).item()).np_type
            return lookup_dtype(np.dtype((own, array.shape)))
        if type(value) in KINDS:
            return None if self.name in REDUCING else number_in(dtype, value)
        is_number = isinstance(value, np.generic | np.ndarray) and np.ndim(value) == 0 and value.dtype.kind != "V"
        return None if is_number else dtype

    def _ignores_operands(self) -> bool:
        return self._row is not None and len(self._row.forms) == 1 and self._row.forms[0].source == "1"

    @property
    def monoid(self) -> Monoid | None:
        """The monoid of this operator, or None."""
        if self._monoid is None and not self._anonymous:
            self._monoid = registry.find("monoid", self.name)
        return self._monoid

    @property
    def commutes_to(self) -> BinaryOp | None:
        """The operator that gives the same result with its operands exchanged, or None."""
        if self._commutes_to is None and self._row is not None and self._row.commutes_to is not None:
            commutes_to = self if self._row.commutes_to == self.name else registry.find("binary", self._row.commutes_to)
            self._commutes_to = commutes_to
        elif isinstance(self._commutes_to, str):
            self._commutes_to = registry.unmapped("binary", self._commutes_to)
        return self._commutes_to

    @property
    def _semiring_commutes_to(self) -> BinaryOp | None:
        """The operator to use when both operands of a matrix product are exchanged and transposed."""
        name = None if self._row is None else self._row.swapped_in_product
        return None if name is None else registry.find("binary", name)

    @property
    def is_commutative(self) -> bool:
        return self.commutes_to is self


class ParameterizedBinaryOp(ParameterizedFunction, of=BinaryOp):
    """Makes BinaryOps from parameters.

    >>> from grblas_gpu import binary
    >>> binary.isclose(rel_tol=0.1)["FP64"].numpy(np.float64([1, 1]), np.float64([1.05, 2]))
    array([ True, False])
    """

    __slots__ = ("_commutes_to", "_makes_rows", "_monoid")

    def __init__(
        self,
        name: str | None,
        func: Udf,
        *,
        anonymous: bool = False,
        is_udt: bool = False,
        makes_rows: bool = False,
        commutes_to: str | None = None,
    ) -> None:
        super().__init__(name, func, anonymous=anonymous, is_udt=is_udt)
        self._makes_rows = makes_rows
        self._monoid: ParameterizedMonoid | None = None
        self._commutes_to = commutes_to

    def _call(self, *args: object, **kwargs: object) -> Operator:
        if not self._makes_rows:
            return super()._call(*args, **kwargs)
        op = BinaryOp._from_row(self.func(*args, **kwargs), anonymous=True)
        op._parameterized_info = (self, args, kwargs)
        return op

    def __call__(self, *args: object, **kwargs: object) -> Any:
        op: Any = self._cached_call(*args, **kwargs)
        if self._monoid is not None and op._monoid is None:
            op._monoid = op  # so that making the monoid does not come back here
            try:
                op._monoid = self._monoid(*args, **kwargs)
            except Exception:
                op._monoid = None
        if self.is_commutative:
            op._commutes_to = op
        return op

    @property
    def monoid(self) -> ParameterizedMonoid | None:
        return self._monoid

    @property
    def commutes_to(self) -> ParameterizedBinaryOp | None:
        return None if self._commutes_to is None else registry.find("binary", self._commutes_to)

    @property
    def is_commutative(self) -> bool:
        return self.commutes_to is self
