"""SelectOps: which entries to keep, by value, row, column and thunk.

``select.value``, ``row``, ``column`` and ``index`` turn a comparison into a selection: ``select.value(A > 0)`` is
``select.valuegt(A, 0)``.

>>> from grblas_gpu import select
>>> select.tril, select.valuegt
(select.tril, select.valuegt)
"""

from __future__ import annotations

from typing import Any

from .foundation.types import Expression
from .operators import SelectOp, select_from_string as _from_string
from .operators.registry import namespace as _namespace_of

_namespace = _namespace_of("select", globals(), SelectOp, _from_string, "column index row value")

#: Comparisons of an object with a number that are selections by value.
_COMPARISONS = ("eq", "ne", "lt", "gt", "le", "ge")
#: Rows and columns are only compared with `<=` and `>`; for integers, `<` and `>=` follow by a shift of one.
_NEIGHBOUR = {"lt": "le", "ge": "gt"}


def _resolve(expr: Any, caller: str, prefix: str) -> Expression:
    """The selection that corresponds to a comparison such as ``A <= 5``."""
    name = getattr(getattr(expr, "op", None), "name", None)
    if name is None or len(getattr(expr, "args", ())) != 2:
        raise TypeError(f"Expected an expression; found {type(expr)}\nTypical usage: select.{caller}(x <= 5)")
    operand, thunk = expr.args
    if not _namespace.has(f"{prefix}{name}") and name in _NEIGHBOUR:
        name, thunk = _NEIGHBOUR[name], getattr(thunk, "value", thunk) - 1
    if not _namespace.has(f"{prefix}{name}"):
        raise ValueError(f"Unknown or unregistered select method: {prefix}{name}")
    return _namespace.find(f"{prefix}{name}")(operand, thunk)


def _match_expr(parent: Any, expr: object) -> Expression | None:
    """``A.select(A < 5)`` as a selection by value, or None if the comparison is not of ``A`` with a number."""
    name = getattr(getattr(expr, "op", None), "name", "").removeprefix("is")
    args: Any = getattr(expr, "args", ())
    if name not in _COMPARISONS or len(args) != 2 or not getattr(args[1], "_is_scalar", False):
        return None
    if args[0] is not parent and getattr(args[0], "T", None) is not parent:
        return None
    return _namespace.find(f"value{name}")[expr.op.type](parent, args[1])


def value(expr: object) -> Expression:
    """Select by value: ``select.value(A > 0)``."""
    return _resolve(expr, "value", "value")


def row(expr: object) -> Expression:
    """Select by row: ``select.row(A <= 5)``."""
    return _resolve(expr, "row", "row")


def column(expr: object) -> Expression:
    """Select by column: ``select.column(A <= 5)``."""
    return _resolve(expr, "column", "col")


def index(expr: object) -> Expression:
    """Select by index of a vector: ``select.index(v <= 5)``."""
    return _resolve(expr, "index", "index")
