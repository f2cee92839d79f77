"""Tables in the text and HTML of pandas 2, without pandas: python-graphblas shows objects in this form."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterable
from shutil import get_terminal_size
from typing import Any, NamedTuple

MAX_WIDTH = 50  # of a cell
MAX_COLUMNS = 20  # in notebooks; in terminals, as many as fit
WIDTH = 80  # in notebooks
STYLE = """\
<style scoped>
    .dataframe tbody tr th:only-of-type {
        vertical-align: middle;
    }

    .dataframe tbody tr th {
        vertical-align: top;
    }

    .dataframe thead th {
        text-align: right;
    }
</style>"""


class Frame(NamedTuple):
    """Labels of rows and columns, and the cells of each column; None is empty.

    A gap is the number of rows or columns before "...". The numbers of a typed column share a format.
    """

    labels: list[str]
    names: list[str]
    columns: list[list[object]]
    row_gap: int | None = None
    column_gap: int | None = None
    typed: bool = False


def option(name: str, default: int) -> int:
    """An option of pandas, if the program uses pandas, because the same options hold for both libraries."""
    pandas = sys.modules.get("pandas")
    value: int | None = pandas.get_option(f"display.{name}") if pandas else default
    return default if value is None else value


def max_columns() -> int:
    """The number of columns to show; 0 stands for as many as fit into the terminal."""
    shell = getattr(builtins, "get_ipython", None)
    return option("max_columns", MAX_COLUMNS if shell and hasattr(shell(), "kernel") else 0)


def text_of_frame(frame: Frame, corner: str = "") -> str:
    """
    >>> print(text_of_frame(Frame(["0", "1"], ["0", "1"], [[None, 2.0], [1.5, True]])))
         0     1
    0        1.5
    1  2.0  True
    """
    labels, gap = [corner, *padded(frame.labels, "<")], frame.column_gap
    names = [f" {name}" for name in frame.names] if frame.typed else frame.names
    columns = [padded([name, *_cells(cells, frame.typed)]) for name, cells in zip(names, frame.columns, strict=True)]
    if frame.row_gap is not None:
        for column in (labels, *columns):
            width = len(column[frame.row_gap])
            column.insert(frame.row_gap + 1, ("..." if width > 3 else "..").rjust(0 if column is labels else width))
    dots = [" ..."] * len(labels)
    if max_columns():
        return _wrapped(labels, _with_gap(columns, gap, dots), option("width", WIDTH))
    widths = [*map(_width, [labels, *_with_gap(columns, gap, dots)])]
    excess = sum(widths) + len(widths) - get_terminal_size().columns
    while excess > 0 and len(widths) > 1:
        excess -= widths.pop(round(len(widths) / 2)) + 1
    most = max(len(widths) - 1, 2)
    if gap is not None or len(columns) > most:
        gap = most // 2
        columns = columns[:gap] + columns[-gap:]
    return _side_by_side([labels, *_with_gap(columns, gap, dots)])


def html_of_frame(frame: Frame) -> str:
    columns = [_cells(cells, frame.typed) for cells in frame.columns]
    rows = [[name, *cells] for name, *cells in zip(frame.labels, *columns, strict=True)]
    if frame.row_gap is not None:
        rows.insert(frame.row_gap, ["..."] * (len(columns) + 1))
    lines = [["", *frame.names], *rows]
    if frame.column_gap is not None:
        for line in lines:
            line.insert(frame.column_gap + 1, "...")
    head, *body = (_html_line(line, "th" if number == 0 else "td") for number, line in enumerate(lines))
    head = head.replace("<tr>", '<tr style="text-align: right;">', 1)
    table = ["  <thead>", head, "  </thead>", "  <tbody>", *body, "  </tbody>"]
    return "\n".join(["<div>", STYLE, '<table border="1" class="dataframe">', *table, "</table>", "</div>"])


def _html_line(cells: Iterable[str], tag: str) -> str:
    from .display import escape

    first, *others = (escape(cell.strip()) for cell in cells)
    each = [f"<th>{first}</th>", *(f"<{tag}>{cell}</{tag}>" for cell in others)]
    return "\n".join(["    <tr>", *(f"      {cell}" for cell in each), "    </tr>"])


def _cells(cells: list[object], typed: bool) -> list[str]:
    if typed and cells:
        return _FORMATS.get(type(cells[0]), _texts)(cells)
    return _texts(cells)


def _texts(cells: list[object]) -> list[str]:
    texts = [_text(cell) for cell in cells]
    return [text if len(text) <= MAX_WIDTH else f"{text[: MAX_WIDTH - 3]}..." for text in texts]


def _text(cell: object) -> str:
    if isinstance(cell, float):
        return _trimmed([f"{cell: .6f}"])[0] if cell == cell else " NaN"
    return " " if cell is None else f" {cell}"


def _floats(cells: list[float]) -> list[str]:
    texts = _trimmed([f"{cell: .6f}" if cell == cell else "NaN" for cell in cells])
    is_large = _width(texts) > 12 and any(abs(cell) > 1e6 for cell in cells)
    if is_large or any(0 < abs(cell) < 1e-6 for cell in cells):
        return [f"{cell: .6e}" if cell == cell else "NaN" for cell in cells]
    return texts


def _complexes(cells: list[complex]) -> list[str]:
    parts = _trimmed([*(f"{cell.real: .6f}" for cell in cells), *(f"{cell.imag:+.6f}" for cell in cells)])
    width, count = _width(parts) - 1, len(cells)
    return [f"{x}{y[0]}{y[1:].rjust(width)}j" for x, y in zip(parts[:count], parts[count:], strict=True)]


_FORMATS: dict[type, Any] = {
    int: lambda cells: [f"{cell: d}" for cell in cells],
    float: _floats,
    complex: _complexes,
}


def _trimmed(texts: list[str]) -> list[str]:
    """Without the zeros that all decimals end with; one stays."""
    zeros = min((len(text) - len(text.rstrip("0")) for text in texts if "." in text), default=0)
    texts = [text[: len(text) - zeros] if "." in text else text for text in texts]
    return [f"{text}0" if text.endswith(".") else text for text in texts]


def _width(texts: Iterable[str]) -> int:
    return max(map(len, texts))


def padded(texts: list[str], align: str = ">") -> list[str]:
    return [f"{text:{align}{_width(texts)}}" for text in texts]


def _side_by_side(columns: list[list[str]]) -> str:
    return "\n".join(" ".join(cells) for cells in zip(*(padded(column, "<") for column in columns), strict=True))


def _with_gap(columns: list[list[str]], gap: int | None, dots: list[str]) -> list[list[str]]:
    return columns if gap is None else [*columns[:gap], dots, *columns[gap:]]


def _wrapped(labels: list[str], columns: list[list[str]], width: int) -> str:
    """Blocks of columns below each other, each with the labels of the rows."""
    width -= _width(labels) + 1
    blocks: list[list[list[str]]] = [[]]
    used = 0
    for number, column in enumerate(columns, 1):
        used += _width(column) + 1
        if blocks[-1] and used + (1 if number == len(columns) else 2) > width:
            blocks.append([])
            used = _width(column) + 1
        blocks[-1].append(column)
    if len(blocks) > 1:
        for number, block in enumerate(blocks, 1):
            empty = [""] * (len(labels) - 1)
            block.append([" "] * len(labels) if number == len(blocks) else [" \\", *empty])
    return "\n\n".join(_side_by_side([labels, *block]) for block in blocks)
