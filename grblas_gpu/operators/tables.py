"""The built-in operators: one row each.

A row holds the signature (:mod:`typing_rules`) and one *form* per group of types: the NumPy definition and the same as
a Python expression for Numba. In an expression ``{lo}`` and ``{hi}`` stand for the limits of the type as 64-bit
constants and ``{bits}`` for its width.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..dtypes import INT64, DataType
from ..foundation.types import Array, Function
from . import arrays
from .typing_rules import (
    AS_INT64,
    BOOL_AS_INT8,
    BOOL_AS_INT8_OR_COMPLEX,
    BOOLS,
    COMPARISON,
    COMPLEX,
    COMPLEX_DIVISION,
    DIAGONAL_INDEX,
    EQUALITY,
    EVERY,
    FLOAT,
    FLOAT_OF_INT,
    FLOAT_OR_COMPLEX,
    FLOAT_OR_COMPLEX_TEST,
    FLOATS,
    INDEX_TEST,
    INDEX_VALUE,
    INTS,
    LOGICAL,
    MAGNITUDE,
    NUMBERS,
    ONLY_COMPLEX,
    PART,
    PARTS,
    POSITION,
    SAME,
    SAME_FLOAT,
    SAME_INT,
    SAME_OR_COMPLEX,
    SIGNED,
    UNSIGNED,
    Signature,
    Types,
)


class Form(NamedTuple):
    """The computation of an operator for some types."""

    types: Types
    numpy: Function
    source: str


class Row(NamedTuple):
    """A built-in operator. Positional operators have no forms: the engine supplies the index."""

    name: str
    signature: Signature
    forms: tuple[Form, ...]
    positional: str | None = None
    offset: int = 0
    commutes_to: str | None = None
    swapped_in_product: str | None = None
    key: str | None = None
    reads_indices: bool = False
    type2: DataType | None = None  # of the thunk, where it is not the type of the value

    def form(self, dtype: DataType) -> Form:
        return next((form for form in self.forms if dtype in form.types), self.forms[0])


def row(name: str, signature: Signature, *forms: tuple[Types, Function, str], **options: Any) -> Row:
    return Row(name, signature, tuple(Form(*form) for form in forms), **options)


def simple(name: str, signature: Signature, numpy: Function, source: str, **options: object) -> Row:
    return row(name, signature, (EVERY | COMPLEX, numpy, source), **options)


def symmetric(name: str, signature: Signature, *forms: tuple[Types, Function, str]) -> Row:
    """An operator whose operands may be exchanged."""
    return row(name, signature, *forms, commutes_to=name)


#: The smaller and the larger of truth values and of integers; floats differ by what NaN does.
LEAST = (BOOLS, np.logical_and, "x and y"), (INTS, np.minimum, "x if x < y else y")
MOST = (BOOLS, np.logical_or, "x or y"), (INTS, np.maximum, "x if x > y else y")


def by_name(rows: list[Row]) -> dict[str, Row]:
    return {entry.name: entry for entry in rows}


def _function(name: str, numpy_name: str | None = None) -> Row:
    """A function of floats and complex numbers that NumPy and Numba both have under the same name."""
    function = numpy_name or name
    return simple(name, FLOAT_OR_COMPLEX, getattr(np, function), f"np.{function}(x)")


def _rounding(name: str, numpy: Function, source: str) -> Row:
    """Complex numbers are rounded part by part."""
    return row(name, FLOAT_OR_COMPLEX, (EVERY, numpy, source), (COMPLEX, arrays.by_parts(numpy), f"complex_{name}(x)"))


_POSITION = [("i", 0), ("i1", 1), ("j", 0), ("j1", 1)]

UNARY = by_name(
    [
        row("abs", MAGNITUDE, (BOOLS | UNSIGNED, arrays.identity, "x"), (SIGNED | FLOATS | COMPLEX, np.abs, "abs(x)")),
        row("ainv", SAME_OR_COMPLEX, (BOOLS, arrays.identity, "x"), (NUMBERS | COMPLEX, np.negative, "-x")),
        row(
            "minv",
            SAME_OR_COMPLEX,
            (BOOLS, np.ones_like, "True"),
            (SIGNED, arrays.integer_inverse, "signed_divide(1, x, {lo}, {hi})"),
            (UNSIGNED, arrays.integer_inverse, "unsigned_divide(1, x, {hi})"),
            (FLOATS, np.reciprocal, "divide(1, x)"),
            (COMPLEX, arrays.complex_inverse, "complex_inverse(x)"),
        ),
        simple("identity", SAME_OR_COMPLEX, arrays.identity, "x"),
        simple("lnot", SAME, np.logical_not, "x == 0"),
        simple("one", SAME_OR_COMPLEX, np.ones_like, "1"),
        simple("bnot", SAME_INT, np.invert, "~x"),
        simple("cbrt", FLOAT, np.cbrt, "np.cbrt(x)"),
        *(_function(name) for name in ["cos", "cosh", "exp", "exp2", "expm1", "log", "log10", "log1p", "log2"]),
        *(_function(name) for name in ["sin", "sinh", "sqrt", "tan", "tanh"]),
        *(_rounding(name, getattr(np, name), f"np.{name}(x)") for name in ["ceil", "floor", "trunc"]),
        *(_function(f"a{name}", f"arc{name}") for name in ["cos", "cosh", "sin", "sinh", "tan", "tanh"]),
        _rounding("round", arrays.round_half_away, "round_half_away(x)"),
        row(
            "signum",
            FLOAT_OR_COMPLEX,
            (EVERY, arrays.signum, "signum(x)"),
            (COMPLEX, arrays.complex_signum, "complex_signum(x)"),
        ),
        simple("isfinite", FLOAT_OR_COMPLEX_TEST, np.isfinite, "np.isfinite(x)"),
        simple("isinf", FLOAT_OR_COMPLEX_TEST, np.isinf, "np.isinf(x)"),
        simple("isnan", FLOAT_OR_COMPLEX_TEST, np.isnan, "x != x"),
        simple("creal", PART, np.real, "x.real"),
        simple("cimag", PART, np.imag, "x.imag"),
        simple("carg", PART, np.angle, "complex_angle(x)"),
        simple("conj", ONLY_COMPLEX, np.conjugate, "complex_conjugate(x)"),
        simple("ss.erf", FLOAT, arrays.special("erf"), "math.erf(x)"),
        simple("ss.erfc", FLOAT, arrays.special("erfc"), "math.erfc(x)"),
        simple("ss.lgamma", FLOAT, arrays.log_gamma, "log_gamma(x)"),
        simple("ss.tgamma", FLOAT, arrays.gamma, "gamma(x)"),
        simple("ss.frexpe", SAME_FLOAT, arrays.frexp_exponent, "frexp_exponent(x)"),
        simple("ss.frexpx", SAME_FLOAT, arrays.frexp_fraction, "frexp_fraction(x)"),
        *(row(f"ss.position{p}", POSITION, positional=f"first{p[0]}", offset=o) for p, o in _POSITION),
    ]
)


def _comparison(name: str, numpy: Function, symbol: str, mirror: str) -> list[Row]:
    """Each comparison exists twice: `eq` returns BOOL, `iseq` the type of its operands."""
    source = f"x {symbol} y"
    ordered = name not in ("eq", "ne")  # complex numbers are not
    return [
        simple(name, COMPARISON if ordered else EQUALITY, numpy, source, commutes_to=mirror),
        simple(f"is{name}", SAME if ordered else SAME_OR_COMPLEX, numpy, source, commutes_to=f"is{mirror}"),
    ]


def _and_mirrored(name: str, mirror: str, signature: Signature, *forms: tuple[Types, Function, str]) -> list[Row]:
    """An operator, and the one with its operands exchanged."""
    exchanged = {"x": "y", "y": "x"}
    swapped = (
        (types, arrays.swap(numpy), re.sub(r"\b[xy]\b", lambda found: exchanged[found[0]], source))
        for types, numpy, source in forms
    )
    return [row(name, signature, *forms, commutes_to=mirror), row(mirror, signature, *swapped, commutes_to=name)]


_AS_BOOLS = "(x != 0) {} (y != 0)"
_OTHER = {"i": "j", "j": "i"}
_SIDE = {"first": "second", "second": "first"}

BINARY = by_name(
    [
        simple("first", SAME_OR_COMPLEX, arrays.first, "x", commutes_to="second"),
        simple("second", SAME_OR_COMPLEX, arrays.second, "y", commutes_to="first"),
        simple("any", SAME_OR_COMPLEX, arrays.second, "y", commutes_to="any"),
        simple("pair", SAME_OR_COMPLEX, arrays.pair, "1", commutes_to="pair"),
        symmetric("plus", SAME_OR_COMPLEX, (BOOLS, np.logical_or, "x or y"), (NUMBERS | COMPLEX, np.add, "x + y")),
        *_and_mirrored(
            "minus",
            "rminus",
            SAME_OR_COMPLEX,
            (BOOLS, np.logical_xor, "x != y"),
            (NUMBERS | COMPLEX, np.subtract, "x - y"),
        ),
        symmetric(
            "times", SAME_OR_COMPLEX, (BOOLS, np.logical_and, "x and y"), (NUMBERS | COMPLEX, np.multiply, "x * y")
        ),
        *_and_mirrored(
            "cdiv",
            "rdiv",
            SAME_OR_COMPLEX,
            (BOOLS, arrays.first, "x"),
            (SIGNED, arrays.integer_divide, "signed_divide(x, y, {lo}, {hi})"),
            (UNSIGNED, arrays.integer_divide, "unsigned_divide(x, y, {hi})"),
            (FLOATS, np.true_divide, "divide(x, y)"),
            (COMPLEX, np.true_divide, "complex_divide(x, y)"),
        ),
        *_and_mirrored(
            "truediv",
            "rtruediv",
            COMPLEX_DIVISION,
            (BOOLS | INTS, arrays.true_divide, "divide(np.float64(x), np.float64(y))"),
            (FLOATS, np.true_divide, "divide(x, y)"),
            (COMPLEX, np.true_divide, "complex_divide(x, y)"),
        ),
        *_and_mirrored(
            "floordiv",
            "rfloordiv",
            BOOL_AS_INT8,
            (BOOLS, arrays.bool_floor_divide, "x and y"),
            (SIGNED, arrays.floor_divide, "signed_floor_divide(x, y)"),
            (UNSIGNED, arrays.floor_divide, "unsigned_floor_divide(x, y)"),
            (FLOATS, np.floor_divide, "float_floor_divide(x, y)"),
        ),
        row(
            "pow",
            SAME_OR_COMPLEX,
            (BOOLS, arrays.bool_power, "x or not y"),
            (SIGNED, arrays.integer_power, "saturate_signed(np.float64(x) ** np.float64(y), {lo}, {hi})"),
            (UNSIGNED, arrays.integer_power, "saturate_unsigned(np.float64(x) ** np.float64(y), {hi})"),
            (FLOATS, arrays.float_power, "float_power(x, y)"),
            (COMPLEX, np.power, "complex_power(x, y)"),
            commutes_to="rpow",
        ),
        row(
            "rpow",
            BOOL_AS_INT8_OR_COMPLEX,
            (BOOLS, arrays.swap(arrays.bool_power), "y or not x"),
            (SIGNED, arrays.swap(arrays.exact_power), "signed_power(y, x)"),
            (UNSIGNED, arrays.swap(arrays.exact_power), "unsigned_power(y, x)"),
            (FLOATS, arrays.swap(np.power), "y ** x"),
            (COMPLEX, arrays.swap(np.power), "complex_power(y, x)"),
            commutes_to="pow",
        ),
        symmetric("min", SAME, *LEAST, (FLOATS, np.fmin, "smaller(x, y)")),
        symmetric("max", SAME, *MOST, (FLOATS, np.fmax, "larger(x, y)")),
        *_comparison("eq", np.equal, "==", "eq"),
        *_comparison("ne", np.not_equal, "!=", "ne"),
        *_comparison("lt", np.less, "<", "gt"),
        *_comparison("gt", np.greater, ">", "lt"),
        *_comparison("le", np.less_equal, "<=", "ge"),
        *_comparison("ge", np.greater_equal, ">=", "le"),
        simple("land", SAME, np.logical_and, _AS_BOOLS.format("and"), commutes_to="land"),
        simple("lor", SAME, np.logical_or, _AS_BOOLS.format("or"), commutes_to="lor"),
        simple("lxor", SAME, np.logical_xor, _AS_BOOLS.format("!="), commutes_to="lxor"),
        simple("lxnor", LOGICAL, np.equal, "x == y", commutes_to="lxnor"),
        simple("band", SAME_INT, np.bitwise_and, "x & y", commutes_to="band"),
        simple("bor", SAME_INT, np.bitwise_or, "x | y", commutes_to="bor"),
        simple("bxor", SAME_INT, np.bitwise_xor, "x ^ y", commutes_to="bxor"),
        simple("bxnor", SAME_INT, arrays.bit_xnor, "~(x ^ y)", commutes_to="bxnor"),
        simple("bget", SAME_INT, arrays.bit_get, "bit_get(x, y, {bits})"),
        simple("bset", SAME_INT, arrays.bit_set, "bit_set(x, y, {bits})"),
        simple("bclr", SAME_INT, arrays.bit_clear, "bit_clear(x, y, {bits})"),
        row(
            "bshift",
            SAME_INT,
            (SIGNED, arrays.bit_shift, "signed_shift(x, y, {bits})"),
            (UNSIGNED, arrays.bit_shift, "unsigned_shift(x, y, {bits})"),
        ),
        simple("atan2", FLOAT, np.arctan2, "math.atan2(x, y)"),
        simple("hypot", FLOAT, np.hypot, "math.hypot(x, y)", commutes_to="hypot"),
        simple("fmod", FLOAT, np.fmod, "np.fmod(x, y)"),
        simple("remainder", FLOAT, arrays.ieee_remainder, "ieee_remainder(x, y)"),
        simple("copysign", FLOAT, np.copysign, "math.copysign(x, y)"),
        simple("ldexp", FLOAT_OF_INT, arrays.load_exponent, "load_exponent(x, y)"),
        *_and_mirrored(
            "absfirst",
            "abssecond",
            MAGNITUDE,
            (BOOLS | UNSIGNED, arrays.first, "x"),
            (SIGNED | FLOATS | COMPLEX, lambda x, y: np.abs(arrays.first(x, y)), "abs(x)"),
        ),
        simple("cmplx", PARTS, arrays.complex_of, "complex_of(x, y)"),
        simple("binom", AS_INT64, arrays.binomial, "binomial(x, y)"),
        *(
            row(
                f"ss.{side}{p}",
                POSITION,
                positional=f"{side}{p[0]}",
                offset=offset,
                commutes_to=f"ss.{_SIDE[side]}{p}",
                swapped_in_product=f"ss.{_SIDE[side]}{_OTHER[p[0]]}{p[1:]}",  # (AB)' = B'A' also transposes positions
            )
            for side in _SIDE
            for p, offset in _POSITION
        ),
    ]
)


def _value(name: str, numpy: Function, symbol: str) -> Row:
    signature = EQUALITY if name in ("eq", "ne") else COMPARISON
    return simple(f"value{name}", signature, lambda x, i, j, y: numpy(x, y), f"x {symbol} y")


def _index_value(name: str, function: Function, source: str) -> Row:
    return simple(name, INDEX_VALUE, function, source, reads_indices=True)


def _index_test(name: str, function: Function, source: str) -> Row:
    return simple(name, INDEX_TEST, function, source, reads_indices=True, type2=INT64)


INDEXUNARY = by_name(
    [
        _index_value("rowindex", lambda x, i, j, y: i + y, "i + y"),
        _index_value("colindex", lambda x, i, j, y: j + y, "j + y"),
        simple("diagindex", DIAGONAL_INDEX, lambda x, i, j, y: j - i - y, "j - i - y"),
        _index_test("tril", lambda x, i, j, y: j <= i + y, "j <= i + y"),
        _index_test("triu", lambda x, i, j, y: j >= i + y, "j >= i + y"),
        _index_test("diag", lambda x, i, j, y: j == i + y, "j == i + y"),
        _index_test("offdiag", lambda x, i, j, y: j != i + y, "j != i + y"),
        _index_test("colle", lambda x, i, j, y: j <= y, "j <= y"),
        _index_test("colgt", lambda x, i, j, y: j > y, "j > y"),
        _index_test("rowle", lambda x, i, j, y: i <= y, "i <= y"),
        _index_test("rowgt", lambda x, i, j, y: i > y, "i > y"),
        _value("eq", np.equal, "=="),
        _value("ne", np.not_equal, "!="),
        _value("lt", np.less, "<"),
        _value("gt", np.greater, ">"),
        _value("le", np.less_equal, "<="),
        _value("ge", np.greater_equal, ">="),
    ]
)
#: For vectors `index` is clearer than `row`.
INDEXUNARY_ALIASES = {"index": "rowindex", "indexle": "rowle", "indexgt": "rowgt"}
SELECT = {name for name, entry in INDEXUNARY.items() if not name.endswith("index")}
SELECT_ALIASES = {"indexle": "rowle", "indexgt": "rowgt"}


def is_close(rel_tol: float = 1e-7, abs_tol: float = 0.0) -> Row:
    """The row of ``binary.isclose(rel_tol, abs_tol)``."""

    def numpy(x: Array, y: Array) -> Array:
        wide = np.complex128 if np.iscomplexobj(x) else np.float64
        a, b = np.asarray(x, wide), np.asarray(y, wide)
        with np.errstate(all="ignore"):
            near = np.abs(a - b) <= np.maximum(rel_tol * np.maximum(np.abs(a), np.abs(b)), abs_tol)
        return (x == y) | near

    arguments = f"{float(rel_tol)!r}, {float(abs_tol)!r}"
    key = f"isclose({arguments})"
    forms = ((EVERY, numpy, f"is_close(x, y, {arguments})"), (COMPLEX, numpy, f"complex_is_close(x, y, {arguments})"))
    return row("isclose", EQUALITY, *forms, key=key, commutes_to="isclose")


class RowMaker(NamedTuple):
    """An operator that takes parameters first."""

    name: str
    make: Callable[..., Row]
    commutes_to: str | None = None


PARAMETERIZED = {"isclose": RowMaker("isclose", is_close, commutes_to="isclose")}
