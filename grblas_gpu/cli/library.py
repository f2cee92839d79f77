"""``grblas-gpu pagerank FILE``, ``sssp``, ``components``, ``louvain``, ...: algorithms of the library on files."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from .files import FORMATS, check_folder, read_graph, write_values
from .options import add_command, add_file, current_backend, pairs, positive, reading, show, vertex


class Command(NamedTuple):
    """An algorithm with a value for every vertex: what the value is called, and what its users want to see first."""

    algorithm: str
    value: str
    help: str
    first: str = "highest"  # or "lowest" values, or the largest "groups" of vertices with the same
    arguments: str = ""  # of the command line, that the algorithm takes, too
    more: dict[str, Any] | None = None  # other arguments of the algorithm
    weighted: bool = False  # whether weights count
    part: str = ""  # of a result with several


#: Numbers that algorithms take: what they mean and, where the algorithm has no default, one.
NUMBERS: dict[str, tuple[Callable[[str], Any], Any, str]] = {
    "seed": (int, 1, "of the random numbers (default: 1)"),
    "damping": (float, None, "how often the walker follows an edge (default: 0.85)"),
    "alpha": (float, None, "what a path is multiplied by for each of its edges (default: 0.1)"),
    "resolution": (float, None, "above 1 for smaller communities (default: 1)"),
}

COMMANDS = {
    "pagerank": Command("pagerank", "rank", "the share of time of a random walker", arguments="damping", weighted=True),
    "eigenvector": Command(
        "eigenvector_centrality", "centrality", "eigenvector centrality", more={"max_iterations": 1000}
    ),
    "katz": Command("katz", "centrality", "Katz centrality", arguments="alpha"),
    "hubs": Command("hits", "hub", "hubs: what leads to authorities (HITS)", weighted=True, part="hubs"),
    "authorities": Command("hits", "authority", "authorities: what hubs lead to", weighted=True, part="authorities"),
    "closeness": Command("closeness", "closeness", "the inverse of the mean distance to a vertex"),
    "clustering": Command("clustering", "clustering", "the share of pairs of neighbours that are joined"),
    "triangles": Command("triangles", "triangles", "the triangles that each vertex is part of"),
    "core": Command("core_number", "core", "core numbers"),
    "sssp": Command("sssp", "distance", "shortest paths from a vertex, by weight", "lowest", "source", weighted=True),
    "components": Command("connected_components", "component", "connected components", "groups"),
    "scc": Command("strongly_connected_components", "component", "strongly connected components", "groups"),
    "louvain": Command(
        "louvain",
        "community",
        "communities of high modularity",
        "groups",
        "seed resolution",
        weighted=True,
        part="labels",
    ),
    "leiden": Command(
        "leiden",
        "community",
        "connected communities of high modularity",
        "groups",
        "seed resolution",
        weighted=True,
        part="labels",
    ),
    "labels": Command("label_propagation", "label", "communities by label propagation", "groups"),
    "colouring": Command("vertex_colouring", "colour", "colours that differ between neighbours", "groups", "seed"),
}


def add_commands(commands: Any) -> None:
    for name, what in COMMANDS.items():
        command = add_command(commands, name, run, what.help)
        add_file(command, FORMATS)
        if "source" in what.arguments:
            command.add_argument("--source", "-s", type=vertex, required=True, help="from here: number or label")
        for number in numbers_of(what):
            kind, default, meaning = NUMBERS[number]
            command.add_argument(f"--{number}", type=kind, default=default, help=meaning)
        command.add_argument("--top", type=positive, default=10, help="how many to show (default: 10)")
        command.add_argument(
            "--csv", action="store_true", help="print 'vertex,value' lines of all vertices, and no more"
        )
        command.add_argument("--output", "-o", metavar="FILE", help="write 'vertex value' lines")


def numbers_of(what: Command) -> list[str]:
    return [name for name in what.arguments.split() if name in NUMBERS]


def run(options: argparse.Namespace) -> int:
    from .. import algorithms

    if options.output:
        check_folder(options.output)
    what = COMMANDS[options.command]
    start = time.perf_counter()
    graph = read_graph(options.file, weighted=what.weighted, **reading(options))
    loaded = time.perf_counter()
    arguments = dict(what.more or {})
    if "source" in what.arguments:
        arguments["source"] = graph.vertex(options.source)
    arguments |= {name: given for name in numbers_of(what) if (given := getattr(options, name)) is not None}
    found = getattr(algorithms, what.algorithm)(graph.matrix, **arguments)
    values = getattr(found, what.part) if what.part else found
    vertices, numbers = (array.tolist() for array in values.to_coo())
    result = {
        "file": options.file,
        "vertices": graph.matrix.nrows,
        "entries": graph.matrix.nvals,
        "backend": current_backend(),
        "load_seconds": loaded - start,
        "seconds": time.perf_counter() - loaded,
    }
    if hasattr(found, "modularity"):
        result["modularity"] = found.modularity
    if what.value == "triangles":
        result["triangles"] = sum(numbers) // 3
    of_vertices = what.first == "groups" and what.value != "colour"  # a group goes by one of its vertices
    if options.output:
        write_values(options.output, graph, values, what.value, vertices=of_vertices)
    if options.csv:
        write_values("-", graph, values, what.value, delimiter=",", vertices=of_vertices)
        return 0
    if what.first == "groups":
        result[f"{plural(what.value)}"] = len(set(numbers))
        name = graph.label if of_vertices else (lambda number: number)
        top = [{what.value: name(group), "size": size} for group, size in Counter(numbers).most_common(options.top)]
    else:
        order = sorted(range(len(numbers)), key=numbers.__getitem__, reverse=what.first == "highest")[: options.top]
        top = [{"vertex": graph.label(vertices[i]), what.value: numbers[i]} for i in order]
    show(options, {**result, "top": top}, "\n".join([pairs(result), "", table(top)]))
    return 0


def plural(word: str) -> str:
    """The name of several.

    >>> plural("community"), plural("colour")
    ('communities', 'colours')
    """
    return word[:-1] + "ies" if word.endswith("y") else word + "s"


def table(rows: list[dict[str, Any]]) -> str:
    """Two columns with a header.

    >>> print(table([{"vertex": "ann", "rank": 0.25}]))
          vertex  rank
             ann  0.25
    """
    form: Callable[[Any], str] = lambda x: f"{x:.6g}" if isinstance(x, float) else str(x)  # noqa: E731
    lines = [list(rows[0])] if rows else []
    lines += [[form(x) for x in row.values()] for row in rows]
    return "\n".join(f"{first:>12}  {second}" for first, second in lines)
