"""002: O. Artiles, F. Saeed, TurboBC, ICPP Workshops 2021. Titan Xp."""

from functools import partial

import grblas_gpu as gb
from grblas_gpu import algorithms
from grblas_gpu.bench.contenders import grblas

from ..cases_gpu import Case, check_some_scores
from ..common import BenchmarkGraph, Session, Table, seconds
from .common import Experiment, Options, make, peak_bytes, shape

WORD = 4  # bytes, in the paper's count
SECONDS, FIRST = 4.0, 32  # limit of an exact computation; it runs as many sources as fit
VERIFIED = 12  # sources of an exact computation: more than one batch of the large graph
SMALL = ("delaunayn15", "smallworld", "mycielskian15", "GAP-twitter")


def compared(experiment: Experiment, options: Options, session: Session) -> list[Table]:
    """One source's betweenness: time, and memory against 7 n + m words."""
    table = experiment.table(options.backend)
    for name, (paper_ms, paper_mteps, depth) in experiment.rows.items():
        if options.small and name not in SMALL:
            continue
        graph = make(name, options.small)
        other = "python-graphblas" if options.small else "no other"
        (ours,), theirs = options.measure(session, graph, "bc", [grblas(options.backend)], other)
        mteps, ms = ours["gteps_entries"] * 1e3, ours["milliseconds"]["median"]
        cells = [*shape(graph), ours["depth"] + 1, depth, ms, paper_ms, ours["over_floor"], mteps, paper_mteps]
        words_of = words(graph, options.backend) / (7 * graph.n + graph.entries)
        table.add(*cells, mteps / paper_mteps, words_of, theirs and theirs / ms)
        graph.forget()
    return [table]


def betweenness(A: gb.Matrix, sources: object) -> int:
    return algorithms.betweenness_centrality(A, sources, normalized=False).nvals


def words(graph: BenchmarkGraph, backend: str) -> float:
    """Memory of the matrix and of one computation, in the paper's words."""
    A = graph.matrix(backend)
    matrix = A._store.indptr.nbytes + A._store.indices.nbytes
    return (matrix + peak_bytes(backend, partial(betweenness, A, graph.sources(1)[0]))) / WORD


def table5(experiment: Experiment, options: Options, session: Session) -> list[Table]:
    """Exact betweenness of all vertices, extrapolated from the first sources."""
    table = experiment.table(options.backend)
    for name, (paper_s, paper_mteps) in experiment.rows.items():
        if options.small and name != "mycielskian16":
            continue
        graph = make(name, options.small)
        case = Case(graph, options.backend)
        few = min(graph.n, FIRST)
        check_some_scores(case, VERIFIED)  # compiles, too
        measured = min(graph.n, max(few, int(SECONDS / seconds(partial(betweenness, case.A, range(few))) * few)))
        taken = seconds(partial(betweenness, case.A, range(measured)))
        whole = taken * graph.n / measured
        mteps = graph.n * graph.entries / whole / 1e6
        table.add(*shape(graph), measured, taken, whole, paper_s, mteps, paper_mteps)
        del case
        graph.forget()
    return [table]


EXPERIMENTS = {**dict.fromkeys(("002.table1", "002.table2", "002.table3", "002.table4"), compared)}
EXPERIMENTS["002.table5"] = table5
