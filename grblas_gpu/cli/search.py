"""``grblas-gpu bfs FILE --source S``."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..foundation.types import Matrix, Vector
from .files import FORMATS, UsageError, check_folder, check_table, read_graph, write_table
from .library import OUTPUTS
from .library_tables import of_vertices, table
from .options import add_command, add_file, current_backend, pairs, positive, reading, show, vertex

Result = TypeVar("Result")

SEARCHES = {
    "bfs": "top-down or bottom-up, selected by the planner",
    "dobfs": "direction-optimising (Yang, Buluc, Owens)",
    "turbobfs": "masked products (Artiles, Saeed)",
    "hybrid_bfs": "counting edges, on a prepared graph (Hiragushi, Takahashi)",
    "xbfs": "adaptive frontiers, asynchronous bottom-up (Gaihre et al.)",
}
SHOWN = 40  # limit of the levels in a table


def add_commands(commands: object) -> None:
    bfs = add_command(commands, "bfs", run_bfs, "distances from a vertex")
    add_file(bfs, FORMATS)
    bfs.add_argument("--source", "-s", type=vertex, required=True, help="the vertex to start from: number or label")
    described = "; ".join(f"{name}: {what}" for name, what in SEARCHES.items())
    bfs.add_argument("--algorithm", "-a", choices=list(SEARCHES), default="dobfs", help=described)
    bfs.add_argument("--trace", action="store_true", help="show every operation: strategy, reason, sizes, time")
    bfs.add_argument("--plot", metavar="FILE", help="draw frontier, direction and time of every level (matplotlib)")
    bfs.add_argument("--repeat", type=positive, default=3, help="runs to take the best time of (default: 3)")
    bfs.add_argument("--output", "-o", metavar="FILE", help=f"write vertices and levels, by the suffix: {OUTPUTS}")


def run_bfs(options: argparse.Namespace) -> int:
    from .. import algorithms

    if options.output:
        check_table(options.output)
    if options.plot:
        check_folder(options.plot)
        check_picture(options.plot)
    graph, loading = _timed(lambda: read_graph(options.file, weighted=False, **reading(options)))
    A, source = graph.matrix, graph.vertex(options.source)
    search = getattr(algorithms, options.algorithm)
    times = []
    for _ in range(options.repeat):
        levels, taken = _timed(lambda: _ready(search(A, source)))
        times.append(taken)
    traced = _quickest_trace(lambda: search(A, source), options.repeat if options.trace or options.plot else 0)
    traversed = edges_traversed(A, levels)
    counts = np.bincount(levels.to_coo()[1])
    result = {
        "file": options.file,
        "vertices": A.nrows,
        "entries": A.nvals,
        "backend": current_backend(),
        "algorithm": options.algorithm,
        "source": graph.label(source),
        "reached": levels.nvals,
        "depth": len(counts) - 1,
        "load_seconds": loading,
        "milliseconds": min(times) * 1e3,
        "edges_traversed": traversed,
        "gteps": traversed / min(times) / 1e9,
    }
    text = [pairs(result), "", _levels_table(counts.tolist())]
    if options.trace:
        text += ["", str(traced)]
        result["trace"] = [vars(record) for record in traced.records]
    if options.plot:
        traced.plot(options.plot, title=f"{options.algorithm} from {options.source}")
    if options.output:
        write_table(options.output, ["vertex", "level"], of_vertices(graph, levels, False))
    show(options, {**result, "level_sizes": counts.tolist()}, "\n".join(text))
    return 0


def check_picture(name: str) -> None:
    """Check before work begins that matplotlib is installed and supports this format."""
    from matplotlib.backend_bases import FigureCanvasBase

    known = FigureCanvasBase.get_supported_filetypes()
    if Path(name).suffix[1:].lower() not in known:
        raise UsageError(f"{name}: unknown picture format; choose one of {', '.join(f'.{kind}' for kind in known)}")


def edges_traversed(A: Matrix, levels: Vector) -> int:
    """The number of edges that a search reached, as Graph500 counts them: an undirected edge once.

    >>> from grblas_gpu import Vector, generators
    >>> edges_traversed(generators.path(5), Vector.from_dense([0, 1, 2, 3, 4]))
    4
    """
    from .. import agg

    # entries of the rows that were reached
    found = A.reduce_rowwise(agg.count).new(mask=levels.S).reduce().new().get(0)
    return found // 2 if A.is_symmetric() else found


def _quickest_trace(run: Callable[[], object], repeat: int) -> Any:
    """The trace of the fastest of several runs, the one least disturbed by other programs."""
    from ..trace.records import trace

    traces = []
    for _ in range(repeat):
        with trace() as traced:
            run()
        traces.append(traced)
    return min(traces, key=lambda traced: sum(record.seconds for record in traced.records), default=None)


def _timed(run: Callable[[], Result]) -> tuple[Result, float]:
    start = time.perf_counter()
    result = run()
    return result, time.perf_counter() - start


def _ready(vector: Vector) -> Vector:
    """The vector, after the device has computed it."""
    vector.nvals
    return vector


def _levels_table(counts: list[int]) -> str:
    rows: list[dict[str, object]] = [{"level": level, "vertices": f"{count:,}"} for level, count in enumerate(counts)]
    return table(rows if len(rows) <= SHOWN else [*rows[: SHOWN - 2], {"level": "...", "vertices": ""}, rows[-1]])
