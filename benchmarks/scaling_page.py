"""Write the tables of benchmarks/results/scaling.md from the measured results and the model.

    python -m benchmarks.scaling_page

Measured by ``level_costs.py`` (results/level_costs.cpu.json and, where a GPU was there, level_costs.cuda.json) and by
``scaling.py --out`` (results/scaling.cpu.json). A table follows ``<!-- table: NAME -->``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from . import level_costs, scaling
from .level_costs import RESULTS
from .text_tables import Table, is_numeric, shown

PAGE = Path(__file__).resolve().parent / "results" / "scaling.md"
PER_RANK = 15  # 2**15 vertices of each rank, measured
HEADS = {
    "bytes/vertex": "bytes per vertex",
    "results/vertex": "results per vertex",
    "rounds": "rounds a level",
    "MTEPS (median)": "MTEPS (median, 16 roots)",
    "carried": "carried by",
    "us/level": "us a level",
    "search-ms": "ms a search",
    "median": "median of 16",
    "MB/rank": "MB sent by a rank",
    "compute-ms": "computing ms",
    "send-ms": "sending ms",
    "wait-ms": "waiting ms",
    "GB/rank": "GB per rank",
}


def markdown(table: Table) -> str:
    numeric = [is_numeric([row[k] for row in table.rows]) for k in range(len(table.columns))]
    lines = [
        [HEADS.get(name, name) for name in table.columns],
        ["---:" if right else "---" for right in numeric],
        *([shown(cell) for cell in row] for row in table.rows),
    ]
    rows = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return rows + "".join(f"\n*{note}*\n" for note in table.notes)


def tables() -> dict[str, Table]:
    """By their names in the page; none of a GPU where none was measured."""
    kept = json.loads((RESULTS / "scaling.cpu.json").read_text(encoding="utf-8"))
    weak, small, large = scaling.tables(scaling.kept_results(kept), PER_RANK)
    found = {"weak scaling": weak, "2**21 vertices": small, "2**25 vertices": large}
    for local in ("cpu", "cuda"):
        if rows := level_costs.rows_of(local):
            found[f"levels on {local}"] = level_costs.table(rows, local)
    return found


def written(text: str) -> str:
    """The page with these tables."""
    for name, table in tables().items():
        place = re.compile(rf"(<!-- table: {re.escape(name)} -->\n\n)(?:\|.*\n)*(?:\n\*[^*]+\*\n)*\n*")
        if not place.search(text):
            raise ValueError(f"{PAGE.name}: no place for the table {name!r}")
        text = place.sub(rf"\g<1>{markdown(table)}\n", text)
    return text


def main() -> None:
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    for name, table in tables().items():
        print(f"{name}: {len(table.rows)} rows", *table.notes, sep="\n  ")


if __name__ == "__main__":
    main()
