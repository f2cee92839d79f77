"""Text and HTML of objects, masks and delayed expressions: exactly what python-graphblas prints with pandas 2."""

from __future__ import annotations

from collections.abc import Callable
from shutil import get_terminal_size
from typing import Any, NamedTuple

from ..config import config
from ..exceptions import GraphblasException, OutOfMemory
from ..foundation.display import escape, html_name
from ..foundation.frames import Frame, html_of_frame, max_columns, option, padded, text_of_frame
from ..foundation.types import AnyTensor, Computed, Elementwise, Mask, Scalar
from ..ir import recording

MAX_ROWS = 60
FEW_ROWS = 10  # shown of longer ones
MANY_COLUMNS = 150  # read for a terminal, which shows as many as fit
TOO_LARGE = "Result is too large to compute!"
SIZES: dict[int, list[str]] = {0: [], 1: ["size"], 2: ["nrows", "ncols"]}
FORMATS = {
    "sparse": ("csr", "csc"),
    "hypersparse": ("hypercsr", "hypercsc"),
    "bitmap": ("bitmapr", "bitmapc"),
    "full": ("fullr", "fullc"),
}
CSS_STYLE = (
    "<style>.gb-info-table td {padding: 2px 8px; text-align: right} .gb-scalar, .gb-expr-summary {margin: 4px 0} "
    ".expr-tooltip .tooltip-text {visibility: hidden} .expr-tooltip:hover .tooltip-text {visibility: visible}</style>"
)


def heading(name: str, kind: str, facts: dict[str, object]) -> str:
    """Two lines: the name of an object, and its properties.

    >>> print(heading('"v"', "gb.Vector", {"nvals": 3, "size": 10}))
    "v"        nvals  size
    gb.Vector      3    10
    """
    *above, kind = kind.splitlines()
    first = max(map(len, (name, *above, kind)))
    widths = [max(len(each), len(str(value))) for each, value in facts.items()]
    lines = [[name, *facts], *([each] for each in above), [kind, *map(str, facts.values())]]
    return "\n".join(
        "  ".join([line[0].ljust(first), *(cell.rjust(w) for cell, w in zip(line[1:], widths, strict=False))])
        for line in lines
    )


def html_heading(kind: str, facts: dict[str, object]) -> str:
    """The heading as an HTML table."""
    names = "".join(f"    <td><pre>{name}</pre></td>\n" for name in facts)
    values = "".join(f"    <td>{value}</td>\n" for value in facts.values())
    cell = f'    <td rowspan="2" class="gb-info-name-cell"><pre>{kind}</pre></td>\n'
    rows = f"  <tr>\n{cell}{names}  </tr>\n  <tr>\n{values}  </tr>\n"
    return f'<div>\n<table class="gb-info-table">\n{rows}</table>\n</div>\n'


def opened(mask: Mask) -> Callable[[object], object]:
    """Of an entry, 1 if the mask is open there and 0 if not."""
    return lambda value: int((mask.structure or bool(value)) != mask.complement)


def _facts(x: Scalar | AnyTensor, with_format: bool = True) -> dict[str, object]:
    """Properties; while a loop is recorded, those that are known: sizes and type."""
    facts = dict(zip(SIZES[x.ndim], x.shape, strict=True)) | {"dtype": x.dtype.name}
    if recording.current() is not None:
        return facts
    if x.ndim == 0:
        return {"value": x.value, **facts}
    return {"nvals": x.nvals, **facts} | ({"format": _form(x)} if with_format else {})


def text_of(x: Any, mask: Mask | None = None, name: str | None = None) -> str:
    """An object or its mask: properties, and some of the entries. The name is that of the result of an expression."""
    kind, shown = f"gb.{type(x).__name__}", name or (x if mask is None else mask).name
    head = heading(f'"{shown}"', kind if mask is None else f"{type(mask).__name__}\nof {kind}", _facts(x, name is None))
    if x.ndim == 0 or recording.current() is not None:
        return head
    lines = [head, "-" * len(head.partition("\n")[0])]
    if 0 not in x.shape:
        frame = _frame(x, mask)
        is_row = frame.labels == [""]
        lines.append(text_of_frame(frame._replace(labels=["value"]), "index") if is_row else text_of_frame(frame))
    return "\n".join(lines)


def html_of(x: Any, mask: Mask | None = None, title: str | None = None, kind: str | None = None) -> str:
    """An object or its mask for notebooks. The title and kind are those of an expression with this result."""
    if x.ndim and (recording.current() is not None or x._engine.name.startswith("mpi")):
        return f"<pre>{escape(text_of(x, mask))}</pre>"  # values are unknown here, or reading them needs all ranks
    name = html_name(x.name if mask is None else mask.name)
    kind = kind or ("" if mask is None else f"{type(mask).__name__}\nof\n") + f"gb.{type(x).__name__}"
    head = (title or f"<tt>{name}</tt>") + html_heading(kind, _facts(x, title is None))
    if x.ndim == 0:
        return f'{CSS_STYLE}<div class="gb-scalar">{head}</div>'
    summary = f'<summary class="gb-arg-summary">{head}</summary>'
    table = html_of_frame(_frame(x, mask))
    return f'<div>{CSS_STYLE}<details open class="gb-arg-details">{summary}{table}</details></div>'


