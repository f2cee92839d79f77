"""001: T. Hiragushi, D. Takahashi, Efficient hybrid breadth-first search on GPUs, ICA3PP 2013. Tesla M2050."""

from __future__ import annotations

from functools import partial

from grblas_gpu import algorithms, generators

from .. import graphs
from ..contenders import grblas
from ..graphs import BenchmarkGraph
from ..harness import Session
from ..text_tables import Table
from .common import Experiment, Options, release

PAPER = "Hiragushi, Takahashi, ICA3PP 2013 (Tesla M2050)"
ROOTS = 64  # as Graph500 asks for
GTGRAPH = {"a": 0.45, "b": 0.15, "c": 0.15}  # the defaults of the generator that the paper used


def searched(options: Options) -> list[BenchmarkGraph]:
    if options.small:
        return [graphs.kronecker(9, 8), BenchmarkGraph("random", generators.uniform_random, 500, 8)]
    return [
        BenchmarkGraph("random.1Mv.64Me", generators.uniform_random, 2**20, 128),
        BenchmarkGraph("rmat.1Mv.64Me", generators.kronecker, 20, 64, **GTGRAPH),
        graphs.kronecker(20, 48, "kron_g500-logn20"),
    ]


def figure4(options: Options, session: Session) -> list[Table]:
    """Median rate over 64 random roots, with and without bottom-up steps."""
    table = Table(
        f"{ROOTS} random roots, {options.backend}",
        "graph,vertices,entries,hybrid ms,top-down ms,speed-up,GTEPS (entries),GTEPS (Graph500),x floor".split(","),
    )
    roots = 4 if options.small else ROOTS
    for graph in searched(options):
        hybrid, top_down = session.measure(
            graph,
            "bfs",
            [
                grblas(options.backend, algorithms.hybrid_bfs, "hybrid_bfs"),
                grblas(options.backend, partial(algorithms.dobfs, direction="push"), "top-down"),
            ],
            sources=roots,
            trials=1,
        )
        ms, slow = hybrid["milliseconds"]["median"], top_down["milliseconds"]["median"]
        table.add(
            graph.name,
            graph.n,
            graph.entries,
            ms,
            slow,
            slow / ms,
            hybrid["gteps_entries"],
            hybrid["gteps_graph500"],
            hybrid["over_floor"],
        )
        release(graph)
    table.notes = [
        "the paper's figure 4 shows bars without numbers; its text: up to 29 times Merrill's top-down search",
        "the vertices are renumbered once, before the roots, and every tree is verified",
    ]
    return [table]


EXPERIMENTS = [Experiment("001.figure4", "Hybrid search from 64 random roots", PAPER, figure4)]
