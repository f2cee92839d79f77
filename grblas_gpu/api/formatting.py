"""Readable text for objects and expressions."""

from __future__ import annotations

from typing import Any

from ..display import bytes_text, html_object, html_table
from ..ir import recording

MAX_ROWS = 12
MAX_COLS = 12
FORMATS = {
    "sparse": ("csr", "csc"),
    "hypersparse": ("hypercsr", "hypercsc"),
    "bitmap": ("bitmapr", "bitmapc"),
    "full": ("fullr", "fullc"),
}
MANY_ENTRIES = 2**20  # more are not brought to the host to show some of them
FIRST_ENTRIES = 10  # of what is too large to be shown as a whole, in notebooks


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
    head += f"  storage={_form(a)}"
    rows, cols = _positions(a.nrows, MAX_ROWS), _positions(a.ncols, MAX_COLS)
    labels = ["..." if j is None else str(j) for j in cols]
    body = [
        ["..." if i is None else str(i)] + ["" if i is None or j is None else _cell(a.get(i, j)) for j in cols]
        for i in rows
    ]
    return "\n".join([head, "-" * len(head), *_table(["", *labels], body)])


def html_vector(v: Any) -> str:
    """For notebooks: the first entries, and what is known of them all."""
    facts = {"nvals": v.nvals, "size": v.size, "dtype": v.dtype.name, "storage": v._store.kind, **_memory(v)}
    if v.size <= MAX_COLS:
        content = html_table(["index", *range(v.size)], [["value", *(_cell(v.get(i)) for i in range(v.size))]])
        return html_object(f"Vector {v._name_html}", facts, content)
    entries = _first_entries(v, v.size)
    return html_object(f"Vector {v._name_html}", facts, html_table(["index", "value"], entries), _more(v, entries))


def html_matrix(a: Any) -> str:
    """For notebooks: small ones as a whole, of others the first entries; and what is known of them all."""
    kind = type(a).__name__
    facts = {"nvals": a.nvals, "nrows": a.nrows, "ncols": a.ncols, "dtype": a.dtype.name}
    facts |= {"storage": _form(a), **_memory(a._matrix if a._is_transposed else a)}
    title = f"{kind} {a._name_html}"
    if a.nrows <= MAX_ROWS and a.ncols <= MAX_COLS:
        rows = [[i, *(_cell(a.get(i, j)) for j in range(a.ncols))] for i in range(a.nrows)]
        return html_object(title, facts, html_table(["", *range(a.ncols)], rows))
    entries = _first_entries(a, a.nrows)
    return html_object(title, facts, html_table(["row", "column", "value"], entries), _more(a, entries))


def _form(a: Any) -> str:
    """The form of a matrix, in python-graphblas's words; those of a transpose are by columns."""
    return FORMATS[a._store.form][a._is_transposed]


def _first_entries(x: Any, size: int) -> list[list[Any]]:
    """Without bringing all entries to the host: longer and longer beginnings."""
    length = FIRST_ENTRIES
    while True:
        length = min(length, size)
        if x.nvals <= MANY_ENTRIES:
            start = x
        else:
            start = x[:length].new() if x.ndim == 1 else x[:length, :].new()
        if start is x or start.nvals >= FIRST_ENTRIES or length == size:
            *where, values = (array[:FIRST_ENTRIES].tolist() for array in start.to_coo())
            return [[*place, _cell(value)] for *place, value in zip(*where, values, strict=True)]
        length *= 16


def _more(x: Any, entries: list[list[Any]]) -> str:
    return f"the first {len(entries)} of {x.nvals:,} entries" if x.nvals > len(entries) else ""


def _memory(x: Any) -> dict[str, str]:
    return {"memory": bytes_text(sum(a.nbytes for a in x.device_arrays().values())), "backend": x.backend}


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
