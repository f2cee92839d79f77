"""Result files as a page of the documentation.

python -m benchmarks.papers.document benchmarks/results docs/benchmark-results.md
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ..text_tables import device, is_numeric, origin, shown
from . import EXPERIMENTS
from .remarks import remarks

HEAD = """# Results beside the papers'

Made by `python -m benchmarks.papers.document` from the files in `benchmarks/results/`; do not edit.
[Benchmarks](benchmarks.md) says how to repeat them, how things are counted, and where all experiments differ from the
papers'. What differs in the result of one, and why, stands below its tables. Each result names the commit that it was
measured at. Those of ac330ac4 and 9da6d0a9 are from before [loops ran on the device](loops.md): figures for whole
searches are several times better since.
"""


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
    parts = [HEAD, _missing(experiments)]
    for result in experiments:
        parts.append(f"## {result['experiment']}: {result['title']}\n")
        parts.append(f"{result['paper']}. {origin(result)}\n")
        for table in result["tables"]:
            parts.append(f"{table['title']}\n\n{_table(table)}")
            parts += [*(f"- {note}" for note in table["notes"]), *([""] if table["notes"] else [])]
        differences = remarks(result["experiment"], result["commit"])
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
