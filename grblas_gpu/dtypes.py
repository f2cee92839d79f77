"""The data types: one :class:`DataType` object per GraphBLAS type, found by any of its usual names.

>>> lookup_dtype("int8"), lookup_dtype(float), lookup_dtype(np.dtype("uint16"))
(INT8, FP64, UINT16)
>>> unify(INT8, UINT16)
INT32
"""

from __future__ import annotations

import sys
from ast import literal_eval
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from types import ModuleType
from typing import Any

import numpy as np

from .foundation.atomic_updates import imported
from .foundation.types import DTypeLike

_supports_complex = True
SUBARRAY = "[]"  # the only field of the records that hold sub-arrays; no user's field has this name


def is_subarray(np_type: np.dtype) -> bool:
    """Whether these records represent sub-arrays. NumPy would turn sub-arrays into further dimensions."""
    return np_type.names == (SUBARRAY,)


def leaves(np_type: np.dtype, whole_arrays: bool = False) -> list[tuple[tuple[str | int, ...], np.dtype]]:
    """The numbers of a record or sub-array: the path to each, and its type; or its numbers and arrays.

    >>> leaves(np.dtype([("a", np.int8), ("b", np.float32, (2,))]))
    [(('a',), dtype('int8')), (('b', 0), dtype('float32')), (('b', 1), dtype('float32'))]
    """
    if np_type.subdtype is not None and not whole_arrays:
        base, shape = np_type.subdtype
        inside = leaves(base)
        return [((*at, *path), kind) for at in np.ndindex(shape) for path, kind in inside]
    if np_type.names is None:
        return [((), np_type)]
    if is_subarray(np_type):
        return leaves(np_type[SUBARRAY])
    return [((name, *path), kind) for name in np_type.names for path, kind in leaves(np_type[name], whole_arrays)]


class DataType:
    """A GraphBLAS data type.

    There is exactly one object per type, so types compare and hash by identity, which keeps operator look-up cheap.
    ``==`` also accepts everything that :func:`lookup_dtype` accepts.

    >>> INT64.name, INT64.np_type, INT64.c_type
    ('INT64', dtype('int64'), 'int64_t')
    >>> INT64 == "int64"
    True
    """

    __slots__ = ("__weakref__", "_is_udt", "c_type", "gb_name", "name", "np_type", "subarray")
    jit_c_name = jit_c_definition = None  # C source for SuiteSparse

    def __init__(self, name: str, c_type: str, np_type: np.dtype | type) -> None:
        self.name = name
        self.c_type = c_type
        self.np_type: np.dtype = np.dtype(np_type)
        self._is_udt = self.np_type.kind == "V"
        #: The sub-array type as users see it; its values are stored as records of one field.
        self.subarray = self.np_type[SUBARRAY] if is_subarray(self.np_type) else None
        self.gb_name: Any = None if self._is_udt else f"{'GxB' if name.startswith('FC') else 'GrB'}_{name}"

    @property
    def numba_type(self) -> Any:
        """The Numba type; the first use imports Numba."""
        return imported("numba").from_dtype(self.np_type if self.subarray is None else self.subarray)

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        if type(other) is DataType:
            return self is other
        try:
            return self is lookup_dtype(other)
        except ValueError:
            raise TypeError(f"Invalid or unknown datatype: {other}") from None

    __hash__ = object.__hash__

    def __lt__(self, other: object) -> bool:
        try:
            return self._order() < lookup_dtype(other)._order()
        except ValueError:
            raise TypeError(f"Invalid or unknown datatype: {other}") from None

    def _order(self) -> tuple[str, int, str]:
        return self.np_type.kind, self.np_type.itemsize, self.np_type.name

    @property
    def _is_anonymous(self) -> bool:
        """Whether this module has no attribute with its name."""
        return globals().get(self.name) is not self

    def __reduce__(self) -> str | tuple[object, ...]:
        shown = self.np_type if self.subarray is None else self.subarray
        return (DataType._deserialize, (self.name, shown, self._is_anonymous)) if self._is_udt else self.name

    @staticmethod
    def _deserialize(name: str, np_type: np.dtype, is_anonymous: bool) -> DataType:
        if is_anonymous:
            return register_anonymous(np_type, name)
        return _registry[name] if name in _registry else register_new(name, np_type)


BOOL = DataType("BOOL", "_Bool", np.bool_)
INT8 = DataType("INT8", "int8_t", np.int8)
UINT8 = DataType("UINT8", "uint8_t", np.uint8)
INT16 = DataType("INT16", "int16_t", np.int16)
UINT16 = DataType("UINT16", "uint16_t", np.uint16)
INT32 = DataType("INT32", "int32_t", np.int32)
UINT32 = DataType("UINT32", "uint32_t", np.uint32)
INT64 = DataType("INT64", "int64_t", np.int64)
UINT64 = DataType("UINT64", "uint64_t", np.uint64)
FP32 = DataType("FP32", "float", np.float32)
FP64 = DataType("FP64", "double", np.float64)
FC32 = DataType("FC32", "float _Complex", np.complex64)
FC64 = DataType("FC64", "double _Complex", np.complex128)
_INDEX = UINT64

