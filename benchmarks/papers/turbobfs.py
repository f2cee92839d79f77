"""000: O. Artiles, F. Saeed, TurboBFS, IPDPSW 2021. Titan Xp."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from grblas_gpu.algorithms.turbobfs import KERNELS

from grblas_gpu import algorithms

from .. import graphs
from ..contenders import grblas
from ..graphs import BenchmarkGraph
from ..harness import Session
from ..text_tables import Table
from .common import Experiment, Options, release

PAPER = "Artiles, Saeed, IPDPSW 2021 (Titan Xp)"
SECONDS = 0.75  # each of the three kernels is timed for about so long on a graph


class Row(NamedTuple):
    """A row of tables I and II: vertices and entries in thousands, depth, MTEPS, speed-up over SuiteSparse."""

    vertices: float
    entries: float
    depth: int
    mteps: float
    over_suitesparse: float


TABLE1 = {
    "delaunayn15": Row(33, 197, 84, 109, 8.5),
    "delaunayn16": Row(66, 393, 110, 164, 11.7),
    "delaunayn17": Row(131, 786, 157, 161, 15.9),
    "delaunayn18": Row(262, 1573, 197, 225, 12.7),
    "delaunayn19": Row(524, 3146, 306, 115, 9.2),
    "smallworld": Row(100, 1000, 9, 2000, 24.2),
    "roadNet-CA": Row(1971, 5533, 555, 87, 10.1),
}
TABLE2 = {
    "mycielskian12": Row(3, 407, 3, 2036, 7.5),
    "mycielskian13": Row(6, 1228, 3, 4092, 12.5),
    "mycielskian14": Row(12, 3696, 3, 6159, 23.3),
    "mycielskian15": Row(24, 11111, 3, 11111, 30.9),
    "mycielskian16": Row(49, 33383, 3, 16691, 36.2),
    "mycielskian17": Row(98, 100246, 3, 22277, 42.2),
    "mycielskian18": Row(196.6, 300934, 3, 31347, 48.0),
    "mycielskian19": Row(393, 903195, 3, 39778, 57.3),
    "kron-logn16": Row(66, 4913, 6, 4466, 28.3),
    "kron-logn17": Row(131.1, 10229, 6, 4447, 16.7),
    "kron-logn18": Row(262, 21166, 6, 5292, 30.0),
    "kron-logn19": Row(524, 43563, 6, 5808, 17.3),
    "kron-logn20": Row(1049, 89241, 6, 3984, 24.6),
    "kron-logn21": Row(2097, 182084, 6, 2642, 15.4),
}
SMALL = {"delaunayn15": 8, "smallworld": 200, "mycielskian12": 7, "kron-logn16": 8}


def make(name: str, small: bool = False) -> BenchmarkGraph:
    """A graph by the name that the papers use; a small one in its place on demand."""
    kind = name.rstrip("0123456789")
    size = SMALL[name] if small else int(name.removeprefix(kind) or 0)
    if kind == "delaunayn":
        return graphs.delaunay(size, name)
    if kind == "mycielskian":
        return graphs.mycielskian(size)
    if kind == "kron-logn":
        return graphs.kronecker(size, 48, name)
    if kind == "smallworld":
        return graphs.small_world(size or 100_000)
    return graphs.road("roadNet-CA (stand-in)", 1404, 1404, 0.7)


def compared(rows: dict[str, Row], title: str, options: Options, session: Session) -> list[Table]:
    """Each graph by all three kernels; as in the paper, the best is shown."""
    table = Table(
        f"{title}, {options.backend}",
        "graph,vertices,entries,levels,paper's d,kernel,ms,x floor,MTEPS,paper's MTEPS,ratio,"
        "over SuiteSparse,paper's over SuiteSparse".split(","),
    )
    for name, paper in rows.items():
        if options.small and name not in SMALL:
            continue
        graph = make(name, options.small)
        kernels = [
            grblas(options.backend, partial(algorithms.turbobfs, kernel=kernel), f"turbobfs {kernel}")
            for kernel in KERNELS
        ]
        found = session.measure(
            graph,
            "bfs",
            [*kernels, *options.others("python-graphblas")],
            sources=options.sources,
            trials=options.trials,
            budget=SECONDS,
        )
        best = min(found[: len(kernels)], key=lambda row: row["milliseconds"]["median"])
        theirs = next((r["milliseconds"]["median"] for r in found if r["contender"] == "python-graphblas"), None)
        ms, mteps = best["milliseconds"]["median"], best["gteps_entries"] * 1e3
        table.add(
            graph.name,
            graph.n,
            graph.entries,
            best["depth"] + 1,
            paper.depth,
            best["contender"].split()[1],
            ms,
            best["over_floor"],
            mteps,
            paper.mteps,
            mteps / paper.mteps,
            theirs and theirs / ms,
            paper.over_suitesparse,
        )
        release(graph)
    table.notes = [
        "MTEPS: millions of entries of the matrix over the time, as in the paper (thousands of entries over ms)",
        "the paper's graphs are those of the collection; ours have the same recipe, and Mycielskians are the same",
        "SuiteSparse: the paper's on 22 Xeon Gold 6152; ours on this machine's cores, by its faster direction",
    ]
    return [table]


def table1(options: Options, session: Session) -> list[Table]:
    return compared(TABLE1, "Regular graphs", options, session)


def table2(options: Options, session: Session) -> list[Table]:
    return compared(TABLE2, "Irregular graphs", options, session)


EXPERIMENTS = [
    Experiment("000.table1", "TurboBFS on regular graphs", PAPER, table1),
    Experiment("000.table2", "TurboBFS on irregular graphs", PAPER, table2),
]
