"""IndexUnaryOp and SelectOp: a value, its position, and a number called the thunk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ..dtypes import BOOL, INT64, UINT64, DataType
from ..foundation.types import DTypeKey, DTypeLike, Udf
from . import registry
from .base import OpBase, TypedOpBase, caller
from .call_types import IndexUnaryCall
from .parameterized import ParameterizedFunction, Registered
from .udf import Arguments


class TypedBuiltinIndexUnaryOp(TypedOpBase):
    """An IndexUnaryOp for one type; ``type2`` is the type of the thunk.

    >>> import numpy as np
    >>> from grblas_gpu import indexunary
    >>> indexunary.tril[bool].numpy(np.ones(2, bool), np.array([0, 1]), np.array([1, 0]), np.int64(0))
    array([False,  True])
    """

    __slots__ = ()
    opclass = "IndexUnaryOp"
    _modname = "indexunary"
    __call__: IndexUnaryCall = caller("indexunary_call")

    def _operands(self, dtypes: tuple[DataType, DataType]) -> Arguments:
        return dtypes[0], INT64, INT64, dtypes[1]


class TypedUserIndexUnaryOp(TypedBuiltinIndexUnaryOp):
    """A user-defined IndexUnaryOp for one type.

    Types are found as in python-graphblas, where indices are UINT64, but the function gets them as INT64 on every
    engine: ``i - j`` may be negative.
    """

    __slots__ = ()


class TypedBuiltinSelectOp(TypedBuiltinIndexUnaryOp):
    """A SelectOp for one type."""

    __slots__ = ()
    opclass = "SelectOp"
    _modname = "select"
    __call__: IndexUnaryCall = caller("select_call")


class TypedUserSelectOp(TypedBuiltinSelectOp):
    """A user-defined SelectOp for one type."""

    __slots__ = ()


class IndexUnaryOp(Registered, OpBase):
    """Takes a value, its row, its column and a thunk.

    >>> from grblas_gpu import indexunary
    >>> indexunary.rowindex.is_positional, indexunary.valuegt.is_positional
    (True, False)
    """

    __slots__ = ()
    _modname = "indexunary"
    _in_op = False
    _typed_class: ClassVar[type[TypedOpBase]] = TypedBuiltinIndexUnaryOp
    _typed_user_class: ClassVar[type[TypedOpBase]] = TypedUserIndexUnaryOp
    __call__: IndexUnaryCall = caller("indexunary_call")

    @property
    def is_positional(self) -> bool:
        return self._row is not None and self._row.reads_indices

    @staticmethod
    def _arguments(dtype: DataType, dtype2: DataType) -> Arguments:
        return dtype, UINT64, UINT64, dtype2

    @classmethod
    def register_new(
        cls,
        name: str,
        func: Udf,
        *,
        parameterized: bool = False,
        is_udt: bool = False,
        lazy: bool = False,
        ret_dtype: DTypeLike | None = None,
    ) -> Any:
        """Make an operator and add it to the namespace; one that returns BOOL becomes a SelectOp as well.

        Parameters
        ----------
        name : str
            Where to find it from then on; dots nest it: ``select.mine.near``.
        func : function
            A function of a value, its row, its column and the thunk, compiled by Numba.
        parameterized : bool
            Whether ``func`` takes parameters and returns the function to compile.
        is_udt : bool
            Whether to compile for the exact types of the operands when it is used, user-defined types among them.
        lazy : bool
            Whether to compile nothing until the operator is looked up.
        ret_dtype : dtype, optional
            With ``is_udt``, the type of the result; by default what the function returns for its operands.
        """
        options: Any = {"parameterized": parameterized, "is_udt": is_udt, "lazy": lazy, "ret_dtype": ret_dtype}
        op = super().register_new(name, func, **options)
        if isinstance(op, IndexUnaryOp) and not is_udt and _returns_bool(op):
            registry.install("select", name, SelectOp._from_indexunary(op), in_op=False)
        return op


def _returns_bool(op: Any) -> bool:
    """Judged by the first type that compiles: asking all of them would compile eleven functions."""
    return op._row is not None or op._compiled.check() is BOOL


class SelectOp(IndexUnaryOp):
    """Says which values to keep, by value, row, column and thunk.

    >>> from grblas_gpu import select
    >>> select.tril, select.tril["INT64"].return_type
    (select.tril, BOOL)
    """

    __slots__ = ()
    _modname = "select"
    _typed_class = TypedBuiltinSelectOp
    _typed_user_class = TypedUserSelectOp
    __call__: IndexUnaryCall = caller("select_call")

    if TYPE_CHECKING:

        def __getitem__(self, key: DTypeKey) -> TypedBuiltinSelectOp: ...

    @property
    def coercions(self) -> dict[DataType, DataType]:
        return {}

    @classmethod
    def _from_indexunary(cls, op: IndexUnaryOp) -> SelectOp:
        if not op._is_udt and not _returns_bool(op):
            raise ValueError("SelectOp must have BOOL return type")
        select = cls(op.name, anonymous=op._anonymous)
        for attribute in ("_row", "_key", "_compiled", "orig_func", "_is_udt", "_parameterized_info"):
            setattr(select, attribute, getattr(op, attribute))
        return select

    @classmethod
    def register_anonymous(  # type: ignore[override]
        cls, func: Udf, name: str | None = None, *, parameterized: bool = False, is_udt: bool = False
    ) -> ParameterizedSelectOp | SelectOp:
        """Make a SelectOp without adding it to the namespace; it must return BOOL.

        Parameters
        ----------
        func : function
            A function of a value, its row, its column and the thunk, compiled by Numba.
        name : str, optional
            The name to show; by default the function's.
        parameterized : bool
            Whether ``func`` takes parameters and returns the function to compile.
        is_udt : bool
            Whether to compile for the exact types of the operands when it is used, user-defined types among them.
        """
        if parameterized:
            return ParameterizedSelectOp(name, func, anonymous=True, is_udt=is_udt)
        return cls._from_indexunary(IndexUnaryOp._build(name, func, anonymous=True, is_udt=is_udt))

    @classmethod
    def register_new(  # type: ignore[override]
        cls, name: str, func: Udf, *, parameterized: bool = False, is_udt: bool = False, lazy: bool = False
    ) -> Any:
        """Make a SelectOp, and the IndexUnaryOp of the same name; it must return BOOL.

        Parameters
        ----------
        name : str
            Where to find it from then on; dots nest it: ``select.mine.near``.
        func : function
            A function of a value, its row, its column and the thunk, compiled by Numba.
        parameterized : bool
            Whether ``func`` takes parameters and returns the function to compile.
        is_udt : bool
            Whether to compile for the exact types of the operands when it is used, user-defined types among them.
        lazy : bool
            Whether to compile nothing until the operator is looked up.
        """
        op = IndexUnaryOp.register_new(name, func, parameterized=parameterized, is_udt=is_udt, lazy=lazy)
        if lazy:
            registry.install_lazy("select", name, lambda: cls._after_lazy(name), in_op=False)
            return None
        if parameterized:
            select = ParameterizedSelectOp(name, func, is_udt=is_udt)
            registry.install("select", name, select, in_op=False)
            return select
        if not is_udt and not _returns_bool(op):
            registry.remove("indexunary", name)
            raise ValueError("SelectOp must have BOOL return type")
        if is_udt:
            registry.install("select", name, cls._from_indexunary(op), in_op=False)
        return registry.find("select", name)

    @classmethod
    def _after_lazy(cls, name: str) -> SelectOp:
        select = cls._from_indexunary(registry.find("indexunary", name))
        registry.install("select", name, select, in_op=False)
        return select


class ParameterizedIndexUnaryOp(ParameterizedFunction, of=IndexUnaryOp):
    """Makes IndexUnaryOps from parameters."""

    __slots__ = ()


class ParameterizedSelectOp(ParameterizedFunction, of=SelectOp):
    """Makes SelectOps from parameters."""

    __slots__ = ()
