"""Write result files as a Markdown page.

python -m benchmarks.papers.document benchmarks/results benchmarks/results/papers.md
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ..text_tables import device, is_numeric, origin, shown
from . import EXPERIMENTS
from .remarks import REMARKS

HEAD = """# Experiments of the five papers

Written by `python -m benchmarks.papers.document` from the files in `benchmarks/results/`; do not edit.
`docs/benchmarks.md` says how to repeat the experiments, how they are counted, and how all of them differ from the
papers. Notes below the tables say what differs in one experiment, and why. Each result names its commit.
"""
#: Columns that say how many times as fast as the paper a row is, or as the system's own other form.
RATIOS = {
    "000": ("ratio", "the paper's rate"),
    "002": ("ratio", "the paper's rate"),
    "003.asynchronous": ("speed-up", "the synchronous search"),
    "004.figure7": ("paper / ours", "the paper's time"),
    "004.table2": ("over the paper", "the paper's rate"),
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.papers.document", description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="with NAME.json files of experiments")
    parser.add_argument("page", help="the Markdown file to write")
    options = parser.parse_args(arguments)
    experiments = results(options.folder)
    if not experiments:
        parser.error(f"no results of experiments in {options.folder}")
    Path(options.page).write_text(page(experiments))
    return 0


def results(folder: str | Path) -> list[dict[str, Any]]:
    """Those of experiments, in the order of their names."""
    found = [json.loads(file.read_text()) for file in sorted(Path(folder).glob("*.json"))]
    return [result for result in found if isinstance(result, dict) and "experiment" in result]


def page(experiments: list[dict[str, Any]]) -> str:
    parts = [HEAD, _missing(experiments), _commits(experiments), _slower(experiments)]
    for result in experiments:
        parts.append(f"## {result['experiment']}: {result['title']}\n")
        parts.append(f"{result['paper']}. {origin(result)}\n")
        for table in result["tables"]:
            parts.append(f"{table['title']}\n\n{_table(table)}")
            parts += [*(f"- {note}" for note in table["notes"]), *([""] if table["notes"] else [])]
        differences = REMARKS.get(result["experiment"], [])
        if differences:
            parts += ["**What differs, and why**\n", *(f"- {difference}" for difference in differences), ""]
    return "\n".join(parts).rstrip("\n") + "\n"


def _missing(experiments: list[dict[str, Any]]) -> str:
    names = {result["experiment"] for result in experiments}
    missing = [f"`{name}` ({experiment.title})" for name, experiment in EXPERIMENTS.items() if name not in names]
    if not missing:
        return "All experiments are here.\n"
    where = ", ".join(dict.fromkeys(device(result) for result in experiments))
    return f"**Not run yet** on {where}, so without a result here: {', '.join(missing)}.\n"


def slower(result: dict[str, Any]) -> list[tuple[str, str, float]]:
    """The rows of a result in which a system is slower than its paper: row, what it is compared with, the ratio."""
    found: list[tuple[str, str, float]] = []
    for start, (column, what) in RATIOS.items():
        if not result["experiment"].startswith(start):
            continue
        for table in result["tables"]:
            if column in table["columns"]:
                at = table["columns"].index(column)
                found += [(str(row[0]), what, row[at]) for row in table["rows"] if row[at] is not None and row[at] < 1]
    return found


def _slower(experiments: list[dict[str, Any]]) -> str:
    rows = [[result["experiment"], *each] for result in experiments for each in slower(result)]
    if not rows:
        return "## Slower than the paper\n\nNo row is.\n"
    table = {"columns": ["experiment", "row", "compared with", "ratio"], "rows": rows}
    return f"## Slower than the paper\n\nThese rows are; all others are at least as fast.\n\n{_table(table)}"


def _commits(experiments: list[dict[str, Any]]) -> str:
    by_commit: dict[str, list[str]] = {}
    for result in experiments:
        by_commit.setdefault((result["commit"] or "no commit")[:12], []).append(result["experiment"])
    if len(by_commit) == 1:
        return f"All were measured at commit {next(iter(by_commit))}.\n"
    listed = "; ".join(f"{commit}: {', '.join(names)}" for commit, names in by_commit.items())
    return f"They were measured at several commits: {listed}.\n"


def _table(table: dict[str, Any]) -> str:
    right = [is_numeric(list(column)) for column in zip(*table["rows"], strict=True)]
    lines = [
        table["columns"],
        ["---:" if number else "---" for number in right],
        *([shown(x) for x in row] for row in table["rows"]),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
