"""Operators by their names and symbols: ``"min"``, ``"+[int]"``."""

from __future__ import annotations

from collections.abc import Callable

from ..dtypes import lookup_dtype
from ..foundation.types import Operator
from . import registry
from .registry import OpPath


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


_ORDER = "< {0}lt > {0}gt <= {0}le >= {0}ge != {0}ne == {0}eq"
SYMBOLS: dict[str, dict[str, str]] = {
    "unary": _pairs("- ainv ~ lnot"),
    "binary": _pairs(
        _ORDER.format("") + " + plus - minus * times / truediv // floordiv % numpy.mod ** pow & land | lor ^ lxor"
    ),
    "monoid": _pairs("== eq + plus * times & land | lor ^ lxor"),
    "semiring": {},
    "select": _pairs(
        _ORDER.format("value") + " col<= colle col> colgt row<= rowle row> rowgt index<= indexle index> indexgt"
    ),
    "agg": _pairs("+ sum * prod & all | any"),
}
SYMBOLS["indexunary"] = SYMBOLS["select"]
_EXAMPLES = _pairs(
    "unary abs[int] binary +[int] monoid +[int] semiring min.+[int] indexunary row_index select tril agg sum[int]"
)


def find_string(string: str, kind: str) -> Operator:
    """The operator of this kind that a string such as ``"plus[int]"`` names."""
    usage = f"Example usage: {_EXAMPLES[kind]!r}"
    base, *brackets = string.lower().strip().split("[")
    if len(brackets) > 1:
        raise ValueError(f'Bad {kind} string: {string!r}.  Contains too many "[".  {usage}')
    if brackets and not brackets[0].endswith("]"):
        raise ValueError(f'Bad {kind} string: {string!r}.  Datatype specification does not end with "]".  {usage}')
    if "]" in base:
        raise ValueError(f'Bad {kind} string: {string!r}.  "]" not matched by "[".  {usage}')
    name = SYMBOLS[kind].get(base, base)
    candidates = (found for path in (name, f"numpy.{name}") if (found := registry.find(kind, path)) is not None)
    op = next((found for found in candidates if not isinstance(found, OpPath)), None) if name else None
    if op is None:
        raise ValueError(f"Unknown {kind} string: {string!r}.  {usage}")
    return op[lookup_dtype(brackets[0][:-1])] if brackets else op


def _reader(kind: str) -> Callable[[str], Operator]:
    def from_string(string: str) -> Operator:
        return find_string(string, kind)

    from_string.__doc__ = f'The operator that a string such as ``"{_EXAMPLES[kind]}"`` names.'
    return from_string


unary_from_string, binary_from_string, monoid_from_string = map(_reader, ("unary", "binary", "monoid"))
indexunary_from_string, select_from_string, aggregator_from_string = map(_reader, ("indexunary", "select", "agg"))
