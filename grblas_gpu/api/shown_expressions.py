"""Delayed expressions as text and HTML, exactly as python-graphblas prints them."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..config import config
from ..exceptions import GraphblasException
from ..foundation.types import Computed, Elementwise, Handle
from ..ir import recording
from .formatting import CSS_STYLE, SIZES, heading, html_heading, text_of

_LETTERS = {"Scalar": "s", "Vector": "v", "Matrix": "M"}
_OPERATORS = {"&": "times", "|": "plus", "@": "plus_times"}


class Shown(NamedTuple):
    """An expression and its possible uses: text with code between backquotes, and types between stars."""

    name: str
    facts: dict[str, object]
    advice: str


def format_expression(expr: object) -> str:
    shown = _shown(expr, html=False)
    head = heading(f"gb.{type(expr).__name__}", shown.name, shown.facts)
    result = _result(expr)
    computed = "" if result is None else text_of(result, '"Result"') + "\n\n"
    return f"{head}\n\n{computed}{shown.advice.replace('`', '').replace('*', '')}"


def _result(expr: Any) -> Handle | None:
    """The result of an expression, if automatic computation is on; None while a loop is recorded."""
    if not config["autocompute"] or recording.current() is not None:
        return None
    try:
        value = expr._get_value()
    except (GraphblasException, TypeError):  # no operator, or not enough memory
        return None
    return None if value._engine.name.startswith("mpi") else value  # all ranks would have to take part


def html_expression(expr: object) -> str:
    name, facts, advice = _shown(expr, html=True)
    advice = _tagged(_tagged(advice, "`", "code"), "*", "tt").replace("\n", "<br>")
    mark = '<span class="tooltip-circle">?</span>'
    tooltip = f'<span class="expr-tooltip">{mark}<span class="tooltip-text"><em>{advice}</em></span></span>'
    title = f"<tt><b>gb.{type(expr).__name__}</b></tt>&nbsp;{tooltip}{html_heading(name, facts)}"
    summary = f'<summary class="gb-expr-summary">{title}</summary>'
    result = _result(expr)
    computed = "" if result is None else result._repr_html_()
    return f'<div>{CSS_STYLE}<details class="gb-expr-details">{summary}{computed}</details></div>'


def _tagged(text: str, sign: str, tag: str) -> str:
    parts = text.split(sign)
    return "".join(f"<{tag}>{part}</{tag}>" if number % 2 else part for number, part in enumerate(parts))


def _dtype(operand: Elementwise | Computed) -> str:
    try:
        return operand.dtype.name
    except TypeError:  # the expression has no operator yet
        return "-"


def _shown(expr: Any, html: bool) -> Shown:
    name, kind = expr._format_expr(html), expr._output_type.__name__
    facts: dict[str, object] = dict(zip(SIZES[expr.ndim], expr.shape, strict=False))
    if expr._role == "infix":
        facts |= {"left_dtype": _dtype(expr.left), "right_dtype": _dtype(expr.right)}
        example = f"{_OPERATORS[expr._infix]}({name})"
        advice = f"Do `op(expr)` to create a *{kind}Expression* for *{expr.method_name}*.\nFor example: `{example}`"
        return Shown(name, facts, advice)
    facts["dtype"] = expr.dtype.name
    if expr._role == "index":
        advice = f"This expression may be used to extract or assign a *{kind}*.\nExample extract: `{name}.new()`"
        return Shown(name, facts, f"{advice}\nExample assign: `{name} << {_LETTERS[kind]}`")
    return Shown(name, facts, "Do `expr.new()` or `other << expr` to calculate the expression.")
