"""Display in notebooks: HTML tables, and figures that need no window."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from .suggestions import needed
from .types import Figure

_CELL = "padding:2px 8px;text-align:right"


def escape(text: str) -> str:
    """Text escaped for HTML. (Loading the module ``html`` would take a tenth of this package's import time.)

    >>> escape("a < b")
    'a &lt; b'
    """
    import html

    return html.escape(text)


def html_name(name: str) -> str:
    """A name in HTML: the part after an underscore becomes a subscript; ``.T`` stays.

    >>> html_name("A_1.T")
    'A<sub>1</sub>.T'
    """
    head, _, tail = escape(name).partition("_")
    tail, dot, rest = tail.partition(".")
    return f"{head}<sub>{tail}</sub>{dot}{rest}" if tail else f"{head}{dot}{rest}"


def html_table(head: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """A table; every cell is escaped.

    >>> html_table(["i"], [["<b>"]]).count("&lt;b&gt;")
    1
    """

    def line(tag: str, cells: Iterable[object]) -> str:
        return "<tr>" + "".join(f'<{tag} style="{_CELL}">{escape(str(cell))}</{tag}>' for cell in cells) + "</tr>"

    body = "".join(line("td", row) for row in rows)
    return f"<table><thead>{line('th', head)}</thead><tbody>{body}</tbody></table>"


def html_object(title: str, facts: Mapping[str, object], content: str = "", note: str = "") -> str:
    """An object: its name (which is HTML), its properties in one line, and a table of its content."""
    known = " · ".join(f"{escape(name)} <b>{escape(str(value))}</b>" for name, value in facts.items())
    more = f'<div style="opacity:0.7">{escape(note)}</div>' if note else ""
    return f'<div><div><b>{title}</b> &nbsp; {known}</div><div style="overflow-x:auto">{content}</div>{more}</div>'


def bytes_text(count: float) -> str:
    """A number of bytes with a unit.

    >>> bytes_text(17), bytes_text(3 * 2**20), bytes_text(2**50)
    ('17 bytes', '3.0 MiB', '1024.0 TiB')
    """
    if count < 1024:
        return f"{count:.0f} bytes"
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        count /= 1024
        if count < 1024 or unit == "TiB":
            break
    return f"{count:.1f} {unit}"


def new_figure(caller: str, **options: object) -> Figure:
    """An empty figure of matplotlib that a notebook shows at the end of a cell, whether pyplot was loaded or not."""
    return _shown_in_notebooks(needed("matplotlib.figure", caller).Figure)(**options)  # nothing else loads matplotlib


@cache
def _shown_in_notebooks(Figure: type) -> type:
    class NotebookFigure(Figure):
        def _repr_png_(self) -> bytes:
            from io import BytesIO

            file = BytesIO()
            self.savefig(file, format="png", bbox_inches="tight")
            return file.getvalue()

    return NotebookFigure
