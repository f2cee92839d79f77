"""From table rows to operators."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from . import numpy_functions, numpy_tables, registry
from .agg_tables import AGG_ALIASES, AGGREGATORS, AggRow
from .aggregators import Aggregator
from .binary import BinaryOp, ParameterizedBinaryOp
from .indexunary import IndexUnaryOp, SelectOp
from .monoid import Monoid
from .monoid_tables import MONOIDS, SEMIRINGS
from .semiring import Semiring, get_semiring, semiring_name
from .tables import BINARY, INDEXUNARY, INDEXUNARY_ALIASES, PARAMETERIZED, SELECT, SELECT_ALIASES, UNARY, RowMaker
from .unary import UnaryOp

if TYPE_CHECKING:
    from ..foundation.types import Operator
    from .base import OpBase


@cache
def rows(kind: str) -> Mapping[str, object]:
    """Every operator of a kind by its own name."""
    numpy_unary, numpy_binary = numpy_tables.numpy_rows()
    tables: dict[str, Mapping[str, object]] = {
        "unary": UNARY | numpy_unary,
        "binary": {**BINARY, **numpy_binary, **PARAMETERIZED},
        "indexbinary": {},
        "indexunary": INDEXUNARY,
        "select": {name: INDEXUNARY[name] for name in INDEXUNARY if name in SELECT},
        "monoid": MONOIDS,
        "semiring": SEMIRINGS,
        "agg": AGGREGATORS,
    }
    return tables[kind]


@cache
def aliases(kind: str) -> dict[str, str]:
    """Other names of operators."""
    from_ss = {name.removeprefix("ss."): name for name in rows(kind) if name.startswith("ss.")}
    table = {
        "unary": numpy_tables.UNARY_ALIASES,
        "binary": numpy_tables.BINARY_ALIASES,
        "monoid": numpy_tables.MONOID_ALIASES,
    }
    from_numpy = {f"numpy.{name}": target for name, target in table.get(kind, {}).items()}
    others = {"indexunary": INDEXUNARY_ALIASES, "select": SELECT_ALIASES, "agg": AGG_ALIASES}
    return from_ss | from_numpy | others.get(kind, {})


def unlisted(kind: str, name: str) -> str | None:
    """GraphBLAS 2.0 calls `pair` `oneb`; python-graphblas does not, so the name works but is not listed."""
    if kind == "binary" and name == "oneb":
        return "pair"
    if kind == "semiring" and name.endswith("_oneb"):
        return name.removesuffix("oneb") + "pair"
    return None


@cache
def names(kind: str, part: str) -> set[str]:
    """The names that a namespace, or its ``numpy`` or ``ss`` part, lists."""
    every = [*rows(kind), *aliases(kind)]
    if part == "numpy" and kind == "semiring":
        return set(numpy_tables.semiring_names())
    if part:
        return {name.removeprefix(f"{part}.") for name in every if name.startswith(f"{part}.")}
    return {name for name in every if "." not in name}


def canonical(kind: str, name: str) -> str | None:
    """The operator's own name, or None if there is no such operator."""
    if name in rows(kind):
        return name
    if kind == "semiring" and name.startswith("numpy.") and name.removeprefix("numpy.") in names(kind, "numpy"):
        return name
    return aliases(kind).get(name) or unlisted(kind, name)


def build(kind: str, name: str) -> Operator:
    """Make the operator of this own name."""
    row = rows(kind).get(name)
    if row is None:
        return _numpy_semiring(name)
    if isinstance(row, RowMaker):
        return ParameterizedBinaryOp(row.name, row.make, makes_rows=True, commutes_to=row.commutes_to)
    if isinstance(row, AggRow):
        return Aggregator._from_row(row)
    classes: dict[str, type[OpBase]] = {
        "unary": UnaryOp,
        "binary": BinaryOp,
        "monoid": Monoid,
        "semiring": Semiring,
        "indexunary": IndexUnaryOp,
        "select": SelectOp,
    }
    return classes[kind]._from_row(row)


def _numpy_semiring(name: str) -> Operator:
    """Pairs of NumPy names; most are known under GraphBLAS names too, and then they are that semiring."""
    monoid_name, binary_name = numpy_tables.semiring_names()[name.removeprefix("numpy.")]
    monoid = registry.builtin("monoid", f"numpy.{monoid_name}")
    binaryop = registry.builtin("binary", f"numpy.{binary_name}")
    if semiring_name(monoid, binaryop) == name:
        return Semiring._of_parts(name, monoid, binaryop)
    return get_semiring(monoid, binaryop)


def may_be_mapped(kind: str, name: str) -> bool:
    """Whether this is a name of NumPy's that GraphBLAS has an operator for; of a semiring, perhaps in a part."""
    if not name.startswith("numpy."):
        return False
    return name in aliases(kind) or (kind == "semiring" and name.removeprefix("numpy.") in names(kind, "numpy"))


def build_unmapped(kind: str, name: str) -> Operator:
    if kind != "semiring":
        return numpy_functions.build(kind, name.removeprefix("numpy."))
    parts = zip(("monoid", "binary"), numpy_tables.semiring_names()[name.removeprefix("numpy.")], strict=True)
    return Semiring._of_parts(name, *(_unmapped(part, f"numpy.{of_numpy}") for part, of_numpy in parts))


def _unmapped(kind: str, name: str) -> Operator:
    return registry.unmapped(kind, name) if may_be_mapped(kind, name) else registry.builtin(kind, name)


registry.define_builtins(registry.Tables(names, canonical, build, may_be_mapped, build_unmapped))