#: The types without complex numbers, and every type, in the order in which user-defined functions are tried.
REAL_TYPES = (INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64, FP32, FP64, BOOL)
ALL_TYPES = (*REAL_TYPES, FC32, FC64)
_index_dtypes = {BOOL, INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64}

_registry: dict[object, DataType] = {}
for _dtype in ALL_TYPES:
    for _key in (_dtype.name, _dtype.gb_name, _dtype.c_type, _dtype.np_type.name):
        _registry[_key] = _registry[_key.lower()] = _registry[_key.upper()] = _dtype
    _registry[_dtype.np_type] = _registry[_dtype.np_type.type] = _dtype
# Python's names win over C's: "float" is 64 bits wide.
_registry.update({bool: BOOL, int: INT64, float: FP64, "bool": BOOL, "int": INT64, "float": FP64})
_registry.update({complex: FC64, "complex": FC64})
del _dtype, _key


def lookup_dtype(key: object, value: Any = None) -> DataType:
    """Find the data type that ``key`` names; ``value`` helps when ``key`` is the type of a NumPy scalar.

    >>> lookup_dtype("INT64") is lookup_dtype(int) is INT64
    True
    >>> lookup_dtype("float16")
    Traceback (most recent call last):
    ...
    ValueError: Unknown dtype: float16 of type <class 'str'>
    """
    if type(key) is DataType:
        return key
    try:
        return _registry[key]
    except (KeyError, TypeError):
        pass
    if value is not None and getattr(value, "dtype", None) in _registry:
        return _registry[value.dtype]
    if key is None:
        raise TypeError("Bad dtype: None.  A valid dtype must be provided.")
    found = _lookup_numpy(key) or _lookup_numba(key) or _lookup_record(key)
    if found is None:
        raise ValueError(f"Unknown dtype: {key} of type {type(key)}")
    return found


def _lookup_numpy(key: Any) -> DataType | None:
    try:
        return _registry.get(np.dtype(key))
    except Exception:
        return None


def _lookup_numba(key: object) -> DataType | None:
    """A Numba type has a name that we know; a literal type, such as that of the constant 1, knows its plain type."""
    key = getattr(key, "literal_type", key)
    return _registry.get(getattr(key, "name", None))


# User-defined types: records


def register_new(name: Any, dtype: Any = None) -> DataType:
    """Register a user-defined type, a record of numbers, as an attribute of this module.

    Parameters
    ----------
    name : str
        The name of the attribute; or a dataclass alone, which gives its own.
    dtype : dict, dataclass, str or NumPy dtype
        The type, as :func:`register_anonymous` takes it.

    Examples
    --------
    >>> point = register_new("Point", {"x": float, "y": float})
    >>> point, lookup_dtype("Point") is point
    (Point, True)
    """
    if dtype is None:
        if not is_dataclass(name):
            raise TypeError(f"register_new requires both a name and a dtype, or a dataclass; got {name!r}")
        dtype, name = name, _class_of(name).__name__
    if not name.isidentifier():
        raise ValueError(f"`name` argument must be a valid Python identifier; got: {name!r}")
    if name in _registry or name in globals():
        raise ValueError(f"{name!r} name for dtype is unavailable")
    found = register_anonymous(dtype, name)
    _registry[name] = globals()[name] = found
    return found


def register_anonymous(dtype: object, name: str | None = None) -> DataType:
    """A user-defined type: a record of numbers, of other records and of arrays of either, all of fixed size; or such
    an array itself.

    Types with the same fields are one type, under the name that was given last.

    Parameters
    ----------
    dtype : dict, dataclass, str or NumPy dtype
        Names of fields with their types; or the type and shape of an array, ``"INT64[3, 4]"``.
    name : str, optional
        The name that is printed; by default that of the dataclass, or a description.

    Examples
    --------
    >>> register_anonymous({"count": int, "mean": float})
    {'count': INT64, 'mean': FP64}
    >>> register_anonymous("FP64[3]")
    FP64[3]
    """
    np_type = _record_type(dtype)
    found = _registry.get(np_type)
    if found is None:
        own = _class_of(dtype).__name__ if is_dataclass(dtype) else _default_name(np_type)
        found = DataType(name or own, f"uint8_t[{np_type.itemsize}]", np_type)
        _registry[np_type] = found
        while _listeners:
            _listeners.pop()()
    elif name is not None and name != found.name:
        if not found._is_udt:
            raise ValueError("dtype must not be a builtin type")
        found.name = name
    return found


_listeners: list[Callable[[], None]] = []


def when_records_are_used(listener: Callable[[], None]) -> None:
    """Call ``listener`` when the first record type is registered, or now if one exists: other code skips records."""
    if any(dtype._is_udt for dtype in _registry.values()):
        listener()
    else:
        _listeners.append(listener)


