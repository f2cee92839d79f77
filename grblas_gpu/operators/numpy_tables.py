"""The ``numpy`` namespaces: NumPy's names for operators.

Where GraphBLAS has the operator under another name, that one is used; the rest have rows of their own.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ..dtypes import BOOL
from ..foundation.types import Array, Function
from . import arrays
from .monoid_tables import MONOIDS
from .tables import BINARY, LEAST, MOST, Row, by_name, row, symmetric
from .typing_rules import (
    BOOL_AS_INT8,
    BOOL_AS_INT8_OR_COMPLEX,
    BOOLS,
    COMPLEX,
    COMPLEX_DIVISION,
    EVERY as _EVERY,
    FLOATS,
    INT_BOOL_AS_INT8,
    INTS,
    NUMBERS,
    SAME_OR_COMPLEX,
    SIGNED,
    TO_FLOAT,
    UNSIGNED,
    Signature,
    returning,
)

UNARY_ALIASES = dict(
    entry.split("=")
    for entry in (
        "abs=abs absolute=abs arccos=acos arccosh=acosh arcsin=asin arcsinh=asinh arctan=atan arctanh=atanh "
        "bitwise_not=bnot cbrt=cbrt ceil=ceil conj=conj conjugate=conj cos=cos cosh=cosh exp=exp exp2=exp2 "
        "expm1=expm1 floor=floor invert=bnot isfinite=isfinite isinf=isinf isnan=isnan log=log log10=log10 "
        "log1p=log1p log2=log2 logical_not=lnot negative=ainv positive=identity rint=round sin=sin sinh=sinh "
        "sqrt=sqrt tan=tan tanh=tanh trunc=trunc"
    ).split()
)
BINARY_ALIASES = dict(
    entry.split("=")
    for entry in (
        "add=plus bitwise_and=band bitwise_or=bor bitwise_xor=bxor equal=eq fmax=max fmin=min logical_and=land "
        "logical_or=lor logical_xor=lxor multiply=times arctan2=atan2 copysign=copysign divide=truediv greater=gt "
        "greater_equal=ge ldexp=ldexp less=lt less_equal=le not_equal=ne power=pow subtract=minus true_divide=truediv"
    ).split()
)
MONOID_ALIASES = {name: target for name, target in BINARY_ALIASES.items() if target in MONOIDS}


def in_float(function: Function) -> Function:
    """Integers are cast first, because NumPy would compute small ones in half precision."""

    def cast_first(*operands: Array) -> Array:
        with np.errstate(all="ignore"):
            return function(*(np.asarray(x, TO_FLOAT_NUMPY[np.asarray(x).dtype]) for x in operands))

    return cast_first


TO_FLOAT_NUMPY = {dtype.np_type: result.np_type for dtype, (_, result) in TO_FLOAT.items()}


def _float(name: str, arity: int, argument: str = "{0}", **options: object) -> Row:
    arguments = [argument.format(a) for a in "xy"[:arity]]
    function = getattr(np, name)
    plain = f"np.{name}({', '.join(arguments)})"
    narrow = f"np.{name}({', '.join(f'np.float32({a})' for a in arguments)})"
    wide = f"np.{name}({', '.join(f'np.float64({a})' for a in arguments)})"
    small = frozenset(t for t, (_, result) in TO_FLOAT.items() if result.name == "FP32") - FLOATS
    forms = ((FLOATS, function, plain), (small, in_float(function), narrow), (_EVERY, in_float(function), wide))
    return row(f"numpy.{name}", TO_FLOAT, *forms, **options)


def _arithmetic(name: str, arity: int, signature: Signature = BOOL_AS_INT8, **options: object) -> Row:
    """Booleans count as small integers."""
    arguments = "xy"[:arity]
    function = getattr(np, name)

    def of_bools(*operands: Array) -> Array:
        return function(*(np.asarray(x, np.int8) for x in operands))

    bools = f"np.{name}({', '.join(f'np.int64({a})' for a in arguments)})"
    plain = f"np.{name}({', '.join(arguments)})"
    return row(f"numpy.{name}", signature, (BOOLS, of_bools, bools), (NUMBERS | COMPLEX, function, plain), **options)


def _of_bools(x: Array, y: Array) -> Array:
    return np.zeros(np.broadcast(x, y).shape, np.int8)


def _mod(name: str) -> Row:
    return row(
        f"numpy.{name}",
        BOOL_AS_INT8,
        (BOOLS, _of_bools, "0"),
        (SIGNED, arrays.mod, "signed_mod(x, y)"),
        (UNSIGNED | FLOATS, arrays.mod, "np.mod(x, y)"),
    )


def _reciprocal_int(x: Array) -> Array:
    return np.where(x == 0, x.dtype.type(0), arrays.integer_inverse(x))


UNARY = by_name(
    [
        *(_float(name, 1) for name in ["deg2rad", "degrees", "fabs", "rad2deg", "radians"]),
        _float("spacing", 1, argument="(abs({0}) if {0} == 0 else {0})"),  # Numba's spacing of -0 is negative
        _arithmetic("square", 1, BOOL_AS_INT8_OR_COMPLEX),
        row(
            "numpy.sign",
            BOOL_AS_INT8_OR_COMPLEX,
            (BOOLS, arrays.identity, "x"),
            (UNSIGNED, np.sign, "x != 0"),
            (SIGNED, np.sign, "(x > 0) - (x < 0)"),
            (FLOATS, np.sign, "np.sign(x)"),
            (COMPLEX, arrays.complex_signum, "complex_signum(x)"),
        ),
        row(
            "numpy.reciprocal",
            BOOL_AS_INT8_OR_COMPLEX,
            (BOOLS, arrays.identity, "x"),
            (SIGNED, _reciprocal_int, "signed_divide(1, x, 0, 0)"),
            (UNSIGNED, _reciprocal_int, "x == 1"),
            (FLOATS, np.reciprocal, "divide(1, x)"),
            (COMPLEX, arrays.complex_inverse, "complex_inverse(x)"),
        ),
        row(
            "numpy.signbit",
            returning(BOOL, _EVERY),
            (BOOLS | UNSIGNED, lambda x: np.zeros(np.shape(x), bool), "False"),
            (SIGNED, lambda x: x < 0, "x < 0"),
            (FLOATS, np.signbit, "np.signbit(x)"),
        ),
    ]
)

BINARY_ROWS = by_name(
    [
        _float("hypot", 2, commutes_to="numpy.hypot"),
        _float("logaddexp", 2, commutes_to="numpy.logaddexp"),
        _float("logaddexp2", 2, commutes_to="numpy.logaddexp2"),
        _float("nextafter", 2),
        BINARY["floordiv"]._replace(name="numpy.floor_divide", commutes_to=None),
        row(
            "numpy.fmod",
            BOOL_AS_INT8,
            (BOOLS, _of_bools, "0"),
            (SIGNED, arrays.fmod, "signed_fmod(x, y)"),
            (UNSIGNED | FLOATS, arrays.fmod, "np.fmod(x, y)"),
        ),
        *(_mod(name) for name in ["mod", "remainder"]),
        _arithmetic("gcd", 2, INT_BOOL_AS_INT8, commutes_to="numpy.gcd"),
        symmetric("numpy.lcm", INT_BOOL_AS_INT8, LEAST[0], (INTS, np.lcm, "least_common_multiple(x, y)")),
        row(
            "numpy.left_shift",
            INT_BOOL_AS_INT8,
            (BOOLS, lambda x, y: np.left_shift(np.asarray(x, np.int8), np.asarray(y, np.int8)), "x << y"),
            (INTS, np.left_shift, "left_shift(x, y, {bits})"),
        ),
        row(
            "numpy.right_shift",
            INT_BOOL_AS_INT8,
            (BOOLS, lambda x, y: np.right_shift(np.asarray(x, np.int8), np.asarray(y, np.int8)), "x and not y"),
            (SIGNED, np.right_shift, "signed_right_shift(x, y, {bits})"),
            (UNSIGNED, np.right_shift, "unsigned_right_shift(x, y, {bits})"),
        ),
        *(
            symmetric(
                f"numpy.{name}",
                SAME_OR_COMPLEX,
                *forms,
                (FLOATS, getattr(np, name), f"{name}(x, y)"),
                (COMPLEX, getattr(np, name), f"complex_{name}(x, y)"),
            )
            for name, forms in (("maximum", MOST), ("minimum", LEAST))
        ),
        row(
            "numpy.float_power",
            COMPLEX_DIVISION,
            (BOOLS | INTS, arrays.power_in_double, "np.float64(x) ** np.float64(y)"),
            (FLOATS, arrays.float_power, "float_power(x, y)"),
            (COMPLEX, np.power, "complex_power(x, y)"),
        ),
    ]
)


#: Monoids and operators that have no type in common: (monoids, operators).
_FLOAT_ONLY = "arctan2 copysign divide float_power hypot ldexp logaddexp logaddexp2 nextafter true_divide"
_COMPARISONS = "equal greater greater_equal less less_equal not_equal"
_INCOMPATIBLE = (
    ("equal hypot logaddexp logaddexp2", "gcd lcm left_shift right_shift"),
    ("bitwise_and bitwise_or bitwise_xor equal gcd", _FLOAT_ONLY),
    ("hypot logaddexp logaddexp2", "bitwise_and bitwise_or bitwise_xor"),
    ("equal", "floor_divide fmod mod power remainder subtract"),
    ("gcd hypot logaddexp logaddexp2", _COMPARISONS),
)


@cache
def semiring_names() -> dict[str, tuple[str, str]]:
    """The ``numpy`` semirings: name to (monoid, operator)."""
    monoids = [*MONOID_ALIASES, *(name.removeprefix("numpy.") for name in MONOIDS if name.startswith("numpy."))]
    binaryops = [*BINARY_ALIASES, *(name.removeprefix("numpy.") for name in BINARY_ROWS)]
    names = {f"{monoid}_{binaryop}": (monoid, binaryop) for monoid in monoids for binaryop in binaryops}
    for left, right in _INCOMPATIBLE:
        for monoid in left.split():
            for binaryop in right.split():
                names.pop(f"{monoid}_{binaryop}", None)
    return names


def numpy_rows() -> tuple[dict[str, Row], dict[str, Row]]:
    """The unary and binary rows of this module."""
    return UNARY, BINARY_ROWS
