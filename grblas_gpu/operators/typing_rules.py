"""Which types an operator accepts and returns.

A *signature* maps each accepted data type to the pair (type computed with, type returned). Where the two
differ from the given type, values are coerced: ``sqrt[INT8]`` computes in FP32.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..dtypes import (
    ALL_TYPES,
    BOOL,
    FC32,
    FC64,
    FP32,
    FP64,
    INT8,
    INT16,
    INT32,
    INT64,
    REAL_TYPES,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    DataType,
)

Types = frozenset[DataType]
Signature = dict[DataType, tuple[DataType, DataType]]

BOOLS: Types = frozenset({BOOL})
SIGNED: Types = frozenset({INT8, INT16, INT32, INT64})
UNSIGNED: Types = frozenset({UINT8, UINT16, UINT32, UINT64})
INTS: Types = SIGNED | UNSIGNED
FLOATS: Types = frozenset({FP32, FP64})
NUMBERS: Types = INTS | FLOATS
EVERY: Types = NUMBERS | BOOLS
COMPLEX: Types = frozenset({FC32, FC64})

#: The float type that holds small and large integers, where an operator only knows floats.
_FLOAT_FOR = dict.fromkeys((BOOL, INT8, INT16, UINT8, UINT16, FP32), FP32) | dict.fromkeys(
    (INT32, INT64, UINT32, UINT64, FP64), FP64
)


def _ordered(types: Types) -> Iterable[DataType]:
    return (t for t in ALL_TYPES if t in types)


def same(types: Types) -> Signature:
    """Computes with and returns the given type."""
    return {t: (t, t) for t in _ordered(types)}


def returning(result: DataType, types: Types) -> Signature:
    """Computes with the given type, and always returns the same type."""
    return {t: (t, result) for t in _ordered(types)}


def coerced(to: DataType, types: Types) -> Signature:
    """Computes with and returns one type, for all given types."""
    return dict.fromkeys(_ordered(types), (to, to))


SAME = same(EVERY)
SAME_NUMBER = same(NUMBERS)
SAME_INT = same(INTS)
SAME_UNSIGNED = same(UNSIGNED)
SAME_FLOAT = same(FLOATS)
ONLY_BOOL = same(BOOLS)
COMPARISON = returning(BOOL, EVERY)
FLOAT_TEST = returning(BOOL, FLOATS)
#: Floats; integers are cast to the float type that holds them.
FLOAT: Signature = {t: (_FLOAT_FOR[t], _FLOAT_FOR[t]) for t in REAL_TYPES}
#: As FLOAT, but the operator itself does the cast, so the typed operator keeps the given type.
TO_FLOAT: Signature = {t: (t, _FLOAT_FOR[t]) for t in REAL_TYPES}
#: As FLOAT, without the floats: `ldexp` takes an integer exponent.
FLOAT_OF_INT: Signature = {t: FLOAT[t] for t in REAL_TYPES if t not in FLOATS}
#: Division: FP32 stays, everything else becomes FP64.
TRUE_DIVISION: Signature = {t: (t, FP32 if t is FP32 else FP64) for t in REAL_TYPES}
#: Arithmetic in which booleans count as small integers.
BOOL_AS_INT8: Signature = {t: (t, INT8 if t is BOOL else t) for t in REAL_TYPES}
INT_BOOL_AS_INT8: Signature = {t: BOOL_AS_INT8[t] for t in REAL_TYPES if t not in FLOATS}
#: Positions are INT64, or INT32 if that is the given type.
POSITION: Signature = coerced(INT64, EVERY | COMPLEX) | {INT32: (INT32, INT32)}
LOGICAL = coerced(BOOL, EVERY)
AS_INT64 = coerced(INT64, INTS)
INDEX_TEST = coerced(BOOL, frozenset({BOOL, UINT64}))
INDEX_VALUE: Signature = {INT32: (INT32, INT32), INT64: (INT64, INT64), UINT64: (INT64, INT64)}
DIAGONAL_INDEX: Signature = {INT32: (INT32, INT32), INT64: (INT64, INT64)}
#: Signed integers are cast to the unsigned type that holds their positive range.
BITS: Signature = SAME_UNSIGNED | {
    INT8: (UINT16, UINT16),
    INT16: (UINT32, UINT32),
    INT32: (UINT64, UINT64),
    INT64: (UINT64, UINT64),
}

# --- user-defined types: what needs to know nothing of a value -------------------------------------------------------


def of_record(name: str, dtype: DataType) -> tuple[DataType, DataType] | None:
    """The types of computation and result of a built-in operator on a user-defined type, if it takes one."""
    if name in ("first", "second", "any", "identity"):
        return dtype, dtype
    if name in ("eq", "ne"):
        return dtype, BOOL
    return (dtype, INT64) if name in ("one", "pair") else None


# --- complex numbers: the rules above with FC32 and FC64 ------------------------------------------------------------

_REAL_PART = {FC32: FP32, FC64: FP64}
_SAME_COMPLEX = same(COMPLEX)
SAME_OR_COMPLEX = SAME | _SAME_COMPLEX
NUMBER_OR_COMPLEX = SAME_NUMBER | _SAME_COMPLEX
EQUALITY = COMPARISON | returning(BOOL, COMPLEX)
FLOAT_OR_COMPLEX = FLOAT | _SAME_COMPLEX
FLOAT_OR_COMPLEX_TEST = FLOAT_TEST | returning(BOOL, COMPLEX)
COMPLEX_DIVISION = TRUE_DIVISION | _SAME_COMPLEX
BOOL_AS_INT8_OR_COMPLEX = BOOL_AS_INT8 | _SAME_COMPLEX
LOGICAL_OR_COMPLEX = LOGICAL | coerced(BOOL, COMPLEX)
ONLY_COMPLEX = _SAME_COMPLEX
#: A part, the angle or the absolute value of a complex number.
PART: Signature = {t: (t, _REAL_PART[t]) for t in (FC32, FC64)}
MAGNITUDE: Signature = SAME | PART
#: From a real and an imaginary part.
PARTS: Signature = {t: (used, FC32 if used is FP32 else FC64) for t, (used, _) in FLOAT.items()}
