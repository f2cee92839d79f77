"""``grblas-gpu pagerank FILE``, ``sssp``, ``truss``, ``jaccard``, ...: algorithms of the library on files."""

from __future__ import annotations

import argparse
import inspect
import time
import tomllib
from pathlib import Path
from typing import NamedTuple

from ..foundation.types import Json
from .files import FORMATS, Loaded, check_table, read_graph, write_table
from .library_tables import LAYOUTS, Table, first_rows, groups, table
from .options import add_command, add_file, current_backend, pairs, positive, reading, show, vertex

#: Layouts whose rows belong together: all are shown.
WHOLE = ("path",)
OUTPUTS = ".csv .json .parquet .npz; other text with spaces"


def whole_numbers(text: str) -> list[int]:
    """Numbers from 1 on, with commas.

    >>> whole_numbers("10,5")
    [10, 5]
    """
    return [positive(part) for part in text.split(",")]


def _option(*flags: str, help: str, **options: object) -> tuple[tuple[str, ...], Json]:
    return flags, {"help": help, **options}


def _vertices(*flags: str, required: bool = True) -> tuple[tuple[str, ...], Json]:
    meaning = "a number or label; may be repeated" + "; all by default" * (not required)
    return _option(*flags, help=meaning, action="append", type=vertex, required=required)


#: One vertex, and several.
ENDS = {
    "source": _option("--source", "-s", type=vertex, required=True, help="from here: number or label"),
    "target": _option(type=vertex, required=True, help="to here: number or label"),
}
SEVERAL = {
    "sources": _vertices("--source", "-s"),
    "some": _vertices("--source", "-s", required=False),
    "personalization": _vertices("--source", "-s"),
    "vertices": _vertices("--vertex"),
}
#: What an algorithm may take from the command line.
ARGUMENTS: dict[str, tuple[tuple[str, ...], Json]] = {
    **ENDS,
    **SEVERAL,
    "seed": _option(type=int, default=1, help="of the random numbers (default: 1)"),
    "damping": _option(type=float, help="how often the walker follows an edge (default: 0.85)"),
    "alpha": _option(type=float, help="what a path is multiplied by for each of its edges (default: 0.1)"),
    "resolution": _option(type=float, help="above 1 for smaller communities (default: 1)"),
    "k": _option(type=positive, default=3, help="every edge is part of k - 2 triangles (default: 3)"),
    "radius": _option(type=float, default=1.0, help="how far away vertices may be (default: 1)"),
    "length": _option(
        "--length", type=positive, default=10, help="vertices that a walk has after its first (default: 10)"
    ),
    "p": _option(type=float, help="above 1 to go back less often (default: 1)"),
    "q": _option(type=float, help="above 1 to stay near where the walk came from (default: 1)"),
    "fanouts": _option(type=whole_numbers, default=[10], help="neighbours of each step (default: 10)"),
    "normalized": _option("--no-normalize", action="store_false", help="count paths instead of taking their share"),
    "costs": _option(metavar="FILE", required=True, help="a file like it, with the cost of each edge"),
    "edges": _option(action="store_true", help="only pairs that an edge joins"),
    "weighted": _option(action="store_true", help="weights count"),
}


def add_commands(commands: object) -> None:
    for name, what in COMMANDS.items():
        columns = "" if what.layout == "number" else ",".join(LAYOUTS[what.layout].columns(what.value))
        lines = f"print all as '{columns}' lines, and no more" if columns else ""
        command = add_command(commands, name, run, what.help, csv=lines)
        add_file(command, FORMATS)
        for argument in what.arguments.split():
            flags, options = ARGUMENTS[argument]
            command.add_argument(*flags or (f"--{argument}",), dest=argument, **options)
        most = None if what.layout in WHOLE else 10
        command.add_argument("--top", type=positive, default=most, help=f"how many to show (default: {most or 'all'})")
        if columns:
            command.add_argument("--output", "-o", metavar="FILE", help=f"write all, by the suffix: {OUTPUTS}")


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
