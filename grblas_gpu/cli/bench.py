"""``grblas-gpu bench``: this library next to others."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from .files import UsageError, check_folder
from .options import add_command, positive


def add_commands(commands: object) -> None:
    command = add_command(commands, "bench", run, "how fast, against what: next to other libraries", ("cpu", "cuda"))
    command.add_argument("--small", action="store_true", help="sizes that take seconds")
    command.add_argument("--report", metavar="FILE", help="write a page (HTML) with tables and plots")
    command.add_argument("--output", "-o", metavar="FILE", help="write the results as JSON")
    command.add_argument("--contenders", metavar="NAMES", help="only these, by a part of their names, with commas")
    command.add_argument("--list", action="store_true", help="only list the contenders of this machine")
    command.add_argument("--kernels", default="bfs,bc", help="what to compare: bfs,bc (the default) or one of them")
    command.add_argument("--sources", type=positive, default=3, help="random sources per graph (default: 3)")
    command.add_argument("--trials", type=positive, default=5, help="runs per source (default: 5)")


def run(options: argparse.Namespace) -> int:
    from ..bench import compare, report
    from ..bench.contenders import contenders
    from ..config import config

    if options.list:
        found = [{"name": each.name, "backend": each.backend, "note": each.note} for each in contenders()]
        lines = ["  ".join([f"{each['name']:30}", f"{each['backend']:8}", each["note"]]).rstrip() for each in found]
        print(json.dumps({"contenders": found}) if options.json else "\n".join(lines))
        return 0
    config.set(compile="wait")  # measure compiled loops
    for file in (options.report, options.output):
        if file:
            check_folder(file)
    kernels = tuple(options.kernels.split(","))
    if not set(kernels) <= {"bfs", "bc"}:
        raise UsageError(f"--kernels must be bfs, bc or both; got {options.kernels!r}")
    names = options.contenders.split(",") if options.contenders else None
    try:
        contenders(names)
    except ValueError as error:
        raise UsageError(str(error)) from None
    result = compare.compare(options.small, options.backend, names, kernels, options.sources, options.trials)
    if options.report:
        Path(options.report).write_text(report.page(result), encoding="utf-8")
    if options.output:
        Path(options.output).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result) if options.json else "\n\n".join(map(str, compare.tables(result))))
    return 0
