"""Readable text and HTML for objects; for delayed expressions, exactly what python-graphblas prints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..config import config
from ..exceptions import GraphblasException
from ..foundation.display import bytes_text, escape, html_object, html_table
from ..foundation.types import AnyTensor, Computed, Elementwise, Handle, Mask, Scalar, Tensor
from ..ir import recording

Cell = Callable[[object], str]
MAX_ROWS = 60
FEW_ROWS = 10  # shown of longer ones
MAX_COLS = 12
SIZES: dict[int, list[str]] = {0: [], 1: ["size"], 2: ["nrows", "ncols"]}
FORMATS = {
    "sparse": ("csr", "csc"),
    "hypersparse": ("hypercsr", "hypercsc"),
    "bitmap": ("bitmapr", "bitmapc"),
    "full": ("fullr", "fullc"),
}
MANY_ENTRIES = 2**20  # larger objects are not copied to the host to show some entries
FIRST_ENTRIES = 10  # shown of a large object in notebooks


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


def format_mask(mask: Mask) -> str:
    """A mask: its object, and whether it uses structure or values."""
    kind = f"{type(mask).__name__}\nof gb.{type(mask.parent).__name__}"
    return text_of(mask.parent, f'"{mask.name}"', kind, opened(mask))


def html_mask(mask: Mask) -> str:
    """A mask for notebooks: 1 at entries where it is open, 0 at the others."""
    title = f"{type(mask).__name__} {escape(mask.name)} of {type(mask.parent).__name__}"
    return html_of(mask.parent, title, opened(mask))


def opened(mask: Mask) -> Cell:
    """Where there is an entry, 1 if the mask is open and 0 if not."""

    def cell(value: object) -> str:
        return "" if value is None else str(int((mask.structure or bool(value)) != mask.complement))

    return cell


def _facts(x: Scalar | AnyTensor) -> dict[str, object]:
    """Sizes and type, and the value of a Scalar, which is not known while a loop is recorded."""
    known = {"value": x.value} if x.ndim == 0 and recording.current() is None else {}
    return {**known, **dict(zip(SIZES[x.ndim], x.shape, strict=True)), "dtype": x.dtype.name}


def text_of(x: Any, name: str | None = None, kind: str | None = None, cell: Cell | None = None) -> str:
    """An object: its properties, and some of its entries."""
    name, kind, facts = name or f'"{x.name}"', kind or f"gb.{type(x).__name__}", _facts(x)
    if x.ndim == 0 or recording.current() is not None:
        return heading(name, kind, facts)
    head = heading(name, kind, {"nvals": x.nvals, **facts, "format": _form(x)})
    rows, cols = _positions(x.shape[0], MAX_ROWS, FEW_ROWS), _positions(x.shape[-1], MAX_COLS)
    grid = _grid(x, rows, cols, cell or _cell)
    return "\n".join([head, _rule(head), *_table(*grid)])


def html_of(x: Any, title: str | None = None, cell: Cell | None = None) -> str:
    """An object for notebooks: its properties, and all entries of a small one, the first entries of others."""
    if x.ndim == 0:
        return f'{CSS_STYLE}<div class="gb-scalar"><tt>{x._name_html}</tt>{html_heading("gb.Scalar", _facts(x))}</div>'
    facts = {"nvals": x.nvals, **_facts(x), "storage": _form(x), **_memory(x._matrix if x._is_transposed else x)}
    title, cell = title or f"{type(x).__name__} {x._name_html}", cell or _cell
    if max(x.shape) <= MAX_COLS:
        return html_object(title, facts, html_table(*_grid(x, range(x.shape[0]), range(x.shape[-1]), cell)))
    entries = _first_entries(x, x.shape[0], cell)
    head = ["index", "value"] if x.ndim == 1 else ["row", "column", "value"]
    return html_object(title, facts, html_table(head, entries), _more(x, entries))


def _grid(
    x: AnyTensor, rows: Sequence[int | None], cols: Sequence[int | None], cell: Cell
) -> tuple[list[str], list[list[str]]]:
    """The names of columns, and lines of cells; None stands for what is left out."""
    names = [["..." if i is None else str(i) for i in part] for part in (rows, cols)]
    if x.ndim == 1:
        return ["index", *names[1]], [["value", *("" if j is None else cell(x.get(j)) for j in cols)]]
    cells = (["" if i is None or j is None else cell(x.get(i, j)) for j in cols] for i in rows)
    return ["", *names[1]], [[name, *line] for name, line in zip(names[0], cells, strict=True)]


def _rule(head: str) -> str:
    return "-" * max(map(len, head.splitlines()))


def _form(a: AnyTensor) -> str:
    """The storage format in the terms of python-graphblas; that of a transpose is by columns."""
    if a.ndim == 1:
        return a._store.kind
    on_host = ", columns on the host" if a._engine.has_columns_on_host(a._store) else ""
    return FORMATS[a._store.form][a._is_transposed] + on_host


def _first_entries(x: AnyTensor, size: int, cell: Cell) -> list[list[str]]:
    """The first entries, from longer and longer slices: a large object is not copied to the host."""
    length = FIRST_ENTRIES
    while True:
        length = min(length, size)
        if x.nvals <= MANY_ENTRIES:
            start = x
        else:
            start = x[:length].new() if x.ndim == 1 else x[:length, :].new()
        if start is x or start.nvals >= FIRST_ENTRIES or length == size:
            *where, values = (array[:FIRST_ENTRIES].tolist() for array in start.to_coo())
            return [[*place, cell(value)] for *place, value in zip(*where, values, strict=True)]
        length *= 16


def _more(x: AnyTensor, entries: list[list[str]]) -> str:
    return f"the first {len(entries)} of {x.nvals:,} entries" if x.nvals > len(entries) else ""


def _memory(x: Tensor) -> dict[str, str]:
    of_host, total = x.ss.nbytes_on_host, x.ss.nbytes
    memory = f"{bytes_text(total - of_host)} and {bytes_text(of_host)} of the host" if of_host else bytes_text(total)
    return {"memory": memory, "backend": x.backend}


def _positions(size: int, most: int, few: int | None = None) -> list[int | None]:
    """All positions, or the first and last ones with None for the gap."""
    if size <= most:
        return list(range(size))
    half = (few or most) // 2
    return [*range(half), None, *range(size - half, size)]


def _cell(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, float):
        return str(value)
    text = f"{value:.6g}"
    return f"{text}.0" if text.lstrip("-").isdigit() else text


def _table(head: list[str], body: list[list[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in [head, *body]) for i in range(len(head))]
    return ["  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in [head, *body]]


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
