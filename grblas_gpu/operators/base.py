"""The base classes of operators: typed operators, and untyped ones that hold them."""

from __future__ import annotations

import itertools
from operator import eq, getitem, ne
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ..dtypes import ALL_TYPES, BOOL, UINT64, DataType, lookup_dtype, unify
from ..exceptions import UdfParseError
from . import registry
from .documented import Documented
from .lifting import LIFTED, as_function, on_arrays, result_type
from .parameterized import _deserialize_parameterized, with_options
from .reductions import quiet
from .typing_rules import Signature, of_record
from .udf import Arguments, Compiled, check_function

if TYPE_CHECKING:
    from ..foundation.types import Array, DTypeKey, DTypeLike, Function, Udf
    from .parameterized import ParameterizedUdf
    from .tables import Row

_numbers = itertools.count()  # tell operators without a name of their own apart


class _Call:
    """The place of a ``__call__`` in a class of operators, until :func:`define_calls` fills it."""

    _places: ClassVar[dict[str, list[type]]] = {}

    def __init__(self, name: str) -> None:
        self._name = name

    def __set_name__(self, owner: type, attribute: str) -> None:
        self._places.setdefault(self._name, []).append(owner)


def caller(name: str) -> Any:
    """A ``__call__`` that the layer above defines under this name."""
    return _Call(name)


def define_calls(**functions: Udf) -> None:
    """Define the calls of operators; each class gets the function itself, so that a call has no overhead."""
    for name, function in functions.items():
        for owner in _Call._places[name]:
            type.__setattr__(owner, "__call__", function)


class TypedOpBase(Documented):
    """An operator for one type: all that an engine needs to know (see docs/architecture.md).

    ``numpy`` and ``source`` are made on first use.
    """

    __slots__ = (
        "__weakref__ cacheable function key name numpy offset odd_kinds parent positional return_type source type type2"
    ).split()
    opclass: ClassVar[str] = ""
    indexed: ClassVar[bool] = False  # whether engines call it with values and their positions
    _modname: ClassVar[str] = ""
    jit_c_name = jit_c_definition = jit_c_source = None  # C source for SuiteSparse
    _lazy: ClassVar[frozenset[str]] = frozenset({"numpy", "source"})

    if TYPE_CHECKING:  # of those that are functions

        def _operands(self, dtypes: tuple[DataType, DataType]) -> Arguments: ...

    def __init__(self, parent: OpBase, dtype: DataType, return_type: DataType, dtype2: DataType | None = None) -> None:
        self.parent = parent
        self.name: str = parent.name.removeprefix("ss.")
        self.type = dtype
        self.type2 = dtype if dtype2 is None else dtype2
        self.return_type = return_type
        types = (dtype, self.type2, return_type)
        complex_numbers, records = any(each.np_type.kind == "c" for each in types), any(each._is_udt for each in types)
        self.odd_kinds = "c" * complex_numbers + "V" * records  # of NumPy types, among those that it takes and gives
        self.function: Udf | None = None if isinstance(parent.orig_func, str) else parent.orig_func
        self.cacheable: bool = parent._key is not None
        self.key: str = f"{self._modname}.{parent._key or f'user{parent._number}'}:{dtype}"
        if self.type2 is not dtype:
            self.key += f",{self.type2}"
        self.positional: str | None = None
        self.offset = 0

    def __getattr__(self, name: str) -> Any:
        """Only called while a lazy slot is empty: fill it."""
        if name not in self._lazy:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        value = getattr(self, f"_make_{name}")()
        setattr(self, name, value)
        return value

    def __repr__(self) -> str:
        mixed = self.type2 is not self.type and (self.parent._row is None or "V" in self.odd_kinds)
        second = f", {self.type2.name}" if mixed else ""
        return f"{self._modname}.{self.name}[{self.type.name}{second}]"

    @property
    def is_positional(self) -> bool:
        return self.parent.is_positional

    @property
    def orig_func(self) -> Udf | str | None:
        return self.parent.orig_func

    @property
    def _numba_func(self) -> Udf | None:
        return self.parent._numba_func

    @property
    def thunk_type(self) -> DataType:
        return self.type2

    def __reduce__(self) -> tuple[object, ...]:
        if self.type is not self.type2 and (self.parent._is_udt or self.type._is_udt or self.type2._is_udt):
            return getitem, (self.parent, (self.type, self.type2))
        return getitem, (self.parent, self.type)

    def _make_source(self) -> str | None:
        row: Row | None = self.parent._row
        if row is None or row.positional is not None or self.function is not None:  # engines compile a function
            return None
        return _scalar_source(row, self.type)

    def _make_numpy(self) -> Function | None:
        row: Row | None = self.parent._row
        if row is None:
            return self._user_numpy()
        if row.positional is not None:
            return None
        if self.function is not None:
            return on_arrays(row, self.return_type)
        if self.type._is_udt:
            return _on_records(row.name, row.form(self.type).numpy)
        function = row.form(self.type).numpy
        operands = [np.ones(1, dtype.np_type) for dtype in self._operands((self.type, self.type2))]
        with np.errstate(all="ignore"):
            exact = function(*operands).dtype == self.return_type.np_type
        if not exact:
            function = _casting(function, self.return_type.np_type)
        return quiet(function, self.return_type.np_type)

    def _user_numpy(self) -> Function:
        assert self.parent._compiled is not None
        return self.parent._compiled.vectorized(self._operands((self.type, self.type2)), self.return_type)


