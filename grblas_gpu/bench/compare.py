"""The comparison: breadth-first search and betweenness on Kronecker graphs, a grid and a Delaunay graph."""

from __future__ import annotations

from ..foundation.progress import progress
from ..foundation.types import Json
from . import graphs
from .contenders import contenders
from .graphs import BenchmarkGraph
from .harness import Session
from .tables import Table

REFERENCE = "python-graphblas"
TITLES = {"bfs": "Breadth-first search", "bc": "Betweenness centrality of one source"}
TITLE = "grblas_gpu next to other libraries"


def standard_graphs(small: bool) -> list[BenchmarkGraph]:
    """The graphs of ``make bench``, or small ones that take seconds."""
    if small:
        return [graphs.kronecker(10), graphs.grid(30), graphs.delaunay(10)]
    return [*map(graphs.kronecker, range(16, 21)), graphs.grid(1000), graphs.delaunay(17)]


def compare(
    small: bool, backend: str | None, names: list[str] | None, kernels: tuple[str, ...], sources: int, trials: int
) -> Json:
    """Measure, and return everything for tables, a page and a JSON file.

    ``backend`` selects one engine of this library; ``names`` selects contenders.
    """
    session = Session(TITLE)
    taking_part = contenders(names, device=backend != "cpu")
    if backend is not None:
        taking_part = [c for c in taking_part if not c.name.startswith("grblas_gpu") or c.name.endswith(backend)]
    if not taking_part:
        raise ValueError("no contender: neither this library on that backend nor another library is available")
    for graph in progress(standard_graphs(small), "graphs"):
        for kernel in kernels:
            session.measure(graph, kernel, taking_part, sources, trials)
        graph.forget()
    return session.result()


def tables(result: Json) -> list[Table]:
    """One table for each kernel."""
    found = []
    rows = result["measurements"]
    for kernel in dict.fromkeys(row["kernel"] for row in rows):
        columns = "graph,vertices,entries,contender,ms,q1,q3,GTEPS (entries),GTEPS (Graph500),x floor,speed-up"
        table = Table(TITLES[kernel], columns.split(","))
        for row in (row for row in rows if row["kernel"] == kernel):
            ms = row["milliseconds"]
            shape = [row[key] for key in ("graph", "vertices", "entries", "contender")]
            rates = [row[key] for key in ("gteps_entries", "gteps_graph500", "over_floor")]
            table.add(*shape, ms["median"], ms["q1"], ms["q3"], *rates, speed_up(rows, row))
        table.notes = [
            f"ms: median over sources and trials; speed-up over {REFERENCE}; all results verified",
            "GTEPS (entries): entries of the symmetric matrix over time; "
            "GTEPS (Graph500): undirected edges of the component searched over time",
            "x floor: time over that of copying the bytes that must move",
        ]
        found.append(table)
    return found


def speed_up(rows: list[Json], row: Json) -> float | None:
    """The speed-up over SuiteSparse on the same graph."""
    for other in rows:
        same = all(other[key] == row[key] for key in ("graph", "kernel"))
        if same and other["contender"] == REFERENCE:
            return other["milliseconds"]["median"] / row["milliseconds"]["median"]
    return None