def _frame(x: Any, mask: Mask | None) -> Frame:
    """The first and last rows and columns; the first entries of a sparse object, where those show few of them."""
    most_rows, few_rows = option("max_rows", MAX_ROWS), option("min_rows", FEW_ROWS)
    limit = max_columns()
    read, shown = limit or MANY_COLUMNS, limit or min(MANY_COLUMNS, get_terminal_size().columns)
    rows = _ends(x.shape[0], most_rows, few_rows) if x.ndim == 2 else [range(1)]
    columns = _ends(x.shape[-1], read, read)
    entries = _entries(x, rows, columns)
    if len(rows) * len(columns) > 1:  # not all positions are shown
        some = x if mask is None or mask.structure else x.dup(mask=x.V, name="")
        few = min(x.nvals if x.nvals <= most_rows else few_rows, some.nvals)
        if few > 2 * len(entries):
            return _list_of_entries(some, few, mask)
    cell = opened(mask) if mask is not None else lambda value: "nan" if value != value else value
    columns = _ends(x.shape[-1], shown, shown)
    positions = [[k for part in parts for k in part] for parts in (rows, columns)]
    return Frame(
        [""] if x.ndim == 1 else [*map(str, positions[0])],
        padded([*map(str, positions[1])], "<"),
        [[cell(entries[i, j]) if (i, j) in entries else None for i in positions[0]] for j in positions[1]],
        len(rows[0]) if len(rows) > 1 else None,
        len(columns[0]) if len(columns) > 1 else None,
    )


def _list_of_entries(x: Any, count: int, mask: Mask | None) -> Frame:
    *where, values = (part.tolist() for part in (x._matrix if x._is_transposed else x).ss.head(count, sort=True))
    columns = [*(where[::-1] if x._is_transposed else where), values if mask is None else [*map(opened(mask), values)]]
    names, index = ["index", "val"] if x.ndim == 1 else ["row", "col", "val"], [*map(str, range(count))]
    if is_part := count < x.nvals:
        index, columns = [*index, "..."], [[*column, "..."] for column in columns]
    return Frame(index, names, columns, typed=not is_part)


def _ends(size: int, most: int, few: int) -> list[range]:
    """All positions, or the first and last ones."""
    return [range(size)] if size <= most else [range(few // 2), range(size - few // 2, size)]


def _entries(x: Any, rows: list[range], columns: list[range]) -> dict[tuple[int, int], object]:
    """The entries at some positions. Only those are copied to the host."""
    found: dict[tuple[int, int], object] = {}
    if x._is_transposed:
        return {(i, j): value for (j, i), value in _entries(x._matrix, columns, rows).items()}
    whole = len(rows) * len(columns) == 1
    for i in rows:
        for j in columns:
            across = slice(j.start, j.stop)
            part = x if whole else (x[across] if x.ndim == 1 else x[i.start : i.stop, across]).new(name="")
            *where, values = (array.tolist() for array in part.to_coo())
            places = zip(where[0] if x.ndim == 2 else [0] * len(values), where[-1], strict=True)
            found |= {(i.start + a, j.start + b): value for (a, b), value in zip(places, values, strict=True)}
    return found


def _form(a: AnyTensor) -> str:
    """The storage format in the terms of python-graphblas; that of a transpose is by columns."""
    x: Any = a._matrix if a._is_transposed else a
    form = a._store.kind if a.ndim == 1 else FORMATS[a._store.form][a._is_transposed]
    on_host = ", columns on the host" if a.ndim == 2 and a._engine.has_columns_on_host(a._store) else ""
    return form + on_host + (" (iso)" if x.ss.is_iso else "")


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
    if result is not None:
        result = f"{result if result is TOO_LARGE else text_of(result, name='Result')}\n\n"
    return f"{head}\n\n{result or ''}{shown.advice.replace('`', '').replace('*', '')}"


def _result(expr: Any) -> Any:
    """The result of an expression, if automatic computation is on; None while a loop is recorded."""
    if not config["autocompute"] or recording.current() is not None:
        return None
    try:
        value = expr._get_value()
    except OutOfMemory:
        return TOO_LARGE
    except (GraphblasException, TypeError):  # the expression has no operator
        return None
    return None if value._engine.name.startswith("mpi") else value  # all ranks would have to take part


def html_expression(expr: Any) -> str:
    name, facts, advice = _shown(expr, html=True)
    advice = _tagged(_tagged(advice, "`", "code"), "*", "tt").replace("\n", "<br>")
    mark = '<span class="tooltip-circle">?</span>'
    tooltip = f'<span class="expr-tooltip">{mark}<span class="tooltip-text"><em>{advice}</em></span></span>'
    title, result = f"<tt><b>gb.{type(expr).__name__}</b></tt>&nbsp;{tooltip}", _result(expr)
    if result is not None and result is not TOO_LARGE:
        return html_of(result, title=title, kind=expr._format_expr(True))
    summary = f'<summary class="gb-expr-summary">{title}{html_heading(name, facts)}</summary>'
    computed = "" if result is None else f'<span style="color: red">{result}</span>'
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
    name, kind = expr._format_expr(html and expr._role != "index"), expr._output_type.__name__
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
