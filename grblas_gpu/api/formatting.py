"""Readable text for objects and expressions."""

from __future__ import annotations

from typing import Any

from ..ir import recording

MAX_ROWS = 12
MAX_COLS = 12


def format_scalar(s: Any) -> str:
    if recording.current() is not None:  # values are not known now
        return f'"{s.name}"  Scalar  dtype={s.dtype.name}'
    return f'"{s.name}"  Scalar  dtype={s.dtype.name}  value={s.value}'


def format_vector(v: Any) -> str:
    if recording.current() is not None:
        return f'"{v.name}"  Vector  size={v.size}  dtype={v.dtype.name}'
    head = f'"{v.name}"  Vector  nvals={v.nvals}  size={v.size}  dtype={v.dtype.name}  storage={v._store.kind}'
    shown = _positions(v.size, MAX_COLS)
    cells = ["" if i is None else _cell(v.get(i)) for i in shown]
    labels = ["..." if i is None else str(i) for i in shown]
    return "\n".join([head, "-" * len(head), *_table(["index", *labels], [["value", *cells]])])


def format_matrix(a: Any) -> str:
    kind = type(a).__name__
    if recording.current() is not None:
        return f'"{a.name}"  {kind}  nrows={a.nrows}  ncols={a.ncols}  dtype={a.dtype.name}'
    head = f'"{a.name}"  {kind}  nvals={a.nvals}  nrows={a.nrows}  ncols={a.ncols}  dtype={a.dtype.name}'
    rows, cols = _positions(a.nrows, MAX_ROWS), _positions(a.ncols, MAX_COLS)
    labels = ["..." if j is None else str(j) for j in cols]
    body = [
        ["..." if i is None else str(i)] + ["" if i is None or j is None else _cell(a.get(i, j)) for j in cols]
        for i in rows
    ]
    return "\n".join([head, "-" * len(head), *_table(["", *labels], body)])


def format_expression(expr: Any) -> str:
    kind = expr._output_type.__name__
    shape = {0: "", 1: f"  size={expr.shape[0]}" if expr.ndim == 1 else "", 2: f"  shape={expr.shape}"}[expr.ndim]
    try:
        dtype = f"  dtype={expr.dtype.name}"
    except TypeError:  # an infix expression that has no operator yet
        dtype = ""
    name = type(expr).__name__
    return f"{name}:  {expr._format_expr()}{shape}{dtype}\nDo `.new()` or `other << expr` to compute the {kind}."


def _positions(size: int, most: int) -> list[int | None]:
    """All positions, or the first and last ones with a gap (None) between."""
    if size <= most:
        return list(range(size))
    half = most // 2
    return [*range(half), None, *range(size - half, size)]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _table(head: list[str], body: list[list[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in [head, *body]) for i in range(len(head))]
    return ["  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in [head, *body]]
