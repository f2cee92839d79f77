"""``.. operators:: binary``: the operators of a namespace with meaning and types, from the tables they are made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import grblas_gpu as gb

#: Expressions of the operator tables in the notation of mathematics; other expressions are shown as they are.
PLAINLY = {
    "divide(1, x)": "1 / x",
    "divide(x, y)": "x / y",
    "divide(y, x)": "y / x",
    "float_floor_divide(x, y)": "floor(x / y)",
    "float_floor_divide(y, x)": "floor(y / x)",
    "float_power(x, y)": "x to the power of y",
    "y ** x": "y to the power of x",
    "smaller(x, y)": "the smaller one (a number, if the other is NaN)",
    "larger(x, y)": "the larger one (a number, if the other is NaN)",
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
BY_NAME = {"any": "either", "isclose": "called with rel_tol and abs_tol: an operator that compares"}
POSITIONS = {
    "firsti": "row of x",
    "firstj": "column of x",
    "secondi": "row of y",
    "secondj": "column of y",
}
AGGREGATORS = {
    "sum": "sum",
    "prod": "product",
    "all": "whether all are true",
    "any": "whether one is true",
    "min": "smallest",
    "max": "largest",
    "any_value": "any one",
    "bitwise_all": "and of all bits",
    "bitwise_any": "or of all bits",
    "count": "how many",
    "count_nonzero": "how many are not 0",
    "count_zero": "how many are 0",
    "exists": "1 where there is one",
    "sum_of_squares": "sum of x²",
    "sum_of_inverses": "sum of 1 / x",
    "hypot": "root of the sum of x²",
    "logaddexp": "log of the sum of exp(x)",
    "logaddexp2": "log2 of the sum of 2^x",
    "L0norm": "how many are not 0",
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
    "first": "the first one",
    "last": "the last one",
    "first_index": "where the first one is",
    "last_index": "where the last one is",
    "argmin": "where the smallest one is",
    "argmax": "where the largest one is",
}


def names(kind: str) -> list[str]:
    """All operators of a namespace and of its part ``ss``; those of ``numpy`` have the names of NumPy."""
    module = getattr(gb, kind)
    own = sorted(module._namespace.builtin_names() - {"numpy", "ss"})
    part = vars(module).get("ss")
    return own + [f"ss.{name}" for name in sorted(part._namespace.builtin_names())] if part is not None else own


def find(kind: str, name: str) -> Any:
    found = getattr(gb, kind)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def types_text(op: Any) -> str:
    """The input types of an operator, and its result type if it is the same for all."""
    if not getattr(op, "types", None):
        return ""
    groups = {"BOOL": "BOOL", "INT": "integers", "UINT": "integers", "FP": "floats", "FC": "complex"}
    taken = {groups[dtype.name.rstrip("0123456789")] for dtype in op.types}
    results = {str(result) for result in op.types.values()}
    text = "all" if taken == set(groups.values()) else ", ".join(sorted(taken))
    return f"{text} → {results.pop()}" if len(results) == 1 and len(op.types) > 1 else text


def real_form(forms: Any) -> Any:
    """The most general form of an operator that accepts real numbers."""
    return next((form for form in reversed(forms) if "complex" not in form.source), forms[-1])


def meaning(kind: str, name: str, op: Any) -> str:
    if kind == "agg":
        return AGGREGATORS[name.removeprefix("ss.")]
    row = getattr(op, "_row", None)
    if kind == "monoid":
        same = find("binary", name) if name in dir(gb.binary) else None
        return meaning("binary", name, same) if same is not None else ""
    if op.name in BY_NAME:
        return BY_NAME[op.name]
    if row is None:
        return ""
    if not row.forms:
        return POSITIONS[row.positional] + (", counted from 1" if row.offset else "")
    source = real_form(row.forms).source
    return PLAINLY.get(source, source.replace("np.", "").replace("math.", ""))


def rows_of(kind: str) -> Iterator[list[str]]:
    """The cells of a table, its head first."""
    if kind == "semiring":
        yield ["add", "multiply: semiring.add_multiply"]
        families: dict[str, list[str]] = {}
        for name in names(kind):
            if not name.startswith("ss."):  # by another name
                families.setdefault(find(kind, name).monoid.name, []).append(name.partition("_")[2])
        for monoid in sorted(families):
            yield [monoid, " ".join(families[monoid])]
        return
    if kind == "monoid":
        yield ["name", "meaning", "identity", "types"]
        for name in names(kind):
            op = find(kind, name)
            typed = op[next(iter(op.types))]
            yield [name, meaning(kind, name, op), f"{typed.identity} of {typed.type}", types_text(op)]
        return
    yield ["name", "meaning", "types"]
    for name in names(kind):
        op = find(kind, name)
        yield [name, meaning(kind, name, op), types_text(op)]


def directive() -> type:
    """A function, because tests read the tables without docutils."""
    from docutils import nodes
    from docutils.parsers.rst import Directive

    class Operators(Directive):
        required_arguments = 1

        def run(self) -> list[nodes.Node]:
            head, *body = rows_of(self.arguments[0])
            group = nodes.tgroup(cols=len(head))
            group += [nodes.colspec(colwidth=1) for _ in head]
            for part, lines in ((nodes.thead(), [head]), (nodes.tbody(), body)):
                for line in lines:
                    row = nodes.row()
                    for number, cell in enumerate(line):
                        code = number == 0 or (self.arguments[0] == "semiring" and number == 1)
                        text = nodes.literal(text=cell) if code and part.tagname == "tbody" else nodes.Text(cell)
                        row += nodes.entry("", nodes.paragraph("", "", text))
                    part += row
                group += part
            return [nodes.table("", group, classes=["operators"])]

    return Operators


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("operators", directive())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
