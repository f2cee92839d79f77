"""The commands that run an algorithm of the library on a file: the rows of commands.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple

from ..foundation.types import Json
from .library_tables import Table


class Command(NamedTuple):
    """An algorithm, the name of its values, and the rows to show first."""

    algorithm: str
    value: str
    help: str
    first: str = "highest"  # or "lowest" values, the largest "groups" with equal values, or rows "in order"
    arguments: str = ""  # command-line arguments that the algorithm takes
    layout: str = "vertices"  # the layout of the table, or "number"
    weighted: bool = False  # whether weights always matter
    labels: bool = False  # whether values are vertices
    more: Json | None = None  # other arguments of the algorithm
    part: str = ""  # the part of the result that is the table
    facts: dict[str, str] | None = None  # further facts, by the part of the result that has each
    totals: dict[str, int] | None = None  # facts that are sums of all values, and how often each is in the sum

    def table_of(self, found: object) -> object:
        return getattr(found, self.part) if self.part else found

    def facts_of(self, found: object, table: Table) -> dict[str, object]:
        facts = {name: getattr(found, part) for name, part in (self.facts or {}).items()}
        for name, times in (self.totals or {}).items():
            total = sum(row[-1] for row in table.rows)
            facts[name] = total if times == 1 else total // times
        return facts


ROWS = tomllib.loads(Path(__file__).with_name("commands.toml").read_text(encoding="utf-8"))
COMMANDS = {name: Command(**row) for name, row in ROWS.items()}
