"""000: O. Artiles, F. Saeed, TurboBFS, IPDPSW 2021. Titan Xp."""

from functools import partial

from grblas_gpu.algorithms.turbobfs import KERNELS

from grblas_gpu import algorithms
from grblas_gpu.bench.contenders import grblas

from ..common import Session, Table
from .common import Experiment, Options, make, shape

SMALL = ("delaunayn15", "smallworld", "mycielskian12", "kron-logn16")
SECONDS = 0.75  # approximate time for each of the three kernels on a graph


def compared(experiment: Experiment, options: Options, session: Session) -> list[Table]:
    """Each graph by all three kernels; as in the paper, the best is shown."""
    table = experiment.table(options.backend)
    for name, (depth, paper_mteps, paper_over_suitesparse) in experiment.rows.items():
        if options.small and name not in SMALL:
            continue
        graph = make(name, options.small)
        kernels = [
            grblas(options.backend, partial(algorithms.turbobfs, kernel=kernel), f"turbobfs {kernel}")
            for kernel in KERNELS
        ]
        found, theirs = options.measure(session, graph, "bfs", kernels, "python-graphblas", budget=SECONDS)
        best = min(found, key=lambda row: row["milliseconds"]["median"])
        ms, mteps = best["milliseconds"]["median"], best["gteps_entries"] * 1e3
        ours = [*shape(graph), best["depth"] + 1, depth, best["contender"].split()[1], ms, best["over_floor"], mteps]
        table.add(*ours, paper_mteps, mteps / paper_mteps, theirs and theirs / ms, paper_over_suitesparse)
        graph.forget()
    return [table]


EXPERIMENTS = {"000.table1": compared, "000.table2": compared}
