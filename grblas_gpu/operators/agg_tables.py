"""The aggregators: each row is a recipe over monoids, operators and other aggregators."""

from __future__ import annotations

import math
from typing import NamedTuple

from ..dtypes import INT64, DataType


class AggRow(NamedTuple):
    """A recipe, of one of three sorts.

    * ``monoid``: reduce with it. With ``apply``, first apply that BinaryOp with ``value`` as its right operand (or its
      left one: ``value_on_left``). ``finalize`` is a UnaryOp for the result.
    * ``parts``: other aggregators, whose results the function ``finalize`` of :mod:`aggregators` combines.
    * ``custom``: a function of :mod:`aggregators` that looks at positions.

    ``types`` names the operators that, one after the other, say which types are accepted and returned.
    """

    name: str
    types: str
    monoid: str | None = None
    apply: str | None = None
    value: float | None = None
    value_on_left: bool = False
    finalize: str | None = None
    parts: str | None = None
    custom: str | None = None
    any_dtype: DataType | bool | None = None  # accepts every type, and returns this one (True: the same)


_POW = "semiring.plus_pow semiring.plus_first"

AGGREGATORS = {
    entry.name: entry
    for entry in [
        AggRow("sum", "monoid.plus", "plus"),
        AggRow("prod", "monoid.times", "times"),
        AggRow("all", "monoid.land", "land"),
        AggRow("any", "monoid.lor", "lor"),
        AggRow("min", "monoid.min", "min"),
        AggRow("max", "monoid.max", "max"),
        AggRow("any_value", "monoid.any", "any", any_dtype=True),
        AggRow("bitwise_all", "monoid.band", "band"),
        AggRow("bitwise_any", "monoid.bor", "bor"),
        AggRow("count", "semiring.plus_pair semiring.plus_first", "plus", "pair", any_dtype=INT64),
        AggRow("count_nonzero", "semiring.plus_isne semiring.plus_first", "plus", "isne"),
        AggRow("count_zero", "semiring.plus_iseq semiring.plus_first", "plus", "iseq"),
        AggRow("exists", "semiring.any_pair semiring.any_pair", "any", "pair", any_dtype=INT64),
        AggRow("sum_of_squares", _POW, "plus", "pow", 2),
        AggRow("sum_of_inverses", _POW, "plus", "pow", -1.0),
        AggRow("hypot", f"{_POW} unary.sqrt", "plus", "pow", 2, finalize="sqrt"),
        AggRow("logaddexp", f"{_POW} unary.log", "plus", "pow", math.e, True, finalize="log"),
        AggRow("logaddexp2", f"{_POW} unary.log2", "plus", "pow", 2, True, finalize="log2"),
        AggRow("L1norm", "semiring.plus_absfirst semiring.plus_first", "plus", "absfirst"),
        AggRow("Linfnorm", "semiring.max_absfirst semiring.max_first", "max", "absfirst"),
        AggRow("mean", "binary.truediv", parts="count sum", finalize="mean"),
        AggRow("peak_to_peak", "monoid.min", parts="max min", finalize="difference"),
        AggRow("varp", "binary.truediv", parts="count sum sum_of_squares", finalize="population_variance"),
        AggRow("vars", "binary.truediv", parts="count sum sum_of_squares", finalize="sample_variance"),
        AggRow("stdp", "binary.truediv unary.sqrt", parts="varp", finalize="root"),
        AggRow("stds", "binary.truediv unary.sqrt", parts="vars", finalize="root"),
        AggRow("geometric_mean", "binary.truediv", parts="count prod", finalize="root_of_count"),
        AggRow("harmonic_mean", "agg.sum_of_inverses binary.truediv", parts="sum_of_inverses count", finalize="mean"),
        AggRow("root_mean_square", "binary.truediv unary.sqrt", parts="count sum_of_squares", finalize="root_mean"),
        AggRow("ss.argmin", "semiring.min_firsti", "min", custom="arg"),
        AggRow("ss.argmax", "semiring.min_firsti", "max", custom="arg"),
        AggRow("ss.first", "binary.first", custom="first", any_dtype=True),
        AggRow("ss.last", "binary.second", custom="last", any_dtype=True),
        AggRow("ss.first_index", "semiring.min_secondi", custom="first_index", any_dtype=INT64),
        AggRow("ss.last_index", "semiring.min_secondi", custom="last_index", any_dtype=INT64),
    ]
}
AGG_ALIASES = {"L0norm": "count_nonzero", "L2norm": "hypot"} | {
    name.removeprefix("ss."): name for name in AGGREGATORS if name.startswith("ss.")
}
