"""Result files as a page of the documentation.

python -m benchmarks.papers.document benchmarks/results docs/benchmark-results.md
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ..text_tables import shown

HEAD = """# Results beside the papers'

Made by `python -m benchmarks.papers.document` from the files in `benchmarks/results/`; do not edit.
[Benchmarks](benchmarks.md) says how to repeat them, how things are counted, and where these experiments differ from the
papers'.
"""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.papers.document", description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="with NAME.json files of experiments")
    parser.add_argument("page", help="the Markdown file to write")
    options = parser.parse_args(arguments)
    files = sorted(Path(options.folder).glob("*.json"))
    found = [json.loads(file.read_text()) for file in files]
    experiments = [result for result in found if isinstance(result, dict) and "experiment" in result]
    if not experiments:
        parser.error(f"no results of experiments in {options.folder}")
    Path(options.page).write_text(page(experiments))
    return 0


def page(experiments: list[dict[str, Any]]) -> str:
    parts = [HEAD]
    for result in experiments:
        parts.append(f"## {result['experiment']}: {result['title']}\n")
        parts.append(f"{result['paper']}. {_origin(result)}\n")
        for table in result["tables"]:
            parts.append(f"{table['title']}\n\n{_table(table)}")
            parts += [f"- {note}" for note in table["notes"]]
            parts.append("")
    return "\n".join(parts)


def _origin(result: dict[str, Any]) -> str:
    machine = result["machine"]
    device = machine["gpu"] if result["backend"] == "cuda" else f"{machine['cpu']}, {machine['cores']} cores"
    commit = f", commit {result['commit'][:12]}" if result["commit"] else ""
    return f"Ours: {device}, memory copies at {result['copy_gb_per_s']:.0f} GB/s, {result['date']}{commit}."


def _table(table: dict[str, Any]) -> str:
    lines = [table["columns"], ["---"] * len(table["columns"]), *([shown(x) for x in row] for row in table["rows"])]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
