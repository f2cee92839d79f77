"""The built-in monoids and semirings: rows again.

A monoid is a binary operator of the same name with an identity, and perhaps a terminal value at which a reduction may
stop. A semiring is a pair of names, so whole families of them are one line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..dtypes import BOOL, DataType
from .typing_rules import (
    BITS,
    BOOLS,
    COMPLEX,
    EVERY,
    FLOATS,
    INTS,
    LOGICAL,
    LOGICAL_OR_COMPLEX,
    NUMBER_OR_COMPLEX,
    ONLY_BOOL,
    SAME,
    SAME_FLOAT,
    SAME_INT,
    SAME_NUMBER,
    SAME_OR_COMPLEX,
    SAME_UNSIGNED,
    Signature,
    Types,
)

Value = Callable[[DataType], complex | np.generic]


def zero(dtype: DataType) -> complex | np.generic:
    return dtype.np_type.type(0).item()


def one(dtype: DataType) -> complex | np.generic:
    return dtype.np_type.type(1).item()


def lowest(dtype: DataType) -> complex | np.generic:
    if dtype is BOOL:
        return False
    if dtype in COMPLEX:
        return complex(-np.inf, -np.inf)
    return -np.inf if dtype in FLOATS else int(np.iinfo(dtype.np_type).min)


def highest(dtype: DataType) -> complex | np.generic:
    if dtype is BOOL:
        return True
    if dtype in COMPLEX:
        return complex(np.inf, np.inf)
    return np.inf if dtype in FLOATS else int(np.iinfo(dtype.np_type).max)


class MonoidRow(NamedTuple):
    name: str
    signature: Signature
    identity: Value
    terminal: Value | None = None
    terminal_types: Types = EVERY
    idempotent: bool = False
    any_value: bool = False
    for_bool: str | None = None  # the monoid that this one is on BOOL


MONOIDS: dict[str, MonoidRow] = {
    entry.name: entry
    for entry in [
        MonoidRow("any", SAME_OR_COMPLEX, zero, any_value=True, idempotent=True),
        MonoidRow("plus", NUMBER_OR_COMPLEX, zero),
        MonoidRow("times", NUMBER_OR_COMPLEX, one, zero, INTS, for_bool="land"),
        MonoidRow("min", SAME_NUMBER, highest, lowest, idempotent=True, for_bool="land"),
        MonoidRow("max", SAME_NUMBER, lowest, highest, idempotent=True, for_bool="lor"),
        MonoidRow("lor", LOGICAL, lowest, highest, idempotent=True),
        MonoidRow("land", LOGICAL, highest, lowest, idempotent=True),
        MonoidRow("lxor", LOGICAL, lowest),
        MonoidRow("lxnor", LOGICAL, highest),
        MonoidRow("eq", ONLY_BOOL, highest),
        MonoidRow("bor", SAME_UNSIGNED, zero, highest, idempotent=True),
        MonoidRow("band", SAME_UNSIGNED, highest, zero, idempotent=True),
        MonoidRow("bxor", SAME_UNSIGNED, zero),
        MonoidRow("bxnor", SAME_UNSIGNED, highest),
        MonoidRow("numpy.gcd", SAME_INT, zero, one, idempotent=True),
        MonoidRow("numpy.hypot", SAME_FLOAT, zero),
        MonoidRow("numpy.logaddexp", SAME_FLOAT, lowest),
        MonoidRow("numpy.logaddexp2", SAME_FLOAT, lowest),
        # NaN wins over infinity here, so floats have no terminal value.
        MonoidRow("numpy.maximum", SAME_OR_COMPLEX, lowest, highest, INTS | BOOLS, idempotent=True),
        MonoidRow("numpy.minimum", SAME_OR_COMPLEX, highest, lowest, INTS | BOOLS, idempotent=True),
    ]
}


class Family(NamedTuple):
    """Semirings ``{monoid}_{binaryop}`` that share a rule for their types."""

    monoids: str
    binaryops: str
    signature: Signature | None = None  # None: the types that monoid and operator share
    for_bool: bool = False  # BOOL uses the semiring with the monoid that `monoid[BOOL]` is


_FIELD = "plus minus rminus times cdiv rdiv"  # what complex numbers have, too
_ORDER = "min max iseq isne islt isgt isle isge"
_SIDES = "first second pair"
_LOGIC = "land lor lxor"
_POSITIONAL = "firsti firsti1 firstj firstj1 secondi secondi1 secondj secondj1"

FAMILIES = (
    Family("any plus times", _FIELD, NUMBER_OR_COMPLEX),
    Family("any plus times", _ORDER, SAME_NUMBER),
    Family("min max", f"{_FIELD} {_ORDER}", SAME_NUMBER),
    Family("plus times", _SIDES, NUMBER_OR_COMPLEX),
    Family("plus times", _LOGIC, SAME_NUMBER),
    Family("min max", "pair", SAME_NUMBER),
    Family("min max", f"first second {_LOGIC}", SAME_NUMBER, for_bool=True),
    Family("any", _SIDES, SAME_OR_COMPLEX),
    Family("any", _LOGIC, SAME),
    Family("any plus times min max", "truediv rtruediv floordiv rfloordiv"),
    Family("any lor land lxor eq", "eq ne lt gt le ge", SAME),
    Family("lor land lxor eq", _SIDES, LOGICAL_OR_COMPLEX),
    Family("lor land lxor eq", _LOGIC, LOGICAL),
    Family("lxnor", "lor", LOGICAL),
    Family("band bor bxor bxnor", "band bor bxor bxnor", BITS),
    Family("plus", "pow rpow absfirst abssecond"),
    Family("max", "absfirst abssecond"),
)
POSITIONAL_FAMILY = Family("any plus times min max", _POSITIONAL)


class SemiringRow(NamedTuple):
    name: str
    monoid: str
    binaryop: str
    signature: Signature | None
    for_bool: str | None


def _semirings() -> dict[str, SemiringRow]:
    rows = {}
    for family in FAMILIES:
        for monoid in family.monoids.split():
            for binaryop in family.binaryops.split():
                name = f"{monoid}_{binaryop}"
                bool_monoid = MONOIDS[monoid].for_bool if family.for_bool else None
                for_bool = f"{bool_monoid}_{binaryop}" if bool_monoid else None
                rows[name] = SemiringRow(name, monoid, binaryop, family.signature, for_bool)
    for monoid in POSITIONAL_FAMILY.monoids.split():
        for binaryop in POSITIONAL_FAMILY.binaryops.split():
            name = f"ss.{monoid}_{binaryop}"
            rows[name] = SemiringRow(name, monoid, f"ss.{binaryop}", POSITIONAL_FAMILY.signature, None)
    return rows


SEMIRINGS = _semirings()
