"""Tables, which every benchmark prints, writes as JSON and shows on a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..foundation.types import Json


@dataclass
class Table:
    """A title, named columns and rows of text and numbers; None is an empty cell."""

    title: str
    columns: list[str]
    rows: list[list[object]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, *cells: object) -> None:
        if len(cells) != len(self.columns):
            raise ValueError(f"{self.title}: {len(cells)} cells for {len(self.columns)} columns")
        self.rows.append(list(cells))

    def column(self, name: str) -> list[object]:
        k = self.columns.index(name)
        return [row[k] for row in self.rows]

    def as_dict(self) -> Json:
        return {"title": self.title, "columns": self.columns, "rows": self.rows, "notes": self.notes}

    def __str__(self) -> str:
        cells = [self.columns, *([shown(cell) for cell in row] for row in self.rows)]
        widths = [max(len(row[k]) for row in cells) for k in range(len(self.columns))]
        numeric = [is_numeric(self.column(name)) for name in self.columns]
        lines = [
            "  ".join(
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(row, widths, numeric, strict=True)
            ).rstrip()
            for row in cells
        ]
        rule = "-" * max(len(line) for line in lines)
        return "\n".join([self.title, rule, lines[0], rule, *lines[1:], *(f"  {note}" for note in self.notes)])


def is_numeric(cells: list[object]) -> bool:
    return all(cell is None or isinstance(cell, (int, float)) for cell in cells)


def shown(cell: object) -> str:
    """Numbers with about three digits and thousands separators; an empty string for None."""
    if cell is None:
        return ""
    if isinstance(cell, bool) or not isinstance(cell, (int, float)):
        return str(cell)
    if isinstance(cell, int):
        return f"{cell:,}"
    size = abs(cell)
    return f"{cell:,.{0 if size >= 100 else 1 if size >= 10 else 2}f}" if size >= 1 else f"{cell:.3g}"


def markdown(columns: list[str], rows: Iterable[Sequence[object]], right: list[bool] | None = None) -> str:
    """A table for a page; ``right``: the columns that are aligned there, by default those of numbers."""
    cells = list(rows)
    right = right or [is_numeric(list(column)) for column in zip(*cells, strict=True)]
    lines = [columns, ["---:" if number else "---" for number in right], *([shown(x) for x in row] for row in cells)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
