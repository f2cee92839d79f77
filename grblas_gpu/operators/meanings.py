"""The meaning of built-in operators in words: for docstrings, ``help()`` and the tables of the reference."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

#: Expressions of the tables in mathematical terms; others are shown as they are.
PLAINLY = {
    "divide(1, x)": "1 / x",
    "divide(x, y)": "x / y",
    "divide(y, x)": "y / x",
    "float_floor_divide(x, y)": "floor(x / y)",
    "float_floor_divide(y, x)": "floor(y / x)",
    "float_power(x, y)": "x to the power of y",
    "y ** x": "y to the power of x",
    "smaller(x, y)": "min(x, y), ignoring NaN",
    "larger(x, y)": "max(x, y), ignoring NaN",
    "round_half_away(x)": "the nearest integer, halves away from zero",
    "signum(x)": "-1, 0 or 1",
    "x != x": "x is NaN",
    "bit_get(x, y, {bits})": "bit y of x, counted from 1",
    "bit_set(x, y, {bits})": "x with bit y set",
    "bit_clear(x, y, {bits})": "x with bit y cleared",
    "unsigned_shift(x, y, {bits})": "x shifted left by y, right if y is negative",
    "ieee_remainder(x, y)": "x - y n, for the integer n nearest to x / y",
    "load_exponent(x, y)": "x times 2 to the power of y",
    "binomial(x, y)": "x over y, the binomial coefficient",
    "log_gamma(x)": "log of the absolute gamma function",
    "gamma(x)": "the gamma function",
    "complex_angle(x)": "the angle of x, between -pi and pi",
    "complex_conjugate(x)": "the conjugate of x",
    "complex_of(x, y)": "the complex number x + i y",
    "x.real": "the real part",
    "x.imag": "the imaginary part",
    "frexp_exponent(x)": "the exponent e of x = f 2^e",
    "frexp_fraction(x)": "the fraction f of x = f 2^e",
}
BY_NAME = {"any": "x or y, whichever is faster", "isclose": "isclose(rel_tol, abs_tol) makes an operator that compares"}
POSITIONS = {
    "firsti": "the row of x",
    "firstj": "the column of x",
    "secondi": "the row of y",
    "secondj": "the column of y",
}
AGGREGATORS = {
    "sum": "sum",
    "prod": "product",
    "all": "whether all are true",
    "any": "whether any is true",
    "min": "smallest",
    "max": "largest",
    "any_value": "any value",
    "bitwise_all": "and of all bits",
    "bitwise_any": "or of all bits",
    "count": "number of entries",
    "count_nonzero": "number of nonzero values",
    "count_zero": "number of zeros",
    "exists": "1 if there is an entry",
    "sum_of_squares": "sum of x²",
    "sum_of_inverses": "sum of 1 / x",
    "hypot": "root of the sum of x²",
    "logaddexp": "log of the sum of exp(x)",
    "logaddexp2": "log2 of the sum of 2^x",
    "L0norm": "number of nonzero values",
    "L1norm": "sum of |x|",
    "L2norm": "root of the sum of x²",
    "Linfnorm": "largest |x|",
    "mean": "mean",
    "peak_to_peak": "largest minus smallest",
    "varp": "variance of the population",
    "vars": "variance of a sample",
    "stdp": "standard deviation of the population",
    "stds": "standard deviation of a sample",
    "geometric_mean": "geometric mean",
    "harmonic_mean": "harmonic mean",
    "root_mean_square": "root of the mean of x²",
    "first": "first value",
    "last": "last value",
    "first_index": "index of the first entry",
    "last_index": "index of the last entry",
    "argmin": "index of the smallest value",
    "argmax": "index of the largest value",
}
#: The letters in meanings of these kinds.
LETTERS = {
    "semiring": "x is a value of the left operand, y one of the right operand.",
    "indexunary": "x is a value, i its row, j its column, and y the thunk.",
    "select": "It keeps the entries for which this holds. x is a value, i its row, j its column, and y the thunk.",
}
MONOIDS = {
    "plus": "sum of",
    "times": "product of",
    "min": "smallest",
    "max": "largest",
    "any": "any one of",
    "lor": "or of",
    "land": "and of",
    "lxor": "exclusive or of",
    "lxnor": "equality of",
    "eq": "equality of",
    "bor": "bitwise or of",
    "band": "bitwise and of",
    "bxor": "bitwise exclusive or of",
    "bxnor": "bitwise equality of",
}


def meaning(op: Any) -> str:
    """The meaning of an operator; empty for a user-defined one without a docstring.

    >>> from grblas_gpu import agg, binary, semiring
    >>> meaning(binary.minus), meaning(semiring.min_plus), meaning(agg.mean)
    ('x - y', 'smallest x + y', 'mean')
    """
    name = op.name.rpartition(".")[2]
    if op._modname == "agg":
        return AGGREGATORS.get(name, "")
    if op._modname == "semiring" and hasattr(op, "monoid"):
        adds, product = MONOIDS.get(op.monoid.name.rpartition(".")[2]), meaning(op.binaryop)
        return f"{adds or f'{op.monoid.name} of'} {product}" if product else ""
    if op._modname == "monoid" and hasattr(op, "binaryop"):
        return meaning(op.binaryop)
    if name in BY_NAME:
        return BY_NAME[name]
    row = getattr(op, "_row", None)
    if row is None:
        doc = getattr(getattr(op, "orig_func", None) or getattr(op, "func", None), "__doc__", None)
        return doc.strip().partition("\n")[0] if doc else ""
    if not row.forms:
        return POSITIONS[row.positional] + (", counted from 1" if row.offset else "")
    source = real_form(row.forms).source
    return PLAINLY.get(source, source.replace("np.", "").replace("math.", ""))


def description(op: Any) -> str:
    """The docstring of an operator.

    >>> from grblas_gpu import semiring
    >>> print(description(semiring.min_plus))
    semiring.min_plus: smallest x + y.
    <BLANKLINE>
    Adds with monoid.min, multiplies with binary.plus.
    x is a value of the left operand, y one of the right operand.
    Types: floats, integers.
    """
    typed = getattr(op, "parent", None)
    if typed is not None:
        return f"{description(typed)}\n\nThis is the operator for {op.type}, which returns {op.return_type}."
    said = [f"{op!r}: {meaning(op) or 'user-defined'}."]
    details = []
    if op._modname == "semiring" and hasattr(op, "monoid"):
        details.append(f"Adds with {op.monoid!r}, multiplies with {op.binaryop!r}.")
    if op._modname in LETTERS:
        details.append(LETTERS[op._modname])
    types = types_text(op)
    if types:
        details.append(f"Types: {types}.")
    return "\n\n".join([*said, *(["\n".join(details)] if details else [])])


def listing(kind: str, ops: Iterable[tuple[str, Any]]) -> str:
    """The operators of a namespace: a line for each, with its name and its meaning."""
    lines = [(name, meaning(op)) for name, op in ops]
    width = max((len(name) for name, _ in lines), default=0)
    head = LETTERS.get(kind, "").replace("It keeps", "A selection keeps")
    if not lines:
        return head
    return f"{head}\n\n::\n\n" + "\n".join(f"    {name:{width}}  {text}".rstrip() for name, text in lines)


def real_form(forms: Any) -> Any:
    """The most general form of an operator that is not for complex numbers alone."""
    return next((form for form in reversed(forms) if "complex" not in form.source), forms[-1])


def types_text(op: Any) -> str:
    """The types that an operator takes, and the type that it returns where they differ."""
    if not getattr(op, "types", None):
        return ""
    groups = {"BOOL": "BOOL", "INT": "integers", "UINT": "integers", "FP": "floats", "FC": "complex"}
    taken = {groups[dtype.name.rstrip("0123456789")] for dtype in op.types}
    results = {str(result) for result in op.types.values()}
    text = "all" if taken == set(groups.values()) else ", ".join(sorted(taken))
    return f"{text} → {results.pop()}" if len(results) == 1 and len(op.types) > 1 else text
