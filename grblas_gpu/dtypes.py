"""The data types: one :class:`DataType` object per GraphBLAS type, found by any of its usual names.

>>> lookup_dtype("int8"), lookup_dtype(float), lookup_dtype(np.dtype("uint16"))
(INT8, FP64, UINT16)
>>> unify(INT8, UINT16)
INT32
"""

from __future__ import annotations

from typing import Any

import numpy as np

_supports_complex = True


class DataType:
    """A GraphBLAS data type.

    There is exactly one object per type, so types compare and hash by identity, which keeps operator look-up cheap.
    ``==`` also accepts whatever :func:`lookup_dtype` accepts.

    >>> INT64.name, INT64.np_type, INT64.c_type
    ('INT64', dtype('int64'), 'int64_t')
    >>> INT64 == "int64"
    True
    """

    __slots__ = ("__weakref__", "_is_udt", "c_type", "gb_name", "name", "np_type")

    def __init__(self, name: str, c_type: str, np_type: Any) -> None:
        self.name = name
        self.gb_name = f"{'GxB' if name.startswith('FC') else 'GrB'}_{name}"
        self.c_type = c_type
        self.np_type: np.dtype = np.dtype(np_type)
        self._is_udt = False

    @property
    def numba_type(self) -> Any:
        """The Numba type; the first use imports Numba."""
        import numba

        return numba.from_dtype(self.np_type)

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

    def __lt__(self, other: Any) -> bool:
        try:
            return self._order() < lookup_dtype(other)._order()
        except ValueError:
            raise TypeError(f"Invalid or unknown datatype: {other}") from None

    def _order(self) -> tuple[str, int, str]:
        return self.np_type.kind, self.np_type.itemsize, self.np_type.name

    def __reduce__(self) -> str:
        return self.name


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

_registry: dict[Any, DataType] = {}
for _dtype in ALL_TYPES:
    for _key in (_dtype.name, _dtype.gb_name, _dtype.c_type, _dtype.np_type.name):
        _registry[_key] = _registry[_key.lower()] = _registry[_key.upper()] = _dtype
    _registry[_dtype.np_type] = _registry[_dtype.np_type.type] = _dtype
# Python's names win over C's: "float" is 64 bits wide.
_registry.update({bool: BOOL, int: INT64, float: FP64, "bool": BOOL, "int": INT64, "float": FP64})
_registry.update({complex: FC64, "complex": FC64})
del _dtype, _key


def lookup_dtype(key: Any, value: Any = None) -> DataType:
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
    found = _lookup_numpy(key) or _lookup_numba(key)
    if found is None:
        raise ValueError(f"Unknown dtype: {key} of type {type(key)}")
    return found


def _lookup_numpy(key: Any) -> DataType | None:
    try:
        return _registry.get(np.dtype(key))
    except Exception:
        return None


def _lookup_numba(key: Any) -> DataType | None:
    """A Numba type has a name that we know; a literal type, such as that of the constant 1, knows its plain type."""
    key = getattr(key, "literal_type", key)
    return _registry.get(getattr(key, "name", None))


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
