"""Aggregators: reductions that are more than one monoid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import getitem
from typing import TYPE_CHECKING, Any, NamedTuple

from ..dtypes import DataType, lookup_dtype
from . import registry
from .agg_tables import AggRow
from .base import caller
from .call_types import AggregatorCall
from .documented import Documented

if TYPE_CHECKING:
    from ..foundation.types import DTypeLike, Matrix, OperatorLike, Scalar, Value, Vector
    from .monoid import Monoid
    from .semiring import Semiring


class UserRecipe(NamedTuple):
    """The parts of a user-defined Aggregator: a monoid, a semiring or other aggregators, and the steps around them."""

    monoid: Monoid | None
    semiring: Semiring | None
    semiring2: Semiring | None
    initval: Value | None
    switch: bool
    applybegin: OperatorLike | None
    finalize: OperatorLike | None
    composite: tuple[Aggregator, ...]


class Aggregator(Documented):
    """A recipe for reducing a Vector, or the rows, columns or all of a Matrix.

    >>> from grblas_gpu import agg, binary
    >>> agg.mean, agg.mean["INT64"].return_type, "BOOL" in agg.sum
    (agg.mean, FP64, False)

    One of one's own is a ``monoid``; a ``semiring``, whose other operand has ``initval`` everywhere (``switch``: on the
    left), and ``semiring2``, which adds up the rows of a Matrix; or ``composite``, other aggregators, whose results
    (and a dictionary of options) ``finalize`` combines. ``types`` lists what says which types go in and come out.

    >>> spread = agg.Aggregator(
    ...     "spread", composite=[agg.max, agg.min], finalize=lambda x, y, opts: binary.minus(x & y), types=[agg.min]
    ... )
    >>> from grblas_gpu import Vector
    >>> Vector.from_dense([3, 9, 5]).reduce(spread).new().value
    6
    """

    opclass = "Aggregator"
    _modname = "agg"
    __call__: AggregatorCall = caller("agg_call")

    _row: AggRow | None = None
    recipe: UserRecipe | None = None
    _any_dtype: DataType | bool | None

    def __init__(
        self,
        name: str,
        *,
        initval: Value | None = None,
        monoid: Monoid | None = None,
        semiring: Semiring | None = None,
        switch: bool = False,
        semiring2: Semiring | None = None,
        applybegin: OperatorLike | None = None,
        finalize: OperatorLike | None = None,
        composite: Sequence[Aggregator] | None = None,
        types: Sequence[OperatorLike] | None = None,
        any_dtype: DTypeLike | bool | None = None,
    ) -> None:
        if sum(part is not None for part in (monoid, semiring, composite)) != 1:
            raise TypeError("an Aggregator is made of one monoid, one semiring, or a composite of aggregators")
        if composite is not None and (types is None or not callable(finalize)):
            raise TypeError("types and finalize must be provided for composite aggregators")
        if semiring is not None and semiring2 is None:
            raise TypeError("semiring2, which adds up the rows of a Matrix, must be provided with a semiring")
        self.name = name
        self.recipe = UserRecipe(
            monoid, semiring, semiring2, initval, switch, applybegin, finalize, tuple(composite or ())
        )
        if types is None:
            types = [op for op in (monoid, semiring, semiring2, finalize) if op is not None]
        self._chain: list[Any] = list(types)
        self._chain_value = initval
        self._any_dtype = any_dtype if any_dtype is None or any_dtype is True else lookup_dtype(any_dtype)
        self._types: dict[DataType, DataType] | None = None
        self._typed_ops: dict[DataType, TypedAggregator] = {}
        self._cache: dict[tuple[DataType, None], TypedAggregator] = {}  # where get_typed_op looks first

    @classmethod
    def _from_row(cls, row: AggRow) -> Aggregator:
        """A built-in one."""
        self = cls.__new__(cls)
        self.name = row.name.removeprefix("ss.")
        self._row = row
        self._chain = row.types.split()
        self._chain_value = row.value
        self._any_dtype = row.any_dtype
        self._types = None
        self._typed_ops = {}
        self._cache = {}
        return self

    @property
    def types(self) -> dict[DataType, DataType]:
        """The data types accepted, each with the type returned."""
        if self._types is None:
            first, *others = (registry.find(*op.split(".", 1)) if isinstance(op, str) else op for op in self._chain)
            types = dict(first.types)
            if self._chain_value is not None:
                value_type = lookup_dtype(type(self._chain_value))
                types = {dtype: first._for_types(dtype, value_type).return_type for dtype in types}
            for op in others:
                types = {dtype: op.types[result] for dtype, result in types.items() if result in op.types}
            self._types = types
        return self._types

    def __getitem__(self, key: DTypeLike) -> TypedAggregator:
        dtype = lookup_dtype(key)
        if dtype not in self._typed_ops:
            if dtype not in self:
                raise KeyError(f"{self.name} does not work with {dtype}")
            self._typed_ops[dtype] = TypedAggregator(self, dtype)
        return self._typed_ops[dtype]

    def __contains__(self, key: DTypeLike) -> bool:
        dtype = lookup_dtype(key)
        on_records = dtype._is_udt and self.monoid is not None and dtype in self.monoid
        return bool(self._any_dtype) or dtype in self.types or on_records

    def for_dtype(self, dtype: DataType) -> TypedAggregator:
        """The typed aggregator for values of this type."""
        found = self[self._any_dtype] if isinstance(self._any_dtype, DataType) else self[dtype]
        self._cache[dtype, None] = found
        return found

    @property
    def monoid(self) -> Monoid | None:
        """The monoid that does all of the work, or None when there is more to do."""
        row = self._row
        if row is None:
            return None
        steps = (row.apply, row.finalize, row.custom, row.parts)
        return registry.find("monoid", row.monoid) if row.monoid and not any(steps) else None

    def __repr__(self) -> str:
        return f"agg.{self.name if self._row is None else self._row.name}"

    def __reduce__(self) -> str | tuple[object, ...]:
        return object.__reduce_ex__(self, 2) if self._row is None else (registry.find, ("agg", self._row.name))


class TypedAggregator(Documented):
    """An Aggregator for one type."""

    opclass = "Aggregator"
    _modname = "agg"
    jit_c_name = jit_c_source = None  # C source for SuiteSparse
    __call__: AggregatorCall = caller("agg_call")

    def __init__(self, parent: Aggregator, dtype: DataType) -> None:
        self.parent = parent
        self.name = parent.name
        self.type = dtype
        if dtype in parent.types:
            self.return_type = parent.types[dtype]
        else:
            self.return_type = parent._any_dtype if isinstance(parent._any_dtype, DataType) else dtype

    def for_dtype(self, dtype: DataType) -> TypedAggregator:
        """Itself: its type is known."""
        return self

    def __repr__(self) -> str:
        return f"agg.{self.name}[{self.type}]"

    def __reduce__(self) -> tuple[object, ...]:
        return getitem, (self.parent, self.type)


def is_count(agg: Aggregator | TypedAggregator) -> bool:
    """Whether an aggregator counts entries, without reading values."""
    row = (agg.parent if isinstance(agg, TypedAggregator) else agg)._row
    return row is not None and row.name == "count"


_recipes: Callable[[Aggregator | TypedAggregator, Vector | Matrix, str], Vector | Scalar]


def define_recipes(function: Callable[[Aggregator | TypedAggregator, Vector | Matrix, str], Vector | Scalar]) -> None:
    """Say how aggregators are computed: by operations on objects, which are above this layer."""
    global _recipes
    _recipes = function


def compute(agg: Aggregator | TypedAggregator, obj: Vector | Matrix, mode: str) -> Any:
    """Aggregate a Vector or Matrix: ``mode`` is "rowwise", "columnwise" or "scalar"; the result is a new object."""
    return _recipes(agg, obj, mode)


__all__ = ["Aggregator", "TypedAggregator", "compute", "define_recipes", "is_count"]
