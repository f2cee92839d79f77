"""002: O. Artiles, F. Saeed, TurboBC, ICPP Workshops 2021. Titan Xp."""

from __future__ import annotations

from typing import NamedTuple

import grblas_gpu as gb
from grblas_gpu import algorithms

from .. import graphs
from ..contenders import grblas
from ..graphs import BenchmarkGraph
from ..harness import Session
from ..speed_case import Case
from ..speed_kernels import check_some_scores
from ..text_tables import Table
from .common import Experiment, Options, peak_bytes, release, wall
from .turbobfs import make

PAPER = "Artiles, Saeed, ICPP Workshops 2021 (Titan Xp)"
WORD = 4  # bytes, in the paper's count
SECONDS, FIRST = 4.0, 32  # an exact computation is measured for about so long, on as many sources as that allows
VERIFIED = 12  # sources of an exact computation: more than one batch of the large graph


class Row(NamedTuple):
    """Milliseconds and MTEPS of tables 1 to 4, levels of the search."""

    ms: float
    mteps: float
    depth: int


TABLE1 = {"delaunayn15": Row(4.7, 42, 84), "delaunayn16": Row(7.1, 55, 110)}
TABLE2 = {"smallworld": Row(1.0, 1000, 9)}
TABLE3 = {
    "mycielskian15": Row(1.7, 6536, 3),
    "mycielskian16": Row(3.4, 9819, 3),
    "mycielskian17": Row(7.9, 12689, 3),
    "mycielskian18": Row(18.5, 16267, 3),
    "mycielskian19": Row(48.9, 18470, 3),
    "kron-logn18": Row(8.7, 2433, 6),
    "kron-logn19": Row(17.4, 2504, 6),
    "kron-logn20": Row(58.4, 1528, 6),
    "kron-logn21": Row(193.2, 943, 6),
}
TABLE4 = {"GAP-twitter": Row(7300, 201, 15)}
TABLE5 = {"mycielskian16": (159.8, 10257), "mycielskian17": (715.2, 13778)}  # seconds, MTEPS
SMALL = {"delaunayn15": "delaunayn8", "smallworld": "smallworld200", "mycielskian15": "mycielskian7"}


def graph_of(name: str, small: bool) -> BenchmarkGraph:
    if name == "GAP-twitter":
        return graphs.kronecker(9, 12) if small else graphs.kronecker(26, 12, "GAP-twitter (stand-in)")
    return make(SMALL[name] if small else name)


def compared(rows: dict[str, Row], title: str, options: Options, session: Session) -> list[Table]:
    """One source's betweenness: time, and memory against 7 n + m words."""
    table = Table(
        f"{title}, {options.backend}",
        "graph,vertices,entries,levels,paper's d,ms,paper's ms,x floor,MTEPS,paper's MTEPS,ratio,"
        "words / (7n + m),over SuiteSparse".split(","),
    )
    for name, paper in rows.items():
        if options.small and name not in SMALL and name != "GAP-twitter":
            continue
        graph = graph_of(name, options.small)
        found = session.measure(
            graph,
            "bc",
            [grblas(options.backend), *options.others("python-graphblas" if options.small else "no other")],
            sources=options.sources,
            trials=options.trials,
        )
        ours = found[0]
        theirs = next((r["milliseconds"]["median"] for r in found if r["contender"] == "python-graphblas"), None)
        mteps, ms = ours["gteps_entries"] * 1e3, ours["milliseconds"]["median"]
        table.add(
            graph.name,
            graph.n,
            graph.entries,
            ours["depth"] + 1,
            paper.depth,
            ms,
            paper.ms,
            ours["over_floor"],
            mteps,
            paper.mteps,
            mteps / paper.mteps,
            words(graph, options.backend) / (7 * graph.n + graph.entries),
            theirs and theirs / ms,
        )
        release(graph)
    table.notes = [
        "words: 4 bytes each, offsets and column indices of the matrix and the most that one computation needs at once;"
        " path counts and dependencies have 8 bytes here, 4 in the paper",
        "the paper's path counts are 32-bit integers that may overflow; these are FP64, exact up to 2**53",
    ]
    return [table]


def words(graph: BenchmarkGraph, backend: str) -> float:
    """Memory of the matrix and of one computation, in the paper's words."""
    A = graph.matrix(backend)
    source = graph.sources(1)[0]
    matrix = A._store.indptr.nbytes + A._store.indices.nbytes
    peak = peak_bytes(backend, lambda: algorithms.betweenness_centrality(A, source, normalized=False).nvals)
    return (matrix + peak) / WORD


def table1(options: Options, session: Session) -> list[Table]:
    return compared(TABLE1, "Regular graphs (thread per vertex in the paper)", options, session)


def table2(options: Options, session: Session) -> list[Table]:
    return compared(TABLE2, "Regular graphs (thread per edge in the paper)", options, session)


def table3(options: Options, session: Session) -> list[Table]:
    return compared(TABLE3, "Irregular graphs (warp per vertex in the paper)", options, session)


def table4(options: Options, session: Session) -> list[Table]:
    tables = compared(TABLE4, "Big graphs", options, session)
    tables[0].notes.append(
        "the big graphs are crawls and traces that no recipe makes; a Kronecker graph of scale 26 has the size of one"
    )
    return tables


def table5(options: Options, session: Session) -> list[Table]:
    """Exact betweenness of all vertices: the first sources are measured, the rest takes as long."""
    table = Table(
        f"Exact betweenness, {options.backend}",
        ["graph", "vertices", "entries", "sources measured", "s", "s for all", "paper's s", "MTEPS", "paper's MTEPS"],
    )
    for name, (paper_s, paper_mteps) in TABLE5.items():
        if options.small and name != "mycielskian16":
            continue
        graph = make("mycielskian7" if options.small else name)
        case = Case(graph, options.backend)

        def compute(count: int, A: gb.Matrix = case.A) -> float:
            return wall(lambda: algorithms.betweenness_centrality(A, range(count), normalized=False).nvals)

        few = min(graph.n, FIRST)
        check_some_scores(case, VERIFIED)  # compiles, too
        measured = min(graph.n, max(few, int(SECONDS / compute(few) * few)))
        taken = compute(measured)
        whole = taken * graph.n / measured
        table.add(
            graph.name,
            graph.n,
            graph.entries,
            measured,
            taken,
            whole,
            paper_s,
            graph.n * graph.entries / whole / 1e6,
            paper_mteps,
        )
        del case, compute
        release(graph)
    table.notes = [
        "MTEPS: n m over the time; the time for all is that of the measured sources, in proportion",
        f"verified before, on {VERIFIED} sources at once, by another library's products",
    ]
    return [table]


EXPERIMENTS = [
    Experiment("002.table1", "TurboBC on regular graphs", PAPER, table1),
    Experiment("002.table2", "TurboBC on a small world", PAPER, table2),
    Experiment("002.table3", "TurboBC on irregular graphs", PAPER, table3),
    Experiment("002.table4", "TurboBC on big graphs", PAPER, table4),
    Experiment("002.table5", "Exact betweenness", PAPER, table5),
]
