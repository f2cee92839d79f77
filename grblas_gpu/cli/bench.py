"""``grblas-gpu bench``: this library next to others; ``grblas-gpu bench 004.table2``: a paper's experiment."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from .files import UsageError, check_folder
from .options import add_command, positive


def add_commands(commands: Any) -> None:
    command = add_command(
        commands, "bench", run, "how fast, against what: a comparison, or experiments of papers", ("cpu", "cuda")
    )
    command.add_argument("names", nargs="*", metavar="EXPERIMENT", help="004.table2 and the like; --list shows all")
    command.add_argument("--list", action="store_true", help="list the experiments")
    command.add_argument("--small", action="store_true", help="sizes that take seconds")
    command.add_argument("--report", metavar="FILE", help="write a page (HTML) with tables and plots")
    command.add_argument("--output", "-o", metavar="FILE", help="write the results as JSON")
    command.add_argument("--contenders", metavar="NAMES", help="only these, by a part of their names, with commas")
    command.add_argument("--kernels", default="bfs,bc", help="what to compare: bfs,bc (the default) or one of them")
    command.add_argument("--sources", type=positive, default=3, help="random sources per graph (default: 3)")
    command.add_argument("--trials", type=positive, default=5, help="runs per source (default: 5)")


def run(options: argparse.Namespace) -> int:
    from ..benchmarks.papers import EXPERIMENTS

    if options.list:
        table = {name: f"{experiment.title}: {experiment.paper}" for name, experiment in EXPERIMENTS.items()}
        print(json.dumps(table) if options.json else "\n".join(f"{name:18}{what}" for name, what in table.items()))
        return 0
    for file in (options.report, options.output):
        if file:
            check_folder(file)
    unknown = [name for name in options.names if name not in EXPERIMENTS]
    if unknown:
        raise UsageError(f"unknown experiment {', '.join(unknown)}; choose from {', '.join(EXPERIMENTS)}")
    names = options.contenders.split(",") if options.contenders else None
    if names:
        _check_contenders(names)
    result, tables, page = _papers(options, names) if options.names else _comparison(options, names)
    if options.report:
        Path(options.report).write_text(page, encoding="utf-8")
    if options.output:
        Path(options.output).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result) if options.json else "\n\n".join(map(str, tables)))
    return 0


def _check_contenders(names: list[str]) -> None:
    from ..benchmarks.contenders import contenders

    try:
        contenders(names)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _comparison(options: argparse.Namespace, names: list[str] | None) -> tuple[Any, list[Any], str]:
    from ..benchmarks import compare, report

    kernels = tuple(options.kernels.split(","))
    if not set(kernels) <= {"bfs", "bc"}:
        raise UsageError(f"--kernels must be bfs, bc or both; got {options.kernels!r}")
    result = compare.compare(
        small=options.small,
        backend=options.backend,
        names=names,
        kernels=kernels,
        sources=options.sources,
        trials=options.trials,
    )
    return result, compare.tables(result), report.page(result)


def _papers(options: argparse.Namespace, names: list[str] | None) -> tuple[Any, list[Any], str]:
    from ..benchmarks import report
    from ..benchmarks.papers import reproduce
    from ..benchmarks.papers.common import Options

    settings = Options(options.backend or "", options.small, options.sources, options.trials, names)
    results, tables = [], []
    for name in options.names:
        found, result = reproduce(name, settings)
        results.append(result)
        tables += found
    return results, tables, report.papers_page(results)
