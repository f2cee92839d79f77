"""Tables: what every benchmark prints, writes as JSON and shows on a page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Table:
    """A title, named columns and rows of text and numbers; None is an empty cell."""

    title: str
    columns: list[str]
    rows: list[list[Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, *cells: Any) -> None:
        if len(cells) != len(self.columns):
            raise ValueError(f"{self.title}: {len(cells)} cells for {len(self.columns)} columns")
        self.rows.append(list(cells))

    def column(self, name: str) -> list[Any]:
        k = self.columns.index(name)
        return [row[k] for row in self.rows]

    def as_dict(self) -> dict[str, Any]:
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


def is_numeric(cells: list[Any]) -> bool:
    return all(cell is None or isinstance(cell, (int, float)) for cell in cells)


def shown(cell: Any) -> str:
    """Numbers with three digits or so, thousands apart; nothing for None."""
    if cell is None:
        return ""
    if isinstance(cell, bool) or not isinstance(cell, (int, float)):
        return str(cell)
    if isinstance(cell, int):
        return f"{cell:,}"
    size = abs(cell)
    if size >= 1000:
        return f"{cell:,.0f}"
    if size >= 100:
        return f"{cell:.0f}"
    if size >= 10:
        return f"{cell:.1f}"
    if size >= 1:
        return f"{cell:.2f}"
    return f"{cell:.3g}"


def device(result: dict[str, Any]) -> str:
    """What the experiment of a result ran on."""
    machine = result["machine"]
    return machine["gpu"] if result["backend"] == "cuda" else f"{machine['cpu']}, {machine['cores']} cores"


def origin(result: dict[str, Any]) -> str:
    """Where the numbers of an experiment are from."""
    changed = "+" if (result["commit"] or "").endswith("+") else ""
    commit = f", commit {result['commit'][:12]}{changed}" if result["commit"] else ""
    return f"Ours: {device(result)}, memory copies at {result['copy_gb_per_s']:.0f} GB/s, {result['date']}{commit}."
