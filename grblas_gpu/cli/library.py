"""``grblas-gpu pagerank FILE``, ``sssp``, ``truss``, ``jaccard``, ...: algorithms of the library on files."""

from __future__ import annotations

import argparse
import inspect
import time
from collections.abc import Callable

from .files import FORMATS, Loaded, check_table, read_graph, write_table
from .library_commands import COMMANDS, Command
from .library_tables import LAYOUTS, Table, first_rows, groups, table
from .options import add_command, add_file, current_backend, pairs, positive, reading, show, vertex

#: Numeric options: the type, the default (None: that of the algorithm) and the help text.
NUMBERS: dict[str, tuple[Callable[[str], object], object, str]] = {
    "seed": (int, 1, "of the random numbers (default: 1)"),
    "damping": (float, None, "how often the walker follows an edge (default: 0.85)"),
    "alpha": (float, None, "what a path is multiplied by for each of its edges (default: 0.1)"),
    "resolution": (float, None, "above 1 for smaller communities (default: 1)"),
    "k": (positive, 3, "every edge is part of k - 2 triangles (default: 3)"),
    "radius": (float, 1.0, "how far away vertices may be (default: 1)"),
    "length": (positive, 10, "vertices that a walk has after its first (default: 10)"),
    "p": (float, None, "above 1 to go back less often (default: 1)"),
    "q": (float, None, "above 1 to stay near where the walk came from (default: 1)"),
}
#: Layouts whose rows belong together: all are shown.
WHOLE = ("path",)
OUTPUTS = ".csv .json .parquet .npz; other text with spaces"
ENDS = {"source": "from here", "target": "to here"}
#: Options for several vertices; they may be repeated.
SEVERAL = {
    "sources": ("--source", "-s"),
    "some": ("--source", "-s"),  # all by default
    "personalization": ("--source", "-s"),
    "vertices": ("--vertex",),
}


def add_commands(commands: object) -> None:
    for name, what in COMMANDS.items():
        columns = "" if what.layout == "number" else ",".join(LAYOUTS[what.layout].columns(what.value))
        lines = f"print all as '{columns}' lines, and no more" if columns else ""
        command = add_command(commands, name, run, what.help, csv=lines)
        add_file(command, FORMATS)
        for argument in what.arguments.split():
            add_argument(command, argument)
        most = None if what.layout in WHOLE else 10
        command.add_argument("--top", type=positive, default=most, help=f"how many to show (default: {most or 'all'})")
        if columns:
            command.add_argument("--output", "-o", metavar="FILE", help=f"write all, by the suffix: {OUTPUTS}")


def add_argument(command: argparse.ArgumentParser, name: str) -> None:
    if name in NUMBERS:
        kind, default, meaning = NUMBERS[name]
        command.add_argument(f"--{name}", type=kind, default=default, help=meaning)
    elif name in ENDS:
        short = ("-s",) if name == "source" else ()
        command.add_argument(f"--{name}", *short, type=vertex, required=True, help=f"{ENDS[name]}: number or label")
    elif name in SEVERAL:
        meaning = "a number or label; may be repeated" + "; all by default" * (name == "some")
        wanted = name != "some"
        command.add_argument(*SEVERAL[name], dest=name, action="append", type=vertex, required=wanted, help=meaning)
    elif name == "fanouts":
        command.add_argument(
            "--fanouts", type=whole_numbers, default=[10], help="neighbours of each step (default: 10)"
        )
    elif name == "normalized":
        meaning = "count paths instead of taking their share"
        command.add_argument("--no-normalize", dest=name, action="store_false", help=meaning)
    elif name == "costs":
        command.add_argument(
            "--costs", metavar="FILE", required=True, help="a file like it, with the cost of each edge"
        )
    elif name == "edges":
        command.add_argument("--edges", action="store_true", help="only pairs that an edge joins")
    else:
        command.add_argument(f"--{name}", action="store_true", help="weights count")


def whole_numbers(text: str) -> list[int]:
    """Numbers from 1 on, with commas.

    >>> whole_numbers("10,5")
    [10, 5]
    """
    return [positive(part) for part in text.split(",")]


def given(what: Command, graph: Loaded, options: argparse.Namespace) -> dict[str, object]:
    """The arguments of the algorithm."""
    from .. import algorithms

    found: dict[str, object] = dict(what.more or {})
    if "directed" in inspect.signature(getattr(algorithms, what.algorithm)).parameters:
        found["directed"] = graph.directed
    for name in what.arguments.split():
        value = getattr(options, name)
        if name in ENDS:
            value = graph.vertex(value)
        elif name in SEVERAL:
            value = [graph.vertex(text) for text in value or ()] or None
            value = dict.fromkeys(value, 1.0) if value and name == "personalization" else value
            name = "sources" if name == "some" else name
        elif name == "costs":
            value = graph.same_vertices(read_graph(value, **reading(options)))
        elif name == "edges":
            name, value = "pairs", graph.matrix if value else None
        if value is not None:
            found[name] = value
    return found


def run(options: argparse.Namespace) -> int:
    from .. import algorithms
    from ..algorithms.labels import calling

    what = COMMANDS[options.command]
    output, as_csv = getattr(options, "output", None), getattr(options, "csv", False)
    if output:
        check_table(output)
    start = time.perf_counter()
    weighted = what.weighted or getattr(options, "weighted", False)
    graph = read_graph(options.file, weighted=weighted, **reading(options))
    loaded = time.perf_counter()
    with calling(what.algorithm, None if graph.labels is None else graph):  # errors name vertices by their labels
        found = getattr(algorithms, what.algorithm)(graph.matrix, **given(what, graph, options))
    result = {
        "file": options.file,
        "vertices": graph.matrix.nrows,
        "entries": graph.matrix.nvals,
        "backend": current_backend(),
        "load_seconds": loaded - start,
    }
    if what.layout == "number":
        result |= {what.value: found, "seconds": time.perf_counter() - loaded}
        show(options, result, pairs(result))
        return 0
    layout = LAYOUTS[what.layout]
    all_rows = Table(layout.columns(what.value), layout.rows(graph, what.table_of(found), what.labels))
    result["seconds"] = time.perf_counter() - loaded
    result |= what.facts_of(found, all_rows)
    if output:
        write_table(output, *all_rows)
    if as_csv:
        write_table("-", *all_rows, delimiter=",")
        return 0
    if what.first == "groups":
        top = groups(all_rows, options.top)
        result[plural(what.value)] = len({row[1] for row in all_rows.rows})
    else:
        top = first_rows(all_rows, what.first, options.top)
    left = len(all_rows.rows) - len(top) if what.first != "groups" else 0
    more = [f"... and {left:,} more (--top {len(all_rows.rows)}, --csv or -o FILE)"] if left else []
    show(options, {**result, "top": top}, "\n".join([pairs(result), "", table(top), *more]))
    return 0


def plural(word: str) -> str:
    """The plural of a word.

    >>> plural("community"), plural("colour")
    ('communities', 'colours')
    """
    return word[:-1] + "ies" if word.endswith("y") else word + "s"
