"""001: T. Hiragushi, D. Takahashi, Efficient hybrid breadth-first search on GPUs, ICA3PP 2013. Tesla M2050."""

from functools import partial

from grblas_gpu import algorithms, generators
from grblas_gpu.bench import graphs
from grblas_gpu.bench.contenders import grblas

from ..common import BenchmarkGraph, Session, Table
from .common import Experiment, Options, shape

ROOTS = 64  # as Graph500 requires
GTGRAPH = {"a": 0.45, "b": 0.15, "c": 0.15}  # the defaults of the generator that the paper used


def searched(options: Options) -> list[BenchmarkGraph]:
    if options.small:
        return [graphs.kronecker(9, 8), BenchmarkGraph("random", generators.uniform_random, 500, 8)]
    return [
        BenchmarkGraph("random.1Mv.64Me", generators.uniform_random, 2**20, 128),
        BenchmarkGraph("rmat.1Mv.64Me", generators.kronecker, 20, 64, **GTGRAPH),
        graphs.kronecker(20, 48, "kron_g500-logn20"),
    ]


def figure4(experiment: Experiment, options: Options, session: Session) -> list[Table]:
    """Median rate over 64 random roots, with and without bottom-up steps."""
    table = experiment.table(options.backend)
    ours = grblas(options.backend, algorithms.hybrid_bfs, "hybrid_bfs")
    pushing = grblas(options.backend, partial(algorithms.dobfs, direction="push"), "top-down")
    for graph in searched(options):
        hybrid, top_down = session.measure(graph, "bfs", [ours, pushing], 4 if options.small else ROOTS, 1)
        ms, slow = hybrid["milliseconds"]["median"], top_down["milliseconds"]["median"]
        rates = (hybrid[key] for key in ("gteps_entries", "gteps_graph500", "over_floor"))
        table.add(*shape(graph), ms, slow, slow / ms, *rates)
        graph.forget()
    return [table]


EXPERIMENTS = {"001.figure4": figure4}