def _record_type(dtype: Any) -> np.dtype:
    if is_dataclass(dtype):
        dtype = {field.name: _annotated(_class_of(dtype), field.type) for field in fields(dtype)}
        if not dtype:
            raise ValueError("a user-defined type has at least one field")
    if isinstance(dtype, dict) and all(type(key) is str for key in dtype):
        np_type = np.dtype([(key, _field_type(value)) for key, value in dtype.items()], align=True)
    elif isinstance(dtype, str) and dtype.endswith("]") and "[" in dtype:
        base, _, shape = dtype[:-1].partition("[")
        np_type = np.dtype((_field_type(base), tuple(literal_eval(f"[{shape}]"))))
    else:
        np_type = np.dtype(dtype)
    while np_type.subdtype is not None:
        inner = np_type.base[SUBARRAY] if is_subarray(np_type.base) else np_type.base
        if inner.subdtype is None:
            break
        np_type = np.dtype((inner.base, np_type.shape + inner.shape))  # an array of arrays
    if np_type.subdtype is not None:
        np_type = np.dtype([(SUBARRAY, np_type)])
    if np_type in _registry:
        return np_type
    if np_type.hasobject:
        raise ValueError("dtype must not allow Python objects")
    if not _is_fixed(np_type):
        raise ValueError(f"a user-defined type is a record or an array of numbers, not {np_type}")
    return np_type


def _class_of(dataclass: object) -> type:
    return dataclass if isinstance(dataclass, type) else type(dataclass)


def _annotated(cls: type, annotation: object) -> object:
    """The type of a field of a dataclass; annotations may be texts, which name a type of ours or of the module."""
    if isinstance(annotation, str):
        annotation = annotation.strip("\"'")
        return vars(sys.modules[cls.__module__]).get(annotation, annotation)
    return annotation


def _field_type(dtype: Any) -> np.dtype:
    try:
        found = register_anonymous(dtype) if isinstance(dtype, type) and is_dataclass(dtype) else lookup_dtype(dtype)
        return found.np_type if found.subarray is None else found.subarray
    except ValueError:
        return np.dtype(dtype)


def _is_fixed(np_type: np.dtype, inside: bool = False) -> bool:
    """Whether this is a record, whose fields are numbers, or records, or arrays of either."""
    if np_type.fields is not None and np_type.names:
        return all(_is_fixed(field[0], True) for field in np_type.fields.values())
    if not inside:
        return False
    return _is_fixed(np_type.subdtype[0], True) if np_type.subdtype is not None else np_type in _registry


def _lookup_record(key: object) -> DataType | None:
    """Records are registered at their first use."""
    record = getattr(key, "dtype", None) if type(key).__module__.startswith("numba") else key
    try:
        return register_anonymous(record)
    except (SyntaxError, TypeError, ValueError):
        return None


def _default_name(np_type: np.dtype) -> str:
    found = _registry.get(np_type)
    if found is not None and not found._is_udt:
        return found.name
    if np_type.subdtype is not None:
        return f"{_default_name(np_type.subdtype[0])}[{', '.join(map(str, np_type.subdtype[1]))}]"
    if np_type.names:
        assert np_type.fields is not None
        if is_subarray(np_type):
            return _default_name(np_type[SUBARRAY])
        return f"{{{', '.join(f'{name!r}: {_default_name(np_type.fields[name][0])}' for name in np_type.names)}}}"
    return repr(np_type)


def _dtype_to_string(dtype: DTypeLike | None) -> str:
    """A text that :func:`_string_to_dtype` converts back to the same type."""
    if not isinstance(dtype, np.dtype) or dtype in _registry:
        dtype = lookup_dtype(dtype)
        if not dtype._is_udt:
            return dtype.name
        dtype = dtype.np_type if dtype.subarray is None else dtype.subarray
    text = str(dtype)
    try:
        if np.dtype(literal_eval(text)) == dtype:
            return text
    except (SyntaxError, TypeError, ValueError):
        pass
    return repr(dtype.str)


def _string_to_dtype(text: str) -> DataType:
    try:
        return lookup_dtype(text)
    except ValueError:
        return lookup_dtype(np.dtype(literal_eval(text)))


def _register_source(name: str, jit_c_definition: str, *, np_type: object = None) -> DataType:
    raise NotImplementedError(
        "SuiteSparse's compiler of C is not here; give the fields of the type instead: "
        f"dtypes.register_new({name!r}, {{'x': int, 'y': float}})"
    )


ss = ModuleType(f"{__name__}.ss", "Types by C source for SuiteSparse's compiler, which is not available here.")
vars(ss)["register_new"] = _register_source
sys.modules[ss.__name__] = ss

_unified: dict[tuple[DataType, DataType], DataType] = {}


def unify(type1: DataType, type2: DataType, *, is_left_scalar: bool = False, is_right_scalar: bool = False) -> DataType:
    """The smallest type that holds both; NumPy 2 promotes scalars like arrays, so the two flags change nothing.

    >>> unify(INT32, INT64), unify(BOOL, UINT16), unify(FP32, INT32)
    (INT64, UINT16, FP64)
    """
    if type1 is type2:
        return type1
    try:
        return _unified[type1, type2]
    except KeyError:
        result = lookup_dtype(np.promote_types(type1.np_type, type2.np_type))
        _unified[type1, type2] = result
        return result
