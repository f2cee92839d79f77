"""Readable text for objects and expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..foundation.display import bytes_text, escape, html_object, html_table
from ..foundation.types import Mask, Matrix, Scalar, Tensor
from ..ir import recording

Cell = Callable[[object], str]
MAX_ROWS = 60
FEW_ROWS = 10  # shown of longer ones
MAX_COLS = 12
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


def format_scalar(s: Scalar, name: str | None = None) -> str:
    return heading(f'"{s.name}"' if name is None else name, "gb.Scalar", _scalar_facts(s))


def html_scalar(s: Scalar) -> str:
    shown = html_heading("gb.Scalar", _scalar_facts(s))
    return f'{CSS_STYLE}<div class="gb-scalar"><tt>{s._name_html}</tt>{shown}</div>'


def _scalar_facts(s: Scalar) -> dict[str, object]:
    value = (
        {} if recording.current() is not None else {"value": s.value}
    )  # values are not known while a loop is recorded
    return {**value, "dtype": s.dtype.name}


def format_mask(mask: Mask) -> str:
    """A mask: its object, and whether it uses structure or values."""
    parent = mask.parent
    show = format_vector if parent.ndim == 1 else format_matrix
    return show(parent, f'"{mask.name}"', f"{type(mask).__name__}\nof gb.{type(parent).__name__}", opened(mask))


def html_mask(mask: Mask) -> str:
    """A mask for notebooks: 1 at entries where it is open, 0 at the others."""
    show = html_vector if mask.parent.ndim == 1 else html_matrix
    return show(mask.parent, f"{type(mask).__name__} {escape(mask.name)} of {type(mask.parent).__name__}", opened(mask))


def opened(mask: Mask) -> Cell:
    """Where there is an entry, 1 if the mask is open and 0 if not."""

    def cell(value: object) -> str:
        return "" if value is None else str(int((mask.structure or bool(value)) != mask.complement))

    return cell


def format_vector(v: Any, name: str | None = None, kind: str = "gb.Vector", cell: Cell | None = None) -> str:
    facts: dict[str, object] = {"size": v.size, "dtype": v.dtype.name}
    name = f'"{v.name}"' if name is None else name
    if recording.current() is not None:
        return heading(name, kind, facts)
    head = heading(name, kind, {"nvals": v.nvals, **facts, "format": v._store.kind})
    shown = _positions(v.size, MAX_COLS)
    cells = ["" if i is None else (cell or _cell)(v.get(i)) for i in shown]
    labels = ["..." if i is None else str(i) for i in shown]
    return "\n".join([head, _rule(head), *_table(["index", *labels], [["value", *cells]])])


def format_matrix(a: Any, name: str | None = None, kind: str | None = None, cell: Cell | None = None) -> str:
    facts: dict[str, object] = {"nrows": a.nrows, "ncols": a.ncols, "dtype": a.dtype.name}
    name = f'"{a.name}"' if name is None else name
    kind = f"gb.{type(a).__name__}" if kind is None else kind
    if recording.current() is not None:
        return heading(name, kind, facts)
    head = heading(name, kind, {"nvals": a.nvals, **facts, "format": _form(a)})
    rows, cols = _positions(a.nrows, MAX_ROWS, FEW_ROWS), _positions(a.ncols, MAX_COLS)
    labels = ["..." if j is None else str(j) for j in cols]
    body = [
        ["..." if i is None else str(i)]
        + ["" if i is None or j is None else (cell or _cell)(a.get(i, j)) for j in cols]
        for i in rows
    ]
    return "\n".join([head, _rule(head), *_table(["", *labels], body)])


def html_vector(v: Any, title: str | None = None, cell: Cell | None = None) -> str:
    """A Vector for notebooks: the first entries and the properties."""
    facts = {"nvals": v.nvals, "size": v.size, "dtype": v.dtype.name, "storage": v._store.kind, **_memory(v)}
    title, cell = title or f"Vector {v._name_html}", cell or _cell
    if v.size <= MAX_COLS:
        content = html_table(["index", *range(v.size)], [["value", *(cell(v.get(i)) for i in range(v.size))]])
        return html_object(title, facts, content)
    entries = _first_entries(v, v.size, cell)
    return html_object(title, facts, html_table(["index", "value"], entries), _more(v, entries))


def html_matrix(a: Any, title: str | None = None, cell: Cell | None = None) -> str:
    """A Matrix for notebooks: all entries of a small one, the first entries of others, and the properties."""
    kind = type(a).__name__
    facts = {"nvals": a.nvals, "nrows": a.nrows, "ncols": a.ncols, "dtype": a.dtype.name}
    facts |= {"storage": _form(a), **_memory(a._matrix if a._is_transposed else a)}
    title, cell = title or f"{kind} {a._name_html}", cell or _cell
    if a.nrows <= MAX_COLS and a.ncols <= MAX_COLS:
        rows = [[i, *(cell(a.get(i, j)) for j in range(a.ncols))] for i in range(a.nrows)]
        return html_object(title, facts, html_table(["", *range(a.ncols)], rows))
    entries = _first_entries(a, a.nrows, cell)
    return html_object(title, facts, html_table(["row", "column", "value"], entries), _more(a, entries))


def _rule(head: str) -> str:
    return "-" * max(map(len, head.splitlines()))


def _form(a: Matrix) -> str:
    """The storage format of a matrix in the terms of python-graphblas; that of a transpose is by columns."""
    on_host = ", columns on the host" if a._engine.has_columns_on_host(a._store) else ""
    return FORMATS[a._store.form][a._is_transposed] + on_host


def _first_entries(x: Any, size: int, cell: Cell) -> list[list[Any]]:
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


def _more(x: Tensor, entries: list[list[Any]]) -> str:
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