def _scalar_source(row: Row, dtype: DataType) -> str:
    """The expression of an operator for numbers of one type."""
    source = row.form(dtype).source
    if "{" not in source:
        return source
    limits = np.iinfo(dtype.np_type)
    wide = "np.int64" if limits.min else "np.uint64"
    bits = dtype.np_type.itemsize * 8
    return source.format(lo=f"{wide}({limits.min})", hi=f"{wide}({limits.max})", bits=bits)


def _on_records(name: str, function: Function) -> Function:
    """NumPy compares records by its signs only, and has no record of ones."""
    if name in ("eq", "ne"):
        return eq if name == "eq" else ne
    if name in ("one", "pair"):
        return lambda x, *y: np.ones(np.broadcast(x, *y).shape, np.int64)
    return function


def _casting(function: Function, dtype: np.dtype) -> Function:
    def cast(*operands: Array) -> Array:
        return function(*operands).astype(dtype)

    return cast


class OpBase(Documented):
    """An operator for all its types; ``op[dtype]`` is the typed one, made on first use."""

    __slots__ = (
        "__weakref__ _anonymous _cache _compiled _deleted _is_udt _key _number _parameterized_info _row "
        "_typed_ops name orig_func"
    ).split()
    _modname: ClassVar[str] = ""
    _typed_class: ClassVar[type[TypedOpBase]] = TypedOpBase
    _typed_user_class: ClassVar[type[TypedOpBase]] = TypedOpBase
    _initialized: ClassVar[bool] = True
    register_anonymous: ClassVar[Udf]
    register_new: ClassVar[Udf]
    _for_truth_values: ClassVar[str] = ""  # which operators, or how to count them, where this one takes only numbers
    is_positional: Any = False

    def __init__(self, name: str, *, anonymous: bool = False) -> None:
        self.name = name
        self._anonymous = anonymous
        self._number = next(_numbers)
        self._row: Any = None
        self._key: str | None = None
        self._compiled: Compiled | None = None
        self.orig_func: Udf | str | None = None
        self._is_udt = False
        self._parameterized_info: tuple[ParameterizedUdf, tuple[object, ...], dict[str, object]] | None = None
        self._typed_ops: dict[object, TypedOpBase] = {}
        self._cache: dict[tuple[DataType, DataType | None], TypedOpBase] = {}
        self._deleted: set[DataType] = set()

    @classmethod
    def _initialize(cls) -> None:
        """Nothing to do: tables are read when an operator is looked up."""

    @classmethod
    def _from_row(cls, row: Any, *, anonymous: bool = False) -> Self:
        op = cls(row.name, anonymous=anonymous)
        op._row = row
        op._key = getattr(row, "key", None) or row.name
        return op

    def __repr__(self) -> str:
        return f"{self._modname}.{self.name}"

    # Types

    def _signature(self) -> Signature:
        """For each data type, the type that it is computed in and the type of the result."""
        if self._row is not None:
            return self._with_bool(self._row.signature)
        assert self._compiled is not None
        found = {dtype: self._compiled.adjusted(dtype) for dtype in ALL_TYPES} if not self._is_udt else {}
        return {dtype: (dtype, result) for dtype, result in found.items() if result is not None}

    @property
    def types(self) -> dict[DataType, DataType]:
        """The data types accepted, each with the type returned."""
        return {t: result for t, (_, result) in self._signature().items() if t not in self._deleted}

    @property
    def coercions(self) -> dict[DataType, DataType]:
        """The data types that are cast before the operator is applied, each with the type it is cast to."""
        found = {t: used for t, (used, _) in self._signature().items() if used is not t and t not in self._deleted}
        return found if self._for_bool() is None else found | {BOOL: BOOL}

    def _for_bool(self) -> TypedOpBase | None:
        """The typed operator that stands in for this one on truth values."""
        name = getattr(self._row, "for_bool", None)
        return registry.builtin(self._modname, name)[BOOL] if name else None

    def _with_bool(self, signature: Signature) -> Signature:
        return signature if self._for_bool() is None else signature | {BOOL: (BOOL, BOOL)}

    def __getitem__(self, key: DTypeKey) -> TypedOpBase:
        try:
            return self._typed_ops[key]
        except (KeyError, TypeError):
            pass
        if type(key) is tuple:
            return self._for_types(lookup_dtype(key[0]), lookup_dtype(key[1]))
        dtype = lookup_dtype(key)
        if self._is_udt:
            return self._compile_udt(dtype, dtype)
        if dtype not in self._typed_ops:
            return self._typed_ops.setdefault(dtype, self._make(dtype))  # two threads get the same object
        return self._typed_ops[dtype]

    def _make(self, dtype: DataType) -> TypedOpBase:
        if dtype is BOOL and (instead := self._for_bool()) is not None:
            return instead
        used, result = self._lookup(dtype)
        if used is not dtype:
            return self[used] if used in self._signature() else self._typed(used, result)
        return self._typed(dtype, result)

    def _lookup(self, dtype: DataType) -> tuple[DataType, DataType]:
        """The type that values are computed in, and the type of the result; KeyError if this one is not accepted."""
        found: tuple[DataType, DataType] | None
        if self._row is not None:
            found = self._of_record(dtype) if dtype._is_udt else self._row.signature.get(dtype)
            if found is None and self.is_positional:
                found = self._row.signature.get(UINT64)
        else:
            assert self._compiled is not None
            result = self._compiled.adjusted(dtype)
            found = None if result is None else (dtype, result)
        if found is None or dtype in self._deleted:
            raise KeyError(f"{self.name} does not work with {dtype}{self._why(dtype, dtype)}")
        return found

    def _of_record(self, dtype: DataType) -> tuple[DataType, DataType] | None:
        """The types of computation and result on a user-defined type, if the operator takes it."""
        found = of_record(self.name, dtype)
        if found is not None or self.name not in LIFTED:
            return found
        return dtype, result_type(self._row, dtype)

    def _why(self, dtype: DataType, dtype2: DataType) -> str:
        """The operators for truth values, or the message of Numba, in one line: a KeyError shows no more."""
        reason = "" if self._compiled is None else self._compiled.reason(dtype, dtype2)
        if self._row is not None and dtype is BOOL and self._for_truth_values:
            return f"; {self._for_truth_values}"
        return f": Numba says: {reason}" if reason else ""

    def _typed(self, dtype: DataType, result: DataType, dtype2: DataType | None = None) -> TypedOpBase:
        if self._row is None:
            return self._typed_user_class(self, dtype, result)
        typed = self._typed_class(self, dtype, result, dtype2 or getattr(self._row, "type2", None))
        typed.positional = getattr(self._row, "positional", None)
        typed.offset = getattr(self._row, "offset", 0)
        if (dtype._is_udt and self.name in LIFTED) or dtype2 is not None:
            operands = typed._operands((dtype, typed.type2))
            typed.function = as_function(self._row, operands, lambda leaf: _scalar_source(self._row, leaf))
        return typed

    def _compile_udt(self, dtype: DataType, dtype2: DataType | None) -> TypedOpBase:
        """For functions registered with ``is_udt``: exactly these two types, with the return type that Numba infers."""
        dtype2 = dtype if dtype2 is None else dtype2
        if (dtype, dtype2) not in self._cache:
            assert self._compiled is not None
            result = self._compiled.exact(dtype, dtype2)
            if result is None:
                raise UdfParseError(f"{self.name} does not work with {dtype} and {dtype2}{self._why(dtype, dtype2)}")
            self._cache[dtype, dtype2] = self._typed_user_class(self, dtype, result, dtype2)
        return self._cache[dtype, dtype2]

    def _for_types(self, dtype: DataType, dtype2: DataType | None) -> TypedOpBase:
        """The typed operator for operands of these types, found once."""
        key = dtype, dtype2
        if key not in self._cache:
            self._cache[key] = self._find_for_types(dtype, dtype2)
        return self._cache[key]

    def _find_for_types(self, dtype: DataType, dtype2: DataType | None) -> TypedOpBase:
        if self._is_udt:
            return self._compile_udt(dtype, dtype2)
        if dtype2 is None:
            return self[dtype]
        special = self._for_two(dtype, dtype2)
        if special is not None:
            return special
        if dtype._is_udt or dtype2._is_udt:
            found = self[UINT64] if self.is_positional else self._beside_a_record(dtype, dtype2)
            if found is None:
                raise KeyError(f"{self.name} does not work with {dtype} and {dtype2}")
            return found
        unified = unify(dtype, dtype2)
        return self[unified] if unified in self or not self.is_positional else self[UINT64]

    def _beside_a_record(self, dtype: DataType, dtype2: DataType) -> TypedOpBase | None:
        """The typed operator for two types of which one is a user-defined one, or both; None if there is none."""
        return self[dtype] if dtype is dtype2 else None

    def _for_two(self, dtype: DataType, dtype2: DataType) -> TypedOpBase | None:
        """The typed operator for operands of two types, where it is not the one of the unified type."""
        return None

    def __delitem__(self, key: DTypeLike) -> None:
        dtype = lookup_dtype(key)
        self._deleted.add(dtype)
        self._typed_ops.pop(dtype, None)
        self._cache.clear()

    def __contains__(self, key: DTypeKey) -> bool:
        try:
            self[key]
        except (TypeError, KeyError, UdfParseError):
            return False
        return True

    # User-defined functions

    @property
    def _numba_func(self) -> Udf | None:
        return None if self._compiled is None else self._compiled.dispatcher

    if TYPE_CHECKING:

        @staticmethod
        def _arguments(dtype: DataType, dtype2: DataType) -> Arguments: ...

    @classmethod
    def _build(
        cls,
        name: str | None,
        func: Udf,
        *,
        anonymous: bool = False,
        is_udt: bool = False,
        ret_dtype: DataType | None = None,
    ) -> Self:
        """From a Python function."""
        check_function(func)
        op = cls(name or str(getattr(func, "__name__", f"<anonymous_{cls._modname}>")), anonymous=anonymous)
        op.orig_func = func
        op._is_udt = is_udt
        op._compiled = Compiled(func, cls._arguments, ret_dtype)
        op._parameterized_info = getattr(func, "_parameterized_info", None)
        if not is_udt:
            op._compiled.check()
        return op

    def __reduce__(self) -> tuple[object, ...]:
        if self._parameterized_info is not None:
            return _deserialize_parameterized, self._parameterized_info
        if self._anonymous:
            return with_options(type(self).register_anonymous, self._options()), self._recipe()
        if registry.is_standard(self):
            return registry.find, (self._modname, self.name)
        return with_options(type(self)._deserialize, self._options()), (self.name, *self._recipe()[:-1])

    def _recipe(self) -> tuple[object, ...]:
        """The arguments of ``register_anonymous``, the name last."""
        return self.orig_func, self.name

    def _options(self) -> dict[str, object]:
        """The keywords of ``register_anonymous`` that are not their defaults."""
        returns = None if self._compiled is None else self._compiled.returns
        return ({"is_udt": True} if self._is_udt else {}) | ({"ret_dtype": returns} if returns else {})

    @classmethod
    def _deserialize(cls, name: str, *args: object, **options: object) -> object:
        found = registry.find(cls._modname, name)
        return cls.register_new(name, *args, **options) if found is None else found
